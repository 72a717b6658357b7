//! Lines in chunks against the same file read as a whole.

use std::fmt::Write as _;

use super::*;
use crate::table::flat_json::ANY_JSON as WHOLE;
use beyondnoise_model::runs::Run;

/// The same read as a whole, and in small chunks.
fn both(text: &str) -> [Result<Found, Error>; 2] {
    let options = Options::default();
    let content = Content { alone: true, ..Content::new("t.jsonl", text.as_bytes()) };
    [(WHOLE.read)(&content, &options), read(&content, (text.as_bytes(), 50), &options)]
}

fn alike(text: &str) -> Vec<Run> {
    let [whole, chunks] = both(text).map(|found| found.expect("runs"));
    assert_eq!(whole.skipped, chunks.skipped);
    assert_eq!(format!("{:#?}", chunks.runs), format!("{:#?}", whole.runs));
    whole.runs
}

#[test]
fn requests_are_reduced_as_from_the_whole_file() {
    let line = |at: u32| {
        let (run, ttft) = (at % 3, f64::from(at.wrapping_mul(2_654_435_761) % 977) / 8.0 + 1.0);
        let error = if at % 50 == 7 { "\"error\": \"timeout\"" } else { "\"ok\": 1" };
        let ttft = if at.is_multiple_of(31) { "null".to_owned() } else { ttft.to_string() };
        format!(
            "{{\"variant\": \"a\", \"run\": {run}, \"ttft_ms\": {ttft}, \"nested\": {{\"x\": [1]}}, {error}}}\n"
        )
    };
    let text: String = (0..600).map(line).collect();
    let runs = alike(&text);
    assert_eq!(runs.len(), 3);
    // By hand: the 7th of each fifty of the 600 failed, and every 31st, from the first on, has no latency: 12 + 20.
    assert_eq!(runs.iter().map(|run| run.info.failed.unwrap_or(0)).sum::<u64>(), 32);
}

/// The start of a large file may lack a key, such as that of the first error.
#[test]
fn keys_that_turn_up_late_are_read() {
    let good = |at: usize| format!("{{\"ttft_ms\": {}, \"request_id\": {at}}}\n", at % 50 + 1);
    let mut text: String = (0..LARGE / 30).map(good).collect();
    assert!(text.len() > LARGE);
    text.push_str("{\"request_id\": 1, \"ttft_ms\": 0, \"error\": \"timeout\"}\n");
    let content = Content::new("t", text.as_bytes());
    assert!(start_of(&content).is_some_and(|start| start.len() <= START));
    let found = (WHOLE.read)(&content, &Options::default()).expect("runs");
    assert_eq!(
        (found.runs[0].info.failed, found.runs[0].info.completed),
        (Some(1), Some(LARGE as u64 / 30))
    );
    assert_eq!(found.format, Some("request rows"));
}

#[test]
fn rows_per_run_and_long_ones_are_read_as_from_the_whole_file() {
    let (mut wide, mut long) = (String::new(), String::new());
    for at in 0..40 {
        let (variant, run) = (at % 2, at / 2);
        writeln!(
            wide,
            "{{\"variant\": \"v{variant}\", \"run\": {at}, \"output_throughput\": {at}.5, \"model\": \"m\"}}"
        )
        .expect("text");
        writeln!(
            long,
            "{{\"variant\": \"v\", \"run\": {run}, \"metric\": \"m{variant}\", \"value\": {at}}}"
        )
        .expect("text");
    }
    assert_eq!(alike(&wide).len(), 40);
    assert_eq!(alike(&long).len(), 20);
}

#[test]
fn a_line_that_is_no_object_is_named() {
    let good = "{\"variant\": \"a\", \"run\": 1, \"ttft_ms\": 5}\n{\"variant\": \"a\", \"run\": 1, \"ttft_ms\": 6}\n";
    let text = format!("{good}{good}{{\"variant\": \"a\", \"run\": \n");
    // The start is judged without its last lines.
    let text = good.repeat(LARGE / good.len() + 1) + &text;
    let content = Content::new("t.jsonl", text.as_bytes());
    let error = (WHOLE.read)(&content, &Options::default()).err();
    let rows = 2 * (LARGE / good.len() + 1) + 5;
    let place = format!("t.jsonl, object {rows}: expected the end of the JSON object");
    let error = error.expect("a cut line").to_string();
    assert!(error.starts_with(&place), "{error}");
    let lenient = Options { lenient: true, ..Options::default() };
    let found = (WHOLE.read)(&content, &lenient).expect("the rest");
    assert_eq!(found.runs[0].info.completed, Some(rows as u64 - 1));
}
