//! The policy file as text: what it changes, what is refused at which line, what is printed as in force.

use std::collections::BTreeMap;

use beyondnoise::error::Error;
use beyondnoise::metrics::Metric;
use beyondnoise::policy::{Policy, Settings, Thresholds, parse_percentage};

#[test]
fn text_that_steers_a_terminal_is_refused_at_its_line() {
    for text in [
        "seed = 1\nbaseline = \"\\u001b[31mmain\"",
        "seed = 1\ndeciding = [\"duration\", \"x\u{9b}1m\"]",
        "seed = 1\n[metrics.\"x\\u202ey\"]\nmargin = \"3 %\"",
    ] {
        let message = problem(text);
        assert!(message.contains("control character"), "{message}");
        assert!(message.contains("b.toml, line 2"), "{message}");
    }
    assert!(parse("baseline = \"优化前\"").is_ok());
}

fn parse(text: &str) -> Result<Settings, Error> {
    Settings::default().with_file(text, "b.toml")
}

fn problem(text: &str) -> String {
    parse(text).expect_err(text).to_string()
}

#[test]
fn an_unknown_key_names_its_line_and_the_nearest_known_one() {
    assert_eq!(
        problem("seed = 1\n\n[checks]\nnoisy_wran = 0.1"),
        "b.toml, line 4: expected a key that is known, found noisy_wran; did you mean noisy_warn?"
    );
    assert!(
        problem("[gate]\nwibble = 1")
            .ends_with("known here are no_verdict, not_comparable, require")
    );
    assert!(problem("[metrics.x]\nbeter = \"lower\"").contains("did you mean better?"));
}

#[test]
fn a_value_that_means_nothing_names_its_line() {
    for (text, expected) in [
        ("\nmethod = \"magic\"", "b.toml, line 2: method: expected calibrated, percentile"),
        ("confidence = 0.2", "b.toml, line 1: confidence: expected a confidence from 0.6"),
        ("tolerance = 2", "b.toml, line 1: tolerance 2 has no unit; write \"2 %\""),
        ("tolerance = \"3\"", "tolerance \"3\" has no unit; write \"3 %\""),
        ("tolerance = -0.5", "tolerance: expected a percentage in quotes"),
        ("guard = \"x\"", "guard: expected a list, found \"x\"; write guard = [\"x\"]"),
        ("deciding = [1]", "deciding: expected a list, found a list"),
        ("gate = 3", "gate: expected a section, found 3; write [gate] on a line"),
        ("[tolerance]", "tolerance: expected a percentage in quotes"),
        ("seed = -1", "seed: expected a whole number of 0 or more, found -1"),
        ("[metrics.x]\nmargin_absolute = -1", "b.toml, line 2: margin_absolute: expected a"),
        ("[checks]\nunequal_variance = -9.0", "line 2: unequal_variance: expected a number above"),
        ("resamples = 3", "resamples: expected a whole number from 100 to 10000000, found 3"),
        ("a = ", "b.toml, line 1: expected TOML, found "),
        (
            "[metrics.mean_e2el_ms]\nmargin = 0.1\n[metrics.mean_e2e_latency_ms]\nmargin = 0.2",
            "line 3: expected every metric once, found mean_e2el_ms under two names",
        ),
    ] {
        assert!(problem(text).contains(expected), "{text}: {}", problem(text));
    }
}

#[test]
fn a_file_changes_what_it_names_and_nothing_else() {
    let text = "tolerance = \"3 %\"\ndeciding = [\"p99_e2e_latency_ms\"]\n\
                [metrics.output_throughput]\nmargin = \"0.5 %\"\n[checks]\nfew_runs = 4";
    let policy = parse(text).unwrap().policy;
    assert_eq!((policy.tolerance, policy.thresholds.few_runs), (0.03, 4));
    assert_eq!(policy.deciding, ["p99_e2el_ms"]);
    let margin = policy.margin(&Metric::named("output_throughput"));
    assert!((margin.relative - 0.005).abs() < 1e-15);
    let rest = Policy {
        tolerance: 0.02,
        deciding: Vec::new(),
        metrics: BTreeMap::new(),
        thresholds: Thresholds::default(),
        ..policy
    };
    assert_eq!(rest, Policy::default());
    assert_eq!(parse("").unwrap().policy, Policy::default());
}

#[test]
fn a_percentage_above_100_stays_one() {
    let text = "tolerance = \"250 %\"\n[metrics.x]\nmargin = '1000%'";
    let file = Settings::default().with_file(text, "b.toml").unwrap();
    let shown = file.in_force(text, "b.toml");
    let again = Settings::default().with_file(&shown, "shown").unwrap();
    assert_eq!(again, file);
    assert!(shown.contains("tolerance = \"250 %\"  # b.toml, line 1"), "{shown}");
}

#[test]
fn a_word_stays_as_it_was_written() {
    for text in ["across = \"hl\"", "across = 'p99.99999999999'"] {
        let settings = Settings::default().with_file(text, "b.toml").unwrap();
        let shown = settings.in_force(text, "b.toml");
        assert!(shown.contains(&format!("{text}  # b.toml, line 1")), "{shown}");
        assert_eq!(Settings::default().with_file(&shown, "shown").unwrap(), settings);
    }
}

#[test]
fn what_is_in_force_reads_back_as_the_same_policy() {
    let text = "deciding = [\"duration\"]\n[metrics.\"my metric\"]\nbetter = \"lower\"\nmargin = \"3 %\"\n\
                [checks]\nnoisy_warn = \"4 %\"\n[gate]\nno_verdict = \"fail\"";
    let file = Settings::default().with_file(text, "b.toml").unwrap();
    let shown = file.in_force(text, "b.toml");
    let again = Settings::default().with_file(&shown, "shown").unwrap();
    assert_eq!(again, file);
    assert!(shown.contains("noisy_warn = 0.04  # b.toml, line 6"), "{shown}");
    assert!(shown.contains("[metrics.\"my metric\"]"), "{shown}");
    let named = Settings::default().with_file("[metrics.duration]", "b.toml").unwrap();
    let shown = named.in_force("[metrics.duration]", "b.toml");
    let again = Settings::default().with_file(&shown, "shown").unwrap();
    assert_eq!(again, named);
    assert!(shown.ends_with("\n[metrics.duration]\n"), "{shown}");
}

#[test]
fn a_bare_number_of_a_flag_is_a_percentage_unless_it_could_be_a_fraction() {
    assert_eq!(parse_percentage("2"), Ok(0.02));
    assert_eq!(parse_percentage("2 %"), Ok(0.02));
    assert!(parse_percentage("0.05").is_err());
    assert_eq!(parse_percentage("0.05%"), Ok(0.0005));
}
