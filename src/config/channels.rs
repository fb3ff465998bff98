//! From the configuration to channels that can send.
//!
//! A channel that cannot be set up keeps its name and place as a broken one: its messages wait, and people
//! are told on the others. Secrets are read here, each time.

use super::{Config, DeadManConfig, ExecConfig, MAIL, MailConfig, Route, WebhookConfig};
use crate::notify::render::Envelope;
use crate::notify::{Broken, Channel, Deadman, Exec, Mail, MailSettings, Secret, Sendmail, Webhook, WebhookSettings};
use lettre::message::Mailbox;
use raidmond_core::incident::ChannelSpec;
use std::path::{Path, PathBuf};
use std::time::Duration;

const LOCAL_SERVER: &str = "smtp://localhost:25";

/// All channels (broken ones in their places), what the engine knows of each, and the broken ones again.
pub fn channels(config: &Config) -> (Vec<Channel>, Vec<ChannelSpec>, Vec<Broken>) {
    let (mut channels, mut specs) = (Vec::new(), Vec::new());
    let mut add = |name: &str, min_severity, made: Result<Channel, String>| {
        let broken = |why| Channel::Broken(Broken { name: name.to_owned(), why });
        channels.push(made.unwrap_or_else(broken));
        specs.push(ChannelSpec { name: name.to_owned(), min_severity });
    };
    if let Some(settings) = mail_of(config) {
        add(MAIL, settings.min_severity, mail(config, &settings));
    }
    for hook in &config.webhooks {
        add(&hook.name, hook.min_severity, webhook(hook));
    }
    for command in &config.execs {
        add(&command.name, command.min_severity, Ok(exec(command)));
    }
    let broken = channels.iter().filter_map(|c| if let Channel::Broken(b) = c { Some(b.clone()) } else { None });
    let broken = broken.collect();
    (channels, specs, broken)
}

/// With nobody else to tell, root is told through the local sendmail.
fn mail_of(config: &Config) -> Option<MailConfig> {
    let nobody_else = config.webhooks.is_empty() && config.execs.is_empty() && config.local_sendmail.is_some();
    config.mail.clone().or_else(|| nobody_else.then(MailConfig::to_root))
}

/// The switch and how often it is held down.
pub fn dead_man(config: &Config) -> Option<Result<(Deadman, Duration), String>> {
    config.dead_man.as_ref().map(|DeadManConfig { url, interval }| {
        let settings = WebhookSettings::new(url.read()?);
        Ok((Deadman::new(settings)?, *interval))
    })
}

/// For a person: where mail goes, "localhost:25" or "/usr/sbin/sendmail".
pub fn mail_route(config: &Config) -> Option<String> {
    let mail = mail_of(config)?;
    Some(match route(config, &mail.route) {
        Ok(program) => program,
        Err(server) => server,
    })
}

pub fn local_sendmail(root: &Path) -> Option<String> {
    let usual = ["usr/sbin/sendmail", "usr/lib/sendmail"].map(|path| root.join(path));
    usual.into_iter().find(|path| path.exists()).map(|path| path.display().to_string())
}

/// `Ok` is a program, `Err` a server.
fn route(config: &Config, route: &Route) -> Result<String, String> {
    let program = || config.local_sendmail.clone();
    match route {
        Route::Smtp(server) => Err(server.clone()),
        Route::Sendmail(named) => Ok(named.clone().or_else(program).unwrap_or_else(|| "/usr/sbin/sendmail".to_owned())),
        Route::Local => program().ok_or_else(|| LOCAL_SERVER.to_owned()),
    }
}

fn mail(config: &Config, mail: &MailConfig) -> Result<Channel, String> {
    let envelope = envelope(config, mail)?;
    let server = match route(config, &mail.route) {
        Ok(program) => {
            let sendmail = Sendmail { program, deadline: mail.timeout, ..Sendmail::new(MAIL, envelope) };
            return Ok(Channel::Sendmail(sendmail));
        }
        Err(server) => server,
    };
    let login = match &mail.login {
        Some((user, secret)) => Some((user.clone(), secret.read()?)),
        None => None,
    };
    let ca = certificates(mail.ca_file.as_ref())?;
    let (hello, timeout) = (mail.ehlo.clone(), mail.timeout);
    Mail::new(MAIL, MailSettings { server, envelope, login, ca, hello, timeout }).map(Channel::Mail)
}

fn envelope(config: &Config, mail: &MailConfig) -> Result<Envelope, String> {
    let from = mail.from.clone().map_or_else(|| own_address(&config.host_name()), Ok)?;
    Ok(Envelope { sender: Some(from.email.clone()), from, to: mail.to.clone() })
}

fn own_address(host: &str) -> Result<Mailbox, String> {
    let address = format!("raidmond@{host}").parse();
    let address = address.map_err(|_| format!("raidmond@{host} is no mail address: set `from` in [mail]"))?;
    Ok(Mailbox::new(Some(format!("raidmond on {host}")), address))
}

fn webhook(hook: &WebhookConfig) -> Result<Channel, String> {
    let key: Option<Secret> = hook.secret.as_ref().map(|s| s.read()).transpose()?;
    let settings = WebhookSettings {
        ca: certificates(hook.ca_file.as_ref())?,
        timeout: hook.timeout,
        ..WebhookSettings::new(hook.url.read()?)
    };
    Webhook::new(&hook.name, settings, key).map(Channel::Webhook)
}

fn exec(command: &ExecConfig) -> Channel {
    Channel::Exec(Exec { deadline: command.timeout, ..Exec::new(&command.name, command.argv.clone()) })
}

fn certificates(path: Option<&PathBuf>) -> Result<Option<Vec<u8>>, String> {
    let read = |path: &PathBuf| {
        std::fs::read(path).map_err(|e| format!("{} cannot be read: {}", path.display(), super::io_words(&e)))
    };
    path.map(read).transpose()
}
