//! Where the shared material lies, if it is there at all.

use std::path::PathBuf;

/// `$RAIDMOND_SHARED`, or `../shared` beside the checkout.
pub fn shared(part: &str) -> Option<PathBuf> {
    let root = std::env::var_os("RAIDMOND_SHARED").map(PathBuf::from);
    let root = root.unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared"));
    let path = root.join(part);
    if path.exists() {
        return Some(path);
    }
    println!("SKIPPED: {} is not there (0 cases ran)", path.display());
    None
}
