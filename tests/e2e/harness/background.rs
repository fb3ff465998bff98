//! Where the servers of a stage run; they end with it.

use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;

pub struct Background {
    handle: Handle,
    _end: oneshot::Sender<()>,
}

impl Background {
    pub fn start() -> Self {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let handle = runtime.handle().clone();
        let (end, ended) = oneshot::channel();
        std::thread::spawn(move || drop(runtime.block_on(ended)));
        Self { handle, _end: end }
    }

    pub fn block_on<T>(&self, work: impl Future<Output = T>) -> T {
        self.handle.block_on(work)
    }

    pub fn spawn(&self, work: impl Future<Output: Send> + Send + 'static) {
        let done = self.handle.spawn(async move { drop(work.await) });
        drop(done);
    }
}
