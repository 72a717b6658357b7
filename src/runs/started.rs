//! When a run started, as a number that can be ordered.

/// Seconds of a time as result files write it, for ordering runs of one client; `None` where the text cannot
/// be put in order.
///
/// Read are plain numbers (seconds since any start), `20260131-235959`, and dates of ISO 8601 with an
/// optional time, fraction and zone. Without a zone it is taken as UTC, so only times written alike compare.
///
/// # Examples
///
/// ```
/// use beyondnoise::runs::seconds;
///
/// assert_eq!(seconds("2026-01-01T10:00:00+02:00"), seconds("2026-01-01 08:00:00Z"));
/// assert!(seconds("20260101-095000") < seconds("20260101-100000"));
/// assert!(seconds("906") < seconds("1010.5"));
/// assert_eq!(seconds("1/2/2026 9:50"), None);
/// ```
pub fn seconds(text: &str) -> Option<f64> {
    let text = text.trim();
    if let Ok(number) = text.parse::<f64>() {
        // Eight digits may be a date; alone among dates it orders alike.
        return number.is_finite().then_some(number);
    }
    let (date, time) = match text.split_once(['T', 't', ' ', '_']) {
        Some((date, time)) => (date, Some(time)),
        // vLLM's compact form.
        None if text.len() == 15 && text.as_bytes()[8] == b'-' => (&text[..8], Some(&text[9..])),
        None => (text, None),
    };
    let parts: Vec<&str> = date.split('-').collect();
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

fn whole(text: &str) -> Option<i64> {
    text.parse().ok()
}

/// Days since a fixed day, of the Gregorian calendar.
fn days(year: i64, month: i64, day: i64) -> Option<f64> {
    if !((1..=9999).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day)) {
        return None;
    }
    // The year begins in March, so that the leap day is its last.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day;
    Some(days as f64)
}
