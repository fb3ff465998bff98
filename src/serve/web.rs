//! What may be read by whoever may look: the page, the metrics, and the documents behind them. The same
//! router on the control socket and on TCP; nothing here changes anything, and no tool is started.

use super::metrics::{self, Form};
use super::page;
use super::socket::Said;
use super::status::StatusDoc;
use crate::clock;
use crate::history::{self, LookError};
use crate::store::{ReadError, Reader};
use axum::extract::{Path, Query, State};
use axum::http::header::{ACCEPT, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY};
use axum::http::header::{X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router, middleware};
use jiff::SignedDuration;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::watch;

#[derive(Clone)]
pub struct Looking {
    pub status: watch::Receiver<Arc<StatusDoc>>,
    pub state_dir: PathBuf,
}

/// Nothing from elsewhere, no script or style in the page itself, in nobody's frame.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

pub fn router(looking: Looking) -> Router {
    Router::new()
        .route("/", get(front))
        .route("/object/{id}", get(object))
        .route("/page.css", get(|| asset("text/css; charset=utf-8", page::STYLE)))
        .route("/page.js", get(|| asset("text/javascript; charset=utf-8", page::SCRIPT)))
        .route("/metrics", get(scrape))
        .route("/v1/status", get(status))
        .route("/v1/events", get(events))
        .route("/v1/history", get(past))
        .layer(middleware::map_response(guarded))
        .with_state(looking)
}

async fn guarded(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

async fn asset(kind: &'static str, text: &'static str) -> Response {
    ([(CONTENT_TYPE, kind), (CACHE_CONTROL, "max-age=300")], text).into_response()
}

impl Looking {
    fn doc(&self) -> Arc<StatusDoc> {
        self.status.borrow().clone()
    }
}

async fn status(State(looking): State<Looking>) -> Json<StatusDoc> {
    Json((*looking.doc()).clone())
}

async fn scrape(State(looking): State<Looking>, headers: HeaderMap) -> Response {
    let accept = headers.get(ACCEPT).and_then(|a| a.to_str().ok()).unwrap_or_default();
    let form = if accept.contains("application/openmetrics-text") { Form::OpenMetrics } else { Form::Plain };
    ([(CONTENT_TYPE, form.content_type())], metrics::text(&looking.doc(), clock::now(), form)).into_response()
}

async fn front(State(looking): State<Looking>) -> Response {
    rendered(move || page::front(&looking.doc(), &looking.state_dir, clock::now())).await
}

async fn object(State(looking): State<Looking>, Path(id): Path<u64>, Query(query): Query<Span>) -> Response {
    let days = query.days.unwrap_or(7).clamp(1, 3660);
    rendered(move || page::object(&looking.doc(), &looking.state_dir, id, days, clock::now())).await
}

/// Beside the loop: it reads the history from a disk that may be slow.
async fn rendered(render: impl FnOnce() -> Result<Option<String>, minijinja::Error> + Send + 'static) -> Response {
    let html = [(CONTENT_TYPE, "text/html; charset=utf-8")];
    match tokio::task::spawn_blocking(render).await {
        Ok(Ok(Some(text))) => (html, text).into_response(),
        Ok(Ok(None)) => (StatusCode::NOT_FOUND, "there is no such object").into_response(),
        Ok(Err(error)) => {
            tracing::error!("the page cannot be drawn: {error:#}");
            (StatusCode::INTERNAL_SERVER_ERROR, "the page cannot be drawn; raidmond status still works").into_response()
        }
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

#[derive(Debug, Deserialize)]
pub struct Span {
    days: Option<i64>,
}

#[derive(Debug, Deserialize)]
pub struct Newest {
    limit: Option<u32>,
}

async fn events(State(looking): State<Looking>, Query(query): Query<Newest>) -> Response {
    rows(looking, query, |reader, limit| reader.history(None, limit)).await
}

pub async fn rows<T: Serialize + Send + 'static>(
    looking: Looking,
    query: Newest,
    rows: impl FnOnce(&Reader, u32) -> Result<Vec<T>, ReadError> + Send + 'static,
) -> Response {
    let limit = query.limit.unwrap_or(100).min(10_000);
    let read = move || -> Result<Vec<T>, ReadError> { rows(&Reader::open(&looking.state_dir)?, limit) };
    match tokio::task::spawn_blocking(read).await {
        Ok(Ok(entries)) => Json(entries).into_response(),
        Ok(Err(e)) => refused(StatusCode::SERVICE_UNAVAILABLE, e.to_string()),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

#[derive(Debug, Deserialize)]
struct Past {
    of: String,
    seconds: i64,
}

async fn past(State(looking): State<Looking>, Query(query): Query<Past>) -> Response {
    let span = SignedDuration::from_secs(query.seconds.max(1));
    let read = move || history::look(&looking.state_dir, &query.of, span, clock::now());
    match tokio::task::spawn_blocking(read).await {
        Ok(Ok(doc)) => Json(doc).into_response(),
        Ok(Err(error @ LookError::Nothing(_))) => refused(StatusCode::SERVICE_UNAVAILABLE, error.to_string()),
        Ok(Err(error)) => refused(StatusCode::NOT_FOUND, error.to_string()),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

fn refused(code: StatusCode, said: String) -> Response {
    (code, Json(Said { ok: false, said })).into_response()
}
