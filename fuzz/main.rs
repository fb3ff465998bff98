//! One program for all targets; `TARGET` names the one to run.
#![no_main]

mod targets;

use std::sync::LazyLock;

static TARGET: LazyLock<fn(&[u8])> = LazyLock::new(|| {
    let wanted = std::env::var("TARGET").unwrap_or_default();
    let found = targets::TARGETS.iter().find(|(name, _)| *name == wanted);
    found.unwrap_or_else(|| panic!("TARGET is one of {:?}", targets::TARGETS.map(|(name, _)| name))).1
});

libfuzzer_sys::fuzz_target!(|data: &[u8]| (*TARGET)(data));
