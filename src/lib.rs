//! The program: shells that do I/O, and the command line. Nothing here judges health.

pub mod assess;
pub mod cli;
pub mod run;
pub mod serve;
pub mod watch;
