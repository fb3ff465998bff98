//! That something about md arrays changed: the kernel wakes whoever polls `/proc/mdstat` for priority
//! data. A hint to look now and no data; what changed is read by the next poll.
//!
//! A file that is not there yet (the driver is loaded with the first array) is waited for. A simulated
//! host has a regular file, of which poll knows nothing: there the ordinary polls do.

use super::under;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::sync::mpsc;

const PATH: &str = "/proc/mdstat";

/// While there is nothing to wait on.
const RETRY: Duration = Duration::from_secs(10);

/// Between two hints.
const BREATH: Duration = Duration::from_secs(1);

/// Sends from a thread of its own until nobody listens. Hints that nobody has taken yet are one hint.
pub fn md(root: impl Into<PathBuf>, changed: mpsc::Sender<()>) {
    let path = under(&root.into(), Path::new(PATH));
    let spawned = std::thread::Builder::new().name("mdstat".to_owned()).spawn(move || run(&path, &changed));
    if let Err(error) = spawned {
        tracing::warn!("no thread to wait for changes of md arrays, the polls still see them: {error}");
    }
}

fn run(path: &Path, changed: &mpsc::Sender<()>) {
    while !changed.is_closed() {
        // Ends when the file cannot be read or waited on.
        follow(path, changed).ok();
        std::thread::sleep(RETRY);
    }
}

fn follow(path: &Path, changed: &mpsc::Sender<()>) -> std::io::Result<()> {
    let mut file = seen(path)?;
    while !changed.is_closed() && is_of_the_kernel(&file) {
        if wait(&file)? {
            // First: what happens from here on wakes us again.
            file = seen(path)?;
            changed.try_send(()).ok();
            std::thread::sleep(BREATH);
        }
    }
    Ok(())
}

/// The kernel takes what a reader has read for seen and wakes it when that is not the newest any more.
fn seen(path: &Path) -> std::io::Result<File> {
    let mut file = File::open(path)?;
    std::io::copy(&mut file, &mut std::io::sink())?;
    Ok(file)
}

/// Files of /proc have no size; those of a simulated host do.
fn is_of_the_kernel(file: &File) -> bool {
    file.metadata().is_ok_and(|m| m.len() == 0)
}

fn wait(file: &File) -> Result<bool, Errno> {
    // Not so long that nobody listens any more.
    let timeout = Timespec { tv_sec: 30, tv_nsec: 0 };
    let mut files = [PollFd::new(file, PollFlags::PRI)];
    match poll(&mut files, Some(&timeout)) {
        Err(Errno::INTR) => Ok(false),
        Err(error) => Err(error),
        Ok(_) => Ok(files.iter().any(|f| f.revents().intersects(PollFlags::PRI | PollFlags::ERR))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    /// What poll says of the real file cannot be had without arrays; what it must not do can.
    #[test]
    fn a_file_of_a_simulated_host_is_left_to_the_polls() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(b"Personalities :\nunused devices: <none>\n").unwrap();
        let (send, mut changed) = mpsc::channel(1);
        follow(file.path(), &send).unwrap();
        assert!(changed.try_recv().is_err());
        assert!(follow(Path::new("/nowhere/mdstat"), &send).is_err());
    }
}
