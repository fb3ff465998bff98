use super::*;
use serde_json::json;

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn doc() -> StatusDoc {
    let state = raidmond_core::incident::State { instance: "a".to_owned(), ..Default::default() };
    let mut doc = crate::serve::status::document(&state, &Default::default(), at("2026-11-30T03:10:00Z"));
    let array = json!({
        "id": 1, "name": "c0/v0", "label": "d\"ata\n", "level": "RAID 5", "state": {"state": "degraded", "said": "Dgrd"},
        "redundancy_left": 0, "redundancy_built": 1, "restoring": false, "lost_members": [], "members": [],
        "mounts": [], "sources": ["storcli"], "read_at": "2026-11-30T03:09:30Z",
    });
    let disk = json!({
        "id": 5, "name": "c0/32:5", "enclosure": "32", "slot": "5", "serial": "Z5",
        "state": {"state": "failed", "said": "Failed"}, "hot_spare": false, "media_errors": 3,
        "temperature_celsius": 31, "sources": ["storcli"], "read_at": "2026-11-30T03:09:30Z",
    });
    doc.objects.arrays = vec![serde_json::from_value(array).unwrap()];
    doc.objects.disks = vec![serde_json::from_value(disk).unwrap()];
    let asking = Asking { every_seconds: 60.0, took_seconds: 1.5, looks: 9, failed: 2, unknown_words: 0 };
    doc.watching = vec![SourceDoc {
        name: "storcli c0".to_owned(),
        state: "read".to_owned(),
        at: Some(at("2026-11-30T03:09:30Z")),
        said: None,
        asking: Some(asking),
    }];
    doc
}

fn value(text: &str, series: &str) -> Option<f64> {
    text.lines().find_map(|l| l.strip_prefix(series)?.strip_prefix(' ')?.parse().ok())
}

#[test]
fn what_is_known_is_there() {
    let text = text(&doc(), at("2026-11-30T03:10:05Z"), Form::OpenMetrics);
    let disk = "controller=\"c0\",disk=\"c0/32:5\",enclosure=\"32\",slot=\"5\",serial=\"Z5\"";
    for (series, wanted) in [
        ("raidmond_up".to_owned(), 1.0),
        ("raidmond_virtual_drive_state{controller=\"c0\",vd=\"c0/v0\",state=\"degraded\"}".to_owned(), 1.0),
        ("raidmond_virtual_drive_state{controller=\"c0\",vd=\"c0/v0\",state=\"optimal\"}".to_owned(), 0.0),
        ("raidmond_redundancy_remaining{controller=\"c0\",vd=\"c0/v0\"}".to_owned(), 0.0),
        (format!("raidmond_physical_drive_state{{{disk},state=\"failed\"}}"), 1.0),
        (format!("raidmond_physical_drive_errors_total{{{disk},kind=\"media\"}}"), 3.0),
        (format!("raidmond_physical_drive_temperature_celsius{{{disk}}}"), 31.0),
        ("raidmond_cli_failures_total{source=\"storcli c0\"}".to_owned(), 2.0),
        ("raidmond_source_up{source=\"storcli c0\"}".to_owned(), 1.0),
    ] {
        assert_eq!(value(&text, &series), Some(wanted), "{series} in\n{text}");
    }
    assert!(text.ends_with("# EOF\n"));
    assert!(text.contains("# TYPE raidmond_physical_drive_errors counter"), "{text}");
    assert!(text.contains("name=\"d\\\"ata\\n\""), "names cannot break out");
}

#[test]
fn what_is_old_is_not_given_as_current() {
    let mut doc = doc();
    doc.written_at = at("2026-11-30T03:20:00Z");
    let text = text(&doc, at("2026-11-30T03:20:00Z"), Form::Plain);
    assert_eq!(value(&text, "raidmond_up"), Some(1.0));
    assert_eq!(value(&text, "raidmond_source_up{source=\"storcli c0\"}"), Some(0.0));
    for gone in ["virtual_drive_state", "physical_drive", "redundancy"] {
        assert!(!text.contains(gone), "{gone} in\n{text}");
    }
}

#[test]
fn a_slow_tool_is_not_old_for_being_slow() {
    let mut doc = doc();
    doc.written_at = at("2026-11-30T03:20:00Z");
    doc.watching[0].asking.as_mut().unwrap().every_seconds = 500.0;
    assert!(text(&doc, at("2026-11-30T03:20:00Z"), Form::Plain).contains("virtual_drive_state"));
}

#[test]
fn a_daemon_that_stands_still_says_no_more_than_that() {
    let text = text(&doc(), at("2026-11-30T03:16:00Z"), Form::Plain);
    assert_eq!(value(&text, "raidmond_up"), Some(0.0));
    assert!(!text.contains("verdict") && !text.contains("incidents"), "{text}");
}
