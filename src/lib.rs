//! The program: shells that do I/O, and the command line. Nothing here judges health.

// First: the modules after it print through its macros.
#[macro_use]
mod out;

pub mod act;
pub mod assess;
pub mod cli;
pub mod clock;
pub mod config;
pub mod daemon;
pub mod demo;
pub mod discover;
pub mod history;
pub mod journal;
pub mod locate;
pub mod mailsink;
pub mod notify;
pub mod poll;
pub mod replay;
pub mod run;
pub mod serve;
pub mod store;
pub mod watch;
