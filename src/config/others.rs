//! `[[webhook]]`, `[[exec]]` and `[dead-man]`.

use super::mail::{TIMEOUT, min_severity};
use super::secrets::{Files, SecretSource, URL};
use super::sheet::{Section, Sheet};
use super::values::{self, Wrong, wrong};
use raidmond_core::severity::Severity;
use std::path::PathBuf;
use std::time::Duration;
use toml::Spanned;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookConfig {
    pub name: String,
    pub url: SecretSource,
    /// Key of the signature.
    pub secret: Option<SecretSource>,
    pub ca_file: Option<PathBuf>,
    pub min_severity: Severity,
    pub timeout: Duration,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExecConfig {
    pub name: String,
    pub argv: Vec<String>,
    pub min_severity: Severity,
    pub timeout: Duration,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeadManConfig {
    pub url: SecretSource,
    pub interval: Duration,
}

/// Names of channels, each once; "mail" is taken.
#[derive(Debug, Default)]
pub struct Names(Vec<Spanned<String>>);

impl Names {
    fn add(&mut self, sheet: &Sheet, name: &Spanned<String>) {
        if name.get_ref() == super::MAIL {
            sheet.error("the channel name `mail` is taken", name.span(), "it is that of [mail]; choose another");
        }
        match self.0.iter().find(|n| n.get_ref() == name.get_ref()) {
            Some(first) => {
                let what = format!("the channel name `{}` is there twice", name.get_ref());
                sheet.twice(what, name.span(), "each channel has a name of its own", first.span());
            }
            None => self.0.push(name.clone()),
        }
    }
}

pub fn webhook(section: Section, files: &mut Files, names: &mut Names) -> Option<WebhookConfig> {
    let name = channel_name(&section, names);
    let url = files.secret(&section, &URL, values::http_url);
    if !section.has(URL.inline) && !section.has(URL.file) {
        section.required(URL.inline, None::<()>, "url-file = \"/…\" or url = \"https://…\"");
    }
    let secret = files.secret_file(&section, "secret-file");
    let ca_file = files.certificate(&section, "ca-file");
    let min_severity = min_severity(&section);
    let timeout = section.duration("timeout", TIMEOUT).unwrap_or(Duration::from_secs(15));
    section.finish();
    Some(WebhookConfig { name: name?, url: url?.into_inner(), secret, ca_file, min_severity, timeout })
}

pub fn exec(section: Section, files: &mut Files, names: &mut Names) -> Option<ExecConfig> {
    let name = channel_name(&section, names);
    let argv = command(&section, files);
    let min_severity = min_severity(&section);
    let timeout = section.duration("timeout", TIMEOUT).unwrap_or(Duration::from_secs(30));
    section.finish();
    Some(ExecConfig { name: name?, argv: argv?, min_severity, timeout })
}

fn channel_name(section: &Section, names: &mut Names) -> Option<String> {
    let name = section.parsed("name", "a name: \"chat\"", plain_name);
    let name = section.required("name", name, "name = \"…\"")?;
    names.add(section.sheet, &name);
    Some(name.into_inner())
}

fn plain_name(text: &str) -> Result<String, Wrong> {
    match text.len() <= 64 && text.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c)) {
        true => Ok(text.to_owned()),
        false => wrong(format!("`{text}` cannot be a channel's name"), "letters, digits, - _ and . only"),
    }
}

/// No shell is involved, so a command in one text would not be split.
fn command(section: &Section, files: &mut Files) -> Option<Vec<String>> {
    let example = "\"/usr/local/bin/page-me\", \"--now\"";
    let list = section.texts("command", example);
    let list = section.required("command", list, &format!("command = [{example}]"))?;
    let first = list.get_ref().first();
    let Some(program) = first else {
        section.sheet.error("`command` is an empty list", list.span(), format!("write [{example}]"));
        return None;
    };
    if list.get_ref().len() == 1 && program.get_ref().contains(' ') {
        let hint = format!("no shell splits it: write [{example}]");
        section.sheet.error("`command` is one text with blanks", program.span(), hint);
        return None;
    }
    files.program(section.understand(program, values::path)?);
    Some(list.into_inner().into_iter().map(Spanned::into_inner).collect())
}

pub fn dead_man(section: Section, files: &mut Files) -> Option<DeadManConfig> {
    let url = files.secret(&section, &URL, values::http_url);
    if !section.has(URL.inline) && !section.has(URL.file) {
        section.required(URL.inline, None::<()>, "url-file = \"/…\" or url = \"https://…\"");
    }
    let interval = section.duration("interval", Duration::from_secs(30)..=Duration::from_secs(7 * 86_400));
    section.finish();
    Some(DeadManConfig { url: url?.into_inner(), interval: interval.unwrap_or(Duration::from_secs(300)) })
}
