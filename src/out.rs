//! Printing for people and pipes: whoever stops reading ends the program quietly.

use std::fmt::Arguments;
use std::io::{ErrorKind, Write};

/// As a shell reports a program that a closed pipe ended (128 + SIGPIPE).
const READER_GONE: i32 = 141;

pub fn part(text: Arguments<'_>) {
    let mut stdout = std::io::stdout().lock();
    if let Err(error) = stdout.write_fmt(text).and_then(|()| stdout.flush())
        && error.kind() == ErrorKind::BrokenPipe
    {
        std::process::exit(READER_GONE);
    }
}

/// A line on standard output.
macro_rules! say {
    () => { $crate::out::part(format_args!("\n")) };
    ($($arg:tt)*) => { $crate::out::part(format_args!("{}\n", format_args!($($arg)*))) };
}

/// Standard output without a line end.
macro_rules! say_part {
    ($($arg:tt)*) => { $crate::out::part(format_args!($($arg)*)) };
}
