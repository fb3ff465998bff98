//! The status page.
use super::status::StatusDoc;
use jiff::Timestamp;
use std::path::Path;
pub const STYLE: &str = "";
pub const SCRIPT: &str = "";
pub fn front(_doc: &StatusDoc, _dir: &Path, _now: Timestamp) -> Result<Option<String>, minijinja::Error> { Ok(None) }
pub fn object(_doc: &StatusDoc, _dir: &Path, _id: u64, _days: i64, _now: Timestamp) -> Result<Option<String>, minijinja::Error> { Ok(None) }
