//! What raidmond shows to machines and people. Wire types of its own, documented and stable.

pub mod checks;
pub mod http;
pub mod metrics;
pub mod page;
pub mod socket;
pub mod status;
pub mod web;
pub mod wire;
