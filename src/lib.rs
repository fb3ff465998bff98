//! The shells of raidmond: everything that touches the machine. Nothing in here judges health.

pub mod mailsink;
pub mod notify;
pub mod store;
