//! Webhooks against a real HTTP server.

use crate::support::*;
use axum::body::Bytes;
use axum::http::{HeaderMap, Response, StatusCode};
use axum::routing::post;
use jiff::SignedDuration;
use raidmond::notify::{Channel, Deadman, Secret, Webhook, WebhookSettings};
use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

const KEY: &str = "a key for signing";

#[derive(Clone)]
struct Reply {
    status: u16,
    headers: Vec<(&'static str, &'static str)>,
    delay: Duration,
}

impl Reply {
    fn status(status: u16) -> Self {
        Reply { status, headers: vec![], delay: Duration::ZERO }
    }

    fn with(mut self, name: &'static str, value: &'static str) -> Self {
        self.headers.push((name, value));
        self
    }

    fn after(self, delay: Duration) -> Self {
        Reply { delay, ..self }
    }
}

struct Server {
    address: SocketAddr,
    heard: Heard<(HeaderMap, Bytes)>,
}

/// Gives the replies in turn, then 200.
async fn server(replies: Vec<Reply>) -> Server {
    let heard: Heard<(HeaderMap, Bytes)> = Arc::default();
    let replies = Arc::new(Mutex::new(VecDeque::from(replies)));
    let log = Arc::clone(&heard);
    let answer = move |headers: HeaderMap, body: Bytes| {
        log.lock().unwrap().push((headers, body));
        let reply = replies.lock().unwrap().pop_front().unwrap_or(Reply::status(200));
        async move {
            tokio::time::sleep(reply.delay).await;
            let mut response = Response::builder().status(StatusCode::from_u16(reply.status).unwrap());
            for (name, value) in reply.headers {
                response = response.header(name, value);
            }
            response.body("noted\u{7}".to_owned()).unwrap()
        }
    };
    let listener = tokio::net::TcpListener::bind(local()).await.unwrap();
    let address = listener.local_addr().unwrap();
    let router = axum::Router::new().route("/hook/{token}", post(answer));
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    Server { address, heard }
}

fn settings(address: SocketAddr) -> WebhookSettings {
    let url = Secret::new(format!("http://{address}/hook/very-secret-token"));
    WebhookSettings { timeout: Duration::from_millis(700), ..WebhookSettings::new(url) }
}

fn bench(address: SocketAddr) -> Bench {
    let hook = Webhook::new("chat", settings(address), Some(Secret::new(KEY))).unwrap();
    assert!(!format!("{hook:?}").contains("very-secret-token"));
    Bench::new(Channel::Webhook(hook))
}

#[tokio::test]
async fn the_body_is_signed_and_numbered() {
    let server = server(vec![]).await;
    let bench = bench(server.address);
    bench.post(&[alarm("17-0")]).await;
    assert_eq!(receipt(&bench.send().await), "200 OK noted");
    let (headers, body) = server.heard.lock().unwrap().remove(0);
    assert_eq!(headers["x-raidmond-delivery"], "17-0");
    assert_eq!(headers["idempotency-key"], "17-0");
    assert_eq!(headers["content-type"], "application/json");
    let signature = headers["x-raidmond-signature"].to_str().unwrap().strip_prefix("sha256=").unwrap();
    let bytes: Vec<u8> = (0..32).map(|n| u8::from_str_radix(&signature[2 * n..2 * n + 2], 16).unwrap()).collect();
    let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, KEY.as_bytes());
    ring::hmac::verify(&key, &body, &bytes).expect("the signature does not fit the body");
    let json: serde_json::Value = serde_json::from_slice(&body).unwrap();
    assert_eq!((&json["version"], &json["incident"]["id"]), (&1.into(), &17.into()));
}

#[tokio::test]
async fn a_busy_server_says_when() {
    let date = "Mon, 30 Nov 2026 02:12:45 GMT";
    let in_five_minutes = "Mon, 30 Nov 2026 02:17:45 GMT";
    let replies = vec![
        Reply::status(429).with("retry-after", "120"),
        Reply::status(503).with("date", date).with("retry-after", in_five_minutes),
    ];
    let server = server(replies).await;
    let bench = bench(server.address);
    bench.post(&[alarm("17-0")]).await;
    for wait in [120, 300] {
        assert!(failure(&bench.send().await).0);
        let until = bench.waits_until().await;
        assert_eq!(until, bench.clock.now() + SignedDuration::from_secs(wait));
        bench.clock.advance_to(until);
    }
    receipt(&bench.send().await);
    let ids: Vec<_> = server.heard.lock().unwrap().iter().map(|(h, _)| h["idempotency-key"].clone()).collect();
    assert_eq!(ids, ["17-0"; 3]);
}

#[tokio::test]
async fn only_2xx_is_a_receipt() {
    let place = "/hook/elsewhere";
    let cases = [
        (Reply::status(500), true),
        (Reply::status(408), true),
        (Reply::status(400), false),
        (Reply::status(404), false),
        (Reply::status(302).with("location", place), false),
    ];
    let server = server(cases.iter().map(|(reply, _)| reply.clone()).collect()).await;
    let bench = bench(server.address);
    bench.post(&[alarm("17-0")]).await;
    for (reply, retryable) in &cases {
        let report = bench.send().await;
        let (may_pass, said) = failure(&report);
        assert_eq!(may_pass, *retryable, "{said}");
        assert!(said.starts_with(&reply.status.to_string()), "{said}");
        bench.clock.advance_to(bench.waits_until().await);
    }
    assert_eq!(server.heard.lock().unwrap().len(), cases.len(), "the redirect was followed");
}

#[tokio::test]
async fn silence_is_a_failure_and_the_address_stays_secret() {
    let server = server(vec![Reply::status(200).after(Duration::from_secs(30))]).await;
    let bench = bench(server.address);
    bench.post(&[alarm("17-0")]).await;
    let report = bench.send().await;
    let (retryable, said) = failure(&report);
    assert!(retryable && said.contains("timed out"), "{said}");
    assert!(!said.contains("very-secret-token"), "{said}");

    let closed = tokio::net::TcpListener::bind(local()).await.unwrap().local_addr().unwrap();
    let hook = Webhook::new("chat", settings(closed), None).unwrap();
    let error = hook.send(&alarm("17-0")).await.unwrap_err();
    assert!(error.retryable && error.said.contains("refused"), "{}", error.said);
    assert!(!error.said.contains("very-secret-token"), "{}", error.said);
}

#[tokio::test]
async fn the_proxy_is_used() {
    let proxy = tokio::net::TcpListener::bind(local()).await.unwrap();
    let through = format!("http://{}", proxy.local_addr().unwrap());
    let far = WebhookSettings { proxy: Some(through), ..settings("192.0.2.1:80".parse().unwrap()) };
    let hook = Webhook::new("chat", far, None).unwrap();
    let asked = async {
        let (mut stream, _) = proxy.accept().await.unwrap();
        let mut line = [0; 30];
        tokio::io::AsyncReadExt::read_exact(&mut stream, &mut line).await.unwrap();
        String::from_utf8_lossy(&line).into_owned()
    };
    let notice = alarm("17-0");
    let (_, line) = tokio::join!(hook.send(&notice), asked);
    assert!(line.starts_with("POST http://192.0.2.1/hook/"), "{line}");
}

#[tokio::test]
async fn the_dead_man_is_pinged() {
    let server = server(vec![Reply::status(200), Reply::status(500)]).await;
    let deadman = Deadman::new(settings(server.address)).unwrap();
    deadman.ping("db3: ok, 2 arrays").await.unwrap();
    assert_eq!(server.heard.lock().unwrap()[0].1, "db3: ok, 2 arrays");
    assert!(deadman.ping("db3: ok").await.is_err());
}

#[test]
fn mistakes_are_found_before_they_matter() {
    for url in ["", "chat.example.com", "file:///etc/passwd"] {
        assert!(Webhook::new("chat", WebhookSettings::new(Secret::new(url)), None).is_err(), "{url}");
    }
    let bad_ca = WebhookSettings { ca: Some(b"no certificate".to_vec()), ..settings(local()) };
    assert!(Webhook::new("chat", bad_ca, None).is_err());
}
