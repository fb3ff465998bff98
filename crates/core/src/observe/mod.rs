//! Log lines and event-log entries: what they observe, about which object, when.
//!
//! An observation is evidence and a reason to ask the tool again. It never carries a severity.

mod observation;

pub use observation::{About, Observation, Sign};
