//! The forms a notice takes: subject, text, HTML, mail, JSON.
//!
//! Everything in a notice may be a vendor's or a stranger's word. [`clean`] takes what could act
//! instead of being read (control characters, direction overrides); each form adds its own escaping:
//! HTML by the template, mail headers by their encoding, JSON by its writer. Nothing is decided here.

mod body;
mod clean;
mod json;
mod message;
mod subject;

pub use body::{html, text};
pub use clean::{clean, token};
pub use json::json;
pub use message::{Envelope, message};
pub use subject::subject;

#[derive(Debug, thiserror::Error)]
pub enum RenderError {
    #[error("the text cannot be written: {0}")]
    Template(#[from] minijinja::Error),
    #[error("the mail cannot be written: {0}")]
    Mail(#[from] lettre::error::Error),
    #[error("the JSON cannot be written: {0}")]
    Json(#[from] serde_json::Error),
}

#[cfg(test)]
mod tests;
