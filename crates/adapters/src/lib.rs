//! One folder per RAID family: what to ask a tool, and how to read its answers.
//!
//! No I/O here either: an adapter gets answers and says what to ask next. A new family is a folder
//! and two lines in [`registry`].

mod aacraid;
mod adapter;
mod areca;
mod bond;
mod boss;
mod btrfs;
pub mod canonical;
pub mod capture;
mod converse;
#[cfg(test)]
pub(crate) mod corpus_kit;
mod cursor;
mod dpt;
mod gdth;
mod hp;
mod ips;
mod lsi_ir;
mod lvm;
mod md;
mod megacli;
mod megaraid;
mod megaraid_legacy;
mod omreport;
pub mod registry;
pub mod scan;
mod ses;
mod smart;
mod storcli;
mod storcli2;
#[cfg(test)]
pub(crate) mod testkit;
pub mod tw_cli;
mod zfs;

pub use adapter::{Act, Adapter, Maintenance, Mutation, Said, Step, Term, Tool, Verdict, Write};
pub use converse::{Conversation, MAX_ROUNDS};
