//! A POST of versioned JSON, signed, to whoever wants to know.
//!
//! Only 2xx is a receipt. Redirects are not followed: the signature is for the address configured.

use super::channel::{Receipt, SendError};
use super::{Secret, render, tls};
use jiff::{SignedDuration, Timestamp};
use raidmond_core::notice::Notice;
use reqwest::header::{CONTENT_TYPE, DATE, HeaderMap, RETRY_AFTER};
use reqwest::{Certificate, Client, Proxy, RequestBuilder, Response, StatusCode};
use ring::hmac;
use std::time::Duration;

const KEPT_ANSWER: usize = 1024;

/// How to reach an HTTP receiver.
#[derive(Debug, Clone)]
pub struct Settings {
    /// As good as a password for most services.
    pub url: Secret,
    /// Without one the environment's proxy variables count.
    pub proxy: Option<String>,
    /// Further certificate authorities, PEM.
    pub ca: Option<Vec<u8>>,
    /// For the whole exchange.
    pub timeout: Duration,
}

pub use Settings as WebhookSettings;

impl Settings {
    pub fn new(url: Secret) -> Self {
        Self { url, proxy: None, ca: None, timeout: Duration::from_secs(15) }
    }
}

#[derive(Debug)]
pub struct Webhook {
    name: String,
    client: Client,
    url: Secret,
    key: Option<Secret>,
}

impl Webhook {
    pub fn new(name: impl Into<String>, settings: Settings, key: Option<Secret>) -> Result<Webhook, String> {
        Ok(Webhook { name: name.into(), client: client(&settings)?, url: settings.url, key })
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub async fn send(&self, notice: &Notice) -> Result<Receipt, SendError> {
        let body = render::json(notice).map_err(|e| SendError::refused(e.to_string()))?;
        let id = render::token(&notice.id);
        let mut request = self.client.post(self.url.expose()).header(CONTENT_TYPE, "application/json");
        request = request.header("X-Raidmond-Delivery", &id).header("Idempotency-Key", &id);
        if let Some(key) = &self.key {
            request = request.header("X-Raidmond-Signature", signature(key, body.as_bytes()));
        }
        exchange(request.body(body)).await
    }
}

fn signature(key: &Secret, body: &[u8]) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA256, key.expose().as_bytes());
    let hex: String = hmac::sign(&key, body).as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256={hex}")
}

/// Errors never show the address.
pub(super) fn client(settings: &Settings) -> Result<Client, String> {
    tls::install();
    let url = reqwest::Url::parse(settings.url.expose()).map_err(|e| format!("the URL is not valid: {e}"))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err("the URL must begin with https:// or http://".to_owned());
    }
    let mut builder = Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .timeout(settings.timeout)
        .user_agent(concat!("raidmond/", env!("CARGO_PKG_VERSION")));
    if let Some(proxy) = &settings.proxy {
        builder = builder.proxy(Proxy::all(proxy).map_err(|e| format!("proxy: {}", e.without_url()))?);
    }
    if let Some(pem) = &settings.ca {
        tls::check_ca(pem)?;
        let certificates = Certificate::from_pem_bundle(pem).map_err(|e| format!("ca-file: {}", e.without_url()))?;
        builder = builder.tls_certs_merge(certificates);
    }
    builder.build().map_err(|e| causes(&e.without_url()))
}

pub(super) async fn exchange(request: RequestBuilder) -> Result<Receipt, SendError> {
    let response = request.send().await.map_err(|e| SendError::later(causes(&e.without_url())))?;
    let (status, retry_after) = (response.status(), retry_after(response.headers()));
    let said = format!("{status} {}", beginning(response).await);
    if status.is_success() {
        return Ok(Receipt::new(said));
    }
    Err(SendError { retryable: may_pass(status), retry_after, ..SendError::later(said) })
}

fn may_pass(status: StatusCode) -> bool {
    let later = [StatusCode::REQUEST_TIMEOUT, StatusCode::TOO_EARLY, StatusCode::TOO_MANY_REQUESTS];
    status.is_server_error() && status != StatusCode::NOT_IMPLEMENTED || later.contains(&status)
}

/// Seconds, or a date; a date counts from the server's own clock.
fn retry_after(headers: &HeaderMap) -> Option<SignedDuration> {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    let asked = text(RETRY_AFTER)?;
    if let Ok(seconds) = asked.parse::<u32>() {
        return Some(SignedDuration::from_secs(i64::from(seconds)));
    }
    let wait = http_date(asked)?.duration_since(http_date(text(DATE)?)?);
    Some(wait.max(SignedDuration::ZERO))
}

fn http_date(text: &str) -> Option<Timestamp> {
    jiff::fmt::rfc2822::DateTimeParser::new().relaxed_weekday(true).parse_timestamp(text).ok()
}

async fn beginning(mut response: Response) -> String {
    let mut kept = Vec::new();
    while let Ok(Some(part)) = response.chunk().await {
        kept.extend(part.iter().take(KEPT_ANSWER - kept.len()));
        if kept.len() >= KEPT_ANSWER {
            break;
        }
    }
    String::from_utf8_lossy(&kept).into_owned()
}

/// The causes say what happened ("connection refused"); the outermost only that sending failed.
fn causes(error: &dyn std::error::Error) -> String {
    let mut said = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        said = format!("{said}: {error}");
        cause = error.source();
    }
    said
}
