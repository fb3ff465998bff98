use super::*;
use crate::serve::status::StatusDoc;
use serde_json::json;
use std::path::Path;

const HOSTILE: &str = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>\u{202e}";

fn at() -> Timestamp {
    "2026-11-30T03:12:45Z".parse().unwrap()
}

fn doc() -> StatusDoc {
    let state = raidmond_core::incident::State { instance: "a".to_owned(), ..Default::default() };
    let mut doc = crate::serve::status::document(&state, &Default::default(), at());
    let disk = |id: u64, slot: &str, state: &str| {
        serde_json::from_value(json!({
            "id": id, "name": format!("c0/32:{slot}"), "enclosure": "32", "slot": slot, "model": HOSTILE,
            "serial": HOSTILE, "state": {"state": state, "said": HOSTILE}, "hot_spare": false,
            "sources": [HOSTILE], "read_at": "2026-11-30T03:12:41Z",
        }))
        .unwrap()
    };
    doc.objects.disks = vec![disk(5, "5", "failed"), disk(2, "2", "online"), disk(11, "11", "sleeping")];
    let array = json!({
        "id": 1, "name": "c0/v0", "label": HOSTILE, "level": HOSTILE, "state": {"state": "degraded", "said": HOSTILE},
        "redundancy_left": 0, "redundancy_built": 1, "restoring": false, "lost_members": ["c0/32:7"], "members": [],
        "mounts": [HOSTILE], "device": HOSTILE, "sources": [], "read_at": "2026-11-30T03:12:41Z",
    });
    doc.objects.arrays = vec![serde_json::from_value(array).unwrap()];
    let condition = json!({
        "kind": "array-degraded", "severity": "critical", "subject": "c0/v0", "anchor": "c0/v0",
        "headline": HOSTILE, "said": [HOSTILE],
    });
    doc.conditions = vec![serde_json::from_value(condition).unwrap()];
    doc.host = HOSTILE.to_owned();
    doc.headline = HOSTILE.to_owned();
    doc
}

fn front_page() -> String {
    front(&doc(), Path::new("/nonexistent"), at()).unwrap().unwrap()
}

#[test]
fn names_full_of_html_are_shown_as_text() {
    for text in [front_page(), object(&doc(), Path::new("/nonexistent"), 5, 7, at()).unwrap().unwrap()] {
        assert!(!text.contains("<script>alert") && !text.contains("<img"), "{text}");
        assert!(text.contains("&lt;script&gt;alert(1)"), "{text}");
        assert!(!text.contains('\u{202e}'));
    }
}

#[test]
fn nothing_stands_inline_that_the_policy_forbids() {
    for text in [front_page(), include_str!("object.html").to_owned()] {
        assert!(!text.contains("style=") && !text.contains("<style") && !text.contains("javascript:"), "{text}");
        assert!(!text.contains("http:") && !text.contains("https:"), "nothing from elsewhere");
        assert_eq!(text.matches("<script").count(), text.matches("<script src=\"/page.js\"").count());
    }
    assert!(!STYLE.contains("url(") && !STYLE.contains("@import"));
}

#[test]
fn slots_stand_in_order_with_gaps_and_what_is_lost() {
    let text = front_page();
    let places: Vec<&str> = text.split("class=\"place\">").skip(1).filter_map(|s| s.split('<').next()).collect();
    assert_eq!(places, ["2", "3", "4", "5", "6", "7", "8", "9", "10", "11"]);
    let words: Vec<&str> = text.split("class=\"word\">").skip(1).filter_map(|s| s.split('<').next()).collect();
    assert_eq!((words[0], words[1], words[3], words[5]), ("online", "nothing listed", "failed", "missing"));
    assert!(text.contains("nothing</td>"), "the array survives nothing");
}

#[test]
fn what_is_wrong_comes_before_everything_else() {
    let text = front_page();
    let place = |word: &str| text.find(word).unwrap_or_else(|| panic!("{word}"));
    assert!(place("id=\"wrong\"") < place("id=\"arrays\"") && place("id=\"arrays\"") < place("id=\"disks\""));
}

#[test]
fn an_object_nobody_knows_has_no_page() {
    assert!(object(&doc(), Path::new("/nonexistent"), 99, 7, at()).unwrap().is_none());
}
