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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Term, Tool};
    use raidmond_core::survey::{AnswerKind, Asked};

    /// An adapter that fails, or asks without end, the same or something new each time.
    enum Bad {
        Panics,
        Repeats,
        NeverEnds,
    }

    impl Adapter for Bad {
        fn family(&self) -> &'static str {
            "bad"
        }
        fn tools(&self) -> &'static [Tool] {
            &[]
        }
        fn drivers(&self) -> &'static [&'static str] {
            &[]
        }
        fn recognise(&self, _: &Asked, _: &[u8]) -> Option<AnswerKind> {
            None
        }
        fn step(&self, _: &Known, heard: &Heard) -> Step {
            let words = match self {
                Bad::Panics => panic!("a bug"),
                Bad::Repeats => "again".to_owned(),
                Bad::NeverEnds => heard.all().count().to_string(),
            };
            let queries = vec![Query::cmd(AnswerKind("x"), &["tool", &words])];
            let so_far = Box::new(Reading::new("bad", raidmond_core::model::Space::Monitor));
            Step::Ask { queries, so_far }
        }
        fn vocabulary(&self) -> &'static [Term] {
            &[]
        }
    }

    /// How many questions were asked, and what the reading says of itself.
    fn talk(adapter: &Bad) -> (usize, NoteKind, String) {
        let mut conversation = Conversation::new(adapter, Known::default());
        loop {
            match conversation.advance() {
                Step::Ask { queries, .. } => {
                    queries.iter().for_each(|q| conversation.hear(q, Answer::not_captured(q.asked.clone())));
                }
                Step::Done(reading) => {
                    let note = &reading.notes[0];
                    return (conversation.heard().all().count(), note.kind, note.said.clone());
                }
            }
        }
    }

    #[test]
    fn an_adapter_that_panics_is_blindness_and_nothing_more() {
        let (asked, kind, said) = talk(&Bad::Panics);
        assert_eq!((asked, kind), (0, NoteKind::Unreadable));
        assert!(said.contains("bug in raidmond"), "{said}");
    }

    #[test]
    fn a_conversation_without_an_end_is_ended() {
        assert_eq!(talk(&Bad::Repeats).0, 1);
        let (asked, kind, _) = talk(&Bad::NeverEnds);
        assert_eq!((asked, kind), (MAX_ROUNDS, NoteKind::Partial));
    }
}
