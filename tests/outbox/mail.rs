//! Mail against a real TCP server that can misbehave.

use crate::support::*;
use jiff::SignedDuration;
use raidmond::mailsink::{Fault, MailSink};
use raidmond::notify::pump::{Pump, Step};
use raidmond::notify::{Broken, Channel, Mail, MailSettings, Secret};
use raidmond::store::Reader;
use raidmond_core::notice::NoticeEvent;
use raidmond_core::outbox::Attempt;
use raidmond_core::severity::Severity;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

async fn sink() -> MailSink {
    MailSink::start(local()).await.unwrap()
}

#[tokio::test]
async fn a_mail_arrives_and_the_receipt_is_kept() {
    let sink = sink().await;
    let bench = Bench::new(mail_channel(sink.address()));
    bench.post(&[alarm("17-0")]).await;
    assert_eq!(receipt(&bench.send().await), "250 2.0.0 Ok: queued as 4F1");
    let mail = sink.mails().remove(0);
    assert_eq!((mail.from.as_str(), mail.hello.as_str()), ("bounces@example.com", "db3.example.com"));
    assert_eq!(mail.to, ["ops@example.com"]);
    assert_eq!(header(&mail.data, "Message-ID"), Some("<17-0@db3>"));
    assert!(mail.data.contains("multipart/alternative") && mail.data.contains("Disk 32:5 failed."));
    assert!(matches!(bench.step().await, Step::Idle));
    let reader = Reader::open(bench.dir.path()).unwrap();
    assert_eq!(reader.pending().unwrap(), [], "the receipt takes the message's place");
    let receipts = reader.receipts(Some(17), 10).unwrap();
    assert_eq!((receipts[0].id.as_str(), receipts[0].accepted), ("17-0/mail", true));
    assert_eq!(receipts[0].said, "250 2.0.0 Ok: queued as 4F1");
}

#[tokio::test]
async fn later_means_later_with_the_same_id() {
    let sink = sink().await;
    sink.script([Fault::Recipient("451 4.7.1 Greylisted"), Fault::Message("452 4.3.1 Full"), Fault::Drop]);
    let bench = Bench::new(mail_channel(sink.address()));
    bench.post(&[alarm("17-0")]).await;
    for said in ["451 4.7.1 Greylisted", "452 4.3.1 Full", ""] {
        let report = bench.send().await;
        let (retryable, heard) = failure(&report);
        assert!(retryable && heard.starts_with(said), "{heard}");
        bench.clock.advance_to(bench.waits_until().await);
    }
    receipt(&bench.send().await);
    assert_eq!(message_ids(&sink), ["<17-0@db3>"]);
}

#[tokio::test]
async fn a_refusal_is_kept_and_tried_every_hour() {
    let sink = sink().await;
    sink.script([Fault::Sender("550 5.7.1 Not you")]);
    let bench = Bench::new(mail_channel(sink.address()));
    bench.post(&[alarm("17-0")]).await;
    assert_eq!(failure(&bench.send().await), (false, "550 5.7.1 Not you"));
    let health = bench.store.health(start()).await.unwrap().remove(0);
    assert_eq!((health.failing_since, health.backlog), (Some(start()), 1));
    assert_eq!(health.last_error.as_deref(), Some("550 5.7.1 Not you"));
    let again = bench.waits_until().await;
    assert_eq!(again, start() + SignedDuration::from_hours(1));
    bench.clock.advance_to(again);
    receipt(&bench.send().await);
    assert_eq!(bench.store.health(again).await.unwrap()[0].failing_since, None);
}

#[tokio::test]
async fn one_bad_recipient_does_not_silence_the_others() {
    let sink = sink().await;
    sink.refuse_recipient("gone@example.com", "550 5.1.1 No such user");
    let server = format!("smtp://{}", sink.address());
    let settings = mail_settings(&server, &["gone@example.com", "ops@example.com"]);
    let bench = Bench::new(Channel::Mail(Mail::new("mail", settings).unwrap()));
    bench.post(&[alarm("17-0")]).await;
    let Attempt::Accepted { complaint: Some(complaint), .. } = bench.send().await.attempt else {
        panic!("no complaint")
    };
    assert_eq!(complaint, "gone@example.com: 550 5.1.1 No such user");
    assert_eq!(sink.mails().remove(0).to, ["ops@example.com"]);
    assert!(bench.store.health(start()).await.unwrap()[0].failing_since.is_some(), "and somebody hears of it");
}

#[tokio::test]
async fn three_days_without_a_server_lose_nothing() {
    let sink = sink().await;
    let address = sink.address();
    drop(sink);
    let bench = Bench::new(mail_channel(address));
    bench.post(&[alarm("open"), notice("late", 17, NoticeEvent::Reminder, Severity::Critical)]).await;
    bench.post(&[notice("other", 18, NoticeEvent::Opened, Severity::Warning)]).await;
    let (end, mut attempts) = (start() + SignedDuration::from_hours(72), 0);
    while bench.clock.now() < end {
        match bench.step().await {
            Step::Sent(report) => {
                assert!(failure(&report).0, "{report:?}");
                attempts += 1;
            }
            Step::Wait(until) => bench.clock.advance_to(until),
            Step::Idle => panic!("idle with a backlog"),
        }
    }
    assert!((120..200).contains(&attempts), "{attempts} attempts in three days for two incidents");
    let latest = [
        notice("later", 17, NoticeEvent::Reminder, Severity::Critical),
        notice("end", 17, NoticeEvent::Resolved, Severity::Critical),
    ];
    bench.post(&latest).await;
    let sink = MailSink::start(address).await.unwrap();
    while let Step::Wait(until) = bench.step().await {
        bench.clock.advance_to(until);
    }
    while let Step::Sent(report) = bench.step().await {
        receipt(&report);
    }
    assert_eq!(message_ids(&sink), ["<open@db3>", "<other@db3>", "<end@db3>"], "in order, without stale reminders");
}

#[tokio::test]
async fn a_restart_keeps_the_backlog() {
    let sink = sink().await;
    sink.script([Fault::Message("451 later")]);
    let bench = Bench::new(mail_channel(sink.address()));
    bench.post(&[alarm("17-0")]).await;
    failure(&bench.send().await);
    let (dir, clock) = (bench.dir, bench.clock);
    drop((bench.store, bench.sender));
    let store = open(dir.path());
    let sender = sender(&store, mail_channel(sink.address()), &clock);
    assert!(matches!(sender.step().await.unwrap(), Step::Wait(_)), "the back-off is kept as well");
    clock.advance_to(start() + SignedDuration::from_secs(10));
    assert!(matches!(sender.step().await.unwrap(), Step::Sent(_)));
    assert_eq!(message_ids(&sink), ["<17-0@db3>"]);
    store.commit(changes("mail", &[alarm("17-0")]), clock.now()).await.unwrap();
    assert!(matches!(sender.step().await.unwrap(), Step::Idle), "what was told is not told again");
}

#[tokio::test]
async fn logins_are_used_and_never_sent_in_the_clear() {
    let sink = sink().await;
    sink.announce_login();
    let login = || Some(("raidmond".to_owned(), Secret::new("hunter2")));
    let mut settings = mail_settings(&format!("smtp://{}", sink.address()), &["ops@example.com"]);
    settings.login = login();
    let bench = Bench::new(Channel::Mail(Mail::new("mail", settings).unwrap()));
    bench.post(&[alarm("17-0")]).await;
    receipt(&bench.send().await);
    assert_eq!(sink.mails().remove(0).login.as_deref(), Some("PLAIN"));

    let mut settings = mail_settings("smtp://mx.example.com", &["ops@example.com"]);
    settings.login = login();
    assert!(!format!("{settings:?}").contains("hunter2"));
    assert!(Mail::new("mail", settings).unwrap_err().contains("smtp+starttls://"));
}

#[tokio::test]
async fn starttls_that_is_refused_is_no_reason_to_speak_in_the_clear() {
    let sink = sink().await;
    sink.announce_starttls();
    let settings = mail_settings(&format!("smtp+starttls://{}", sink.address()), &["ops@example.com"]);
    let bench = Bench::new(Channel::Mail(Mail::new("mail", settings).unwrap()));
    bench.post(&[alarm("17-0")]).await;
    let report = bench.send().await;
    assert_eq!(failure(&report), (true, "454 4.7.0 TLS not available"));
    assert_eq!(sink.mails().len(), 0);
}

#[tokio::test]
async fn a_channel_that_hangs_holds_up_nobody() {
    let (hanging, working) = (sink().await, sink().await);
    hanging.script((0..10).map(|_| Fault::Hang));
    let channels = [("hanging", &hanging), ("working", &working)].map(|(name, sink)| {
        let settings = mail_settings(&format!("smtp://{}", sink.address()), &["ops@example.com"]);
        Channel::Mail(Mail::new(name, settings).unwrap())
    });
    let broken = Channel::Broken(Broken { name: "broken".into(), why: "no password".into() });
    let (dir, clock) = (tempfile::tempdir().unwrap(), HandClock::default());
    let store = open(dir.path());
    let (reports, mut heard) = tokio::sync::mpsc::unbounded_channel();
    let pump = Pump {
        store: store.clone(),
        stop: tokio::sync::watch::channel(false).1,
        channels: channels.into_iter().chain([broken]).map(std::sync::Arc::new).collect(),
        clock: clock.clock(),
        attempt_limit: Duration::from_secs(2),
        reports,
    };
    let running = tokio::spawn(pump.run());
    let mut arrived = working.subscribe();
    tokio::time::sleep(Duration::from_millis(100)).await;
    for channel in ["hanging", "broken", "working"] {
        store.commit(changes(channel, &[alarm("17-0"), alarm("17-1")]), start()).await.unwrap();
    }
    let two = async { (arrived.recv().await.unwrap(), arrived.recv().await.unwrap()) };
    tokio::time::timeout(Duration::from_secs(1), two).await.expect("mails wait for the hanging channel");
    let hung = async {
        loop {
            let report = heard.recv().await.unwrap();
            if report.delivery.channel == "hanging" {
                return report;
            }
        }
    };
    let report = tokio::time::timeout(Duration::from_secs(4), hung).await.expect("the attempt has no end");
    assert_eq!(failure(&report), (true, "no answer within 2 s"));
    running.abort();
}

#[tokio::test]
async fn the_sink_keeps_no_half_mail() {
    let sink = sink().await;
    let mut client = tokio::net::TcpStream::connect(sink.address()).await.unwrap();
    let half = "EHLO a\r\nMAIL FROM:<a@b>\r\nRCPT TO:<c@d>\r\nDATA\r\nSubject: half\r\n\r\n.";
    client.write_all(half.as_bytes()).await.unwrap();
    client.shutdown().await.unwrap();
    let mut said = String::new();
    client.read_to_string(&mut said).await.unwrap();
    assert!(said.ends_with("354 End data with <CR><LF>.<CR><LF>\r\n"), "{said}");
    assert_eq!(sink.mails(), []);

    let mut client = tokio::net::TcpStream::connect(sink.address()).await.unwrap();
    let bare = "EHLO a\r\nMAIL FROM:<a@b>\r\nRCPT TO:<c@d>\r\nDATA\r\nSubject: half\r\n\r\n.\n";
    client.write_all(bare.as_bytes()).await.unwrap();
    client.shutdown().await.unwrap();
    client.read_to_string(&mut said).await.unwrap();
    assert_eq!(sink.mails(), [], "only a whole last line ends a mail");
}

/// A server that takes the call and then says nothing, not even its greeting.
#[tokio::test]
async fn a_server_that_never_speaks_is_given_up_in_time() {
    let silent = tokio::net::TcpListener::bind(local()).await.unwrap();
    let server = format!("smtp://{}", silent.local_addr().unwrap());
    let settings = MailSettings { timeout: Duration::from_secs(1), ..mail_settings(&server, &["ops@example.com"]) };
    let bench = Bench::new(Channel::Mail(Mail::new("mail", settings).unwrap()));
    bench.post(&[alarm("17-0")]).await;
    let begun = std::time::Instant::now();
    assert_eq!(failure(&bench.send().await), (true, "no answer within 1 s"));
    assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
    let later = start() + SignedDuration::from_mins(20);
    assert_eq!(bench.store.health(later).await.unwrap()[0].failing_since, Some(start()), "and that is told");
}
