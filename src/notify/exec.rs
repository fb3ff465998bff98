//! A command of the operator's own: facts in the environment, the text on standard input.
//!
//! Exit status 0 is the receipt; anything else is tried again later.

use super::channel::{Receipt, SendError};
use super::{child, render};
use raidmond_core::notice::Notice;
use std::time::Duration;

#[derive(Debug, Clone)]
pub struct Exec {
    pub name: String,
    /// Program and arguments; no shell is involved.
    pub argv: Vec<String>,
    pub deadline: Duration,
}

impl Exec {
    pub fn new(name: impl Into<String>, argv: Vec<String>) -> Self {
        Self { name: name.into(), argv, deadline: Duration::from_secs(30) }
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub async fn send(&self, notice: &Notice) -> Result<Receipt, SendError> {
        let notice = render::clean(notice);
        let input = render::text(&notice).map_err(|e| SendError::refused(e.to_string()))?.into_bytes();
        let job = child::Job { argv: &self.argv, environment: environment(&notice), input, deadline: self.deadline };
        let ended = child::run(job).await?;
        match ended.status.success() {
            true => Ok(Receipt::new(format!("exit 0 {}", ended.said))),
            false => Err(SendError::later(format!("{} {}", ended.status, ended.said))),
        }
    }
}

fn environment(notice: &Notice) -> Vec<(&'static str, String)> {
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    let object = &notice.object;
    vec![
        ("RAIDMOND_ID", notice.id.clone()),
        ("RAIDMOND_EVENT", notice.event.word().to_owned()),
        ("RAIDMOND_SEVERITY", notice.severity.word().to_owned()),
        ("RAIDMOND_HOST", notice.host.clone()),
        ("RAIDMOND_AT", notice.at.to_string()),
        ("RAIDMOND_HEADLINE", notice.headline.clone()),
        ("RAIDMOND_SUBJECT", render::subject(notice)),
        ("RAIDMOND_INCIDENT", notice.thread.as_ref().map(|t| t.incident.to_string()).unwrap_or_default()),
        ("RAIDMOND_KEY", notice.thread.as_ref().map(|t| t.key.clone()).unwrap_or_default()),
        ("RAIDMOND_KINDS", notice.kinds.join(" ")),
        ("RAIDMOND_OBJECT", object.path.clone()),
        ("RAIDMOND_OBJECT_KIND", object.kind.clone()),
        ("RAIDMOND_CONTROLLER", text(&object.controller)),
        ("RAIDMOND_ENCLOSURE", text(&object.enclosure)),
        ("RAIDMOND_SLOT", text(&object.slot)),
        ("RAIDMOND_SERIAL", text(&object.serial)),
        ("RAIDMOND_MODEL", text(&object.model)),
        ("RAIDMOND_ARRAY", text(&object.array)),
        ("RAIDMOND_DRILL", if notice.drill { "1" } else { "" }.to_owned()),
    ]
}
