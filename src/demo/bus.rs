// SPDX-License-Identifier: GPL-3.0-or-later
//! A message bus of the demo's own, so that it runs where none is.

use std::path::Path;

use tokio::sync::oneshot;

use super::DemoError;

/// Starts a bus with its socket in `folder` and returns its address. It lives in a thread of its
/// own, since it brings its own runtime, and ends with the process.
pub async fn start(folder: &Path) -> Result<String, DemoError> {
    let address = format!("unix:path={}", folder.join("bus").display());
    let (ready_in, ready) = oneshot::channel();
    std::thread::Builder::new()
        .name("bus".to_owned())
        .spawn(move || zruntime::block_on(serve(&address, ready_in)))
        .map_err(|e| DemoError::Bus(e.to_string()))?;
    ready.await.map_err(|_| DemoError::Bus("its thread ended".to_owned()))?
}

async fn serve(address: &str, ready: oneshot::Sender<Result<String, DemoError>>) {
    match busd::bus::Bus::for_address(Some(address)).await {
        Err(error) => {
            // Nobody waits any more: the demo is going down.
            let _ = ready.send(Err(DemoError::Bus(error.to_string())));
        }
        Ok(mut bus) => {
            // Its address with its identity is longer than a person likes to copy.
            let _ = ready.send(Ok(address.to_owned()));
            if let Err(error) = bus.run().await {
                tracing::error!(%error, "the demo's bus ended");
            }
        }
    }
}
