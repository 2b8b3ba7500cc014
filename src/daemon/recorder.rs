// SPDX-License-Identifier: GPL-3.0-or-later
//! The task that records what one table observed and decided, and lets what was decided out once
//! it is recorded.
//!
//! Nothing decided is published without its commit. When a commit fails, everything from there on
//! is kept here, in order, and tried again after 1 s at first and every 30 s in the long run; what
//! the hardware shows goes out meanwhile, past this task. The kept part is bounded ([`Held`]).

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};

use super::DaemonError;
use super::faults::{Faults, Kind, Place};
use super::lamp::{Lamp, Picture};
use super::publisher::Publication;
use crate::dbus::{CallError, Event};
use crate::journal::{Batch, Committed, GameId, GameStart, Journal, JournalError};
use crate::laws::{Notice, Ruling};
use crate::link::Backoff;
use crate::table::View;

/// Facts, rulings and notices of all tables together that may wait for a journal that cannot be
/// written: about 50 MB, and hours of play at a dozen tables. Whoever holds more than this back
/// has lost its ground; the daemon then ends in order.
pub const HELD_AT_MOST: usize = 100_000;

/// The first wait after a failed commit, and the longest.
const RETRY: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(30)];

/// So many entries share one batch, that a commit stays short.
const LARGEST_BATCH: usize = 512;

/// What belongs together, for the journal and then for the bus.
pub struct Entry {
    /// A new game of the table begins with it: all that follows is recorded there.
    pub begins: Option<GameStart>,
    /// What is recorded.
    pub batch: Batch,
    /// The revision of the table's game with all of it.
    pub revision: u64,
    /// What is published then, in order.
    pub decided: Vec<Decided>,
    /// Whoever waits for his fact's number.
    pub said: Option<Said>,
}

/// One who spoke.
#[derive(Debug)]
pub struct Said {
    /// The fact that it became.
    pub fact: u64,
    /// Answered once it is committed, or once it is clear that this takes longer.
    pub reply: oneshot::Sender<Result<u64, CallError>>,
}

/// Something that was decided.
#[derive(Debug)]
pub enum Decided {
    /// A view of what was derived.
    View(View),
    /// A ruling.
    Ruling(Box<Ruling>),
    /// A notice.
    Notice(Notice),
    /// What the board's lights show.
    Lights(Picture),
}

/// How much of all tables is observed or decided and not recorded yet. Clones share the count.
#[derive(Clone, Debug)]
pub struct Held {
    count: Arc<AtomicUsize>,
    bound: usize,
}

impl Held {
    /// Nothing yet, and at most `bound`.
    pub fn new(bound: usize) -> Self {
        Self { count: Arc::default(), bound }
    }

    /// These are on their way to the journal.
    pub fn add(&self, batch: &Batch) {
        self.count.fetch_add(size(batch), Ordering::Relaxed);
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }

    fn remove(&self, batch: &Batch) {
        self.count.fetch_sub(size(batch), Ordering::Relaxed);
    }
}

fn size(batch: &Batch) -> usize {
    batch.facts.len() + batch.rulings.len() + batch.notices.len()
}

/// The recorder of one table.
pub struct Recorder {
    pub table: String,
    pub journal: Journal,
    /// Taken out at once, also while a commit is awaited: the bound is that of [`Held`].
    pub entries: mpsc::UnboundedReceiver<Entry>,
    pub publish: mpsc::UnboundedSender<Publication>,
    pub faults: Faults,
    pub held: Held,
    /// The lights of the table's board.
    pub lamp: Lamp,
}

/// What happened while a recorder waited.
enum Step {
    Answered(Result<Committed, JournalError>),
    Came(Option<Entry>),
}

impl Recorder {
    /// Runs until nobody can give it anything any more and everything is recorded.
    ///
    /// # Errors
    /// [`DaemonError::Journal`] if nothing writes to the journal any more,
    /// [`DaemonError::HeldTooMuch`] if too much waits for it.
    pub async fn run(mut self) -> Result<(), DaemonError> {
        let [first, longest] = RETRY;
        let mut backoff = Backoff::between(first, longest);
        let mut queue = Queue::default();
        while self.fill(&mut queue).await? {
            let outcome = match queue.begins() {
                Some(start) => self.begin(start, &mut queue).await.map(|()| None),
                None => {
                    let Some(batch) = queue.due() else { continue };
                    self.commit(batch, &mut queue).await?.map(Some)
                }
            };
            match outcome {
                Ok(None) => backoff.reset(),
                Ok(Some(committed)) => {
                    backoff.reset();
                    self.let_out(&mut queue, committed);
                    self.faults.clear(Kind::Journal, self.place());
                }
                Err(error @ JournalError::WriterGone { .. }) => return Err(error.into()),
                Err(error) => {
                    queue.troubled = true;
                    queue.answer_all(&error);
                    let waiting = queue.entries.len();
                    let detail = format!(
                        "{error}; {waiting} entries of this table wait and nothing that follows from them \
                         is published; it is tried again"
                    );
                    self.faults.raise(Kind::Journal, self.place(), detail);
                    self.pause(&mut queue, backoff.wait()).await?;
                }
            }
        }
        Ok(())
    }

    /// Waits until there is something to record; false at the end of all.
    async fn fill(&mut self, queue: &mut Queue) -> Result<bool, DaemonError> {
        while let Ok(entry) = self.entries.try_recv() {
            self.take(queue, Some(entry))?;
        }
        if queue.entries.is_empty() && queue.open {
            let entry = self.entries.recv().await;
            self.take(queue, entry)?;
        }
        Ok(!queue.entries.is_empty())
    }

    fn take(&self, queue: &mut Queue, entry: Option<Entry>) -> Result<(), DaemonError> {
        let Some(mut entry) = entry else {
            queue.open = false;
            return Ok(());
        };
        if queue.troubled {
            answer_later(&mut entry, "it is not writable now");
        }
        queue.entries.push_back(entry);
        let held = self.held.count();
        if held > self.held.bound { Err(DaemonError::HeldTooMuch { held }) } else { Ok(()) }
    }

    /// Has the journal begin the next game of the table. What comes meanwhile waits outside: it is short, and
    /// the bound is that of [`Held`].
    async fn begin(&self, start: GameStart, queue: &mut Queue) -> Result<(), JournalError> {
        let game = self.journal.begin_game(start).await?;
        tracing::info!(table = self.table, game = game.get(), "a game was begun");
        queue.has_begun(game);
        Ok(())
    }

    /// Hands a batch to the journal and waits for its answer; what comes meanwhile waits.
    async fn commit(
        &mut self,
        batch: Batch,
        queue: &mut Queue,
    ) -> Result<Result<Committed, JournalError>, DaemonError> {
        let mut pending = self.journal.append(batch);
        loop {
            let step = tokio::select! {
                answer = &mut pending => Step::Answered(answer),
                entry = self.entries.recv(), if queue.open => Step::Came(entry),
            };
            match step {
                Step::Answered(answer) => return Ok(answer),
                Step::Came(entry) => self.take(queue, entry)?,
            }
        }
    }

    /// Waits for the next try; shorter if the daemon is about to end.
    async fn pause(&mut self, queue: &mut Queue, wait: Duration) -> Result<(), DaemonError> {
        let over = tokio::time::sleep(if queue.open { wait } else { RETRY[0] });
        tokio::pin!(over);
        loop {
            tokio::select! {
                () = &mut over => return Ok(()),
                entry = self.entries.recv(), if queue.open => {
                    self.take(queue, entry)?;
                    if !queue.open {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// Publishes what is recorded now.
    fn let_out(&self, queue: &mut Queue, committed: Committed) {
        let (mut rulings, mut notices) = (committed.rulings.into_iter(), committed.notices.into_iter());
        let mut events = Vec::new();
        for entry in queue.entries.drain(..std::mem::take(&mut queue.in_flight)) {
            self.held.remove(&entry.batch);
            if let Some(said) = entry.said {
                // A caller who has gone away needs no answer.
                let _ = said.reply.send(Ok(said.fact));
            }
            for decided in entry.decided {
                let table = self.table.clone();
                let (at, revision) = (committed.at, Some(entry.revision));
                let event = match decided {
                    Decided::View(view) => Some(Event::View { table, revision, view }),
                    Decided::Ruling(ruling) => {
                        rulings.next().map(|row| Event::Ruling { table, row, ruling, committed_at: at })
                    }
                    Decided::Notice(notice) => notices.next().map(|row| Event::Notice { table, row, notice }),
                    Decided::Lights(picture) => {
                        self.lamp.show(picture);
                        continue;
                    }
                };
                if event.is_none() {
                    // The journal gives a row for each; without one nothing is published.
                    tracing::error!(table = self.table, "the journal named too few rows; not published");
                }
                events.extend(event);
            }
        }
        // Also without events: the publisher counts the commits.
        let publication = Publication::Committed { order: committed.order, events };
        // The publisher ends after all recorders; if it is gone, the daemon is going down.
        if self.publish.send(publication).is_err() {
            tracing::error!(table = self.table, "the publisher has ended; nothing more is published");
        }
        queue.troubled = false;
    }

    fn place(&self) -> Place {
        Place::Table(self.table.clone())
    }
}

/// What waits to be recorded, oldest first.
struct Queue {
    entries: VecDeque<Entry>,
    /// The game that is on, if it is not the first.
    game: Option<GameId>,
    /// How many of them the journal has been given.
    in_flight: usize,
    /// Whether the last commit failed.
    troubled: bool,
    /// Whether more can come.
    open: bool,
}

impl Default for Queue {
    fn default() -> Self {
        Self { entries: VecDeque::new(), game: None, in_flight: 0, troubled: false, open: true }
    }
}

impl Queue {
    /// What the journal is given next: all that waits, as one batch, so that what follows is never
    /// recorded without what it follows from. After a failure the oldest alone, so that an entry
    /// that is itself at fault holds up nothing before it.
    fn due(&mut self) -> Option<Batch> {
        let most = if self.troubled { 1 } else { LARGEST_BATCH };
        let of_this_game = self.entries.iter().take_while(|entry| entry.begins.is_none()).count();
        self.in_flight = of_this_game.min(most);
        let mut entries = self.entries.iter().take(self.in_flight);
        let mut all = entries.next()?.batch.clone();
        all.game = self.game.unwrap_or(all.game);
        for Entry { batch, .. } in entries {
            all.facts.extend_from_slice(&batch.facts);
            all.rulings.extend_from_slice(&batch.rulings);
            all.notices.extend_from_slice(&batch.notices);
        }
        Some(all)
    }

    /// The game that has to begin before anything else is recorded.
    fn begins(&self) -> Option<GameStart> {
        self.entries.front().and_then(|entry| entry.begins.clone())
    }

    /// It has begun.
    fn has_begun(&mut self, game: GameId) {
        self.game = Some(game);
        if let Some(entry) = self.entries.front_mut() {
            entry.begins = None;
        }
    }

    fn answer_all(&mut self, error: &JournalError) {
        let why = error.to_string();
        self.entries.iter_mut().for_each(|entry| answer_later(entry, &why));
    }
}

/// Tells one who waits that it takes longer: no caller waits for a disk to be mended.
fn answer_later(entry: &mut Entry, why: &str) {
    if let Some(Said { fact, reply }) = entry.said.take() {
        let text = format!(
            "heard as fact {fact}, which the journal could not record yet: {why}; it is kept and needs not \
             be said again"
        );
        let _ = reply.send(Err(CallError::JournalUnavailable(text)));
    }
}

#[cfg(test)]
mod tests;
