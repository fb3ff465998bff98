//! Drives one adapter's conversation without doing I/O: the caller answers the queries.

use crate::{Adapter, Step};
use raidmond_core::model::Path;
use raidmond_core::survey::{Answer, Heard, Known, NoteKind, Query, Reading};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// An adapter that wants more rounds than this is stopped with what it has.
pub const MAX_ROUNDS: usize = 8;

pub struct Conversation<'a> {
    adapter: &'a dyn Adapter,
    known: Known,
    heard: Heard,
    rounds: usize,
}

impl<'a> Conversation<'a> {
    pub fn new(adapter: &'a dyn Adapter, known: Known) -> Self {
        Self { adapter, known, heard: Heard::default(), rounds: 0 }
    }

    /// What to ask now, or the finished reading. A panic inside the adapter becomes blindness of that
    /// adapter; asking nothing new, or too often, ends the conversation with a note.
    pub fn advance(&mut self) -> Step {
        let (adapter, known, heard) = (self.adapter, &self.known, &self.heard);
        let step = catch_unwind(AssertUnwindSafe(|| adapter.step(known, heard)));
        match step {
            Err(_) => Step::Done(Box::new(self.crashed())),
            Ok(Step::Done(reading)) => Step::Done(reading),
            Ok(Step::Ask { queries, so_far }) => self.ask(queries, so_far),
        }
    }

    pub fn hear(&mut self, query: &Query, answer: Answer) {
        self.heard.push(query.kind, answer);
    }

    pub fn heard(&self) -> &Heard {
        &self.heard
    }

    pub fn heard_mut(&mut self) -> &mut Heard {
        &mut self.heard
    }

    fn ask(&mut self, queries: Vec<Query>, mut so_far: Box<Reading>) -> Step {
        self.rounds += 1;
        let new: Vec<Query> = queries.into_iter().filter(|q| !self.heard.has_asked(&q.asked)).collect();
        if new.is_empty() || self.rounds > MAX_ROUNDS {
            so_far.note(NoteKind::Partial, Path::default(), "the conversation with the tool did not come to an end");
            return Step::Done(so_far);
        }
        Step::Ask { queries: new, so_far }
    }

    fn crashed(&self) -> Reading {
        let mut reading = Reading::new(self.adapter.family(), raidmond_core::model::Space::Monitor);
        let said =
            format!("raidmond's {} adapter failed on this answer; this is a bug in raidmond", self.adapter.family());
        let remedy = "make a support file with `raidmond probe --record` and report it";
        reading.note_with_remedy(NoteKind::Unreadable, Path::default(), said, remedy);
        reading
    }
}
