//! The shells of raidmond: everything that touches the machine. Nothing here judges health.

pub mod run;
pub mod watch;
