//! One TLS provider for everything that speaks HTTPS here, and what mail and webhooks share.

use std::sync::Once;

static INSTALLED: Once = Once::new();

pub(super) fn install() {
    // An error means that somebody installed one already: then that one serves.
    INSTALLED.call_once(|| drop(rustls::crypto::ring::default_provider().install_default()));
}

/// A file of certificates without a certificate in it is a mistake, and no library says so.
pub(super) fn check_ca(pem: &[u8]) -> Result<(), String> {
    let marker: &[u8] = b"-----BEGIN CERTIFICATE-----";
    let found = pem.windows(marker.len()).any(|part| part == marker);
    if found { Ok(()) } else { Err("ca-file: there is no PEM certificate in it".to_owned()) }
}
