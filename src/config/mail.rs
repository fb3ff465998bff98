//! `[mail]`.

use super::secrets::{Files, PASSWORD, SecretSource};
use super::sheet::Section;
use super::values::{self, Wrong, wrong};
use crate::notify::check_server;
use lettre::message::Mailbox;
use raidmond_core::severity::Severity;
use std::path::PathBuf;
use std::time::Duration;
use toml::Spanned;

/// How mail leaves this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Route {
    /// `smtp://`, `smtp+starttls://` or `smtps://`.
    Smtp(String),
    /// Through this program; `None` is the usual one.
    Sendmail(Option<String>),
    /// Nothing is said: the local sendmail where there is one, else the server on this host.
    Local,
}

#[derive(Debug, Clone, PartialEq)]
pub struct MailConfig {
    pub to: Vec<Mailbox>,
    pub from: Option<Mailbox>,
    pub route: Route,
    pub login: Option<(String, SecretSource)>,
    pub ca_file: Option<PathBuf>,
    pub min_severity: Severity,
    pub timeout: Duration,
    pub ehlo: Option<String>,
}

pub const TIMEOUT: std::ops::RangeInclusive<Duration> = Duration::from_secs(1)..=Duration::from_secs(600);

impl MailConfig {
    /// To root of this host, the local way.
    pub fn to_root() -> Self {
        Self {
            to: root().into_iter().collect(),
            from: None,
            route: Route::Local,
            login: None,
            ca_file: None,
            min_severity: Severity::Warning,
            timeout: Duration::from_secs(30),
            ehlo: None,
        }
    }
}

fn root() -> Option<Mailbox> {
    values::mailbox("root@localhost").ok()
}

pub fn read(section: Section, files: &mut Files) -> MailConfig {
    let usual = MailConfig::to_root();
    let route = section.parsed("server", "a text: \"smtp://localhost\"", route);
    let to = recipients(&section, route.as_ref().map(Spanned::get_ref));
    let from = section.parsed("from", "an address: \"raidmond@example.com\"", values::mailbox);
    let login = login(&section, files);
    if let (Some(route), Some((user, _))) = (&route, &login) {
        check_login(&section, route, user);
    }
    let config = MailConfig {
        to,
        from: from.map(Spanned::into_inner),
        route: route.map_or(usual.route, Spanned::into_inner),
        login: login.map(|(user, secret)| (user.into_inner(), secret)),
        ca_file: files.certificate(&section, "ca-file"),
        min_severity: min_severity(&section),
        timeout: section.duration("timeout", TIMEOUT).unwrap_or(usual.timeout),
        ehlo: section.parsed("ehlo", "a host name", values::host_name).map(Spanned::into_inner),
    };
    section.finish();
    config
}

pub fn min_severity(section: &Section) -> Severity {
    let found = section.parsed("min-severity", "a severity: \"warning\"", values::severity);
    found.map_or(Severity::Warning, Spanned::into_inner)
}

fn route(text: &str) -> Result<Route, Wrong> {
    if let Some(program) = text.strip_prefix("sendmail:") {
        return match program {
            "" => Ok(Route::Sendmail(None)),
            path => values::path(path).map(|_| Route::Sendmail(Some(path.to_owned()))),
        };
    }
    match check_server(text, false) {
        Ok(()) => Ok(Route::Smtp(text.to_owned())),
        Err(why) => {
            wrong(why, "write \"smtp+starttls://HOST:587\", \"smtps://HOST\", \"smtp://HOST\" or \"sendmail:\"")
        }
    }
}

/// Where mail stays on this host, a bare user name is an address.
fn recipients(section: &Section, route: Option<&Route>) -> Vec<Mailbox> {
    let local = !matches!(route, Some(Route::Smtp(_)));
    let address = |text: &str| match local && !text.contains('@') {
        true => values::mailbox(&format!("{text}@localhost")).or_else(|_| values::mailbox(text)),
        false => values::mailbox(text),
    };
    let example = "\"ops@example.com\"";
    let said = section.texts("to", example);
    match said {
        Some(list) if list.get_ref().is_empty() => {
            section.sheet.error(
                "`to` is an empty list",
                list.span(),
                "nobody would be told: write [\"ops@example.com\"]",
            );
            Vec::new()
        }
        Some(list) => {
            list.get_ref().iter().filter_map(|t| section.understand(t, address)).map(Spanned::into_inner).collect()
        }
        None if local => root().into_iter().collect(),
        None => {
            section.required("to", None::<()>, &format!("to = [{example}]"));
            Vec::new()
        }
    }
}

fn login(section: &Section, files: &mut Files) -> Option<(Spanned<String>, SecretSource)> {
    let user = section.text("username");
    let secret = files.secret(section, &PASSWORD, |text| Ok(text.to_owned()));
    match (user, secret) {
        (Some(user), Some(secret)) => Some((user, secret.into_inner())),
        (Some(user), None) => {
            if [PASSWORD.inline, PASSWORD.file].into_iter().chain(PASSWORD.credential).all(|k| !section.has(k)) {
                section.sheet.missing("`username` without a password", user.span(), "add password-file = \"/…\"");
            }
            None
        }
        (None, Some(secret)) => {
            if !section.has("username") {
                section.sheet.missing("a password without `username`", secret.span(), "add username = \"…\"");
            }
            None
        }
        (None, None) => None,
    }
}

fn check_login(section: &Section, route: &Spanned<Route>, user: &Spanned<String>) {
    match route.get_ref() {
        Route::Smtp(server) => {
            if let Err(why) = check_server(server, true) {
                section.sheet.error(why, route.span(), "");
            }
        }
        _ => section.sheet.error("sendmail takes no login", user.span(), "remove it, or name a server"),
    }
}
