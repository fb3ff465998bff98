use super::*;
use crate::testkit;

#[test]
fn fixtures() {
    testkit::check_cases(&Smart);
}

#[test]
fn robust() {
    testkit::check_robustness(&Smart);
}
