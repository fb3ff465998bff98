//! A file that only takes up room: freed when the disk is full, so that one more commit fits.

use std::io::Write;
use std::path::{Path, PathBuf};

const SIZE: usize = 1 << 20;

pub(super) struct Reserve {
    path: PathBuf,
}

impl Reserve {
    pub(super) fn new(dir: &Path) -> Self {
        Self { path: dir.join("reserve") }
    }

    /// Makes it again where there is room; a full disk is not an error here.
    pub(super) fn ensure(&self) {
        let whole = std::fs::metadata(&self.path).is_ok_and(|m| m.len() >= SIZE as u64);
        if !whole && self.fill().is_err() {
            self.free();
        }
    }

    /// Whether there was something to free.
    pub(super) fn free(&self) -> bool {
        std::fs::remove_file(&self.path).is_ok()
    }

    /// Bytes that do not compress: some file systems store zeros as nothing.
    fn fill(&self) -> std::io::Result<()> {
        let mut word = 0x9e37_79b9_7f4a_7c15_u64;
        let mut bytes = Vec::with_capacity(SIZE);
        while bytes.len() < SIZE {
            word ^= word << 13;
            word ^= word >> 7;
            word ^= word << 17;
            bytes.extend_from_slice(&word.to_le_bytes());
        }
        let mut file = std::fs::File::create(&self.path)?;
        file.write_all(&bytes)?;
        file.sync_all()
    }
}
