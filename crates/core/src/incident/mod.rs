//! Incidents: from conditions that come and go to messages a person gets once.
//!
//! An incident is identified by its anchor object and topic. It opens on a fault, is told (at once
//! when critical, after a confirming look when a warning), grows, is reminded of, acknowledged,
//! absorbed by a larger one, and closes only on evidence. This module decides; it performs nothing.

mod engine;
mod life;
mod operator;
mod persist;
mod state;

pub use engine::{Effect, Engine, Input, Turn};
pub use operator::{Operator, OperatorError};
pub use persist::{LoadError, load};
pub use state::{Ack, ChannelSpec, Incident, Locator, Maintenance, Settings, State, Told};

#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_properties;
#[cfg(test)]
mod tests_time;
