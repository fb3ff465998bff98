//! `raidmond setup`: the first five minutes. Says who is told, writes the configuration, tests it.
//!
//! What is found on the machine is told by whoever knows; nothing that somebody wrote is overwritten.

use super::notify::{self, Outcome};
use super::paint::visible;
use super::{Problem, problem::io_words};
use crate::config::channels::{channels, local_sendmail, mail_route};
use crate::config::{Config, DEFAULT_PATH, MAIL};
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, IsTerminal, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

const SHIPPED: &str = include_str!("../../config/raidmond.toml");

#[derive(clap::Args)]
pub struct Args {
    /// Who is told; several times for several people
    #[arg(long, value_name = "ADDRESS")]
    mail: Vec<String>,
    /// How mail leaves this machine: smtp+starttls://HOST:587, smtps://HOST, smtp://HOST or sendmail:
    #[arg(long, value_name = "URL")]
    server: Option<String>,
    /// When consistency checks run (not built yet)
    #[arg(long, value_name = "WHEN")]
    checks: Option<String>,
    /// Ask nothing
    #[arg(long)]
    yes: bool,
    /// Replace a configuration that somebody wrote
    #[arg(long)]
    force: bool,
    /// Where the configuration goes
    #[arg(long, value_name = "FILE", default_value = DEFAULT_PATH)]
    config: PathBuf,
    /// Set up the machine whose files are below DIR
    #[arg(long, value_name = "DIR", default_value = "/")]
    root: PathBuf,
}

/// `found` tells what is on the machine below a root, a line each.
pub fn run(args: &Args, found: fn(&Path) -> Vec<String>) -> Result<u8, Problem> {
    if args.checks.is_some() {
        let what = "--checks is not built yet: this version schedules no consistency checks";
        return Err(Problem::usage(what, "leave it out; schedules of the controllers and of mdadm stay in force"));
    }
    let path = args.root.join(args.config.strip_prefix("/").unwrap_or(&args.config));
    may_be_written(&path, args.force)?;
    let sendmail = local_sendmail(&args.root);
    let wishes = Wishes::of(args, sendmail.is_some())?;
    let text = wishes.text();
    check(&text, &path)?;
    for line in found(&args.root) {
        say!("{}", visible(&line));
    }
    if let Some(kept) = args.force.then(|| keep(&path)).transpose()?.flatten() {
        say!("config  the old one is kept as {}", kept.display());
    }
    write(&path, &text, args.force)?;
    say!("config  written to {}", path.display());
    say!("checks  none scheduled: this version does not schedule them");
    let config = Config { local_sendmail: sendmail, ..super::config::load(&path)? };
    test(&config, &path)
}

fn may_be_written(path: &Path, force: bool) -> Result<(), Problem> {
    let there = match fs::read(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => false,
        Err(error) => return Err(cannot("read", path, &error)),
        // As it came with the package: nobody has written it.
        Ok(bytes) => bytes != SHIPPED.as_bytes(),
    };
    match there && !force {
        true => Err(Problem {
            help: Some("edit it, or replace it with: raidmond setup --force".to_owned()),
            ..Problem::failed(format!("{} exists; nothing is changed", path.display()))
        }),
        false => Ok(()),
    }
}

struct Wishes {
    mail: Vec<String>,
    server: Option<String>,
}

impl Wishes {
    fn of(args: &Args, local: bool) -> Result<Self, Problem> {
        let asks = !args.yes && std::io::stdin().is_terminal();
        let mut wishes = Self { mail: args.mail.clone(), server: args.server.clone() };
        if let Some(wrong) = wishes.mail.iter().find_map(|m| not_an_address(m)) {
            return Err(Problem::usage(wrong, "raidmond setup --mail ops@example.com"));
        }
        if asks && wishes.mail.is_empty() {
            let usual = if local { "root, by the local sendmail" } else { "nobody" };
            let question = format!("Who is told, by mail? [{usual}]");
            wishes.mail = until_right(&mut ask, &question, not_an_address)?.into_iter().collect();
        }
        if asks && wishes.server.is_none() && !wishes.mail.is_empty() {
            let usual = if local { "the local sendmail" } else { "smtp://localhost" };
            let question = format!("Mail server, as smtp+starttls://HOST:587? [{usual}]");
            let mail = wishes.mail.clone();
            let wrong = |server: &str| {
                let with = Self { mail: mail.clone(), server: Some(server.to_owned()) };
                check(&with.text(), Path::new(DEFAULT_PATH)).err().map(|problem| problem.what)
            };
            wishes.server = until_right(&mut ask, &question, wrong)?;
        }
        match wishes.mail.is_empty() && !(local && (asks || args.yes)) {
            true => {
                Err(Problem::usage("nobody would be told", "say who: raidmond setup --mail ADDRESS [--server URL]"))
            }
            false => Ok(wishes),
        }
    }

    /// The file as shipped, with the answers in their places.
    fn text(&self) -> String {
        let list = toml::Value::from(self.mail.clone());
        let mut text = SHIPPED.to_owned();
        if !self.mail.is_empty() {
            text = with(&text, "to", &list);
        }
        if let Some(server) = &self.server {
            text = with(&text, "server", &toml::Value::from(server.as_str()));
        }
        if text == SHIPPED { text } else { text.replacen("#[mail]", "[mail]", 1) }
    }
}

/// Both keys stand only once in the file.
fn with(text: &str, key: &str, value: &toml::Value) -> String {
    let start = format!("#{key} = ");
    let line = |line: &str| if line.starts_with(&start) { format!("{key} = {value}\n") } else { format!("{line}\n") };
    text.lines().map(line).collect()
}

/// A bare name would be somebody on this machine, which is seldom meant: root@localhost says it.
fn not_an_address(text: &str) -> Option<String> {
    let whole = text.split_once('@').is_some_and(|(user, host)| !user.is_empty() && !host.is_empty());
    (!whole).then(|| format!("`{text}` is no mail address: write NAME@HOST, or root@localhost for this machine"))
}

/// Asks again after a mistake; an empty answer takes what is usual.
fn until_right(
    ask: &mut impl FnMut(&str) -> Result<Option<String>, Problem>,
    question: &str,
    wrong: impl Fn(&str) -> Option<String>,
) -> Result<Option<String>, Problem> {
    loop {
        let Some(answer) = ask(question)? else { return Ok(None) };
        match wrong(&answer) {
            None => return Ok(Some(answer)),
            Some(what) => say!("{}", visible(&what)),
        }
    }
}

fn ask(question: &str) -> Result<Option<String>, Problem> {
    say_part!("{question} ");
    // A prompt that does not show is still answered.
    let _ = std::io::stdout().flush();
    let mut answer = String::new();
    let read = std::io::stdin().read_line(&mut answer);
    read.map_err(|e| Problem::failed(format!("no answer: {}", io_words(&e))))?;
    Ok(Some(answer.trim().to_owned()).filter(|a| !a.is_empty()))
}

fn check(text: &str, path: &Path) -> Result<(), Problem> {
    let errors = match Config::parse(text, path) {
        Ok(_) => return Ok(()),
        Err(errors) => errors,
    };
    let said: Vec<&str> = errors.headlines().collect();
    Err(Problem::usage(said.join("; "), "raidmond setup --mail ops@example.com --server smtp+starttls://HOST:587"))
}

/// Whole or not at all; readable by root and its group only.
fn write(path: &Path, text: &str, force: bool) -> Result<(), Problem> {
    let dir = path.parent().unwrap_or(Path::new("/"));
    fs::create_dir_all(dir).map_err(|e| cannot("create", dir, &e))?;
    let draft = dir.join(format!(".raidmond.toml.{}", std::process::id()));
    let written = draft_of(&draft, text).and_then(|()| publish(&draft, path, force));
    // Gone already where it was renamed.
    let _ = fs::remove_file(&draft);
    written.map_err(|e| cannot("write", path, &e))?;
    File::open(dir).and_then(|d| d.sync_all()).map_err(|e| cannot("write", dir, &e))
}

fn draft_of(draft: &Path, text: &str) -> std::io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o640).open(draft)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

/// What somebody wrote, under the first free number beside it.
fn keep(path: &Path) -> Result<Option<PathBuf>, Problem> {
    if fs::read(path).is_ok_and(|bytes| bytes == SHIPPED.as_bytes()) {
        return Ok(None);
    }
    for n in 1_u32.. {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".old-{n}"));
        let kept = PathBuf::from(name);
        match fs::hard_link(path, &kept) {
            Ok(()) => return Ok(Some(kept)),
            Err(e) if e.kind() == ErrorKind::AlreadyExists => {}
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(cannot("keep the old", path, &e)),
        }
    }
    Ok(None)
}

/// A link fails where somebody wrote a file meanwhile.
fn publish(draft: &Path, path: &Path, force: bool) -> std::io::Result<()> {
    let shipped = fs::read(path).is_ok_and(|bytes| bytes == SHIPPED.as_bytes());
    if force || shipped { fs::rename(draft, path) } else { fs::hard_link(draft, path) }
}

fn cannot(verb: &str, path: &Path, error: &std::io::Error) -> Problem {
    let help = match error.kind() {
        ErrorKind::PermissionDenied => Some("run it as root, or choose another place with --config".to_owned()),
        _ => None,
    };
    Problem { help, ..Problem::failed(format!("cannot {verb} {}: {}", path.display(), io_words(error))) }
}

fn test(config: &Config, path: &Path) -> Result<u8, Problem> {
    let through = mail_route(config).unwrap_or_default();
    let through = through.rsplit("://").next().unwrap_or(&through).to_owned();
    let mails = channels(config).0.into_iter().filter(|c| c.name() == MAIL).collect();
    let outcomes = notify::send(config, mails)?;
    let all = outcomes.iter().all(|(_, o)| matches!(o, Ok(receipt) if receipt.complaint.is_none()));
    outcomes.iter().for_each(|(_, outcome)| say!("{}", line(&through, outcome)));
    if !all {
        say!("        mend [mail] in {}, then: raidmond notify test", path.display());
    }
    Ok(u8::from(!all))
}

fn line(through: &str, outcome: &Outcome) -> String {
    match outcome {
        Ok(receipt) => {
            let refused = receipt.complaint.iter().map(|c| format!("; REFUSED: {}", visible(c)));
            let refused: String = refused.collect();
            format!("mail    test sent through {through}, accepted: {}{refused}", visible(&receipt.said))
        }
        Err(error) => format!("mail    TEST FAILED through {through}: {}", visible(&error.said)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistake_is_asked_again() {
        let mut answers = ["ops", "ops@", "ops@example.com", "never asked"].into_iter();
        let mut ask = |_: &str| Ok(answers.next().map(str::to_owned));
        let said = until_right(&mut ask, "Who?", not_an_address).map_err(|p| p.what);
        assert_eq!(said, Ok(Some("ops@example.com".to_owned())));
        assert_eq!(answers.next(), Some("never asked"));
        let said = until_right(&mut |_: &str| Ok(None), "Who?", not_an_address).map_err(|p| p.what);
        assert_eq!(said, Ok(None), "the usual");
    }
}
