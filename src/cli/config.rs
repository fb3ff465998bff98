//! `raidmond config check`: all mistakes of a configuration, before they matter.

use super::{EXIT_DATA, Problem};
use crate::config::{Config, ConfigErrors, ConfigWarning, DEFAULT_PATH};
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: Verb,
}

#[derive(clap::Subcommand)]
enum Verb {
    /// Show every mistake with its place; exit 65 when there is one
    Check {
        #[arg(value_name = "FILE", default_value = DEFAULT_PATH)]
        file: PathBuf,
    },
}

pub const NOBODY: &str = "NOBODY WILL BE TOLD: no [mail], [[webhook]] or [[exec]], and no local sendmail";

pub fn run(args: &Args) -> Result<u8, Problem> {
    let Verb::Check { file } = &args.what;
    must_be_there(file)?;
    match Config::load(file) {
        Ok((config, warnings)) => {
            say_part!("{}", good(file, &config, &warnings));
            Ok(0)
        }
        Err(errors) if errors.unreadable.is_some() => Err(cannot_use(&errors)),
        Err(errors) => {
            say_part!("{}", bad(&errors));
            Ok(EXIT_DATA)
        }
    }
}

fn good(file: &Path, config: &Config, warnings: &[ConfigWarning]) -> String {
    let mut text = paragraphs(warnings);
    if config.nobody_told() {
        text.push_str(&format!("{NOBODY}\n"));
    }
    let absent = if file.exists() { "" } else { " (there is no such file: everything has its default)" };
    let count = counted(warnings.len(), "warning");
    let count = if warnings.is_empty() { String::new() } else { format!(", {count}") };
    text + &format!("{}: no mistakes{count}{absent}\n", file.display())
}

fn bad(errors: &ConfigErrors) -> String {
    let mut text = format!("{errors}\n\n{}", paragraphs(&errors.warnings));
    text.push_str(&format!("{}: {}", errors.path.display(), counted(errors.len(), "mistake")));
    if !errors.warnings.is_empty() {
        text.push_str(&format!(", {}", counted(errors.warnings.len(), "warning")));
    }
    text + "\n"
}

fn paragraphs(warnings: &[ConfigWarning]) -> String {
    warnings.iter().map(|w| format!("{w}\n\n")).collect()
}

fn counted(n: usize, word: &str) -> String {
    if n == 1 { format!("1 {word}") } else { format!("{n} {word}s") }
}

/// For verbs that need the configuration: mistakes are shown and end them.
pub fn load(path: &Path) -> Result<Config, Problem> {
    let (config, warnings) = with_warnings(path)?;
    eprint!("{}", paragraphs(&warnings));
    Ok(config)
}

/// For those who show the warnings in a place of their own.
pub fn with_warnings(path: &Path) -> Result<(Config, Vec<ConfigWarning>), Problem> {
    must_be_there(path)?;
    Config::load(path).map_err(|errors| cannot_use(&errors))
}

/// Only the usual place may be empty: whoever names a file wants that one.
pub fn must_be_there(path: &Path) -> Result<(), Problem> {
    if path.exists() || path == Path::new(DEFAULT_PATH) {
        return Ok(());
    }
    // What may not be looked at is told by whoever reads it.
    match std::fs::symlink_metadata(path) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            let help = "give the path of the configuration, or leave --config out";
            Err(Problem::data(format!("{} does not exist", path.display()), help))
        }
        _ => Ok(()),
    }
}

/// Shows the mistakes; a file that cannot be read has none.
pub fn cannot_use(errors: &ConfigErrors) -> Problem {
    if let Some(why) = &errors.unreadable {
        return Problem::data(why.as_str(), "run it with sudo, or check the name and the rights of the file");
    }
    eprintln!("{errors}\n");
    let what = format!("{} has {}", errors.path.display(), counted(errors.len(), "mistake"));
    Problem::data(what, format!("mend it, then: raidmond config check {}", errors.path.display()))
}
