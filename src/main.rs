use std::process::ExitCode;

fn main() -> ExitCode {
    raidmond::cli::main()
}
