//! Reads captures nobody asked for: a set of answers is sorted to the adapters that recognise them,
//! and each adapter's conversation runs to its end with "not captured" for what the set lacks.

use crate::{Conversation, Step, registry};
use raidmond_core::survey::{Answer, Asked, Known, Reading, Scope};

/// How much of an answer `recognise` gets to see.
pub const HEAD_BYTES: usize = 4096;

#[derive(Debug, Default)]
pub struct Captured {
    pub readings: Vec<Reading>,
    /// Questions of answers no adapter recognised.
    pub unrecognised: Vec<Asked>,
}

/// `known` as recorded, or the default; its scope is widened to everything in the capture.
pub fn read(answers: &[Answer], known: &Known) -> Captured {
    let mut captured = Captured::default();
    let mut taken = vec![false; answers.len()];
    for adapter in registry::ADAPTERS {
        let known = Known { scope: Scope::Everything, ..known.clone() };
        let mut conversation = Conversation::new(*adapter, known);
        for (index, answer) in answers.iter().enumerate() {
            if let Some(kind) = adapter.recognise(&answer.asked, head(answer)) {
                conversation.heard_mut().push(kind, answer.clone());
                taken[index] = true;
            }
        }
        if !conversation.heard().is_empty() {
            captured.readings.push(finish(conversation));
        }
    }
    captured.unrecognised =
        answers.iter().zip(&taken).filter(|(_, taken)| !**taken).map(|(answer, _)| answer.asked.clone()).collect();
    captured
}

/// Tools a text without a command could have come from: (adapter, kind of answer).
pub fn guess(head: &[u8]) -> Vec<(&'static str, &'static str)> {
    let nameless = Asked::Cmd(Vec::new());
    registry::ADAPTERS.iter().filter_map(|a| a.recognise(&nameless, head).map(|k| (a.family(), k.0))).collect()
}

fn head(answer: &Answer) -> &[u8] {
    &answer.stdout[..answer.stdout.len().min(HEAD_BYTES)]
}

fn finish(mut conversation: Conversation<'_>) -> Reading {
    loop {
        match conversation.advance() {
            Step::Done(reading) => return *reading,
            Step::Ask { queries, .. } => {
                for query in queries {
                    let answer = Answer::not_captured(query.asked.clone());
                    conversation.hear(&query, answer);
                }
            }
        }
    }
}
