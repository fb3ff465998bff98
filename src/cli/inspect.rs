//! `raidmond inspect`: judges captures without a daemon.

use super::Problem;
use super::paint::visible;
use super::problem::io_words;
use crate::assess::{self, Assessment};
use crate::clock;
use crate::serve::wire;
use raidmond_adapters::capture;
use raidmond_core::severity::Severity;
use raidmond_core::survey::{Answer, Asked, Outcome, Poll, Transcript, split_words};
use serde::Serialize;

#[derive(clap::Args)]
pub struct Args {
    /// Print one JSON document
    #[arg(long)]
    json: bool,
    /// The command the FILE after it is the output of: --command "storcli64 /c0 show all J" FILE
    #[arg(long, value_names = ["ARGV", "FILE"], num_args = 2, action = clap::ArgAction::Append)]
    command: Vec<String>,
    /// The path the FILE after it is a copy of: --path /proc/megaraid/hba0/config FILE
    #[arg(long, value_names = ["PATH", "FILE"], num_args = 2, action = clap::ArgAction::Append)]
    path: Vec<String>,
    /// The log the FILE after it is a piece of: --log kern.log FILE
    #[arg(long, value_names = ["NAME", "FILE"], num_args = 2, action = clap::ArgAction::Append)]
    log: Vec<String>,
    /// Transcripts (text with `#@ ` directions); `-` reads standard input
    #[arg(value_name = "FILE")]
    files: Vec<String>,
}

pub fn run(args: &Args) -> Result<u8, Problem> {
    let mut transcripts = args.files.iter().map(|f| transcript(f)).collect::<Result<Vec<_>, _>>()?;
    let parts = parts(args)?;
    if !parts.is_empty() {
        transcripts.insert(0, Transcript { escaped: false, polls: vec![Poll { answers: parts, ..Poll::default() }] });
    }
    if transcripts.is_empty() {
        return Err(Problem::usage(
            "no input",
            "give a transcript, or --command ARGV FILE; see raidmond inspect --help",
        ));
    }
    let now = clock::now();
    let assessments: Vec<Assessment> = transcripts.iter().flat_map(|t| assess::assess(t, now)).collect();
    print(&assessments, args.json)?;
    Ok(assess::worst(&assessments).exit_code())
}

pub(super) fn read(file: &str) -> Result<Vec<u8>, Problem> {
    if file == "-" {
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut std::io::stdin(), &mut bytes)
            .map_err(|e| Problem::data(format!("cannot read standard input: {}", io_words(&e)), "give a file"))?;
        return Ok(bytes);
    }
    std::fs::read(file)
        .map_err(|e| Problem::data(format!("cannot read {file}: {}", io_words(&e)), "check the name and your rights"))
}

pub(super) fn transcript(file: &str) -> Result<Transcript, Problem> {
    let bytes = read(file)?;
    if !Transcript::looks_like(&bytes) {
        return Err(unnamed(file, &bytes));
    }
    Transcript::parse(&bytes)
        .map_err(|e| Problem::data(format!("{file}: {e}"), "docs/transcript.md lists the directions"))
}

/// A file without directions: names the tools it could be of, and asks.
fn unnamed(file: &str, bytes: &[u8]) -> Problem {
    let head = &bytes[..bytes.len().min(capture::HEAD_BYTES)];
    let guesses = capture::guess(head);
    let help = match guesses.as_slice() {
        [] => format!("say what it is: raidmond inspect --command 'TOOL ARGUMENTS' {file}"),
        some => {
            let names: Vec<String> = some.iter().map(|(family, kind)| format!("{family} ({kind})")).collect();
            format!("it looks like {}; say which command: --command 'TOOL ARGUMENTS' {file}", names.join(" or "))
        }
    };
    Problem::data(format!("{file} does not say which command or file it is from"), help)
}

fn parts(args: &Args) -> Result<Vec<Answer>, Problem> {
    let mut answers = Vec::new();
    for pair in args.command.chunks_exact(2) {
        let argv = split_words(&pair[0])
            .map_err(|e| Problem::usage(format!("--command {}: {e}", pair[0]), "close the quote"))?;
        answers.push(answer(Asked::Cmd(argv), &pair[1])?);
    }
    for pair in args.path.chunks_exact(2) {
        answers.push(answer(Asked::File(pair[0].clone()), &pair[1])?);
    }
    for pair in args.log.chunks_exact(2) {
        answers.push(answer(Asked::Log(pair[0].clone()), &pair[1])?);
    }
    Ok(answers)
}

fn answer(asked: Asked, file: &str) -> Result<Answer, Problem> {
    Ok(Answer { asked, stdout: read(file)?, stderr: Vec::new(), outcome: Outcome::default() })
}

/// The documented document.
#[derive(Default, Serialize)]
struct Document {
    version: u32,
    verdict: String,
    host: Option<String>,
    controllers: Vec<wire::ControllerDoc>,
    arrays: Vec<wire::ArrayDoc>,
    disks: Vec<wire::DiskDoc>,
    caches: Vec<wire::CacheDoc>,
    enclosures: Vec<wire::EnclosureDoc>,
    bonds: Vec<wire::BondDoc>,
    tasks: Vec<wire::TaskDoc>,
    conditions: Vec<wire::ConditionDoc>,
    observations: Vec<wire::ObservationDoc>,
    unrecognised: Vec<String>,
    coverage: Vec<String>,
    /// Further hosts of the same transcript.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hosts: Vec<Document>,
}

pub(super) fn print(assessments: &[Assessment], json: bool) -> Result<(), Problem> {
    if json {
        return print_json(assessments);
    }
    print_text(assessments);
    Ok(())
}

/// A document of a machine on which nothing could be asked.
pub(super) fn print_nothing(verdict: Severity) -> Result<(), Problem> {
    show_json(&Document { version: 1, verdict: verdict.word().to_owned(), ..Document::default() })
}

fn print_json(assessments: &[Assessment]) -> Result<(), Problem> {
    let mut documents = assessments.iter().map(document);
    let Some(mut first) = documents.next() else { return Ok(()) };
    first.hosts = documents.collect();
    if !first.hosts.is_empty() {
        first.verdict = assess::worst(assessments).word().to_owned();
    }
    show_json(&first)
}

fn show_json(document: &Document) -> Result<(), Problem> {
    let text =
        serde_json::to_string_pretty(document).map_err(|e| Problem::failed(format!("cannot write JSON: {e}")))?;
    say!("{text}");
    Ok(())
}

fn document(a: &Assessment) -> Document {
    let objects = wire::objects(&a.view);
    Document {
        version: 1,
        verdict: a.verdict().word().to_owned(),
        host: a.host_name.clone(),
        controllers: objects.controllers,
        arrays: objects.arrays,
        disks: objects.disks,
        caches: objects.caches,
        enclosures: objects.enclosures,
        bonds: objects.bonds,
        tasks: objects.tasks,
        conditions: a.conditions.iter().map(wire::condition).collect(),
        observations: a.observations.iter().map(wire::observation).collect(),
        unrecognised: a.unrecognised.iter().map(ToString::to_string).collect(),
        coverage: a.coverage.clone(),
        hosts: Vec::new(),
    }
}

fn print_text(assessments: &[Assessment]) {
    for a in assessments {
        if let Some(host) = &a.host_name {
            line(host);
        }
        let top = a.conditions.first().map(|c| c.headline.as_str()).unwrap_or("nothing wrong in what was captured");
        line(&format!("{}   {top}", a.verdict().word().to_uppercase()));
        for condition in &a.conditions {
            line(&format!("  {:<9} {}", condition.severity, condition.headline));
            if condition.severity >= Severity::Warning {
                for evidence in &condition.evidence {
                    line(&format!("            {}: {}", evidence.source, evidence.said));
                }
            }
        }
        let count = |n: usize, one: &str| format!("{n} {one}{}", if n == 1 { "" } else { "s" });
        let (controllers, arrays, disks) = (a.view.controllers.len(), a.view.arrays.len(), a.view.disks.len());
        line(&format!(
            "  read: {}, {}, {}",
            count(controllers, "controller"),
            count(arrays, "array"),
            count(disks, "disk")
        ));
        for asked in &a.unrecognised {
            line(&format!("  not recognised: {asked}"));
        }
    }
}

/// Captures are other people's words.
fn line(text: &str) {
    say!("{}", visible(text));
}
