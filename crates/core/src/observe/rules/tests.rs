//! The tables themselves.

use super::super::scanner::compile;
use super::*;
use std::collections::BTreeSet;

fn all() -> impl Iterator<Item = &'static Rule> {
    crate::observe::LogKind::Custom.rules()
}

#[test]
fn every_pattern_compiles_and_every_name_is_its_own() {
    let mut ids = BTreeSet::new();
    for rule in all() {
        assert!(compile(rule).is_some(), "{}", rule.id);
        assert!(ids.insert(rule.id), "{} is there twice", rule.id);
        assert!(!rule.begins.is_empty() || !rule.has.is_empty(), "{} would be tried on every line", rule.id);
    }
}
