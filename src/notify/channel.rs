//! What all channels have in common.

use super::{Exec, Mail, Sendmail, Webhook};
use jiff::SignedDuration;
use raidmond_core::notice::Notice;
use raidmond_core::outbox::Attempt;

/// The other side took responsibility, in its own words: "250 2.0.0 Ok: queued as 4F1".
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receipt {
    pub said: String,
    /// Not everyone it was meant for was reached.
    pub complaint: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{said}")]
pub struct SendError {
    /// Whether the same message may be accepted later without anybody doing something.
    pub retryable: bool,
    pub retry_after: Option<SignedDuration>,
    pub said: String,
}

impl Receipt {
    pub fn new(said: impl AsRef<str>) -> Self {
        Self { said: one_line(said.as_ref()), complaint: None }
    }
}

impl SendError {
    pub fn later(said: impl AsRef<str>) -> Self {
        Self { retryable: true, retry_after: None, said: one_line(said.as_ref()) }
    }

    pub fn refused(said: impl AsRef<str>) -> Self {
        Self { retryable: false, ..Self::later(said) }
    }
}

pub fn attempt(outcome: Result<Receipt, SendError>) -> Attempt {
    match outcome {
        Ok(Receipt { said, complaint }) => Attempt::Accepted { receipt: said, complaint },
        Err(SendError { retryable, retry_after, said }) => Attempt::Failed { retryable, retry_after, said },
    }
}

/// A channel that cannot be set up. It keeps its place, so that its backlog waits for the repair.
#[derive(Debug, Clone)]
pub struct Broken {
    pub name: String,
    pub why: String,
}

#[derive(Debug)]
pub enum Channel {
    Mail(Mail),
    Sendmail(Sendmail),
    Webhook(Webhook),
    Exec(Exec),
    Broken(Broken),
}

impl Channel {
    pub fn name(&self) -> &str {
        match self {
            Channel::Mail(c) => c.name(),
            Channel::Sendmail(c) => c.name(),
            Channel::Webhook(c) => c.name(),
            Channel::Exec(c) => c.name(),
            Channel::Broken(c) => &c.name,
        }
    }

    /// One attempt. The same notice sent again carries the same id.
    pub async fn send(&self, notice: &Notice) -> Result<Receipt, SendError> {
        match self {
            Channel::Mail(c) => c.send(notice).await,
            Channel::Sendmail(c) => c.send(notice).await,
            Channel::Webhook(c) => c.send(notice).await,
            Channel::Exec(c) => c.send(notice).await,
            Channel::Broken(c) => Err(SendError::refused(&c.why)),
        }
    }
}

/// What others say is shown in one line, without control characters and error numbers, and not without end.
fn one_line(text: &str) -> String {
    let line: String = without_number(text).chars().map(|c| if c.is_control() { ' ' } else { c }).take(400).collect();
    line.trim().to_owned()
}

/// Rust adds "(os error 111)" to the words of the system.
fn without_number(text: &str) -> String {
    let Some((words, rest)) = text.split_once(" (os error ") else { return text.to_owned() };
    match rest.split_once(')') {
        Some((number, after)) if number.chars().all(|c| c.is_ascii_digit()) => format!("{words}{after}"),
        _ => text.to_owned(),
    }
}
