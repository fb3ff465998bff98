//! `[history]` and `[http]`: what is kept, and who may look from elsewhere.

use super::secrets::{Files, Keys, SecretSource};
use super::sheet::Section;
use super::values::{Wrong, wrong};
use crate::history::HistoryConfig;
use crate::store::samples::Keep;
use std::net::SocketAddr;
use std::time::Duration;
use toml::Spanned;

pub const LISTEN: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 9823);
const TOKEN: Keys = Keys { inline: "token", file: "token-file", credential: Some("token-credential") };
const DAY: Duration = Duration::from_secs(86_400);
const LONGEST: Duration = Duration::from_secs(20 * 366 * 86_400);

/// The page and the metrics on TCP.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpConfig {
    pub listen: SocketAddr,
    pub token: Option<SecretSource>,
}

pub fn history(section: Section) -> HistoryConfig {
    let usual = HistoryConfig::default();
    let age = |key, usual| section.duration(key, DAY..=LONGEST).unwrap_or(usual);
    let mib = section.whole("max-mib", 1..=65_536).and_then(|n| u64::try_from(n.into_inner()).ok());
    let config = HistoryConfig {
        enabled: section.flag("enabled").unwrap_or(usual.enabled),
        interval: section.duration("interval", Duration::from_secs(1)..=DAY).unwrap_or(usual.interval),
        keep: Keep {
            fine: age("keep-fine", usual.keep.fine),
            hourly: age("keep-hourly", usual.keep.hourly),
            daily: age("keep-daily", usual.keep.daily),
            bytes: mib.map_or(usual.keep.bytes, |mib| mib << 20),
        },
    };
    section.finish();
    config
}

pub fn http(section: Section, files: &mut Files) -> Option<HttpConfig> {
    let listen = section.parsed("listen", "an address: \"127.0.0.1:9823\"", address);
    let token = files.secret(&section, &TOKEN, token).map(Spanned::into_inner);
    let at = listen.as_ref().map_or(section.at.clone(), Spanned::span);
    let stated = section.has("listen");
    let listen = listen.map(Spanned::into_inner).or((!stated).then_some(LISTEN));
    let given = [TOKEN.inline, TOKEN.file, "token-credential"].iter().any(|key| section.has(key));
    if listen.is_some_and(|l| !l.ip().is_loopback()) && !given {
        let hint = "add token-file = \"/…\", or listen on 127.0.0.1";
        section.sheet.error("others could read everything without a token", at, hint);
    }
    section.finish();
    Some(HttpConfig { listen: listen?, token })
}

fn address(text: &str) -> Result<SocketAddr, Wrong> {
    let hint = "an address and a port: \"127.0.0.1:9823\", \"[::1]:9823\"";
    match text.parse::<SocketAddr>() {
        Ok(address) if address.port() != 0 => Ok(address),
        _ => wrong(format!("`{text}` is no address to listen on"), hint),
    }
}

fn token(text: &str) -> Result<String, Wrong> {
    let fits = text.len() >= 16 && text.chars().all(|c| c.is_ascii_graphic());
    if fits { Ok(text.to_owned()) } else { wrong("the token is too weak", "at least 16 letters and digits, no blanks") }
}
