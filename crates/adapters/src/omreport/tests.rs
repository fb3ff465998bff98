//! Fixtures and captures.

use super::*;
use crate::corpus_kit::{corpus_rows, unhealthy};
use crate::testkit;
use raidmond_core::model::Alias;
use raidmond_core::survey::{Answer, Outcome, PciDevice, split_words};

#[test]
fn fixtures() {
    testkit::check_cases(&Omreport);
}

#[test]
fn robust() {
    testkit::check_robustness(&Omreport);
}

#[test]
fn captures() {
    let Some(rows) = corpus_rows("omreport/") else { return };
    let (mut storage, mut faults) = (0, 0);
    for row in &rows {
        let asked = Asked::Cmd(split_words(&row.command).unwrap());
        let kind = Omreport.recognise(&asked, &row.bytes);
        assert!(kind.is_some(), "{}", row.path);
        if kind == Some(ASIDE) {
            continue;
        }
        storage += 1;
        let answer = Answer { asked, stdout: row.bytes.clone(), stderr: Vec::new(), outcome: Outcome::default() };
        let reading = testkit::read(&Omreport, &[answer]);
        let bad_blocks = reading.arrays.iter().any(|a| a.bad_blocks == Some(true));
        let found = unhealthy(&reading);
        let well = found.is_empty() && !bad_blocks;
        faults += usize::from(!well);
        // An empty list has no verdict there; no controller at all is told here.
        if row.verdict.is_empty() {
            continue;
        }
        assert_eq!(well, !matches!(row.verdict.as_str(), "warning" | "critical"), "{}: {found:?}", row.path);
    }
    println!("omreport corpus: {} files, {storage} of storage, {faults} not well", rows.len());
}

#[test]
fn one_perc_on_the_bus_and_in_the_list_is_the_same() {
    let card = |address: &str| PciDevice {
        address: address.into(),
        driver: Some("megaraid_sas".into()),
        ..PciDevice::default()
    };
    let asked = Asked::cmd(&["omreport", "storage", "controller", "-fmt", "ssv"]);
    let text =
        "Controller PERC H730 Mini (Slot Embedded)\nID;Status;Name;Slot ID;State\n0;Ok;PERC H730 Mini;Embedded;Ready\n";
    let aliases = |pci: Vec<PciDevice>| {
        let mut heard = Heard::default();
        heard.push(
            CONTROLLERS,
            Answer { asked: asked.clone(), stdout: text.into(), stderr: Vec::new(), outcome: Outcome::default() },
        );
        lower::lower(&Known { pci, ..Known::default() }, &heard).controllers[0].aliases.clone()
    };
    assert_eq!(aliases(vec![card("0000:03:00.0")]), [Alias::Pci("0000:03:00.0".into())]);
    assert_eq!(aliases(vec![card("0000:03:00.0"), card("0000:04:00.0")]), []);
}
