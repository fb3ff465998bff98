//! At most two stages at once, however many threads the tests run in: a stage is a daemon and its tools,
//! and times are asserted.

use std::sync::{Condvar, Mutex, PoisonError};

const AT_ONCE: u32 = 2;

static PLAYING: Mutex<u32> = Mutex::new(0);
static ENDED: Condvar = Condvar::new();

pub struct Turn(());

impl Turn {
    pub fn wait() -> Self {
        let playing = PLAYING.lock().unwrap_or_else(PoisonError::into_inner);
        let mut playing = ENDED.wait_while(playing, |n| *n >= AT_ONCE).unwrap_or_else(PoisonError::into_inner);
        *playing += 1;
        Turn(())
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        *PLAYING.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        ENDED.notify_one();
    }
}
