//! `raidmond status`: at once, from what the daemon knows; without one, from its last state file.

use super::paint::Paint;
use super::place::{Place, STATUS_FILE};
use super::screen::Screen;
use super::{Problem, client};
use crate::clock;
use crate::serve::status::StatusDoc;
use jiff::Timestamp;
use raidmond_core::severity::Severity;
use raidmond_core::tell::duration;
use std::time::Duration;

#[derive(clap::Args)]
pub struct Args {
    /// Print one JSON document
    #[arg(long)]
    json: bool,
    /// Redraw every two seconds
    #[arg(long, conflicts_with = "json")]
    watch: bool,
    #[command(flatten)]
    place: Place,
}

pub fn run(args: &Args) -> Result<u8, Problem> {
    if !args.watch {
        return show(args);
    }
    loop {
        // Clear and home; a pipe gets plain screens one after another.
        if std::io::IsTerminal::is_terminal(&std::io::stdout()) {
            say_part!("\u{1b}[2J\u{1b}[H");
        }
        if let Err(problem) = show(args) {
            say!("{}", problem.what);
        }
        std::thread::sleep(Duration::from_secs(2));
    }
}

fn show(args: &Args) -> Result<u8, Problem> {
    let (doc, from_file) = fetch(&args.place).map_err(blind)?;
    if args.json {
        let mut value = serde_json::to_value(&doc).map_err(|e| Problem::failed(e.to_string()))?;
        if let Some(object) = value.as_object_mut() {
            object.insert("daemon_answers".to_owned(), (!from_file).into());
        }
        say!("{value:#}");
    } else {
        let screen = Screen { doc: &doc, now: clock::now(), width: width(), paint: Paint::detect(), from_file };
        say_part!("{}", screen.text());
    }
    Ok(exit_code(&doc, from_file))
}

/// From the daemon, else from its last state file.
pub fn fetch(place: &Place) -> Result<(StatusDoc, bool), Problem> {
    let problem = match client::status(&place.socket) {
        Ok(doc) => return Ok((doc, false)),
        Err(problem) => problem,
    };
    let file = place.state_dir.join(STATUS_FILE);
    let bytes = std::fs::read(&file).map_err(|_| problem)?;
    let doc = serde_json::from_slice(&bytes).map_err(|_| {
        Problem::data(format!("{} is damaged", file.display()), "start the daemon: it writes a new one")
    })?;
    Ok((doc, true))
}

/// Whoever asks how the RAIDs are gets "cannot say".
pub fn blind(problem: Problem) -> Problem {
    Problem { code: Severity::Blind.exit_code(), ..problem }
}

/// Nobody watches when no daemon answers: that is never exit 0.
pub fn exit_code(doc: &StatusDoc, from_file: bool) -> u8 {
    let code = Severity::from_word(&doc.verdict).unwrap_or(Severity::Blind).exit_code();
    if from_file && code < 2 { Severity::Blind.exit_code() } else { code }
}

/// Said before anything that is read from the state file.
pub fn no_daemon(doc: &StatusDoc, now: Timestamp) -> String {
    let age = duration(now.duration_since(doc.written_at));
    format!("NO DAEMON ANSWERS: this is what the last state file says, written {age} ago")
}

pub fn width() -> usize {
    let size = rustix::termios::tcgetwinsize(std::io::stdout()).ok().map(|s| usize::from(s.ws_col)).filter(|w| *w > 20);
    let columns = std::env::var("COLUMNS").ok().and_then(|c| c.parse().ok());
    size.or(columns).unwrap_or(100)
}
