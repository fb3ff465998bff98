//! The decisions of raidmond, as pure functions.
//!
//! Answers of tools become facts ([`model`]), facts become conditions, conditions become incidents,
//! incidents become messages. Nothing in this crate opens a file, starts a process, reads a clock,
//! awaits or draws a random number: time and everything else from outside is an argument.

pub mod changes;
pub mod checks;
pub mod diagnose;
pub mod host;
pub mod identity;
pub mod incident;
pub mod model;
pub mod notice;
pub mod observe;
pub mod outbox;
pub mod schedule;
pub mod severity;
pub mod survey;
pub mod tail;
pub mod tell;
