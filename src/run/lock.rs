//! One child per tool and controller: an `flock` that lives exactly as long as the child.
//!
//! The lock is taken on a descriptor that becomes the child's standard input. So the kernel holds it while
//! the child lives, also one that cannot be killed, also through a restart of the daemon, and nothing has
//! to run between fork and exec: no `unsafe` and no window in which another child could inherit it. The
//! lock file is always empty and open for reading only; to the child it is as good as `/dev/null`.

use jiff::Timestamp;
use rustix::fs::{FlockOperation, Mode, OFlags, Timespec, Timestamps, UTIME_NOW};
use rustix::io::Errno;
use std::fs::File;
use std::os::fd::OwnedFd;
use std::path::Path;

#[derive(Debug)]
pub(super) enum Held {
    /// By a child started then.
    Since(Option<Timestamp>),
    /// The lock file cannot be used.
    Broken(Errno),
}

/// A file name for any lock name.
pub(super) fn file_name(lock: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    format!("{}.lock", lock.chars().map(plain).collect::<String>())
}

/// Does not wait.
pub(super) fn take(path: &Path) -> Result<OwnedFd, Held> {
    let flags = OFlags::RDONLY | OFlags::CREATE | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let fd = rustix::fs::open(path, flags, Mode::RUSR | Mode::WUSR).map_err(Held::Broken)?;
    match rustix::fs::flock(&fd, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => {}
        Err(Errno::WOULDBLOCK) => return Err(Held::Since(taken_at(&fd))),
        Err(error) => return Err(Held::Broken(error)),
    }
    let now = Timespec { tv_sec: 0, tv_nsec: UTIME_NOW };
    rustix::fs::futimens(&fd, &Timestamps { last_access: now, last_modification: now }).map_err(Held::Broken)?;
    Ok(fd)
}

/// The file's time is set when the lock is taken.
fn taken_at(fd: &OwnedFd) -> Option<Timestamp> {
    let modified = File::from(fd.try_clone().ok()?).metadata().ok()?.modified().ok()?;
    Timestamp::try_from(modified).ok()?.round(jiff::Unit::Second).ok()
}
