//! The only place that reads the time.

use jiff::Timestamp;

pub fn now() -> Timestamp {
    Timestamp::now()
}
