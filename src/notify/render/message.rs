//! The whole mail: headers, text and HTML. The same notice gives the same bytes, so that a retry is
//! the same message.

use super::body::zone;
use super::{RenderError, clean, html, subject, text, token};
use lettre::message::header::{HeaderName, HeaderValue, Headers};
use lettre::message::{Mailbox, MultiPart, MultiPartKind, SinglePart};
use lettre::{Address, Message};
use raidmond_core::notice::{Notice, NoticeEvent, Thread};
use raidmond_core::severity::Severity;
use std::time::SystemTime;

/// Who writes to whom.
#[derive(Debug, Clone)]
pub struct Envelope {
    pub from: Mailbox,
    pub to: Vec<Mailbox>,
    /// Where bounces go; `None` is the null sender.
    pub sender: Option<Address>,
}

pub fn message(notice: &Notice, envelope: &Envelope) -> Result<Vec<u8>, RenderError> {
    let notice = clean(notice);
    let mut builder = Message::builder().from(envelope.from.clone()).date(SystemTime::UNIX_EPOCH);
    for mailbox in &envelope.to {
        builder = builder.to(mailbox.clone());
    }
    let parts = MultiPart::builder().kind(MultiPartKind::Alternative).boundary(boundary(&notice)).build();
    let parts = parts.singlepart(SinglePart::plain(text(&notice)?)).singlepart(SinglePart::html(html(&notice)?));
    let mut message = builder.multipart(parts)?;
    for (name, value) in headers(&notice) {
        set(message.headers_mut(), name, value);
    }
    Ok(message.formatted())
}

fn set(headers: &mut Headers, name: &'static str, value: String) {
    headers.insert_raw(HeaderValue::new(HeaderName::new_from_ascii_str(name), value));
}

fn headers(notice: &Notice) -> Vec<(&'static str, String)> {
    let host = token(&notice.host);
    let mut headers = vec![
        ("Date", date(notice)),
        ("Subject", subject(notice)),
        ("Message-ID", format!("<{}@{host}>", token(&notice.id))),
        ("List-Id", format!("raidmond <raidmond.{host}>")),
        ("Auto-Submitted", "auto-generated".to_owned()),
        ("X-Auto-Response-Suppress", "All".to_owned()),
        ("X-Raidmond-Host", host.clone()),
        ("X-Raidmond-Severity", notice.severity.word().to_owned()),
        ("X-Raidmond-Event", notice.event.word().to_owned()),
    ];
    if !notice.object.path.is_empty() {
        headers.push(("X-Raidmond-Object", notice.object.path.chars().take(200).collect()));
    }
    if let Some(thread) = &notice.thread {
        headers.extend(thread_headers(thread, &host));
    }
    if notice.drill {
        headers.push(("X-Raidmond-Drill", "yes".to_owned()));
    }
    headers.extend(priority(notice));
    headers
}

/// All mails of an incident answer a root that is no mail: each finds its thread, whichever came first.
fn thread_headers(thread: &Thread, host: &str) -> [(&'static str, String); 3] {
    let root = format!("<thread-{}-{}@{host}>", token(&thread.key), thread.opened_at.as_second());
    [("In-Reply-To", root.clone()), ("References", root), ("X-Raidmond-Incident", thread.incident.to_string())]
}

fn priority(notice: &Notice) -> Vec<(&'static str, String)> {
    let urgent = notice.severity >= Severity::Critical && notice.event != NoticeEvent::Resolved;
    let headers = [("X-Priority", "1 (Highest)"), ("Importance", "high"), ("Priority", "urgent")];
    headers.into_iter().filter(|_| urgent).map(|(name, value)| (name, value.to_owned())).collect()
}

/// With the offset of the host's zone: mail programs show when it was night there.
fn date(notice: &Notice) -> String {
    notice.at.to_zoned_datetime(zone(&notice.time_zone)).strftime("%a, %d %b %Y %H:%M:%S %z").to_string()
}

fn boundary(notice: &Notice) -> String {
    let id: String = token(&notice.id).chars().rev().take(40).collect();
    format!("=_raidmond_{}_{id}", notice.at.as_second())
}
