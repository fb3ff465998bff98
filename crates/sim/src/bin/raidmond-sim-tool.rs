//! The simulated tools as one program: by its own name (`storcli64` as a link to it, the world in
//! `RAIDMOND_SIM_WORLD`), or as `raidmond-sim-tool [sim-tool] --world FILE --as NAME -- ARGS…`.

use std::path::{Path, PathBuf};
use std::process::exit;

fn main() {
    let mut words: Vec<String> = std::env::args().collect();
    let name = words.first().map(PathBuf::from).and_then(|p| Some(p.file_name()?.to_string_lossy().into_owned()));
    let name = name.unwrap_or_default();
    words.remove(0);
    if raidmond_sim::tools::NAMES.contains(&name.as_str()) {
        exit(by_name(&name, &words));
    }
    if words.first().is_some_and(|w| w == "sim-tool") {
        words.remove(0);
    }
    exit(raidmond_sim::tools::run(&words).unwrap_or_else(usage));
}

fn by_name(name: &str, args: &[String]) -> i32 {
    match std::env::var_os("RAIDMOND_SIM_WORLD") {
        Some(world) => raidmond_sim::tools::main(name, args, Path::new(&world)),
        None => usage(),
    }
}

fn usage() -> i32 {
    eprintln!(
        "usage: raidmond-sim-tool --world FILE --as NAME -- ARGS…   (NAME: {})",
        raidmond_sim::tools::NAMES.join(", ")
    );
    64
}
