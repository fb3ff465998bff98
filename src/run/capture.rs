//! A child's output, up to a limit, whether or not it ever ends.

use std::sync::{Arc, Mutex, PoisonError};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::sync::Notify;
use tokio::task::JoinHandle;

pub(super) struct Capture {
    kept: Arc<Mutex<Vec<u8>>>,
    limit: usize,
    reader: JoinHandle<()>,
}

impl Capture {
    /// Reads in the background to the end of the stream, or until there is more than `limit`: then `flood`
    /// is notified.
    pub(super) fn start(
        from: Option<impl AsyncRead + Unpin + Send + 'static>,
        limit: usize,
        flood: Arc<Notify>,
    ) -> Self {
        let kept = Arc::new(Mutex::new(Vec::new()));
        let into = Arc::clone(&kept);
        let reader = tokio::spawn(async move {
            if let Some(from) = from {
                read(from, &into, limit, &flood).await;
            }
        });
        Self { kept, limit, reader }
    }

    /// Wait for the end of the stream.
    pub(super) async fn ended(&mut self) {
        (&mut self.reader).await.ok();
    }

    /// What was read so far, and whether it was cut. A stream still open is left.
    pub(super) fn finish(self) -> (Vec<u8>, bool) {
        self.reader.abort();
        let mut bytes = std::mem::take(&mut *self.kept.lock().unwrap_or_else(PoisonError::into_inner));
        let cut = bytes.len() > self.limit;
        bytes.truncate(self.limit);
        (bytes, cut)
    }
}

async fn read(mut from: impl AsyncRead + Unpin, into: &Mutex<Vec<u8>>, limit: usize, flood: &Notify) {
    let mut buffer = vec![0; 64 * 1024];
    while let Ok(read @ 1..) = from.read(&mut buffer).await {
        let mut kept = into.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend_from_slice(buffer.get(..read).unwrap_or_default());
        if kept.len() > limit {
            flood.notify_one();
            return;
        }
    }
}
