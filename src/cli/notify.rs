//! `raidmond notify test`: one message through each channel, and what the other side answered.
//!
//! Goes past the outbox: it works without the daemon, and nothing is tried again.

use super::config::{NOBODY, load};
use super::paint::visible;
use super::run::runtime;
use super::{Problem, paint};
use crate::clock;
use crate::config::channels::channels;
use crate::config::{Config, DEFAULT_PATH};
use crate::notify::{Channel, Receipt, SendError};
use jiff::tz::TimeZone;
use raidmond_core::notice::{Notice, NoticeEvent, NoticeObject};
use raidmond_core::severity::Severity;
use std::path::PathBuf;

#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: Verb,
}

#[derive(clap::Subcommand)]
enum Verb {
    /// Send one test message through each channel, and show the server's answer
    Test {
        /// Only through this one
        channel: Option<String>,
        #[arg(long, value_name = "FILE", default_value = DEFAULT_PATH)]
        config: PathBuf,
    },
}

pub fn run(args: &Args) -> Result<u8, Problem> {
    let Verb::Test { channel, config } = &args.what;
    let config = load(config)?;
    let (channels, ..) = channels(&config);
    let chosen = choose(channels, channel.as_deref())?;
    if chosen.is_empty() {
        return Err(Problem { help: Some("raidmond setup --mail ADDRESS".to_owned()), ..Problem::failed(NOBODY) });
    }
    let mut all = true;
    for (name, outcome) in send(&config, chosen)? {
        all &= matches!(&outcome, Ok(receipt) if receipt.complaint.is_none());
        say!("{}", line(&name, &outcome));
    }
    Ok(u8::from(!all))
}

fn choose(channels: Vec<Channel>, wanted: Option<&str>) -> Result<Vec<Channel>, Problem> {
    let Some(wanted) = wanted else { return Ok(channels) };
    let known: Vec<String> = channels.iter().map(|c| c.name().to_owned()).collect();
    let chosen: Vec<Channel> = channels.into_iter().filter(|c| c.name() == wanted).collect();
    match (chosen.is_empty(), known.is_empty()) {
        (true, true) => Err(Problem::usage(format!("there is no channel `{}`", visible(wanted)), NOBODY)),
        (true, false) => {
            let help = format!("the channels are: {}", known.join(", "));
            Err(Problem::usage(format!("there is no channel `{}`", visible(wanted)), help))
        }
        (false, _) => Ok(chosen),
    }
}

pub type Outcome = Result<Receipt, SendError>;

/// One after the other, in their order.
pub fn send(config: &Config, channels: Vec<Channel>) -> Result<Vec<(String, Outcome)>, Problem> {
    let runtime = runtime()?;
    let notice = notice(config);
    let one = |channel: Channel| (channel.name().to_owned(), runtime.block_on(channel.send(&notice)));
    Ok(channels.into_iter().map(one).collect())
}

fn line(name: &str, outcome: &Outcome) -> String {
    let name = format!("{name:<12}");
    match outcome {
        Ok(Receipt { said, complaint: None }) => format!("{name} accepted: {}", paint::visible(said)),
        Ok(Receipt { said, complaint: Some(complaint) }) => {
            format!("{name} accepted only in part: {}; REFUSED: {}", visible(said), visible(complaint))
        }
        Err(error) if error.retryable => format!("{name} FAILED (would be tried again): {}", visible(&error.said)),
        Err(error) => format!("{name} FAILED: {}", visible(&error.said)),
    }
}

fn notice(config: &Config) -> Notice {
    let (host, at) = (config.host_name(), clock::now());
    let zone = config.time_zone.clone().unwrap_or_else(TimeZone::system);
    Notice {
        id: format!("test-{}", at.as_nanosecond()),
        event: NoticeEvent::Test,
        severity: Severity::Info,
        at,
        time_zone: zone.iana_name().unwrap_or("UTC").to_owned(),
        thread: None,
        kinds: Vec::new(),
        headline: format!("a message from {host} reaches you"),
        happened: vec![format!("Somebody on {host} asked raidmond for a test message.")],
        means: vec!["Messages of raidmond reach you this way. Nothing is wrong.".to_owned()],
        to_do: Vec::new(),
        evidence: Vec::new(),
        footer: vec!["raidmond notify test".to_owned()],
        object: NoticeObject::default(),
        drill: false,
        host,
    }
}
