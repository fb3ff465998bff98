//! `raidmond metrics`: the numbers Prometheus reads, printed, or as a file for node_exporter's textfile collector.

use super::problem::io_words;
use super::{Problem, client};
use crate::serve::metrics;
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
pub struct Args {
    /// Write this file, whole at any moment, for node_exporter's textfile collector
    #[arg(long, value_name = "FILE")]
    textfile: Option<PathBuf>,
    #[command(flatten)]
    place: super::place::Place,
}

pub fn run(args: &Args) -> Result<u8, Problem> {
    let read = client::metrics(&args.place.socket);
    let Some(file) = &args.textfile else {
        say!("{}", read?.trim_end());
        return Ok(0);
    };
    // A daemon that is gone must not leave its last numbers behind as if they were today's.
    write(file, read.as_deref().unwrap_or(metrics::SILENT))?;
    read.map(|_| 0)
}

fn write(file: &Path, text: &str) -> Result<(), Problem> {
    use std::os::unix::fs::PermissionsExt;
    if file.extension().is_none_or(|e| e != "prom") {
        let help = "the textfile collector reads files that end in .prom";
        return Err(Problem::usage(format!("{} would not be read", file.display()), help));
    }
    let failed = |e: std::io::Error| Problem::failed(format!("{} cannot be written: {}", file.display(), io_words(&e)));
    crate::store::write_atomically(file, text.as_bytes()).map_err(failed)?;
    // node_exporter is another user, and nothing in it is secret.
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o644)).map_err(failed)
}
