//! What all MegaRAID tools share: the controller's event log, its blocks and its codes.
//!
//! A helper of the storcli and MegaCli adapters, not an adapter: it asks nothing and knows no tool.

mod codes;
pub mod events;
pub mod schedule;
