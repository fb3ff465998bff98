//! Small reads of /sys and /proc under a root: what cannot be read is `None` or empty.

use std::path::{Path, PathBuf};

pub fn under(root: &Path, path: &str) -> PathBuf {
    root.join(path.trim_start_matches('/'))
}

/// The text without blanks and NULs at its ends; `None` when empty.
pub fn text(path: &Path) -> Option<String> {
    let bytes = std::fs::read(path).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let text = text.trim_matches(|c: char| c.is_whitespace() || c == '\0');
    (!text.is_empty()).then(|| text.to_owned())
}

/// `0x1028`
pub fn hex(path: &Path) -> Option<u32> {
    u32::from_str_radix(text(path)?.trim_start_matches("0x"), 16).ok()
}

/// Names in a directory, sorted.
pub fn names(path: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(path) else { return Vec::new() };
    let mut names: Vec<String> = entries.flatten().map(|e| e.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Last component of what a link points to.
pub fn link_name(path: &Path) -> Option<String> {
    let target = std::fs::read_link(path).ok()?;
    target.file_name().map(|n| n.to_string_lossy().into_owned())
}

/// The last PCI address on the way to where a path really is.
pub fn pci_above(path: &Path) -> Option<String> {
    let real = path.canonicalize().ok()?;
    let mut parts: Vec<String> = real.iter().map(|p| p.to_string_lossy().into_owned()).collect();
    parts.reverse();
    parts.into_iter().find(|p| is_pci_address(p))
}

/// `0000:03:00.0`
pub fn is_pci_address(text: &str) -> bool {
    let mut parts = text.split([':', '.']);
    let mut hex = |lengths: std::ops::RangeInclusive<usize>| {
        parts.next().is_some_and(|p| lengths.contains(&p.len()) && p.bytes().all(|b| b.is_ascii_hexdigit()))
    };
    hex(4..=8) && hex(2..=2) && hex(2..=2) && hex(1..=1) && parts.next().is_none()
}
