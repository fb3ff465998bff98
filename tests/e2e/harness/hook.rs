//! A webhook receiver that checks the signature of what it gets.

use super::background::Background;
use super::wait;
use axum::Router;
use axum::body::Bytes;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use ring::hmac;
use serde_json::Value;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

pub const SECRET: &str = "the key both sides know";

pub struct Hook {
    /// Ends the server with it.
    _background: Background,
    address: SocketAddr,
    posts: Arc<Mutex<Vec<Value>>>,
}

impl Hook {
    pub fn open() -> Self {
        let background = Background::start();
        let listener = background.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
        let (address, posts) = (listener.local_addr().unwrap(), Arc::<Mutex<Vec<Value>>>::default());
        let keep = Arc::clone(&posts);
        let take = move |headers: HeaderMap, body: Bytes| async move { accept(&headers, &body, &keep) };
        let router = Router::new().route("/hook", post(take));
        background.spawn(async move { axum::serve(listener, router).await });
        Self { _background: background, address, posts }
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Documents whose signature was right.
    pub fn posts(&self) -> Vec<Value> {
        self.posts.lock().unwrap().clone()
    }

    pub fn wait(&self, what: &str, within: Duration, wanted: impl Fn(&Value) -> bool) -> Value {
        wait(what, within, || self.posts().into_iter().find(&wanted))
    }
}

fn accept(headers: &HeaderMap, body: &[u8], posts: &Mutex<Vec<Value>>) -> StatusCode {
    let signature = headers.get("x-raidmond-signature").and_then(|v| v.to_str().ok()).unwrap_or("");
    let tag: Option<Vec<u8>> = signature.strip_prefix("sha256=").map(bytes_of);
    let key = hmac::Key::new(hmac::HMAC_SHA256, SECRET.as_bytes());
    if tag.is_none_or(|tag| hmac::verify(&key, body, &tag).is_err()) {
        return StatusCode::FORBIDDEN;
    }
    posts.lock().unwrap().push(serde_json::from_slice(body).unwrap());
    StatusCode::NO_CONTENT
}

fn bytes_of(hex: &str) -> Vec<u8> {
    let pair = |at: usize| hex.get(at..at + 2).and_then(|p| u8::from_str_radix(p, 16).ok());
    (0..hex.len()).step_by(2).map_while(pair).collect()
}
