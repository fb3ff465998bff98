//! The dead man's switch: a service that raises the alarm when these pings stop.
//!
//! A ping that fails is reported and not repeated: the next one comes soon, and its absence is the point.

use super::channel::SendError;
use super::webhook::{Settings, client, exchange};
use super::{Receipt, Secret};

#[derive(Debug)]
pub struct Deadman {
    client: reqwest::Client,
    url: Secret,
}

impl Deadman {
    pub fn new(settings: Settings) -> Result<Deadman, String> {
        Ok(Deadman { client: client(&settings)?, url: settings.url })
    }

    /// `text` is the verdict in one line, for whoever looks at the service.
    pub async fn ping(&self, text: &str) -> Result<Receipt, SendError> {
        exchange(self.client.post(self.url.expose()).body(text.to_owned())).await
    }
}
