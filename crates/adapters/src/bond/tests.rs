use super::*;
use crate::testkit;
use raidmond_core::model::PartState;
use raidmond_core::survey::{Answer, Covers, NoteKind, Outcome, Reading};

#[test]
fn fixtures() {
    testkit::check_cases(&Bond);
}

#[test]
fn robust() {
    testkit::check_robustness(&Bond);
}

fn read(page: &str) -> Reading {
    let asked = Asked::File(format!("{FOLDER}/bond0"));
    testkit::read(&Bond, &[Answer { asked, stdout: page.into(), stderr: Vec::new(), outcome: Outcome::default() }])
}

const LACP: &str = "Bonding Mode: IEEE 802.3ad Dynamic link aggregation\nMII Status: up\n";

#[test]
fn a_link_in_another_group_or_without_partner_carries_nothing() {
    let link = |name: &str, id: u64, partner: &str| {
        format!(
            "Slave Interface: {name}\nMII Status: up\nSpeed: 1000 Mbps\nDuplex: full\nAggregator ID: {id}\n\
             details actor lacp pdu:\n    system mac address: 02:00:00:00:00:09\n\
             details partner lacp pdu:\n    system mac address: {partner}\n"
        )
    };
    let groups = |page: String| {
        let bond = read(&page).bonds.remove(0);
        bond.links.iter().map(|l| l.in_group.as_ref().map(|g| g.state)).collect::<Vec<_>>()
    };
    let (here, nobody) = ("02:00:00:00:00:01", "00:00:00:00:00:00");
    let two = |a: u64, b: u64| link("eth0", a, here) + &link("eth1", b, here);
    assert_eq!(
        groups(format!("{LACP}Active Aggregator Info:\n\tAggregator ID: 2\n{}", two(1, 2))),
        [Some(false), Some(true)]
    );
    assert_eq!(groups(format!("{LACP}{}", two(1, 1) + &link("eth2", 2, here))), [Some(true), Some(true), Some(false)]);
    let half = link("eth0", 1, here) + &link("eth1", 1, nobody);
    assert_eq!(groups(format!("{LACP}{half}")), [Some(true), Some(false)]);
    assert_eq!(read(&format!("{LACP}{half}")).bonds[0].partner.as_ref().map(|p| p.state), Some(true));
    let none = link("eth0", 1, nobody) + &link("eth1", 2, nobody);
    assert_eq!(read(&format!("{LACP}{none}")).bonds[0].partner.as_ref().map(|p| p.state), Some(false));
}

#[test]
fn words_not_known_are_quoted_and_what_is_missing_is_said() {
    let page = LACP.replace("IEEE 802.3ad Dynamic link aggregation", "quantum entanglement")
        + "Slave Interface: eth0\nMII Status: wobbly\nDuplex: sideways\nSlave Interface: eth1\n";
    let reading = read(&page);
    let links = &reading.bonds[0].links;
    assert_eq!(
        (links[0].state.state, links[0].duplex.as_ref().map(|d| d.state)),
        (PartState::Unknown, Some(PartState::Unknown))
    );
    assert!(reading.notes.iter().any(|n| n.said.contains("quantum")), "{:?}", reading.notes);
    assert!(
        reading.notes.iter().any(|n| n.kind == NoteKind::Partial && n.said.contains("eth1")),
        "{:?}",
        reading.notes
    );
}

#[test]
fn an_extra_word_behind_the_mode_changes_nothing() {
    let spreads = |mode: &str| vocabulary::spreads(mode);
    assert_eq!(spreads("fault-tolerance (active-backup) (fail_over_mac active)"), Some(false));
    assert_eq!((spreads("load balancing (xor)"), spreads("load balancing")), (Some(true), None));
}

#[test]
fn a_bond_that_went_between_list_and_look_is_looked_for_again() {
    let known = Known { scope: Scope::Discover, ..Known::default() };
    let talk = |there: bool| {
        let mut heard = Heard::default();
        let list = Answer {
            stdout: b"bond0\n".to_vec(),
            outcome: Outcome::default(),
            ..Answer::not_captured(Asked::Dir(FOLDER.into()))
        };
        heard.push(BONDS, list);
        let outcome = Outcome { absent: !there, ..Outcome::default() };
        let page =
            Answer { stdout: LACP.into(), outcome, ..Answer::not_captured(Asked::File(format!("{FOLDER}/bond0"))) };
        heard.push(BOND, page);
        lower::read(&known, &heard)
    };
    assert!(talk(true).coverage.has(&Default::default(), Covers::Bonds));
    assert!(talk(false).coverage.is_empty() && talk(false).bonds.is_empty());
}
