//! Fixtures of our own, and the shared captures in place (read where they are, never copied).

use super::Storcli;
use crate::testkit;

#[test]
fn fixtures() {
    testkit::check_cases(&Storcli);
}

#[test]
fn robust() {
    testkit::check_robustness(&Storcli);
}
