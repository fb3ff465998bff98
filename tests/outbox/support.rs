//! A store in a throw-away directory, a clock that is set by hand, notices to send.

use jiff::{SignedDuration, Timestamp};
use raidmond::mailsink::MailSink;
use raidmond::notify::pump::{Clock, Report, Sender, Step};
use raidmond::notify::render::Envelope;
use raidmond::notify::{Channel, Mail, MailSettings};
use raidmond::store::{Store, Warning};
use raidmond_core::changes::{Changes, Posting, Put};
use raidmond_core::notice::{Notice, NoticeEvent, NoticeObject, Thread};
use raidmond_core::outbox::Attempt;
use raidmond_core::severity::Severity;
use std::path::Path;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

pub fn start() -> Timestamp {
    "2026-11-30T02:12:45Z".parse().unwrap()
}

/// Time as the test says.
#[derive(Clone, Default)]
pub struct HandClock(Arc<AtomicI64>);

impl HandClock {
    pub fn now(&self) -> Timestamp {
        start() + SignedDuration::from_secs(self.0.load(Ordering::SeqCst))
    }

    pub fn advance_to(&self, at: Timestamp) {
        self.0.store(at.duration_since(start()).as_secs(), Ordering::SeqCst);
    }

    pub fn clock(&self) -> Clock {
        let this = self.clone();
        Arc::new(move || this.now())
    }
}

pub fn notice(id: &str, incident: u64, event: NoticeEvent, severity: Severity) -> Notice {
    Notice {
        id: id.into(),
        event,
        severity,
        host: "db3".into(),
        at: start(),
        time_zone: "UTC".into(),
        thread: Some(Thread { incident, key: format!("array-{incident}"), opened_at: start() }),
        kinds: vec!["array-degraded".into()],
        headline: "RAID 5 data degraded, disk 32:5 failed".into(),
        happened: vec!["Disk 32:5 failed.".into()],
        means: vec![],
        to_do: vec![],
        evidence: vec![],
        footer: vec![],
        object: NoticeObject { path: "c0/v0".into(), ..NoticeObject::default() },
        drill: false,
    }
}

pub fn alarm(id: &str) -> Notice {
    notice(id, 17, NoticeEvent::Opened, Severity::Critical)
}

pub fn changes(channel: &str, notices: &[Notice]) -> Changes {
    let posting = |n: &Notice| Posting { channel: channel.into(), notice: n.clone() };
    Changes { postings: notices.iter().map(posting).collect(), ..Changes::default() }
}

pub fn put(collection: &'static str, key: &str, json: &str) -> Changes {
    let put = Put { collection, key: key.into(), json: json.into() };
    Changes { puts: vec![put], ..Changes::default() }
}

pub fn open(dir: &Path) -> Store {
    let (store, warnings) = Store::open(dir, start());
    assert_eq!(warnings, Vec::<Warning>::new());
    store
}

pub fn local() -> std::net::SocketAddr {
    "127.0.0.1:0".parse().unwrap()
}

pub fn envelope(to: &[&str]) -> Envelope {
    Envelope {
        from: "raidmond on db3 <raidmond@db3.example.com>".parse().unwrap(),
        to: to.iter().map(|a| a.parse().unwrap()).collect(),
        sender: Some("bounces@example.com".parse().unwrap()),
    }
}

pub fn mail_settings(server: &str, to: &[&str]) -> MailSettings {
    MailSettings {
        server: server.into(),
        envelope: envelope(to),
        login: None,
        ca: None,
        hello: Some("db3.example.com".into()),
        timeout: Duration::from_secs(5),
    }
}

pub fn mail_channel(address: std::net::SocketAddr) -> Channel {
    let settings = mail_settings(&format!("smtp://{address}"), &["ops@example.com"]);
    Channel::Mail(Mail::new("mail", settings).unwrap())
}

/// One channel on one store, stepped by hand.
pub struct Bench {
    pub dir: tempfile::TempDir,
    pub clock: HandClock,
    pub store: Store,
    pub sender: Sender,
}

impl Bench {
    pub fn new(channel: Channel) -> Bench {
        let (dir, clock) = (tempfile::tempdir().unwrap(), HandClock::default());
        let store = open(dir.path());
        let sender = sender(&store, channel, &clock);
        Bench { dir, clock, store, sender }
    }

    pub async fn post(&self, notices: &[Notice]) {
        let changes = changes(self.sender.channel.name(), notices);
        self.store.commit(changes, self.clock.now()).await.unwrap();
    }

    pub async fn step(&self) -> Step {
        self.sender.step().await.unwrap()
    }

    pub async fn send(&self) -> Report {
        match self.step().await {
            Step::Sent(report) => *report,
            other => panic!("nothing was due: {other:?}"),
        }
    }

    /// The instant that the outbox waits for.
    pub async fn waits_until(&self) -> Timestamp {
        match self.step().await {
            Step::Wait(until) => until,
            other => panic!("it does not wait: {other:?}"),
        }
    }
}

pub fn sender(store: &Store, channel: Channel, clock: &HandClock) -> Sender {
    let attempt_limit = Duration::from_secs(5);
    Sender { store: store.clone(), channel: Arc::new(channel), clock: clock.clock(), attempt_limit }
}

pub fn receipt(report: &Report) -> &str {
    match &report.attempt {
        Attempt::Accepted { receipt, .. } => receipt,
        Attempt::Failed { said, .. } => panic!("not accepted: {said}"),
    }
}

/// What was said, and whether trying again may help.
pub fn failure(report: &Report) -> (bool, &str) {
    match &report.attempt {
        Attempt::Failed { retryable, said, .. } => (*retryable, said),
        Attempt::Accepted { receipt, .. } => panic!("accepted: {receipt}"),
    }
}

pub fn message_ids(sink: &MailSink) -> Vec<String> {
    sink.mails().iter().map(|mail| header(&mail.data, "Message-ID").unwrap().to_owned()).collect()
}

pub fn header<'a>(mail: &'a str, name: &str) -> Option<&'a str> {
    let head = mail.split("\r\n\r\n").next()?;
    head.split("\r\n").find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
}

/// What a test server heard.
pub type Heard<T> = Arc<Mutex<Vec<T>>>;
