//! Calendar words of simulated time (seconds since 1970, UTC), in the forms the vendors print.

const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// Seconds between 1970 and 2000, where MegaRAID controllers start counting.
pub const Y2K: u64 = 946_684_800;

pub struct Civil {
    pub year: u64,
    pub month: u64,
    pub day: u64,
    pub hour: u64,
    pub minute: u64,
    pub second: u64,
    weekday: usize,
}

impl Civil {
    pub fn of(unix: u64) -> Self {
        let (days, rest) = (unix / 86_400, unix % 86_400);
        let (year, month, day) = civil_from_days(days);
        let weekday = (days % 7) as usize;
        Self { year, month, day, hour: rest / 3600, minute: rest / 60 % 60, second: rest % 60, weekday }
    }

    fn month_name(&self) -> &'static str {
        MONTHS.get(self.month as usize - 1).copied().unwrap_or("Jan")
    }

    fn day_name(&self) -> &'static str {
        DAYS.get(self.weekday).copied().unwrap_or("Thu")
    }

    fn time(&self) -> String {
        format!("{:02}:{:02}:{:02}", self.hour, self.minute, self.second)
    }
}

/// Days since 1970 to (year, month, day), counting years from March.
fn civil_from_days(days: u64) -> (u64, u64, u64) {
    let z = days + 719_468;
    let (era, doe) = (z / 146_097, z % 146_097);
    let yoe = (doe - doe / 1460 + doe / 36_524 - doe / 146_096) / 365;
    let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    let mp = (5 * doy + 2) / 153;
    let month = if mp < 10 { mp + 3 } else { mp - 9 };
    (yoe + era * 400 + u64::from(month <= 2), month, doy - (153 * mp + 2) / 5 + 1)
}

/// `Tue Jun  2 18:02:08 2015`
pub fn ctime(unix: u64) -> String {
    let c = Civil::of(unix);
    format!("{} {} {:2} {} {}", c.day_name(), c.month_name(), c.day, c.time(), c.year)
}

/// `Jun  2 18:02:08`
pub fn syslog(unix: u64) -> String {
    let c = Civil::of(unix);
    format!("{} {:2} {}", c.month_name(), c.day, c.time())
}

/// `06/02/2015, 18:02:08`
pub fn storcli(unix: u64) -> String {
    let c = Civil::of(unix);
    format!("{:02}/{:02}/{}, {}", c.month, c.day, c.year, c.time())
}

/// `18:2:8 6/ 2, 2015`, as MegaCli prints the controller's clock.
pub fn megacli(unix: u64) -> String {
    let c = Civil::of(unix);
    format!("{}:{}:{} {}/{:2}, {}", c.hour, c.minute, c.second, c.month, c.day, c.year)
}

/// `2015/06/02  18:02:08`
pub fn learn(unix: u64) -> String {
    let c = Civil::of(unix);
    format!("{}/{:02}/{:02}  {}", c.year, c.month, c.day, c.time())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calendars_agree_with_known_moments() {
        assert_eq!(ctime(1_433_268_128), "Tue Jun  2 18:02:08 2015");
        assert_eq!(storcli(951_782_400), "02/29/2000, 00:00:00");
        assert_eq!(syslog(Y2K), "Jan  1 00:00:00");
    }
}
