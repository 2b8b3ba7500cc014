// SPDX-License-Identifier: GPL-3.0-or-later
//! An independent client of the bus: systemd's `busctl`, which shares no code with the daemon.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::hall::PATIENCE;

const SERVICE: &str = "org.arbiterd.Arbiter1";
const MANAGER: [&str; 2] = ["/org/arbiterd/Arbiter1", "org.arbiterd.Arbiter1.Manager"];
const TABLE: [&str; 2] = ["/org/arbiterd/Arbiter1/table/t1", "org.arbiterd.Arbiter1.Table"];

/// A signal as it was on the wire.
#[derive(Clone, Debug)]
pub struct Heard {
    /// The object that said it.
    pub path: String,
    pub member: String,
    pub args: Vec<Value>,
}

impl Heard {
    /// The text of an argument.
    pub fn text(&self, index: usize) -> &str {
        self.args.get(index).and_then(Value::as_str).unwrap_or("")
    }

    /// A field of the dictionary at the end of the signal.
    pub fn field(&self, name: &str) -> &Value {
        self.args.last().map_or(&Value::Null, |d| &d[name]["data"])
    }
}

/// Listens to everything that the service says.
pub struct Witness {
    child: Child,
    lines: mpsc::UnboundedReceiver<Heard>,
    address: String,
    /// Everything so far.
    pub heard: Vec<Heard>,
}

impl Witness {
    /// Begins to listen; returns when it does.
    pub fn listen(address: &str) -> Self {
        let mut child = Command::new("busctl")
            .args([&format!("--address={address}"), "--json=short", "monitor", SERVICE])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("busctl is installed (Debian package systemd)");
        // It says so when it has become a monitor.
        let mut said = String::new();
        BufReader::new(child.stderr.take().unwrap()).read_line(&mut said).unwrap();
        assert!(said.contains("Monitoring"), "busctl: {said}");
        let (sender, lines) = mpsc::unbounded_channel();
        let out = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || {
            for line in out.lines().map_while(Result::ok) {
                if let Some(heard) = signal(&line)
                    && sender.send(heard).is_err()
                {
                    return;
                }
            }
        });
        Self { child, lines, address: address.to_owned(), heard: Vec::new() }
    }

    /// Waits for a signal that satisfies `wanted`; everything before it is kept in `heard`.
    pub async fn hear(&mut self, what: &str, mut wanted: impl FnMut(&Heard) -> bool) -> Heard {
        loop {
            let next = timeout(PATIENCE, self.lines.recv()).await;
            let Ok(Some(heard)) = next else { panic!("not heard: {what}; so far {:#?}", self.heard) };
            self.heard.push(heard.clone());
            if wanted(&heard) {
                return heard;
            }
        }
    }

    /// Waits for a signal of this name.
    pub async fn hear_member(&mut self, member: &str) -> Heard {
        self.hear(member, |h| h.member == member).await
    }

    /// The names of the signals heard so far, in order, of those that are asked for.
    pub fn order(&self, members: &[&str]) -> Vec<String> {
        self.heard.iter().filter(|h| members.contains(&h.member.as_str())).map(|h| h.member.clone()).collect()
    }

    /// Reads the ledger from `since` on.
    pub fn rulings(&self, since: u64) -> Vec<Value> {
        let reply = self.call(&MANAGER, &["GetRulings", "ta{sv}", &since.to_string(), "0"]).unwrap();
        reply["data"][0].as_array().unwrap().clone()
    }

    /// Makes a claim at the table.
    pub fn claim(&self, by: &str, what: &str) -> Result<u64, String> {
        let reply = self.call(&TABLE, &["Claim", "ssa{sv}", by, what, "0"])?;
        Ok(reply["data"][0].as_u64().unwrap())
    }

    /// Tells the table something in the arbiter's name.
    pub fn command(&self, member: &str, signature: &str, argument: &str) -> Result<u64, String> {
        let reply = self.call(&TABLE, &[member, signature, argument, "0"])?;
        Ok(reply["data"][0].as_u64().unwrap())
    }

    /// A property of the manager or the table.
    pub fn property(&self, of_manager: bool, name: &str) -> Value {
        let [path, interface] = if of_manager { MANAGER } else { TABLE };
        let value = self.busctl(&["get-property", SERVICE, path, interface, name]).unwrap();
        value["data"].clone()
    }

    fn call(&self, [path, interface]: &[&str; 2], args: &[&str]) -> Result<Value, String> {
        let all: Vec<&str> =
            ["call", SERVICE, path, interface].into_iter().chain(args.iter().copied()).collect();
        self.busctl(&all)
    }

    fn busctl(&self, args: &[&str]) -> Result<Value, String> {
        let output = Command::new("busctl")
            .args([&format!("--address={}", self.address), "--json=short"])
            .args(args)
            .output()
            .unwrap();
        if output.status.success() {
            Ok(serde_json::from_slice(&output.stdout).unwrap())
        } else {
            Err(String::from_utf8_lossy(&output.stderr).into_owned())
        }
    }
}

impl Drop for Witness {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn signal(line: &str) -> Option<Heard> {
    let message: Value = serde_json::from_str(line).ok()?;
    if message["type"] != "signal" {
        return None;
    }
    let member = message["member"].as_str()?.to_owned();
    let path = message["path"].as_str().unwrap_or_default().to_owned();
    let args = message["payload"]["data"].as_array().cloned().unwrap_or_default();
    Some(Heard { path, member, args })
}
