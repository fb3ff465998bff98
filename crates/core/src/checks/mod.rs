//! Consistency checks: when one may run, and whether it did.
//!
//! `rules` is what the admin wants, `proof` follows each check from its start to how it ended, `against`
//! says why an array may not be checked now, [`plan`] decides what is to be done next. All pure. Starts
//! nothing: an order leaves as an effect of the engine's turn, after what it rests on was saved.

mod against;
mod judge;
mod memory;
mod plan;
mod proof;
mod rules;
#[cfg(test)]
mod tests;

pub use against::{Reason, Refusal, against};
pub(crate) use judge::diagnose;
pub use memory::{CheckMemory, CheckResult, Ending, Plan, Run, Starter};
pub use plan::{Order, Planning, Verb, appointments, next_wake, opens_at, plan, upcoming};
pub use proof::Ordered;
pub(crate) use proof::{hear, ordered, take_reading};
pub use rules::{Ability, Block, Checks, Rules, Selector, Who};
