//! Real captures in the shared corpus and the cases about this family.

use super::MegaraidLegacy;
use crate::Adapter;
use crate::corpus_kit::{case, corpus_rows, unhealthy};
use crate::testkit::read;
use raidmond_core::survey::{Answer, Asked, Outcome, Transcript, split_words};

#[test]
fn corpus() {
    let Some(rows) = corpus_rows("megaraid_scsi/") else { return };
    for row in &rows {
        let asked = Asked::Cmd(split_words(&row.command).unwrap());
        assert!(MegaraidLegacy.recognise(&asked, &row.bytes).is_some(), "{}", row.path);
        assert!(MegaraidLegacy.recognise(&Asked::Cmd(Vec::new()), &row.bytes).is_some(), "{} nameless", row.path);
        let answer = Answer { asked, stdout: row.bytes.clone(), stderr: Vec::new(), outcome: Outcome::default() };
        let reading = read(&MegaraidLegacy, &[answer]);
        assert_eq!(reading.controllers.len(), 1, "{}", row.path);
        assert_eq!(unhealthy(&reading).is_empty(), row.verdict == "ok", "{}: {reading:#?}", row.path);
    }
    println!("megaraid_legacy corpus: {} files, all as judged", rows.len());
    assert!(!rows.is_empty());
}

#[test]
fn cases() {
    const RIGHT: [(&str, &[&str], bool); 2] = [
        (
            "020-legacy-megaraid2-proc",
            &[
                "array c0/v0 Optimal(\"optimal\")",
                "array c0/v1 Degraded(\"degraded\")",
                "array c0/v10 Failed(\"offline\")",
                "Weak(\"18: low voltage, charging\")",
            ],
            false,
        ),
        (
            "103-megarc-screen-control",
            &["array c0/v0 level=Raid5 Optimal(\"OPTIMAL\") current-write=WriteThrough"],
            true,
        ),
    ];
    for (name, lines, well) in RIGHT {
        let Some(bytes) = case(name) else { continue };
        let answers = Transcript::parse(&bytes).unwrap().polls.remove(0).answers;
        let reading = read(&MegaraidLegacy, &answers);
        let text = crate::canonical::text(&reading);
        for line in lines {
            assert!(text.contains(line), "{name}: no {line:?} in\n{text}");
        }
        assert_eq!(unhealthy(&reading).is_empty(), well, "{name}\n{text}");
    }
}

/// The control of case 103: the same text with another state is not well.
#[test]
fn another_state_in_the_same_text_shows() {
    let Some(bytes) = case("103-megarc-screen-control") else { return };
    for state in ["DEGRADED", "OFFLINE", "CRINKLED"] {
        let text = String::from_utf8(bytes.clone()).unwrap().replace("OPTIMAL", state);
        let answers = Transcript::parse(text.as_bytes()).unwrap().polls.remove(0).answers;
        assert!(!unhealthy(&read(&MegaraidLegacy, &answers)).is_empty(), "{state}");
    }
}
