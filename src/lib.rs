//! The program: shells that do I/O, and the command line. Nothing here judges health.

pub mod assess;
pub mod cli;
pub mod mailsink;
pub mod notify;
pub mod serve;
pub mod store;
