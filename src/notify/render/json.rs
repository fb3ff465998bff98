//! The JSON of webhooks. Version 1: fields are added, never renamed or removed.

use super::RenderError;
use raidmond_core::notice::{EvidenceLine, Notice, NoticeObject, Thread};
use serde::Serialize;

#[derive(Serialize)]
struct Body<'a> {
    version: u32,
    id: &'a str,
    event: &'static str,
    severity: &'static str,
    host: &'a str,
    at: String,
    /// One line for chat services that show `text` and ignore the rest.
    text: String,
    headline: &'a str,
    incident: Option<Incident<'a>>,
    kinds: &'a [String],
    object: &'a NoticeObject,
    happened: &'a [String],
    means: &'a [String],
    action: &'a [String],
    evidence: &'a [EvidenceLine],
    footer: &'a [String],
    drill: bool,
}

#[derive(Serialize)]
struct Incident<'a> {
    id: u64,
    key: &'a str,
    opened_at: String,
}

pub fn json(notice: &Notice) -> Result<String, RenderError> {
    let notice = super::clean(notice);
    Ok(serde_json::to_string(&body(&notice))?)
}

fn body(notice: &Notice) -> Body<'_> {
    Body {
        version: 1,
        id: &notice.id,
        event: notice.event.word(),
        severity: notice.severity.word(),
        host: &notice.host,
        at: notice.at.to_string(),
        text: super::subject(notice),
        headline: &notice.headline,
        incident: notice.thread.as_ref().map(incident),
        kinds: &notice.kinds,
        object: &notice.object,
        happened: &notice.happened,
        means: &notice.means,
        action: &notice.to_do,
        evidence: &notice.evidence,
        footer: &notice.footer,
        drill: notice.drill,
    }
}

fn incident(thread: &Thread) -> Incident<'_> {
    Incident { id: thread.incident, key: &thread.key, opened_at: thread.opened_at.to_string() }
}
