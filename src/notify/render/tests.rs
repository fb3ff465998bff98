use super::*;
use jiff::Timestamp;
use raidmond_core::notice::{EvidenceLine, Notice, NoticeEvent, NoticeObject, Thread};
use raidmond_core::severity::Severity;

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn evidence(time: &str, source: &str, said: &str) -> EvidenceLine {
    EvidenceLine { at: Some(at(time)), source: source.into(), said: said.into() }
}

fn notice() -> Notice {
    Notice {
        id: "17-0-5f3a".into(),
        event: NoticeEvent::Opened,
        severity: Severity::Critical,
        host: "db3".into(),
        at: at("2026-11-30T02:12:45Z"),
        time_zone: "+01:00".into(),
        thread: Some(Thread { incident: 17, key: "array-9".into(), opened_at: at("2026-11-30T02:12:41Z") }),
        kinds: vec!["array-degraded".into()],
        headline: "RAID 5 data degraded, disk 32:5 failed".into(),
        happened: vec!["Disk 32:5 failed at 2026-11-30 03:12:41 +01:00.".into(), "Array data runs degraded.".into()],
        means: vec!["No redundancy is left.".into()],
        to_do: vec!["Get a disk of 4.0 TB or more.".into(), "Pull only slot 5.".into()],
        evidence: vec![
            evidence("2026-11-29T22:59:59Z", "kernel", "I/O error, sector 12"),
            evidence("2026-11-30T02:12:44Z", "perccli64", "State \"Failed\""),
            evidence("2026-11-30T02:12:45Z", "now", "unchanged"),
        ],
        footer: vec!["incident 17 · reminder in 4 h, then daily".into()],
        object: NoticeObject { kind: "array".into(), path: "c0/v0".into(), ..NoticeObject::default() },
        drill: false,
    }
}

fn envelope() -> Envelope {
    Envelope {
        from: "raidmond on db3 <raidmond@db3.example.com>".parse().unwrap(),
        to: vec!["ops@example.com".parse().unwrap()],
        sender: Some("bounces@example.com".parse().unwrap()),
    }
}

fn mail(notice: &Notice) -> String {
    String::from_utf8(message(notice, &envelope()).unwrap()).unwrap()
}

fn header<'a>(mail: &'a str, name: &str) -> Option<&'a str> {
    let head = mail.split("\r\n\r\n").next().unwrap();
    head.split("\r\n").find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
}

#[test]
fn text_is_what_a_tired_person_can_act_on() {
    let expected = "\
WHAT HAPPENED
  Disk 32:5 failed at 2026-11-30 03:12:41 +01:00.
  Array data runs degraded.
WHAT IT MEANS
  No redundancy is left.
WHAT TO DO
  1. Get a disk of 4.0 TB or more.
  2. Pull only slot 5.
WHY I BELIEVE IT
  2026-11-29 23:59:59 kernel  I/O error, sector 12
  03:12:44 perccli64          State \"Failed\"
  now (03:12:45)              unchanged
--
incident 17 · reminder in 4 h, then daily
";
    assert_eq!(text(&notice()).unwrap(), expected);
}

#[test]
fn a_notice_of_one_line_is_still_a_text() {
    let (event, thread) = (NoticeEvent::Test, None);
    let empty = || Vec::new();
    let bare = Notice { event, thread, happened: empty(), means: empty(), to_do: empty(), footer: empty(), ..notice() };
    let bare = Notice { evidence: Vec::new(), ..bare };
    assert_eq!(text(&bare).unwrap(), "TEST: RAID 5 data degraded, disk 32:5 failed\n");
}

#[test]
fn subjects_put_the_verdict_first() {
    let of = |change: &dyn Fn(&mut Notice)| {
        let mut n = notice();
        change(&mut n);
        subject(&n)
    };
    assert_eq!(of(&|_| ()), "[raidmond db3] CRITICAL: RAID 5 data degraded, disk 32:5 failed");
    assert_eq!(
        of(&|n| n.event = NoticeEvent::Resolved),
        "[raidmond db3] RESOLVED: RAID 5 data degraded, disk 32:5 failed"
    );
    let reminder = |days: i64, n: &mut Notice| {
        n.event = NoticeEvent::Reminder;
        n.at = at("2026-11-30T02:12:41Z") + jiff::SignedDuration::from_hours(days * 24 + 4);
    };
    assert!(of(&|n| reminder(3, n)).starts_with("[raidmond db3] REMINDER 3 d: RAID 5"));
    assert!(of(&|n| reminder(0, n)).starts_with("[raidmond db3] REMINDER 4 h: RAID 5"));
    assert!(of(&|n| n.drill = true).starts_with("[raidmond db3] DRILL CRITICAL: RAID 5"));
}

#[test]
fn subjects_fit() {
    let long = Notice { headline: "ä".repeat(300), host: "h".repeat(200), ..notice() };
    let subject = subject(&long);
    assert_eq!(subject.chars().count(), 78);
    assert!(subject.starts_with("[raidmond hhh") && subject.contains("CRITICAL") && subject.ends_with("..."));
}

/// What a person must read first is there, whatever has to go.
#[test]
fn long_subjects_keep_the_point() {
    let of = |severity, headline: &str| subject(&Notice { headline: headline.into(), severity, ..notice() });
    let said = "cannot read aacraid c1: `arcconf GETCONFIG 1 AL` failed: no answer in time: not asked: 3 failures";
    assert_eq!(
        of(Severity::Blind, said),
        "[raidmond db3] BLIND: cannot read aacraid c1: arcconf failed: no answer in..."
    );
    assert_eq!(
        of(Severity::Critical, "controller c0 (PERCH730PMini): counts 1 degraded array, none is read"),
        "[raidmond db3] CRITICAL: controller c0: counts 1 degraded array, none is read"
    );
    let fits = "c1: `arcconf GETSTATUS 1` failed";
    assert_eq!(of(Severity::Blind, fits), format!("[raidmond db3] BLIND: {fits}"), "what fits is left alone");
    let open = "array data (c0/v0 is not closed and so on and on and on and on and on and on";
    assert!(of(Severity::Blind, open).starts_with("[raidmond db3] BLIND: array data (c0/v0 is not"));
}

#[test]
fn headers_are_complete_and_the_same_each_time() {
    let mail = mail(&notice());
    let expected = [
        ("From", "\"raidmond on db3\" <raidmond@db3.example.com>"),
        ("To", "ops@example.com"),
        ("Date", "Mon, 30 Nov 2026 03:12:45 +0100"),
        ("Subject", "[raidmond db3] CRITICAL: RAID 5 data degraded, disk 32:5 failed"),
        ("Message-ID", "<17-0-5f3a@db3>"),
        ("In-Reply-To", "<thread-array-9-1796004761@db3>"),
        ("References", "<thread-array-9-1796004761@db3>"),
        ("Auto-Submitted", "auto-generated"),
        ("X-Auto-Response-Suppress", "All"),
        ("List-Id", "raidmond <raidmond.db3>"),
        ("X-Raidmond-Host", "db3"),
        ("X-Raidmond-Severity", "critical"),
        ("X-Raidmond-Incident", "17"),
        ("X-Raidmond-Event", "opened"),
        ("X-Raidmond-Object", "c0/v0"),
        ("X-Priority", "1 (Highest)"),
        ("Importance", "high"),
        ("Priority", "urgent"),
        ("MIME-Version", "1.0"),
    ];
    for (name, value) in expected {
        assert_eq!(header(&mail, name), Some(value), "{name}");
    }
    assert_eq!(mail.matches("\r\nDate: ").count(), 1);
    assert_eq!(mail, self::mail(&notice()), "a retry is the same message");
}

#[test]
fn a_resolution_is_not_urgent_and_stays_in_the_thread() {
    let mail = mail(&Notice { id: "17-9".into(), event: NoticeEvent::Resolved, ..notice() });
    assert_eq!(header(&mail, "Priority"), None);
    assert_eq!(header(&mail, "References"), Some("<thread-array-9-1796004761@db3>"));
    assert_eq!(header(&mail, "Message-ID"), Some("<17-9@db3>"));
}

#[test]
fn lines_of_a_mail_are_short_and_ascii() {
    let long = Notice { happened: vec!["word ".repeat(900), "x".repeat(5000)], headline: "Ärger".into(), ..notice() };
    let mail = mail(&long);
    assert!(mail.is_ascii());
    assert!(mail.split("\r\n").all(|line| line.len() <= 998));
    assert!(header(&mail, "Subject").unwrap().contains("=?utf-8?b?"), "{:?}", header(&mail, "Subject"));
}

fn hostile() -> Notice {
    let evil = "x\r\nBcc: thief@example.com\r\n\r\n<script>alert(1)</script>\u{1b}[31m\u{202e}{{ 7*7 }}\0";
    let texts = || vec![evil.to_owned()];
    let mut notice = Notice {
        id: evil.into(),
        host: evil.into(),
        time_zone: evil.into(),
        headline: evil.into(),
        happened: texts(),
        means: texts(),
        to_do: texts(),
        footer: texts(),
        kinds: texts(),
        evidence: vec![EvidenceLine { at: None, source: evil.into(), said: evil.into() }],
        object: NoticeObject { path: evil.into(), model: Some(evil.into()), ..NoticeObject::default() },
        ..notice()
    };
    notice.thread.as_mut().unwrap().key = evil.into();
    notice
}

#[test]
fn vendor_words_cannot_add_headers() {
    let mail = mail(&hostile());
    let head = mail.split("\r\n\r\n").next().unwrap();
    assert!(!head.lines().any(|line| line.to_ascii_lowercase().starts_with("bcc")), "{head}");
    assert!(head.contains("Content-Type: multipart/alternative"), "the headers do not end early:\n{head}");
    assert!(header(&mail, "Subject").unwrap().starts_with("[raidmond x  Bcc: thief@example.com"));
    assert_eq!(header(&mail, "Date"), Some("Mon, 30 Nov 2026 02:12:45 +0000"), "an unknown zone is UTC");
    let id = header(&mail, "Message-ID").unwrap();
    assert!(id.starts_with("<x--Bcc--thief-example.com") && !id[1..id.len() - 1].contains(['<', '>', ' ']), "{id}");
}

#[test]
fn vendor_words_are_shown_and_do_nothing() {
    let (text, html) = (text(&hostile()).unwrap(), html(&hostile()).unwrap());
    for shown in [&text, &html] {
        assert!(!shown.contains(['\u{1b}', '\0', '\r', '\u{202e}']));
        assert!(shown.contains("{{ 7*7 }}"), "not a template:\n{shown}");
    }
    assert!(text.contains("  x  Bcc: thief@example.com    <script>"));
    assert!(!html.contains("<script>") && html.contains("&lt;script&gt;"), "{html}");
}

#[test]
fn html_says_the_same_as_the_text() {
    let html = html(&notice()).unwrap();
    for part in ["CRITICAL: RAID 5 data degraded, disk 32:5 failed", "WHAT TO DO", "2. Pull only slot 5.", "#b42318"] {
        assert!(html.contains(part), "{part} is missing in\n{html}");
    }
    assert!(html.contains("State &quot;Failed&quot;"));
    let drill = Notice { drill: true, ..notice() };
    assert!(self::html(&drill).unwrap().contains("<b>DRILL</b>"));
    assert!(self::text(&drill).unwrap().starts_with("*** DRILL"));
}

#[test]
fn json_has_a_version_and_every_part() {
    let json: serde_json::Value = serde_json::from_str(&json(&notice()).unwrap()).unwrap();
    assert_eq!(json["version"], 1);
    assert_eq!(json["event"], "opened");
    assert_eq!(json["severity"], "critical");
    assert_eq!(json["incident"]["id"], 17);
    assert_eq!(json["incident"]["opened_at"], "2026-11-30T02:12:41Z");
    assert_eq!(json["object"]["path"], "c0/v0");
    assert_eq!(json["evidence"][1]["source"], "perccli64");
    assert_eq!(json["action"][1], "Pull only slot 5.");
    assert_eq!(json["text"], "[raidmond db3] CRITICAL: RAID 5 data degraded, disk 32:5 failed");
}

fn filled_with(text: &str) -> Notice {
    let texts = || vec![text.to_owned()];
    Notice {
        id: text.into(),
        host: text.into(),
        headline: text.into(),
        happened: texts(),
        to_do: texts(),
        footer: texts(),
        evidence: vec![EvidenceLine { at: None, source: text.into(), said: text.into() }],
        object: NoticeObject { path: text.into(), ..NoticeObject::default() },
        ..notice()
    }
}

fn is_header_line(line: &str) -> bool {
    let named =
        line.split_once(": ").is_some_and(|(name, _)| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-'));
    named || line.starts_with(' ')
}

proptest::proptest! {
    #[test]
    fn no_words_at_all_can_break_out(words in "\\PC{0,40}|[\\x00-\\x7f]{0,40}|(\r\n|[:<>&\"' \u{85}\u{2028}ä=?]){0,60}") {
        let notice = filled_with(&words);
        let mail = mail(&notice);
        let head = mail.split("\r\n\r\n").next().unwrap_or("");
        proptest::prop_assert!(mail.is_ascii() && !mail.replace("\r\n", "").contains(['\r', '\n']));
        proptest::prop_assert!(head.split("\r\n").all(is_header_line), "{head}");
        let headers = head.split("\r\n").filter(|line| !line.starts_with(' ') && !line.starts_with("X-Raidmond-Object"));
        proptest::prop_assert_eq!(headers.count(), 19, "{}", head);
        let id = header(&mail, "Message-ID").unwrap_or("").trim_matches(['<', '>']).to_owned();
        let atoms: Vec<&str> = id.split(['@', '.']).collect();
        proptest::prop_assert!(id.matches('@').count() == 1 && atoms.iter().all(|atom| !atom.is_empty()), "{id}");
        proptest::prop_assert!(subject(&notice).chars().count() <= 78);
        let plain = html(&filled_with("x")).unwrap();
        let html = html(&notice).unwrap();
        proptest::prop_assert_eq!(html.matches('<').count(), plain.matches('<').count());
    }
}
