//! Sizes as the vendors print them.

/// `3.637 TB`, `278.875 GB`: binary units, three decimals (storcli, MegaCli).
pub fn lsi(bytes: u64) -> String {
    let (gib, tib) = (f64::from(1 << 30), 1024.0 * f64::from(1 << 30));
    let bytes = bytes as f64;
    if bytes >= tib { format!("{:.3} TB", bytes / tib) } else { format!("{:.3} GB", bytes / gib) }
}

/// `3.637 TB [0x1d1b00000 Sectors]`
pub fn lsi_sectors(sectors: u64) -> String {
    format!("{} [0x{sectors:x} Sectors]", lsi(sectors * 512))
}

/// Sectors left after the controller has rounded a disk down.
pub fn coerced(sectors: u64) -> u64 {
    sectors / 0x10_0000 * 0x10_0000
}
