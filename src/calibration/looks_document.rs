//! Simulated looks in words and a table.

use crate::looks::{FIXED, LOOKS, LookRow, MARGIN, NOISE};
use crate::words::{Parts, count, effect, list, percents, share};
use beyondnoise::report::calibrate::Settings;
use beyondnoise::report::document::{Block, Role};
use beyondnoise_model::format::{change, chosen};

pub(crate) fn parts(settings: &Settings, rows: &[LookRow]) -> Parts {
    let planned = || rows.iter().filter(|row| row.design == "planned");
    let none: Vec<f64> =
        planned().filter(|row| row.change == 0.0).map(|row| row.change_shown).collect();
    let title = percents(&none).map_or_else(String::new, |range| {
        format!("planned looks show a change that is not there in {range} of comparisons")
    });
    let looks: Vec<String> = LOOKS.iter().map(usize::to_string).collect();
    let overall = chosen(settings.confidence);
    let made = format!(
        "Two builds, one metric, noise of {} from run to run, margin {}, made in blocks A B B A or B A A B, drawn. Looks after {} runs \
         of each, {overall} over all of them; the runs end where a change or equality is shown, or where neither is left to \
         reach. {} comparisons a case; seed {}.",
        chosen(NOISE),
        chosen(MARGIN),
        list(&looks),
        count(settings.repetitions),
        settings.seed
    );
    let beside = format!(
        "Beside them, on the same runs: {FIXED} runs of each and one look; and looks after the same numbers of runs until a \
         change is shown, each at {overall} by itself."
    );
    let mut blocks = vec![Block::text(Role::Lead, made), Block::text(Role::Lead, beside)];
    blocks.extend(Block::titled_table("How runs end".to_owned(), head(), body(rows), 2));
    blocks.extend(notes(rows).into_iter().map(|note| Block::text(Role::Lead, note)));
    Parts { title, blocks }
}

fn head() -> Vec<String> {
    let planned = ["noise", "true change", "change", "no change", "no hope", "runs of each"];
    let end = ["interval covers", "mean estimate"];
    let fixed = [format!("{FIXED} runs: change"), format!("{FIXED} runs: no change")];
    let uncorrected = ["uncorrected: change", "uncorrected: runs of each"];
    let first = planned.into_iter().chain(end).map(str::to_owned);
    first.chain(fixed).chain(uncorrected.map(str::to_owned)).collect()
}

fn body(rows: &[LookRow]) -> Vec<Vec<String>> {
    let line = |three: &[LookRow]| -> Vec<String> {
        let [planned, fixed, uncorrected] = three else { return Vec::new() };
        let truth = if planned.change == 0.0 { "none".to_owned() } else { effect(planned.change) };
        vec![
            planned.noise.to_owned(),
            truth,
            share(planned.change_shown),
            share(planned.no_change_shown),
            share(planned.no_hope),
            format!("{:.1}", planned.runs),
            share(planned.covered),
            change(planned.estimate, 2),
            share(fixed.change_shown),
            share(fixed.no_change_shown),
            share(uncorrected.change_shown),
            format!("{:.1}", uncorrected.runs),
        ]
    };
    rows.chunks(3).map(line).collect()
}

/// Notes below the figures.
fn notes(rows: &[LookRow]) -> Vec<String> {
    let of = |design: &str, change: f64| {
        let found = |row: &&LookRow| row.design == design && (row.change - change).abs() < 1e-9;
        rows.iter().find(found)
    };
    let (planned, fixed) = (of("planned", MARGIN), of("fixed", MARGIN));
    let at_margin = planned.zip(fixed).map(|(planned, fixed)| {
        format!(
            "\"No change\" is judged at every look by the 90 % interval, uncorrected for the number of looks. Where the true change is exactly \
             the margin, it is said in {} of comparisons under normal noise, and in {} with one look of {FIXED} runs.",
            share(planned.no_change_shown),
            share(fixed.no_change_shown)
        )
    });
    let drift = "A drift of 1 % a run is 23 % from the first run to the last. The order keeps it from being taken for a change, \
        but what it moves from run to run counts as noise.";
    let pooled = "Both variants have a noise of their own here, as in Welch's test. A t test that takes it for the same in both, with \
        2 (n - 1) degrees of freedom, needs 0.1 to 0.3 runs of each less under normal noise: 6.5 where nothing changed, and 6.0, 4.2 and \
        3.2 for changes of 2, 3 and 5 %, with 4.2 % false alarms; Welch's test itself needs 6.8, 6.5, 4.7 and 3.4 runs, with 3.3 %.";
    at_margin.into_iter().chain([drift, pooled].map(str::to_owned)).collect()
}
