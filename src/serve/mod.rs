//! What raidmond shows to machines and people. Wire types of its own, documented and stable.

pub mod checks;
pub mod socket;
pub mod status;
pub mod wire;
