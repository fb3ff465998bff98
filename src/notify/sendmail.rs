//! Mail through the local `sendmail` command, where there is no server to talk to.

use super::channel::{Receipt, SendError};
use super::child;
use super::render::{Envelope, message};
use raidmond_core::notice::Notice;
use std::time::Duration;

/// From sysexits.h: failures that may pass.
const OS_ERROR: i32 = 71;
const IO_ERROR: i32 = 74;
const TEMPORARY: i32 = 75;

#[derive(Debug, Clone)]
pub struct Sendmail {
    pub name: String,
    pub program: String,
    pub envelope: Envelope,
    pub deadline: Duration,
}

impl Sendmail {
    pub fn new(name: impl Into<String>, envelope: Envelope) -> Self {
        let program = "/usr/sbin/sendmail".to_owned();
        Self { name: name.into(), program, envelope, deadline: Duration::from_secs(30) }
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub async fn send(&self, notice: &Notice) -> Result<Receipt, SendError> {
        let mail = message(notice, &self.envelope).map_err(|e| SendError::refused(e.to_string()))?;
        let sender = self.envelope.sender.as_ref().map_or_else(String::new, ToString::to_string);
        let argv = [&self.program, "-i", "-t", "-f", &sender].map(str::to_owned);
        let job =
            child::Job { argv: &argv, environment: Vec::new(), input: unix_lines(&mail), deadline: self.deadline };
        let ended = child::run(job).await?;
        let said = format!("sendmail: {} {}", ended.status, ended.said);
        match ended.status.code() {
            Some(0) => Ok(Receipt::new(said)),
            Some(OS_ERROR | IO_ERROR | TEMPORARY) | None => Err(SendError::later(said)),
            Some(_) => Err(SendError::refused(said)),
        }
    }
}

/// Local programs expect lines ended by LF alone.
fn unix_lines(mail: &[u8]) -> Vec<u8> {
    mail.iter().copied().filter(|byte| *byte != b'\r').collect()
}
