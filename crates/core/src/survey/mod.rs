//! The conversation with a tool: what was asked, what came back, what was made of it.

mod answer;
mod known;
mod reading;
mod transcript;

pub use answer::{Answer, AnswerKind, Asked, Deadline, Freshness, Heard, Outcome, Query};
pub use known::{Known, KnownDisk, PciDevice, Scope, ToolFound};
pub use reading::{Coverage, Covers, Note, NoteKind, Reading};
pub use transcript::{Poll, Transcript, TranscriptError, split_words};
