//! Every sample line of the kernel message catalogue is matched by a rule, and by the rule of its name
//! unless a better one comes first.

use super::{scan, shared};
use raidmond_core::observe::LogKind;
use std::collections::BTreeSet;

/// Where another rule rightly comes first.
const OTHER_RULE: &[(&str, &str, &str)] = &[
    ("sr.fd.noise", "noise.removable", "the same rule under our name"),
    ("blk.update_request_old", "blk.update_request_old", "-"),
    ("tw9.aen2", "tw9.aen2", "-"),
];

#[test]
fn every_sample_meets_a_rule() {
    let Some(path) = shared("reference/kernel_messages.tsv") else { return };
    let table = std::fs::read_to_string(path).expect("readable");
    let (mut samples, mut forms, mut wrong) = (0, BTreeSet::new(), Vec::new());
    for row in table.lines().skip(1) {
        let cells: Vec<&str> = row.split('\t').collect();
        let (id, lines) = (cells[1], cells[8]);
        let lines: Vec<String> = serde_json::from_str(lines).expect("JSON");
        forms.insert(id.to_owned());
        for line in lines {
            samples += 1;
            let found = scan(LogKind::Kernel, line.as_bytes());
            let expected = OTHER_RULE.iter().find(|(form, ..)| *form == id).map_or(id, |(_, ours, _)| ours);
            match found.observations.first() {
                Some(seen) if seen.rule == expected => {}
                Some(seen) => wrong.push(format!("{id}: {} instead: {line}", seen.rule)),
                None => wrong.push(format!("{id}: nothing: {line}")),
            }
        }
    }
    println!("catalogue: {} forms, {samples} samples, {} wrong", forms.len(), wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(forms.len() >= 148);
}

/// The same lines in the wrappings logs put them into.
#[test]
fn wrappings_change_nothing() {
    let Some(path) = shared("reference/kernel_messages.tsv") else { return };
    let table = std::fs::read_to_string(path).expect("readable");
    let lines = table.lines().skip(1).filter_map(|row| row.split('\t').nth(8));
    let samples = lines.flat_map(|json| serde_json::from_str::<Vec<String>>(json).expect("JSON"));
    for line in samples.filter(|l| !l.contains('\n') && !l.contains("\\x")) {
        let bare = scan(LogKind::Kernel, line.as_bytes()).observations;
        for head in [
            "Oct  1 12:00:00 box kernel: ",
            "Oct  1 12:00:00 box kernel: [ 12.5] ",
            "<4>[ 12.5][ T1] ",
            "4,1,12500000,-;",
        ] {
            let mut wrapped = scan(LogKind::Kernel, format!("{head}{line}").as_bytes()).observations;
            wrapped.iter_mut().for_each(|o| o.source_seconds = None);
            assert_eq!(bare, wrapped, "{head}{line}");
        }
    }
}
