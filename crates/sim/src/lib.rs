//! A simulated host: RAID controllers, disks, faults and time, speaking the vendors' dialects.
//!
//! It powers `raidmond demo`, end-to-end tests and property tests. One world lives in one JSON file
//! under a lock; tool programs print it, a script breaks it, time moves it on. Deliberately shares no
//! code with the adapters: a parser's misunderstanding must not be the simulator's too.

mod checks;
pub mod clock;
pub mod faults;
mod kernel;
pub mod motion;
pub mod presets;
pub mod script;
mod sim;
mod store;
pub mod tools;
mod tree;
pub mod world;

pub use faults::Fault;
pub use kernel::Line;
pub use script::{Script, ScriptError};
pub use sim::Sim;
