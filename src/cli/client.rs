//! Asks the daemon over its socket: HTTP/1.1, one request a connection.

use super::Problem;
use super::problem::io_words;
use crate::history::HistoryDoc;
use crate::serve::socket::{CheckWish, Said, Wish, too_long};
use crate::serve::status::StatusDoc;
use crate::store::AuditEntry;
use jiff::SignedDuration;
use raidmond_core::changes::HistoryEntry;
use std::io::{ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(5);
const TOOL_PATIENCE: Duration = Duration::from_secs(300);

pub fn status(socket: &Path) -> Result<StatusDoc, Problem> {
    status_within(socket, PATIENCE.as_secs())
}

pub fn status_within(socket: &Path, seconds: u64) -> Result<StatusDoc, Problem> {
    let patience = Duration::from_secs(seconds.max(1));
    parse(&request_within(socket, "GET", "/v1/status", None, patience)?.1)
}

pub fn events(socket: &Path, limit: u32) -> Result<Vec<HistoryEntry>, Problem> {
    rows(socket, "events", limit)
}

pub fn audit(socket: &Path, limit: u32) -> Result<Vec<AuditEntry>, Problem> {
    rows(socket, "audit", limit)
}

/// Why there is no history: what the daemon said of it, or that it says nothing.
pub enum NoHistory {
    Said(String),
    Silent(Problem),
}

pub fn history(socket: &Path, of: &str, span: SignedDuration) -> Result<HistoryDoc, NoHistory> {
    let of = url_word(of);
    let path = format!("/v1/history?of={of}&seconds={}", span.as_secs());
    let (code, body) = request(socket, "GET", &path, None).map_err(NoHistory::Silent)?;
    match code {
        200 => parse(&body).map_err(NoHistory::Silent),
        _ => Err(NoHistory::Said(parse::<Said>(&body).map_err(NoHistory::Silent)?.said)),
    }
}

/// As it is from the daemon; nothing is added.
pub fn metrics(socket: &Path) -> Result<String, Problem> {
    let (code, body) = request(socket, "GET", "/metrics", None)?;
    let text = String::from_utf8_lossy(&body).into_owned();
    if code == 200 { Ok(text) } else { Err(Problem::failed(text)) }
}

fn url_word(text: &str) -> String {
    let byte = |b: u8| match b {
        b if b.is_ascii_alphanumeric() || b"-_.~".contains(&b) => char::from(b).to_string(),
        b => format!("%{b:02X}"),
    };
    text.bytes().map(byte).collect()
}

fn rows<T: serde::de::DeserializeOwned>(socket: &Path, what: &str, limit: u32) -> Result<Vec<T>, Problem> {
    let (code, body) = request(socket, "GET", &format!("/v1/{what}?limit={limit}"), None)?;
    if code != 200 {
        return Err(Problem::failed(String::from_utf8_lossy(&body).into_owned()));
    }
    parse(&body)
}

pub fn wish(socket: &Path, wish: &Wish) -> Result<String, Problem> {
    let body = serde_json::to_vec(wish).map_err(|e| Problem::failed(e.to_string()))?;
    let (_, answer) = request(socket, "POST", "/v1/wish", Some(&body))?;
    let said: Said = parse(&answer)?;
    if said.ok { Ok(said.said) } else { Err(Problem::failed(said.said)) }
}

/// Waits for the tool, too: it may first have to answer somebody else.
pub fn check(socket: &Path, wish: &CheckWish) -> Result<String, Problem> {
    let body = serde_json::to_vec(wish).map_err(|e| Problem::failed(e.to_string()))?;
    let (_, answer) = request_within(socket, "POST", "/v1/check", Some(&body), TOOL_PATIENCE)?;
    let said: Said = parse(&answer)?;
    if said.ok { Ok(said.said) } else { Err(Problem::failed(said.said)) }
}

fn parse<T: serde::de::DeserializeOwned>(body: &[u8]) -> Result<T, Problem> {
    serde_json::from_slice(body).map_err(|_| {
        Problem::failed("the daemon gave an answer this raidmond does not understand: are their versions the same?")
    })
}

fn request(socket: &Path, method: &str, path: &str, body: Option<&[u8]>) -> Result<(u16, Vec<u8>), Problem> {
    request_within(socket, method, path, body, PATIENCE)
}

fn request_within(
    socket: &Path,
    method: &str,
    path: &str,
    body: Option<&[u8]>,
    patience: Duration,
) -> Result<(u16, Vec<u8>), Problem> {
    let talk = || -> std::io::Result<Vec<u8>> {
        let mut stream = UnixStream::connect(socket)?;
        stream.set_read_timeout(Some(patience))?;
        stream.set_write_timeout(Some(patience))?;
        let body = body.unwrap_or_default();
        let length = body.len();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: raidmond\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
        );
        stream.write_all(head.as_bytes())?;
        stream.write_all(body)?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer)?;
        Ok(answer)
    };
    let answer = talk().map_err(|e| no_daemon(socket, &e))?;
    let split = answer.windows(4).position(|w| w == b"\r\n\r\n");
    let code = answer.get(9..12).and_then(|c| std::str::from_utf8(c).ok()).and_then(|c| c.parse().ok());
    match (split, code) {
        (Some(at), Some(code)) => Ok((code, answer[at + 4..].to_vec())),
        _ => Err(Problem::failed(format!("something else than raidmond answers at {}", socket.display()))),
    }
}

fn no_daemon(socket: &Path, error: &std::io::Error) -> Problem {
    if let Some(what) = too_long(socket) {
        return Problem { what, help: Some("use --socket with a shorter path".to_owned()), code: 1 };
    }
    let (what, help) = match error.kind() {
        ErrorKind::NotFound | ErrorKind::ConnectionRefused => {
            (format!("no raidmond answers at {}", socket.display()), "start it: systemctl start raidmond")
        }
        ErrorKind::PermissionDenied => (
            format!("you may not talk to raidmond at {}", socket.display()),
            "run it with sudo, or join the group raidmond",
        ),
        _ => (
            format!("raidmond at {} does not answer: {}", socket.display(), io_words(error)),
            "see journalctl -u raidmond",
        ),
    };
    Problem { what, help: Some(help.to_owned()), code: 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_too_long_for_a_socket_is_named() {
        let path = format!("/{}", "x".repeat(107));
        let problem = status(Path::new(&path)).unwrap_err();
        assert!(problem.what.contains("is too long (at most 107 bytes)"), "{}", problem.what);
        assert!(problem.help.is_some_and(|h| h.contains("--socket")));
        assert!(too_long(Path::new(&path[1..])).is_none());
    }
}
