//! One TLS provider for everything that speaks HTTPS here.

use std::sync::Once;

static INSTALLED: Once = Once::new();

pub(super) fn install() {
    // An error means that somebody installed one already: then that one serves.
    INSTALLED.call_once(|| drop(rustls::crypto::ring::default_provider().install_default()));
}
