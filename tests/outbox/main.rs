//! Delivery from commit to receipt, over real sockets, real processes and real files.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod commands;
mod crash;
mod mail;
mod storage;
mod support;
mod tls;
mod webhook;
