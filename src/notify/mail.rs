//! Mail over SMTP.

use super::channel::{Receipt, SendError};
use super::render::{self, message};
use super::{Secret, tls};
use lettre::address::Envelope;
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::client::{Certificate, Tls, TlsParameters};
use lettre::transport::smtp::extension::ClientId;
use lettre::transport::smtp::response::Response;
use lettre::transport::smtp::{AsyncSmtpTransport, Error};
use lettre::{Address, AsyncTransport, Tokio1Executor};
use raidmond_core::notice::Notice;
use std::net::IpAddr;
use std::time::Duration;

#[derive(Debug, Clone)]
pub struct MailSettings {
    /// `smtp://`, `smtp+starttls://` or `smtps://`, host, port if unusual.
    pub server: String,
    pub envelope: render::Envelope,
    pub login: Option<(String, Secret)>,
    /// Certificate authority beside the system's, PEM.
    pub ca: Option<Vec<u8>>,
    /// Name given in EHLO; without one, the host's.
    pub hello: Option<String>,
    pub timeout: Duration,
}

pub struct Mail {
    name: String,
    envelope: render::Envelope,
    transport: AsyncSmtpTransport<Tokio1Executor>,
    timeout: Duration,
}

impl std::fmt::Debug for Mail {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Mail").field("name", &self.name).field("envelope", &self.envelope).finish_non_exhaustive()
    }
}

impl Mail {
    pub fn new(name: impl Into<String>, settings: MailSettings) -> Result<Mail, String> {
        check_server(&settings.server, settings.login.is_some())?;
        let server = Server::parse(&settings.server)?;
        let tls = server.tls(settings.ca.as_deref())?;
        let mut builder = AsyncSmtpTransport::<Tokio1Executor>::builder_dangerous(&server.host)
            .port(server.port)
            .tls(tls)
            .timeout(Some(settings.timeout));
        if let Some(hello) = settings.hello {
            builder = builder.hello_name(ClientId::Domain(render::token(&hello)));
        }
        if let Some((user, password)) = settings.login {
            builder = builder.credentials(Credentials::new(user, password.expose().to_owned()));
        }
        let (transport, timeout) = (builder.build(), settings.timeout);
        Ok(Mail { name: name.into(), envelope: settings.envelope, transport, timeout })
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// When the server refuses some recipients, the others must still be told.
    pub async fn send(&self, notice: &Notice) -> Result<Receipt, SendError> {
        let mail = message(notice, &self.envelope).map_err(|e| SendError::refused(e.to_string()))?;
        let everyone = self.recipients();
        let outcome = self.transmit(everyone.clone(), &mail).await;
        match outcome {
            Err(error) if !error.retryable && everyone.len() > 1 => self.one_by_one(everyone, &mail, error).await,
            other => other,
        }
    }

    async fn one_by_one(&self, everyone: Vec<Address>, mail: &[u8], first: SendError) -> Result<Receipt, SendError> {
        let (mut accepted, mut refused) = (Vec::new(), Vec::new());
        for recipient in everyone {
            match self.transmit(vec![recipient.clone()], mail).await {
                Ok(receipt) => accepted.push(format!("{recipient}: {}", receipt.said)),
                Err(error) => refused.push(format!("{recipient}: {}", error.said)),
            }
        }
        if accepted.is_empty() {
            return Err(first);
        }
        let complaint = Some(refused.join("; ")).filter(|c| !c.is_empty());
        Ok(Receipt { complaint, ..Receipt::new(accepted.join("; ")) })
    }

    async fn transmit(&self, to: Vec<Address>, mail: &[u8]) -> Result<Receipt, SendError> {
        let envelope =
            Envelope::new(self.envelope.sender.clone(), to).map_err(|e| SendError::refused(e.to_string()))?;
        let sending = self.transport.send_raw(&envelope, mail);
        // The transport's own limit does not hold while a server that took the call says nothing.
        let Ok(answer) = tokio::time::timeout(self.timeout, sending).await else {
            return Err(SendError::later(format!("no answer within {} s", self.timeout.as_secs_f32())));
        };
        answer.map(|response| Receipt::new(said(&response))).map_err(|error| failure(&error))
    }

    fn recipients(&self) -> Vec<Address> {
        self.envelope.to.iter().map(|mailbox| mailbox.email.clone()).collect()
    }
}

/// Whether mail could be sent to this server at all, before anything is tried.
pub fn check_server(url: &str, with_login: bool) -> Result<(), String> {
    let server = Server::parse(url)?;
    if with_login && server.security == Security::Plain && !server.is_this_host() {
        return Err("a password is not sent in the clear: use smtp+starttls:// or smtps://".to_owned());
    }
    Ok(())
}

fn said(response: &Response) -> String {
    format!("{} {}", response.code(), response.message().collect::<Vec<_>>().join(" "))
}

fn failure(error: &Error) -> SendError {
    let cause = std::error::Error::source(error).map(ToString::to_string);
    let said = match (error.status(), cause) {
        (Some(code), cause) => format!("{code} {}", cause.unwrap_or_default()),
        (None, _) => error.to_string(),
    };
    match error.is_permanent() || error.is_client() {
        true => SendError::refused(said),
        false => SendError::later(said),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Security {
    Plain,
    StartTls,
    Tls,
}

#[derive(Debug, PartialEq, Eq)]
struct Server {
    security: Security,
    host: String,
    port: u16,
}

impl Server {
    fn parse(url: &str) -> Result<Server, String> {
        let (scheme, rest) = url.split_once("://").ok_or("the server is written as smtp://HOST")?;
        let (security, port) = match scheme {
            "smtp" => (Security::Plain, 25),
            "smtp+starttls" => (Security::StartTls, 587),
            "smtps" => (Security::Tls, 465),
            other => return Err(format!("{other}:// is not known; it is smtp://, smtp+starttls:// or smtps://")),
        };
        let place = rest.trim_end_matches('/');
        if place.contains(['@', '/', '?']) {
            return Err("the server is only host and port; the login has keys of its own".to_owned());
        }
        let (host, port) = host_and_port(place, port)?;
        Ok(Server { security, host, port })
    }

    fn is_this_host(&self) -> bool {
        self.host == "localhost" || self.host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
    }

    fn tls(&self, ca: Option<&[u8]>) -> Result<Tls, String> {
        if self.security == Security::Plain {
            return Ok(Tls::None);
        }
        let mut builder = TlsParameters::builder(self.host.clone());
        if let Some(pem) = ca {
            tls::check_ca(pem)?;
            builder = builder.add_root_certificate(Certificate::from_pem(pem).map_err(|e| format!("ca-file: {e}"))?);
        }
        let parameters = builder.build().map_err(|e| e.to_string())?;
        Ok(if self.security == Security::Tls { Tls::Wrapper(parameters) } else { Tls::Required(parameters) })
    }
}

fn host_and_port(place: &str, usual: u16) -> Result<(String, u16), String> {
    let (host, port) = match place.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((host, rest)) => (host, rest.strip_prefix(':')),
        None => place.split_once(':').map_or((place, None), |(host, port)| (host, Some(port))),
    };
    let port = port.map_or(Ok(usual), |p| p.parse().map_err(|_| format!("{p:?} is not a port")))?;
    if host.is_empty() {
        return Err("the server has no host".to_owned());
    }
    if host.contains(|c: char| c.is_whitespace() || c.is_control()) {
        return Err("the server's host has blanks in it".to_owned());
    }
    Ok((host.to_owned(), port))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(url: &str) -> Result<(Security, String, u16), String> {
        Server::parse(url).map(|s| (s.security, s.host, s.port))
    }

    #[test]
    fn servers_have_usual_ports() {
        assert_eq!(server("smtp://localhost"), Ok((Security::Plain, "localhost".into(), 25)));
        assert_eq!(server("smtp+starttls://mx.example.com/"), Ok((Security::StartTls, "mx.example.com".into(), 587)));
        assert_eq!(server("smtps://[2001:db8::1]:4465"), Ok((Security::Tls, "2001:db8::1".into(), 4465)));
    }

    #[test]
    fn mistakes_are_named() {
        for url in ["mx.example.com", "http://mx", "smtp://", "smtp://mx:port", "smtp://m x", "smtp://user:pw@mx"] {
            assert!(server(url).is_err(), "{url}");
        }
        assert!(Server::parse("smtps://mx").unwrap().tls(Some(b"no certificate")).is_err());
    }
}
