//! The daemon's own log: to the journal with priorities where there is one, else with times.

use std::fmt;
use std::io::IsTerminal;
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::FmtContext;
use tracing_subscriber::fmt::format::{FormatEvent, FormatFields, Writer};
use tracing_subscriber::registry::LookupSpan;

/// `RAIDMOND_LOG` takes tracing's filter words ("debug", "raidmond::watch=trace").
pub fn start() {
    let filter = EnvFilter::try_from_env("RAIDMOND_LOG").unwrap_or_else(|_| EnvFilter::new("info"));
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    // journald sets this for what it captures; it adds time and name itself.
    let started = match std::env::var_os("JOURNAL_STREAM") {
        Some(_) => log.event_format(Priorities).try_init(),
        None => log.with_target(false).with_ansi(std::io::stderr().is_terminal()).try_init(),
    };
    // A second start (tests) keeps the first log.
    drop(started);
}

/// `<4>text`, as sd-daemon(3) has it.
struct Priorities;

impl<S, N> FormatEvent<S, N> for Priorities
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(&self, context: &FmtContext<'_, S, N>, mut writer: Writer<'_>, event: &Event<'_>) -> fmt::Result {
        let priority = match *event.metadata().level() {
            Level::ERROR => 3,
            Level::WARN => 4,
            Level::INFO => 6,
            _ => 7,
        };
        write!(writer, "<{priority}>")?;
        context.format_fields(writer.by_ref(), event)?;
        writeln!(writer)
    }
}
