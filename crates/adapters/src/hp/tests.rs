//! Fixtures, and what the conversation asks.

use super::*;
use crate::testkit::{check_cases, check_robustness};

#[test]
fn cases() {
    check_cases(&Hp);
}

#[test]
fn robustness() {
    check_robustness(&Hp);
}
