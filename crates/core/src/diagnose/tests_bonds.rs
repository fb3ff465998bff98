//! Bonded links, and parts that were there before.

use super::tests::t;
use super::*;
use crate::host::SourceKey;
use crate::model::*;
use crate::survey::{Covers, Reading};

fn link(name: &str, state: PartState, speed: u64) -> BondLink {
    BondLink {
        name: name.into(),
        state: Observed::new(state, format!("{state:?}")),
        speed_mbps: Some(speed),
        duplex: None,
        failures: Some(0),
        in_group: None,
    }
}

fn bond(links: Vec<BondLink>) -> Bond {
    Bond { at: "bond0".into(), spreads: Some(true), links, ..Bond::default() }
}

fn reading(bonds: Vec<Bond>) -> Reading {
    let mut r = Reading::new("bond", Space::Kernel);
    r.bonds = bonds;
    r.coverage.add(&Path::default(), Covers::Bonds);
    r
}

/// What holds after each of these looks, a minute apart.
fn over_time(readings: &[Reading]) -> Vec<Vec<Condition>> {
    let (mut host, mut memory) = (Host::default(), Memory::default());
    let key = SourceKey { family: readings[0].family.clone(), about: String::new() };
    let look = |(n, r): (usize, &Reading)| {
        let now = t(60 * i64::try_from(n).unwrap());
        host.apply(&key, r, now);
        let (found, next) = diagnose(&host, &memory, &Policy::default(), now);
        memory = next;
        found
    };
    readings.iter().enumerate().map(look).collect()
}

fn kinds(found: &[Condition]) -> Vec<&'static str> {
    found.iter().map(|c| c.kind.word()).collect()
}

fn judged(bond: Bond) -> Vec<&'static str> {
    kinds(&over_time(&[reading(vec![bond])])[0])
}

use PartState::{Failed, Ok, Unknown};

#[test]
fn a_bond_lives_as_long_as_one_link_does() {
    let states = |states: &[PartState]| {
        let links = states.iter().enumerate().map(|(n, s)| link(&format!("eth{n}"), *s, 1000)).collect();
        over_time(&[reading(vec![bond(links)])]).remove(0)
    };
    assert_eq!(states(&[Ok, Ok]), []);
    assert_eq!(kinds(&states(&[Ok, Failed])), ["bond-link-down"]);
    let both = states(&[Failed, Failed]);
    assert_eq!(kinds(&both), ["bond-down", "bond-link-down", "bond-link-down"]);
    let incidents: std::collections::BTreeSet<_> = both.iter().map(|c| (c.anchor.key.clone(), c.topic)).collect();
    assert_eq!(incidents.len(), 1, "one bond, one incident");
    assert_eq!(kinds(&states(&[Ok, Unknown])), ["unknown-word"]);
}

#[test]
fn links_that_carry_nothing_are_told_of_the_link_or_of_the_bond() {
    let idle =
        |name: &str| BondLink { in_group: Some(Observed::new(false, "Aggregator ID 2")), ..link(name, Ok, 1000) };
    assert_eq!(judged(bond(vec![link("eth0", Ok, 1000), idle("eth1")])), ["bond-link-idle"]);
    let alone = Bond {
        partner: Some(Observed::new(false, "00:00:00:00:00:00")),
        ..bond(vec![link("eth0", Ok, 1000), idle("eth1")])
    };
    assert_eq!(judged(alone), ["bond-no-partner"]);
}

#[test]
fn another_speed_matters_where_links_share_the_traffic() {
    let links = || vec![link("eth0", Ok, 10_000), link("eth1", Ok, 1000)];
    assert_eq!(judged(bond(links())), ["bond-link-mismatch"]);
    assert_eq!(judged(Bond { spreads: Some(false), ..bond(links()) }), ["bond-speeds-differ"]);
    let half = BondLink { duplex: Some(Observed::new(PartState::Warning, "half")), ..link("eth0", Ok, 1000) };
    assert_eq!(judged(Bond { spreads: Some(false), ..bond(vec![half]) }), ["bond-link-mismatch"]);
    assert_eq!(judged(bond(vec![link("eth0", Ok, 10_000), link("eth1", Failed, 10)])), ["bond-link-down"]);
}

#[test]
fn only_growing_failures_are_trouble() {
    let failures = |n| reading(vec![bond(vec![BondLink { failures: Some(n), ..link("eth0", Ok, 1000) }])]);
    let all = over_time(&[failures(92_028), failures(92_028), failures(92_030), failures(0)]);
    assert_eq!(kinds(&all[0]), ["bond-link-failures"]);
    assert_eq!((verdict(&all[0]), verdict(&all[1])), (Severity::Info, Severity::Info));
    assert_eq!(kinds(&all[2]), ["bond-link-failures-growing"]);
    assert!(all[2][0].headline.contains("92030 times (+2)"), "{}", all[2][0].headline);
    assert_eq!(all[3], [], "it joined anew");
}

#[test]
fn a_link_or_bond_that_goes_is_missed_and_one_without_links_is_not() {
    let whole = || reading(vec![bond(vec![link("eth0", Ok, 1000), link("eth1", Ok, 1000)])]);
    let one = reading(vec![bond(vec![link("eth0", Ok, 1000)])]);
    let all = over_time(&[whole(), one, reading(vec![bond(vec![])]), reading(vec![]), whole()]);
    assert_eq!(kinds(&all[1]), ["part-missing"]);
    assert!(all[1][0].headline.contains("eth1"), "{}", all[1][0].headline);
    assert_eq!(kinds(&all[2]), ["bond-down", "part-missing", "part-missing"]);
    assert_eq!(kinds(&all[3]), ["bond-missing"]);
    assert_eq!(all[4], []);
    assert_eq!(judged(bond(vec![])), <[&str; 0]>::default());
}

#[test]
fn a_power_supply_that_was_pulled_is_missed_and_a_place_that_was_empty_is_not() {
    let shelf = |states: [PartState; 2]| {
        let mut r = Reading::new("ses", Space::Kernel);
        let part = |(n, s): (usize, &PartState)| Part {
            kind: PartKind::PowerSupply,
            name: format!("PSU {n}"),
            state: Observed::new(*s, format!("{s:?}")),
            value: None,
        };
        let parts = states.iter().enumerate().map(part).collect();
        r.enclosures.push(Enclosure { at: "shelf".into(), parts, ..Enclosure::default() });
        r
    };
    use PartState::NotInstalled;
    let all = over_time(&[shelf([Ok, Ok]), shelf([Ok, NotInstalled]), shelf([NotInstalled, NotInstalled])]);
    assert_eq!(kinds(&all[1]), ["part-missing"]);
    assert_eq!(kinds(&all[2]), ["part-failed-last", "part-failed-last"]);
    assert_eq!(over_time(&[shelf([Ok, NotInstalled])])[0], []);
}
