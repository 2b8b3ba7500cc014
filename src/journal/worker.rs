// SPDX-License-Identifier: GPL-3.0-or-later
//! A thread with a queue, which is waited for when its last user goes.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::{Builder, JoinHandle};

/// A thread that works on messages of type `M`, in their order.
pub(super) struct Worker<M> {
    /// `None` only while dropping.
    queue: Option<Sender<M>>,
    thread: Option<JoinHandle<()>>,
    abandoned: AtomicBool,
}

impl<M: Send + 'static> Worker<M> {
    /// Starts a thread named `name`, which has to end when its queue does.
    pub(super) fn start(name: &str, work: impl FnOnce(Receiver<M>) + Send + 'static) -> io::Result<Self> {
        let (queue, messages) = mpsc::channel();
        let thread = Builder::new().name(name.to_owned()).spawn(move || work(messages))?;
        Ok(Self { queue: Some(queue), thread: Some(thread), abandoned: AtomicBool::new(false) })
    }

    /// Dropping does not wait for the thread any more: there is no time left for what it does.
    pub(super) fn abandon(&self) {
        self.abandoned.store(true, Ordering::Relaxed);
    }

    /// Queues a message without waiting. If the thread has ended the message is dropped, and
    /// with it the reply channel that it carries: that is how its sender notices.
    pub(super) fn send(&self, message: M) {
        if let Some(queue) = &self.queue {
            let _ = queue.send(message);
        }
    }
}

impl<M> Drop for Worker<M> {
    /// Waits until everything queued is done.
    fn drop(&mut self) {
        drop(self.queue.take());
        if self.abandoned.load(Ordering::Relaxed) {
            return;
        }
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("a thread of the journal ended by a panic");
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::oneshot;

    use super::*;

    #[test]
    fn who_waits_for_a_thread_that_failed_is_told() {
        let worker: Worker<oneshot::Sender<()>> = Worker::start("failing", |messages| {
            let _first = messages.recv();
            panic!("on purpose");
        })
        .unwrap();
        for _ in 0..3 {
            let (reply, answer) = oneshot::channel();
            worker.send(reply);
            assert!(answer.blocking_recv().is_err());
        }
    }

    #[test]
    fn an_abandoned_thread_is_not_waited_for() {
        let (release, released) = mpsc::channel::<()>();
        let worker: Worker<()> = Worker::start("hanging", move |_| {
            // Ends only after the drop below, which would hang if it waited.
            let _ = released.recv();
        })
        .unwrap();
        worker.abandon();
        drop(worker);
        drop(release);
    }

    #[test]
    fn dropping_waits_for_what_is_queued() {
        let (done, results) = mpsc::channel();
        let worker = Worker::start("adding", move |numbers: Receiver<u32>| {
            done.send(numbers.iter().sum::<u32>()).unwrap();
        })
        .unwrap();
        (1..=100).for_each(|n| worker.send(n));
        drop(worker);
        assert_eq!(results.try_recv(), Ok(5050));
    }
}
