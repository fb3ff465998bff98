//! The page and the metrics on TCP: who may look, and from where. Read-only; wishes are for the control socket.
//!
//! On the loopback address every user of the machine may look, and a name in the request that is not this
//! machine's is refused, so that a web page from elsewhere cannot read it through a visitor's browser. On any
//! other address a token is needed. TLS is a proxy's business.

use super::web::{self, Looking};
use crate::config::HttpConfig;
use crate::notify::Secret;
use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, HOST, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use ring::digest::{SHA256, digest};
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// An address that is taken, or not there yet, is tried again.
const AGAIN: Duration = Duration::from_secs(30);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpSetup {
    pub listen: SocketAddr,
    pub token: Option<Secret>,
}

impl HttpSetup {
    /// A token that cannot be read is no reason to do without.
    pub fn of(config: &HttpConfig) -> Result<Self, String> {
        let token = config.token.as_ref().map(|t| t.read()).transpose()?;
        match &token {
            Some(token) if token.expose().len() < 16 => Err("the token is too weak: at least 16 characters".to_owned()),
            _ => Ok(Self { listen: config.listen, token }),
        }
    }
}

type Wanted = Option<Result<HttpSetup, String>>;

/// What is served now.
pub struct Http {
    looking: Looking,
    wanted: Wanted,
    task: Option<JoinHandle<()>>,
}

impl Http {
    pub fn start(wanted: Wanted, looking: Looking) -> Self {
        let task = serve(&wanted, &looking);
        Self { looking, wanted, task }
    }

    pub fn reload(&mut self, wanted: Wanted) {
        if wanted == self.wanted {
            return;
        }
        self.task.take().inspect(JoinHandle::abort);
        self.task = serve(&wanted, &self.looking);
        self.wanted = wanted;
    }
}

fn serve(wanted: &Wanted, looking: &Looking) -> Option<JoinHandle<()>> {
    match wanted.clone()? {
        Ok(setup) => Some(tokio::task::spawn_local(run(setup, looking.clone()))),
        Err(why) => {
            tracing::error!("the page is not served on TCP: {why}");
            None
        }
    }
}

async fn run(setup: HttpSetup, looking: Looking) {
    let listen = setup.listen;
    let router = web::router(looking).layer(middleware::from_fn_with_state(Arc::new(setup), may_look));
    loop {
        let served = match TcpListener::bind(listen).await {
            Ok(listener) => {
                tracing::info!("the status page is at http://{listen}/");
                axum::serve(listener, router.clone()).await
            }
            Err(error) => Err(error),
        };
        if let Err(error) = served {
            let words = crate::cli::problem::io_words(&error);
            tracing::error!("the page cannot be served at {listen}: {words}; tried again in {} s", AGAIN.as_secs());
        }
        tokio::time::sleep(AGAIN).await;
    }
}

async fn may_look(State(setup): State<Arc<HttpSetup>>, request: Request, next: Next) -> Response {
    match refusal(&setup, request.headers()) {
        None => next.run(request).await,
        Some(refusal) => refusal,
    }
}

fn refusal(setup: &HttpSetup, headers: &HeaderMap) -> Option<Response> {
    match &setup.token {
        Some(token) if !carries(headers, token.expose()) => {
            let challenge = [(WWW_AUTHENTICATE, "Basic realm=\"raidmond\", charset=\"UTF-8\"")];
            Some((StatusCode::UNAUTHORIZED, challenge, "a token is needed\n").into_response())
        }
        None if !is_for_this_machine(headers) => {
            Some((StatusCode::FORBIDDEN, "this name is not that of this machine\n").into_response())
        }
        _ => None,
    }
}

/// `Bearer TOKEN`, or the token as a password under any name.
fn carries(headers: &HeaderMap, token: &str) -> bool {
    let given = headers.get(AUTHORIZATION).and_then(|v| v.to_str().ok()).unwrap_or_default();
    match given.split_once(' ') {
        Some((kind, given)) if kind.eq_ignore_ascii_case("bearer") => same(given.trim(), token),
        Some((kind, given)) if kind.eq_ignore_ascii_case("basic") => {
            let pair = unbase64(given.trim());
            let pair = pair.as_deref().and_then(|bytes| std::str::from_utf8(bytes).ok());
            pair.and_then(|p| p.split_once(':')).is_some_and(|(_, password)| same(password, token))
        }
        _ => false,
    }
}

/// By digest: how long it takes tells nothing of the token.
fn same(given: &str, token: &str) -> bool {
    digest(&SHA256, given.as_bytes()).as_ref() == digest(&SHA256, token.as_bytes()).as_ref()
}

fn unbase64(text: &str) -> Option<Vec<u8>> {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bits, mut count, mut bytes) = (0_u32, 0, Vec::new());
    for letter in text.trim_end_matches('=').bytes() {
        let value = LETTERS.iter().position(|l| *l == letter)?;
        bits = (bits << 6) | u32::try_from(value).ok()?;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from((bits >> count) & 0xff).ok()?);
        }
    }
    Some(bytes)
}

/// An address, localhost, or the machine's own name: no name that somebody else's server resolves.
fn is_for_this_machine(headers: &HeaderMap) -> bool {
    let host = headers.get(HOST).and_then(|v| v.to_str().ok()).unwrap_or_default();
    let is_port = |port: &str| port.chars().all(|c| c.is_ascii_digit());
    let name = host.rsplit_once(':').filter(|(_, port)| is_port(port)).map_or(host, |(name, _)| name);
    let bare = name.trim_start_matches('[').trim_end_matches(']');
    let own = rustix::system::uname().nodename().to_string_lossy().into_owned();
    bare.parse::<IpAddr>().is_ok() || bare == "localhost" || (!own.is_empty() && bare.eq_ignore_ascii_case(&own))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "correct-horse-battery";

    fn setup(token: Option<&str>) -> HttpSetup {
        HttpSetup { listen: "127.0.0.1:9823".parse().unwrap(), token: token.map(Secret::new) }
    }

    fn code(token: Option<&str>, headers: &[(&'static str, &str)]) -> u16 {
        let headers = headers.iter().map(|(k, v)| (k.parse().unwrap(), v.parse().unwrap())).collect();
        refusal(&setup(token), &headers).map_or(200, |r| r.status().as_u16())
    }

    #[test]
    fn a_page_from_elsewhere_cannot_ask_through_a_browser() {
        for host in ["127.0.0.1:9823", "localhost:9823", "localhost", "[::1]:9823"] {
            assert_eq!(code(None, &[("host", host)]), 200, "{host}");
        }
        for host in ["evil.example:9823", "127.0.0.1.evil.example", "", "localhost.evil.example"] {
            assert_eq!(code(None, &[("host", host)]), 403, "{host}");
        }
        assert_eq!(code(None, &[]), 403);
    }

    #[test]
    fn only_the_token_opens() {
        for good in
            ["Bearer correct-horse-battery", "bearer correct-horse-battery", "Basic YTpjb3JyZWN0LWhvcnNlLWJhdHRlcnk="]
        {
            assert_eq!(code(Some(TOKEN), &[("authorization", good), ("host", "db3.example")]), 200, "{good}");
        }
        for bad in [
            "Bearer wrong",
            "Bearer",
            "",
            "Basic !!!",
            "Basic Y29ycmVjdC1ob3JzZS1iYXR0ZXJ5",
            "Bearer correct-horse-battery2",
        ] {
            assert_eq!(code(Some(TOKEN), &[("authorization", bad), ("host", "localhost")]), 401, "{bad}");
        }
        assert_eq!(code(Some(TOKEN), &[("host", "localhost")]), 401);
    }
}
