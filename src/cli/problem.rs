//! Errors for people: what happened, where, what to do.

use super::paint::visible;
use super::{EXIT_DATA, EXIT_USAGE};
use std::process::ExitCode;

#[derive(Debug)]
pub struct Problem {
    pub what: String,
    pub help: Option<String>,
    pub code: u8,
}

impl Problem {
    pub fn usage(what: impl Into<String>, help: impl Into<String>) -> Self {
        Self { what: what.into(), help: Some(help.into()), code: EXIT_USAGE }
    }

    pub fn data(what: impl Into<String>, help: impl Into<String>) -> Self {
        Self { what: what.into(), help: Some(help.into()), code: EXIT_DATA }
    }

    pub fn failed(what: impl Into<String>) -> Self {
        Self { what: what.into(), help: None, code: 1 }
    }

    pub fn show(&self) -> ExitCode {
        eprintln!("error: {}", self.what.lines().map(visible).collect::<Vec<_>>().join("\n"));
        if let Some(help) = &self.help {
            eprintln!("  help: {}", help.lines().map(visible).collect::<Vec<_>>().join("\n"));
        }
        ExitCode::from(self.code)
    }
}

/// An I/O error without Rust's "(os error 2)".
pub fn io_words(error: &std::io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error") {
        Some(end) => text[..end].to_lowercase(),
        None => text,
    }
}
