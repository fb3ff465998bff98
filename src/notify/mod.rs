//! Channels: how a notice reaches people and machines, and what the other side answered.
//!
//! One file per kind of channel. A channel renders ([`render`]), sends once and reports; when to try
//! again is the outbox's decision and [`pump`] carries it out. No channel knows about incidents,
//! other channels or the store.

mod channel;
mod child;
mod deadman;
mod exec;
mod mail;
pub mod pump;
pub mod render;
mod secret;
mod sendmail;
mod tls;
mod webhook;

pub use channel::{Broken, Channel, Receipt, SendError};
pub use deadman::Deadman;
pub use exec::Exec;
pub use mail::{Mail, MailSettings, check_server};
pub use secret::{Secret, SecretError};
pub use sendmail::Sendmail;
pub use webhook::{Webhook, WebhookSettings};
