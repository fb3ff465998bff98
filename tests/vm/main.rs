//! Real arrays, a real kernel, a real service: what a person would receive when they break.
//!
//! Runs in a virtual machine that `tests/vm/run` makes; without it every scenario says SKIPPED. Each scenario
//! is a story: what is done to the machine, and the mail, the status and the exit code that must follow.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod guest;
mod hostile;
mod kernel_log;
mod md;
mod service;

use guest::Guest;

/// Runs a scenario, or says loudly that it was not.
fn scenario(name: &str, guest: impl FnOnce() -> Guest, story: impl FnOnce(&mut Guest)) {
    if std::env::var_os("RAIDMOND_VM").is_none() {
        println!("SKIPPED vm scenario \"{name}\": needs the virtual machine; `tests/vm/run` makes it and runs all");
        return;
    }
    let began = std::time::Instant::now();
    story(&mut guest());
    println!("vm scenario: \"{name}\" held, {:.1} s", began.elapsed().as_secs_f64());
}
