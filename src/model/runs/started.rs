//! Start times of runs as numbers that can be sorted.

/// Seconds of a time as written in result files, for sorting runs of one client; `None` if the text gives no order.
///
/// It reads plain numbers (seconds since any start), `20260131-235959`, and ISO 8601 dates with an optional time, fraction and
/// zone. A time without a zone counts as UTC, so only times in one form compare.
///
/// # Examples
///
/// ```
/// use beyondnoise_model::runs::seconds;
///
/// assert_eq!(seconds("2026-01-01T10:00:00+02:00"), seconds("2026-01-01 08:00:00Z"));
/// assert!(seconds("20260101-095000") < seconds("20260101-100000"));
/// assert!(seconds("906") < seconds("1010.5"));
/// assert_eq!(seconds("1/2/2026 9:50"), None);
/// ```
pub fn seconds(text: &str) -> Option<f64> {
    let text = text.trim();
    if let Ok(number) = text.parse::<f64>() {
        // Eight digits may be a date; among dates alone the order is the same.
        return number.is_finite().then_some(number);
    }
    let (date, time) = match text.split_once(['T', 't', ' ', '_']) {
        Some((date, time)) => (date, Some(time)),
        // vLLM's compact form.
        None if text.len() == 15 && text.as_bytes()[8] == b'-' => (&text[..8], Some(&text[9..])),
        None => (text, None),
    };
    let parts: Vec<&str> = date.split(['-', '/']).collect();
    let [year, month, day] = match parts[..] {
        [compact] if compact.len() == 8 && compact.is_ascii() => {
            [&compact[..4], &compact[4..6], &compact[6..]]
        }
        [year, month, day] if year.len() == 4 => [year, month, day],
        _ => return None,
    };
    let days = days(whole(year)?, whole(month)?, whole(day)?)?;
    let (clock, offset) = time.map_or(Some((0.0, 0.0)), clock)?;
    Some(days * 86_400.0 + clock - offset)
}

/// Seconds of a clock time, and of its zone's offset.
fn clock(text: &str) -> Option<(f64, f64)> {
    let text = text.trim();
    let (text, offset) = if let Some(utc) = text.strip_suffix(['Z', 'z']) {
        (utc, 0.0)
    } else if let Some(at) = text.rfind(['+', '-']) {
        let sign = if text.as_bytes()[at] == b'-' { -1.0 } else { 1.0 };
        (&text[..at], sign * parts_of(&text[at + 1..])?)
    } else {
        (text, 0.0)
    };
    Some((parts_of(text.trim())?, offset))
}

/// Seconds of `10:20:30.5`, `10:20`, `10`, `102030` or `1020`.
fn parts_of(text: &str) -> Option<f64> {
    let compact =
        !text.contains(':') && text.len() >= 4 && text.bytes().all(|b| b.is_ascii_digit());
    let parts: Vec<&str> = if compact {
        (0..text.len()).step_by(2).map(|at| &text[at..text.len().min(at + 2)]).collect()
    } else {
        text.split(':').collect()
    };
    if parts.len() > 3 {
        return None;
    }
    let mut sum = 0.0;
    for (part, unit) in parts.iter().zip([3600.0, 60.0, 1.0]) {
        let value: f64 = part.parse().ok().filter(|value| (0.0..=60.0).contains(value))?;
        sum += value * unit;
    }
    Some(sum)
}

/// Days from 1 March of the year 0 to 1 January 1970.
const EPOCH: i64 = 719_468;

/// The date of a time as written in result files: `2026-05-03`; `None` for a number outside the years 1973 to 2286.
///
/// A time in ISO 8601 keeps its written date, whatever its zone. A number is read as seconds since 1970, or as milliseconds if
/// it is that large.
pub fn date_of(text: &str) -> Option<String> {
    let text = text.trim();
    let compact = |digits: &str| digits.len() == 8 && digits.bytes().all(|b| b.is_ascii_digit());
    let first = text.split(['T', 't', ' ', '_']).next().unwrap_or_default();
    let first = text.get(..8).filter(|d| text.len() == 15 && compact(d)).unwrap_or(first);
    if compact(first) && (1970..2100).contains(&whole(&first[..4])?) {
        seconds(&format!("{}-{}-{}", &first[..4], &first[4..6], &first[6..]))?;
        return Some(format!("{}-{}-{}", &first[..4], &first[4..6], &first[6..]));
    }
    if let Ok(number) = text.parse::<f64>() {
        let since = if number >= 1e11 { number / 1e3 } else { number };
        return (1e8..1e10).contains(&since).then(|| civil((since / 86_400.0).floor()));
    }
    seconds(first)?;
    Some(first.replace('/', "-"))
}

/// The date this many days after 1 January 1970.
#[expect(clippy::cast_possible_truncation, reason = "some thousand days")]
fn civil(since: f64) -> String {
    // The year begins in March, so that the leap day is its last.
    let mut day = since as i64 + EPOCH;
    let era = day.div_euclid(146_097);
    day -= era * 146_097;
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let date = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{date:02}")
}

fn whole(text: &str) -> Option<i64> {
    text.parse().ok()
}

/// Days since a fixed day, in the Gregorian calendar.
fn days(year: i64, month: i64, day: i64) -> Option<f64> {
    if !((1..=9999).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day)) {
        return None;
    }
    // The year begins in March, so that the leap day is its last.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day;
    Some(days as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_has_a_date() {
        for (text, date) in [
            ("2026-05-03T23:10:00+02:00", Some("2026-05-03")),
            ("2026-05-03", Some("2026-05-03")),
            ("20260503-231000", Some("2026-05-03")),
            ("20260503", Some("2026-05-03")),
            // date -u -d @1582974000, and the same in milliseconds.
            ("1582974000", Some("2020-02-29")),
            ("1582974000123", Some("2020-02-29")),
            ("0", None),
            ("906.5", None),
            ("1/2/2026", None),
        ] {
            assert_eq!(date_of(text).as_deref(), date, "{text}");
        }
    }
}
