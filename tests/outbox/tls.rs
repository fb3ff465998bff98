//! Mail and webhooks over TLS: a private authority is believed when it is configured, and only then.

use crate::support::*;
use raidmond::notify::{Mail, MailSettings, Secret, Webhook, WebhookSettings};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

type Tls = BufReader<StreamOwned<ServerConnection, TcpStream>>;

struct Identity {
    certificate: Vec<u8>,
    key: Vec<u8>,
}

/// A certificate for 127.0.0.1 that signs itself.
fn identity(dir: &Path) -> Option<Identity> {
    let (certificate, key) = (dir.join("certificate"), dir.join("key"));
    let arguments = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=test \
                     -addext subjectAltName=IP:127.0.0.1 -addext basicConstraints=critical,CA:FALSE";
    let mut openssl = Command::new("openssl");
    openssl.args(arguments.split_whitespace()).arg("-out").arg(&certificate).arg("-keyout").arg(&key);
    match openssl.output() {
        Ok(out) if out.status.success() => {
            Some(Identity { certificate: std::fs::read(certificate).unwrap(), key: std::fs::read(key).unwrap() })
        }
        _ => {
            eprintln!("SKIPPED: TLS needs the openssl command to make a certificate");
            None
        }
    }
}

/// Talks with each client as `talk` says; a client that goes away early is no error.
fn serve(identity: &Identity, talk: fn(&mut Tls) -> std::io::Result<()>) -> SocketAddr {
    let chain = CertificateDer::pem_slice_iter(&identity.certificate).collect::<Result<Vec<_>, _>>().unwrap();
    let key = PrivateKeyDer::from_pem_slice(&identity.key).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let config = Arc::new(config.with_no_client_auth().with_single_cert(chain, key).unwrap());
    let listener = TcpListener::bind(local()).unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let session = ServerConnection::new(Arc::clone(&config)).unwrap();
            drop(talk(&mut BufReader::new(StreamOwned::new(session, stream))));
        }
    });
    address
}

fn smtp(tls: &mut Tls) -> std::io::Result<()> {
    let (mut line, mut in_data) = (String::new(), false);
    tls.get_mut().write_all(b"220 sink ESMTP\r\n")?;
    while tls.read_line(&mut line)? > 0 {
        let reply = match line.trim_end() {
            "." => "250 2.0.0 Ok: queued over TLS\r\n",
            "DATA" => "354 go on\r\n",
            _ if in_data => "",
            _ => "250 sink\r\n",
        };
        in_data = (in_data || line.starts_with("DATA")) && line.trim_end() != ".";
        tls.get_mut().write_all(reply.as_bytes())?;
        line.clear();
    }
    Ok(())
}

fn http(tls: &mut Tls) -> std::io::Result<()> {
    let mut line = String::new();
    while tls.read_line(&mut line)? > 2 {
        line.clear();
    }
    tls.get_mut().write_all(b"HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n")
}

#[tokio::test]
async fn mail_believes_the_configured_authority_only() {
    let dir = tempfile::tempdir().unwrap();
    let Some(identity) = identity(dir.path()) else { return };
    let server = format!("smtps://{}", serve(&identity, smtp));
    let stranger = mail_settings(&server, &["ops@example.com"]);
    let error = Mail::new("mail", stranger.clone()).unwrap().send(&alarm("17-0")).await.unwrap_err();
    assert!(error.retryable && error.said.to_lowercase().contains("certificate"), "{}", error.said);
    let known = MailSettings { ca: Some(identity.certificate), ..stranger };
    let receipt = Mail::new("mail", known).unwrap().send(&alarm("17-0")).await.unwrap();
    assert_eq!(receipt.said, "250 2.0.0 Ok: queued over TLS");
}

#[tokio::test]
async fn a_webhook_believes_the_configured_authority_only() {
    let dir = tempfile::tempdir().unwrap();
    let Some(identity) = identity(dir.path()) else { return };
    let url = Secret::new(format!("https://{}/hook", serve(&identity, http)));
    let stranger = WebhookSettings::new(url);
    let error = Webhook::new("chat", stranger.clone(), None).unwrap().send(&alarm("17-0")).await.unwrap_err();
    assert!(error.retryable && error.said.to_lowercase().contains("certificate"), "{}", error.said);
    let known = WebhookSettings { ca: Some(identity.certificate), ..stranger };
    let receipt = Webhook::new("chat", known, None).unwrap().send(&alarm("17-0")).await.unwrap();
    assert_eq!(receipt.said, "204 No Content");
}
