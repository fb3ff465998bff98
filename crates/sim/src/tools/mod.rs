//! The vendors' programs: one program under many names.
//!
//! Formats follow captures of the real tools; nothing here is shared with the parsers. A command the
//! simulator does not know is answered as the tool answers what it does not know.

mod arcconf;
mod megacli;
mod megarc;
mod size;
mod smartctl;
mod storcli;
mod tw_cli;

use crate::kernel::{Line, Voice};
use crate::store;
use crate::tree;
use crate::world::{ToolFault, World};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

pub const NAMES: [&str; 7] = ["storcli64", "perccli64", "MegaCli64", "tw_cli", "arcconf", "megarc", "smartctl"];

/// What a tool prints and its exit status.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Answer {
    pub stdout: String,
    pub exit: i32,
}

impl Answer {
    fn ok(stdout: String) -> Self {
        Self { stdout, exit: 0 }
    }
}

/// What the healthy tool `name` says to `args`. Maintenance commands change the world.
pub fn answer(name: &str, args: &[String], world: &mut World, lines: &mut Vec<Line>) -> Answer {
    let mut voice = Voice::new(world.now);
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let answer = match name {
        "storcli64" | "perccli64" => storcli::answer(name, &args, world, &mut voice),
        "tw_cli" => tw_cli::answer(&args, world, &mut voice),
        "arcconf" => arcconf::answer(&args, world, &mut voice),
        "megarc" => megarc::answer(&args, world),
        "smartctl" => smartctl::answer(&args, world),
        "MegaCli64" => megacli::answer(&args, world, &mut voice),
        _ => Answer { stdout: format!("{name}: no such tool in the simulated host\n"), exit: 127 },
    };
    lines.append(&mut voice.lines);
    answer
}

/// The tool as a program: prints and returns the exit status, or misbehaves as the world says.
pub fn main(name: &str, args: &[String], world_path: &Path) -> i32 {
    match play(name, args, world_path) {
        Ok(exit) => exit,
        Err(error) => {
            let _ = writeln!(io::stderr(), "{name}: simulated host: {}: {error}", world_path.display());
            1
        }
    }
}

/// `--world FILE --as NAME -- ARGS…`, as the installed wrappers call it. `None`: not in that form.
pub fn run(words: &[String]) -> Option<i32> {
    let split = words.iter().position(|w| w == "--").unwrap_or(words.len());
    let (options, args) = words.split_at(split);
    let value = |key: &str| options.iter().position(|o| o == key).and_then(|i| options.get(i + 1));
    let world = PathBuf::from(value("--world")?);
    Some(main(value("--as")?, args.get(1..).unwrap_or(&[]), &world))
}

fn play(name: &str, args: &[String], world_path: &Path) -> io::Result<i32> {
    let fault = store::load(world_path)?.tools.get(name).copied();
    match fault {
        Some(ToolFault::Hangs) => hang(),
        Some(ToolFault::Killed) => kill_self(),
        Some(ToolFault::Garbage) => {
            return print("\u{1}\u{2}~{;;garbage\u{7f} 0x\u{0}\u{0}\nState = Optl?!\n").map(|()| 0);
        }
        Some(ToolFault::Empty) => return Ok(0),
        Some(ToolFault::Absent) => return Ok(127),
        Some(ToolFault::Crashes) | None => {}
    }
    let answer = ask(name, args, world_path)?;
    if fault == Some(ToolFault::Crashes) {
        let half = answer.stdout.chars().take(answer.stdout.chars().count() / 2).collect::<String>();
        print(&half)?;
        std::process::abort();
    }
    print(&answer.stdout)?;
    Ok(answer.exit)
}

fn ask(name: &str, args: &[String], world_path: &Path) -> io::Result<Answer> {
    let root = store::root_of(world_path);
    store::change(world_path, |world| {
        let mut lines = Vec::new();
        let before = world.clone();
        let answer = answer(name, args, world, &mut lines);
        if *world != before {
            tree::publish(&root, world, &lines)?;
        }
        Ok(answer)
    })
}

fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// An hour is longer than any deadline, and a forgotten tool ends by itself.
fn hang() {
    std::thread::sleep(std::time::Duration::from_secs(3600));
}

fn kill_self() {
    let me = std::process::id().to_string();
    let _ = std::process::Command::new("kill").args(["-KILL", &me]).status();
    hang();
}
