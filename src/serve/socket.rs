//! The control socket: HTTP over a unix socket, one router.
//!
//! Reading is for whoever may open the socket; what changes something needs uid 0, which the kernel
//! tells about the peer. Answers come from what the daemon has published: no tool is started, and a
//! busy daemon does not delay them.

use super::web::{self, Looking, Newest};
use crate::act::CheckVerb;
use axum::extract::connect_info::{ConnectInfo, Connected};
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::serve::IncomingStream;
use axum::{Json, Router};
use jiff::SignedDuration;
use raidmond_core::incident::Operator;
use serde::{Deserialize, Serialize};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;
use tokio::net::UnixListener;
use tokio::sync::{mpsc, oneshot};

/// What a person wants changed, as it travels over the socket.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "do")]
pub enum Wish {
    Ack { incident: u64, seconds: i64, comment: String },
    Unack { incident: u64 },
    MaintenanceStart { seconds: i64, comment: String },
    MaintenanceEnd,
    Accept { object: Option<String> },
    Close { incident: u64, comment: String },
}

impl From<Wish> for Operator {
    fn from(wish: Wish) -> Self {
        match wish {
            Wish::Ack { incident, seconds, comment } => {
                Operator::Ack { incident, for_: SignedDuration::from_secs(seconds), comment }
            }
            Wish::Unack { incident } => Operator::Unack { incident },
            Wish::MaintenanceStart { seconds, comment } => {
                Operator::MaintenanceStart { for_: SignedDuration::from_secs(seconds), comment }
            }
            Wish::MaintenanceEnd => Operator::MaintenanceEnd,
            Wish::Accept { object } => Operator::Accept { object },
            Wish::Close { incident, comment } => Operator::Close { incident, comment },
        }
    }
}

/// An answer to a wish.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Said {
    pub ok: bool,
    pub said: String,
}

/// What a person wants done to an array.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CheckWish {
    pub verb: CheckVerb,
    pub array: String,
    /// Over harmless objections.
    #[serde(default)]
    pub force: bool,
    /// Only say what would be run.
    #[serde(default)]
    pub dry_run: bool,
    #[serde(default)]
    pub comment: String,
}

/// A wish on its way to the daemon's loop.
#[derive(Debug)]
pub struct Request<W = Wish> {
    pub by: String,
    pub wish: W,
    pub answer: oneshot::Sender<Said>,
}

#[derive(Clone)]
pub struct Desk {
    pub looking: Looking,
    pub wishes: mpsc::Sender<Request>,
    pub checks: mpsc::Sender<Request<CheckWish>>,
    /// The simulated host is nobody's property: its owner may do everything.
    pub trusted_uid: u32,
}

#[derive(Clone, Copy, Debug)]
struct Peer {
    uid: Option<u32>,
}

impl Connected<IncomingStream<'_, UnixListener>> for Peer {
    fn connect_info(stream: IncomingStream<'_, UnixListener>) -> Self {
        Peer { uid: stream.io().peer_cred().ok().map(|c| c.uid()) }
    }
}

/// Together three seconds.
const DYING_CHECKS: u32 = 16;
const DYING_PAUSE: Duration = Duration::from_millis(200);

/// What the kernel's address of a unix socket holds.
const LONGEST: usize = 107;

/// Said of a path that cannot be a socket's.
pub fn too_long(path: &Path) -> Option<String> {
    let long = path.as_os_str().len() > LONGEST;
    long.then(|| format!("the socket path {} is too long (at most {LONGEST} bytes)", path.display()))
}

/// Binds anew: a socket left over by a daemon that died is removed, one that answers is not.
pub fn bind(path: &Path) -> std::io::Result<UnixListener> {
    if path.exists() {
        if is_answered(path) {
            return Err(std::io::Error::new(std::io::ErrorKind::AddrInUse, "another raidmond answers there"));
        }
        std::fs::remove_file(path)?;
    }
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent)?;
    }
    let listener = UnixListener::bind(path)?;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o660))?;
    give_to_group(path);
    Ok(listener)
}

/// One that was killed takes calls until the kernel has cleared it away: asked again for a while.
fn is_answered(path: &Path) -> bool {
    let takes_calls = || std::os::unix::net::UnixStream::connect(path).is_ok();
    let gone = (0..DYING_CHECKS).any(|n| {
        if n > 0 {
            std::thread::sleep(DYING_PAUSE);
        }
        !takes_calls()
    });
    !gone
}

/// root:raidmond where that group exists; else the socket stays with root alone.
fn give_to_group(path: &Path) {
    let groups = std::fs::read_to_string("/etc/group").unwrap_or_default();
    let line = groups.lines().find(|l| l.starts_with("raidmond:"));
    let gid = line.and_then(|l| l.split(':').nth(2)).and_then(|g| g.parse().ok());
    if let Some(gid) = gid {
        // Not being allowed to is an ordinary user's case; the mode already keeps others out.
        let _ = std::os::unix::fs::chown(path, None, Some(gid));
    }
}

pub async fn serve(listener: UnixListener, desk: Desk) -> std::io::Result<()> {
    let router = Router::new()
        .route("/v1/audit", get(audit))
        .route("/v1/wish", post(wish))
        .route("/v1/check", post(check))
        .with_state(desk.clone())
        .merge(web::router(desk.looking));
    axum::serve(listener, router.into_make_service_with_connect_info::<Peer>()).await
}

async fn audit(State(desk): State<Desk>, Query(query): Query<Newest>) -> Response {
    web::rows(desk.looking, query, |reader, limit| reader.audit(limit)).await
}

async fn wish(State(desk): State<Desk>, ConnectInfo(peer): ConnectInfo<Peer>, Json(wish): Json<Wish>) -> Response {
    match peer.allowed(&desk) {
        true => pass_on(peer, wish, &desk.wishes).await,
        false => forbidden("only root may change what raidmond does; run it with sudo"),
    }
}

async fn check(
    State(desk): State<Desk>,
    ConnectInfo(peer): ConnectInfo<Peer>,
    Json(wish): Json<CheckWish>,
) -> Response {
    match wish.dry_run || peer.allowed(&desk) {
        true => pass_on(peer, wish, &desk.checks).await,
        false => forbidden("only root may change what an array does; run it with sudo"),
    }
}

impl Peer {
    fn allowed(self, desk: &Desk) -> bool {
        self.uid.is_some_and(|uid| uid == 0 || uid == desk.trusted_uid)
    }

    fn name(self) -> String {
        match self.uid {
            None => "unknown".to_owned(),
            Some(0) => "root".to_owned(),
            Some(uid) => match user_name(uid) {
                Some(name) => format!("{name} (uid {uid})"),
                None => format!("uid {uid}"),
            },
        }
    }
}

/// From the file; other sources of names could hang.
fn user_name(uid: u32) -> Option<String> {
    let users = std::fs::read_to_string("/etc/passwd").ok()?;
    let fields = users.lines().map(|line| line.split(':').collect::<Vec<_>>());
    let mine = fields.into_iter().find(|f| f.get(2).and_then(|n| n.parse().ok()) == Some(uid))?;
    mine.first().map(|name| (*name).to_owned())
}

fn forbidden(said: &str) -> Response {
    (StatusCode::FORBIDDEN, Json(Said { ok: false, said: said.to_owned() })).into_response()
}

async fn pass_on<W>(peer: Peer, wish: W, to: &mpsc::Sender<Request<W>>) -> Response {
    let (answer, heard) = oneshot::channel();
    let sent = to.send(Request { by: peer.name(), wish, answer }).await;
    match (sent, heard.await) {
        (Ok(()), Ok(said)) => Json(said).into_response(),
        _ => (StatusCode::SERVICE_UNAVAILABLE, "the daemon is stopping").into_response(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixListener as Plain;

    #[tokio::test]
    async fn one_that_is_dying_is_waited_for_and_one_that_lives_is_left() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("s");
        let dying = Plain::bind(&path).unwrap();
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(500));
            drop(dying);
        });
        assert!(bind(&path).is_ok());
        let path = dir.path().join("alive");
        let _alive = Plain::bind(&path).unwrap();
        assert_eq!(bind(&path).map(|_| ()).map_err(|e| e.kind()), Err(std::io::ErrorKind::AddrInUse));
        assert!(path.exists());
    }
}
