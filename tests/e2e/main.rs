//! Stories: the real daemon on a simulated host, with a real mail server and a real webhook, and what a
//! person hears of what happens. One file each; they run beside each other, two at a time.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod harness;

mod a_check_by_hand;
mod a_controller_vanishes;
mod a_disk_fails;
mod a_disk_is_suspect;
mod a_scheduled_check;
mod a_tool_misbehaves;
mod all_of_it;
mod logs_tell;
mod mail_is_down;
mod nobody_is_told;
mod prometheus_tells;
mod smart_joins;
mod state_is_lost;
mod the_daemon_dies;
mod the_page;
mod the_service_manager;
