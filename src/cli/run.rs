//! Starting the asynchronous part.

use super::Problem;
use tokio::runtime::Runtime;

/// One thread for everything that waits; what may block runs in threads of its own.
pub fn runtime() -> Result<Runtime, Problem> {
    let built = tokio::runtime::Builder::new_current_thread().enable_all().build();
    built.map_err(|e| Problem::failed(format!("cannot start: {e}")))
}
