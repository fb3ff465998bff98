//! Log lines and event-log entries: what they observe, about which object, when.
//!
//! An observation is evidence and a reason to ask the tool again. It never carries a severity.
//!
//! A buffer goes through [`Scanner::scan`]: lines are cut ([`line`]), lines of programs and drivers
//! nobody asked about are left behind by their first bytes, the rest meet the regular expressions of
//! the [`rules`] that can match them. [`fold`] then makes one observation of one fault's many lines,
//! and [`rate_of`] says of which signs one alone is nothing.

mod carry;
mod device;
mod fold;
mod line;
mod observation;
mod rule;
pub mod rules;
mod ruleset;
mod scanner;
mod transition;
mod user;
mod words;

pub use device::whole_disk;
pub use fold::{Rate, fold, rate_of, same_object};
pub use line::Context;
pub use observation::{About, Observation, Sign};
pub use rule::Rule;
pub use ruleset::LogKind;
pub use scanner::{Carry, Counts, Scan, Scanner};
pub use user::{RuleError, UserRule};
