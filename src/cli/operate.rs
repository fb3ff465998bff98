//! The verbs that change what raidmond does: ack, maintenance, accept, close.

use super::paint::visible;
use super::place::Place;
use super::{Problem, client};
use crate::serve::socket::Wish;

#[derive(clap::Args)]
pub struct AckArgs {
    /// Number of the incident
    #[arg(value_parser = super::incidents::number)]
    id: u64,
    /// How long to be quiet about it: 4h, 3d
    #[arg(long = "for", value_name = "TIME", value_parser = seconds, default_value = "1d")]
    for_: i64,
    /// Why
    #[arg(long, default_value = "")]
    comment: String,
    /// Take an acknowledgement back
    #[arg(long)]
    undo: bool,
    #[command(flatten)]
    place: Place,
}

pub fn ack(args: &AckArgs) -> Result<u8, Problem> {
    let wish = match args.undo {
        true => Wish::Unack { incident: args.id },
        false => Wish::Ack { incident: args.id, seconds: args.for_, comment: args.comment.clone() },
    };
    tell(&args.place, &wish)
}

#[derive(clap::Args)]
pub struct MaintenanceArgs {
    #[command(subcommand)]
    what: MaintenanceVerb,
}

#[derive(clap::Subcommand)]
enum MaintenanceVerb {
    /// Be quiet for a while, emergencies excepted
    Start {
        /// How long: 30min, 2h
        #[arg(long = "for", value_name = "TIME", value_parser = seconds, default_value = "2h")]
        for_: i64,
        /// Why
        #[arg(long, default_value = "")]
        comment: String,
        #[command(flatten)]
        place: Place,
    },
    /// Speak again; what is still wrong is told
    End {
        #[command(flatten)]
        place: Place,
    },
}

pub fn maintenance(args: &MaintenanceArgs) -> Result<u8, Problem> {
    match &args.what {
        MaintenanceVerb::Start { for_, comment, place } => {
            tell(place, &Wish::MaintenanceStart { seconds: *for_, comment: comment.clone() })
        }
        MaintenanceVerb::End { place } => tell(place, &Wish::MaintenanceEnd),
    }
}

#[derive(clap::Args)]
pub struct AcceptArgs {
    /// Name or serial number of what is missing on purpose; without it, everything that is missing
    object: Option<String>,
    #[command(flatten)]
    place: Place,
}

pub fn accept(args: &AcceptArgs) -> Result<u8, Problem> {
    tell(&args.place, &Wish::Accept { object: args.object.clone() })
}

#[derive(clap::Args)]
pub struct CloseArgs {
    /// Number of the incident
    #[arg(value_parser = super::incidents::number)]
    id: u64,
    /// How it was dealt with
    #[arg(long)]
    comment: String,
    #[command(flatten)]
    place: Place,
}

pub fn close(args: &CloseArgs) -> Result<u8, Problem> {
    tell(&args.place, &Wish::Close { incident: args.id, comment: args.comment.clone() })
}

fn tell(place: &Place, wish: &Wish) -> Result<u8, Problem> {
    say!("{}", visible(&local_times(&client::wish(&place.socket, wish)?)));
    Ok(0)
}

/// Times of the daemon are in UTC; people live in a zone.
pub fn local_times(said: &str) -> String {
    let word = |word: &str| {
        let bare = word.trim_end_matches([';', ':', ',']);
        match bare.parse::<jiff::Timestamp>() {
            Ok(at) => {
                let local = at.to_zoned_datetime(jiff::tz::TimeZone::system()).strftime("%Y-%m-%d %H:%M:%S");
                format!("{local}{}", &word[bare.len()..])
            }
            Err(_) => word.to_owned(),
        }
    };
    said.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

/// "90s", "30min", "4h", "3d", "2w".
pub fn seconds(text: &str) -> Result<i64, String> {
    let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
    let number: i64 = digits.parse().map_err(|_| "a time is a number with s, min, h, d or w: 4h".to_owned())?;
    let unit = match text[digits.len()..].trim() {
        "s" => 1,
        "m" | "min" => 60,
        "h" => 3600,
        "d" => 86_400,
        "w" => 604_800,
        _ => return Err("a time is a number with s, min, h, d or w: 4h".to_owned()),
    };
    match number.checked_mul(unit) {
        Some(n) if n > 0 && n <= 366 * 86_400 => Ok(n),
        _ => Err("a time lies between one second and a year".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::local_times;

    #[test]
    fn times_are_local_and_whole_seconds() {
        let said = local_times("maintenance until 2026-05-01T10:00:00.123456789Z; only emergencies");
        assert!(said.starts_with("maintenance until 2026-0") && said.ends_with(":00; only emergencies"), "{said}");
        assert!(!said.contains('Z') && !said.contains(".123"), "{said}");
    }
}
