//! `raidmond replay`: which messages a recorded story would have brought, to whom, when.

use super::Problem;
use super::inspect::transcript;
use crate::clock;
use crate::notify::render;
use crate::replay;
use raidmond_core::incident::{ChannelSpec, Settings};
use raidmond_core::severity::Severity;
use raidmond_core::tell::duration;

#[derive(clap::Args)]
pub struct Args {
    /// Whole messages, not only their subjects
    #[arg(long)]
    full: bool,
    /// Transcripts
    #[arg(value_name = "FILE", required = true)]
    files: Vec<String>,
}

pub fn run(args: &Args) -> Result<u8, Problem> {
    let transcripts = args.files.iter().map(|f| transcript(f)).collect::<Result<Vec<_>, _>>()?;
    let channel = ChannelSpec { name: "mail".to_owned(), min_severity: Severity::Warning };
    let settings = Settings { channels: vec![channel], ..Settings::default() };
    let mut count = 0;
    for transcript in &transcripts {
        for told in replay::replay(transcript, &settings, clock::now()) {
            count += 1;
            say!("after {:<8} {:<8} {}", duration(told.after), told.channel, render::subject(&told.notice));
            if args.full {
                say!("{}\n", render::text(&told.notice).map_err(|e| Problem::failed(e.to_string()))?);
            }
        }
    }
    if count == 0 {
        say!("nobody would have been told anything");
    }
    Ok(0)
}
