//! The report for a terminal: no line wider than it, no number cut, wide characters in their columns, colour
//! only where it is asked for, and the intervals as a plot.

use std::collections::BTreeSet;

use beyondnoise::analysis::analyse;
use beyondnoise::policy::Policy;
use beyondnoise::read::{Options, load};
use beyondnoise::render::{TextOptions, text};
use beyondnoise::report::Report;
use textwrap::core::display_width;

const NOTES: [&str; 7] = [
    "data/serving",
    "data/notes",
    "data/notes/burst-cache-steps.txt",
    "data/notes/burst-three-variants.txt",
    "data/notes/closed-loop-before-after.txt",
    "data/notes/mock-abba.md",
    "data/notes/two-workloads-five-steps.txt",
];
const WIDTHS: [u16; 4] = [40, 60, 80, 120];

fn of_files(paths: &[&str]) -> Report {
    let paths: Vec<String> = paths.iter().map(|&path| path.to_owned()).collect();
    let loaded = load(&paths, &Options::default()).expect("readable inputs");
    let first = loaded.assumed_base.as_deref();
    analyse(&loaded.dataset, None, first, &Policy::default()).expect("a comparison")
}

/// Three runs of `before` and of each label; those of label k lie 2 k % higher.
fn of_labels(labels: &[&str]) -> Report {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer
        .write_record(["variant", "max_concurrency", "output_throughput", "mean_ttft_ms"])
        .expect("a row");
    for (k, variant) in std::iter::once(&"before").chain(labels).enumerate() {
        for run in 0..3 {
            let value = format!("{:.2}", 100.0 + 2.0 * k as f64 + 0.01 * f64::from(run));
            writer.write_record([variant, "8", &value, &value]).expect("a row");
        }
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("runs.csv");
    std::fs::write(&path, writer.into_inner().expect("in memory")).expect("a file");
    let loaded = load(&[path.display().to_string()], &Options::default()).expect("a table");
    analyse(&loaded.dataset, Some("before"), None, &Policy::default()).expect("a comparison")
}

fn every_way(width: u16) -> impl Iterator<Item = TextOptions> {
    let of =
        move |(verbose, quiet, plot)| TextOptions { width, colour: false, verbose, quiet, plot };
    [
        (false, false, false),
        (true, false, false),
        (false, true, false),
        (false, false, true),
        (true, false, true),
    ]
    .into_iter()
    .map(of)
}

/// Numbers with their sign.
fn numbers(text: &str) -> BTreeSet<String> {
    let part = |c: char| c.is_ascii_digit() || "+−.".contains(c);
    let words = text.split(|c| !part(c)).map(|word| word.trim_end_matches('.').to_owned());
    words.filter(|word| word.contains(|c: char| c.is_ascii_digit())).collect()
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    let labels = [
        "并行前缀缓存、分块预填充、投机解码，以及一个没有任何空格的非常长的名称",
        "🚀 fast 👩‍💻",
        "feature/a-branch-name-without-any-blank-that-goes-on-and-on-and-on-and-on-and-on-and-on",
        "نسخة سريعة",
    ];
    let mut reports: Vec<(String, Report)> =
        NOTES.iter().map(|path| ((*path).to_owned(), of_files(&[path]))).collect();
    reports.push(("labels".to_owned(), of_labels(&labels)));
    for label in labels {
        reports.push((label.to_owned(), of_labels(&[label])));
    }
    for (name, report) in &reports {
        for width in WIDTHS {
            for options in every_way(width) {
                // The verdict alone is one line, however long.
                let shown = text(report, options);
                if options.quiet {
                    assert_eq!(shown.lines().count(), 1, "{name}: {shown}");
                    continue;
                }
                for line in shown.lines() {
                    let columns = display_width(line);
                    assert!(
                        columns <= usize::from(width),
                        "{name}, {options:?}: {columns} in {line}"
                    );
                    assert_eq!(line, line.trim_end(), "{name}, {options:?}");
                    let cut = line.trim_start().starts_with('%');
                    assert!(!cut, "a number without its percent sign: {name}, {options:?}, {line}");
                }
            }
        }
    }
}

#[test]
fn no_number_is_cut_however_narrow_the_terminal() {
    for path in NOTES {
        let report = of_files(&[path]);
        for verbose in [false, true] {
            let of =
                |width| text(&report, TextOptions { width, verbose, ..TextOptions::default() });
            // Words that a path or a long name is broken into are none of the report's numbers.
            let own: BTreeSet<String> = report
                .comparisons
                .iter()
                .flat_map(|comparison| {
                    let cells = comparison
                        .deciding()
                        .map(|row| format!("{:.1}", row.delta.relative.unwrap_or(0.0) * 100.0));
                    numbers(&cells.collect::<Vec<_>>().join(" "))
                })
                .collect();
            let wide = numbers(&of(120));
            for width in WIDTHS {
                let narrow = numbers(&of(width));
                for number in own.iter().filter(|number| wide.contains(*number)) {
                    assert!(narrow.contains(number), "{path}, {width}: {number}");
                }
                let cut: Vec<_> = narrow.difference(&wide).collect();
                assert!(cut.is_empty(), "{path}, {width}: {cut:?}");
            }
        }
    }
}

/// Where a word begins in a line, in columns.
fn column(line: &str, word: &str) -> Option<usize> {
    line.find(word).map(|at| display_width(&line[..at]))
}

#[test]
fn wide_characters_stand_in_their_columns() {
    let report = of_labels(&["优化后的版本", "🚀 x", "plain"]);
    let shown = text(&report, TextOptions { width: 100, ..TextOptions::default() });
    let lines: Vec<&str> = shown.lines().collect();
    let head = lines.iter().position(|line| line.ends_with("verdict")).expect("a head");
    let place = column(lines[head], "verdict");
    let rows = lines[head + 1..].iter().take_while(|line| !line.is_empty());
    let words = ["improved", "regressed", "trade-off", "within noise", "no change"];
    let places: Vec<Option<usize>> = rows
        .filter(|line| line.contains("(n=3)"))
        .map(|line| words.iter().find_map(|word| column(line, word)))
        .collect();
    assert_eq!(places, [place; 3], "{shown}");
}

#[test]
fn colour_is_nowhere_unless_it_is_asked_for() {
    for path in NOTES {
        let report = of_files(&[path]);
        for options in every_way(80) {
            assert!(!text(&report, options).contains('\u{1b}'), "{path}");
            let coloured = text(&report, TextOptions { colour: true, ..options });
            assert!(coloured.contains('\u{1b}'), "{path}");
            // Colour changes no letter.
            let mut bare = String::new();
            let mut rest = &coloured[..];
            while let Some((before, after)) = rest.split_once('\u{1b}') {
                bare.push_str(before);
                rest = after.split_once('m').map_or("", |(_, rest)| rest);
            }
            bare.push_str(rest);
            assert_eq!(bare, text(&report, options), "{path}");
        }
    }
}

/// The lines of a plot: from the first with an estimate to the ruler's numbers.
fn plot_of(shown: &str) -> String {
    let lines: Vec<&str> = shown.lines().collect();
    let first = lines.iter().position(|line| line.contains(['●', '○'])).expect("an estimate");
    let last = lines.iter().position(|line| line.contains('┴')).expect("a ruler");
    lines[first..last + 2].join("\n")
}

/// The estimates are +3.8 %, −2.1 % and −4.1 % (see `data/README.md`), the margins 1, 2 and 1 %.
#[test]
fn the_intervals_stand_on_one_axis_with_zero_and_margins() {
    let mut report = of_files(&["data/serving"]);
    report.comparisons[0].metrics.truncate(3);
    let shown = text(&report, TextOptions { plot: true, ..TextOptions::default() });
    insta::assert_snapshot!(plot_of(&shown), @"
    output tok/s                      ┊    │    ┊         ├────●───┤ +3.8 % better
    mean TTFT ms      ├──────────●─────────┤         ┊               −2.1 % better
    mean TPOT ms ├─────●──────┤       ┊    │    ┊                    −4.1 % better
                 ──────┴─────────┴─────────┴─────────┴─────────┴────
                     −4 %      −2 %       0 %      +2 %      +4 %
    ");
}

#[test]
fn single_runs_are_drawn_without_an_interval() {
    let report = of_files(&["data/notes/closed-loop-before-after.txt"]);
    let shown = text(&report, TextOptions { plot: true, ..TextOptions::default() });
    assert!(shown.contains('○') && !shown.contains('●'), "{shown}");
    assert!(
        shown.contains("(○ change without an interval, │ no change, ┊ margin that matters)"),
        "{shown}"
    );
}

#[test]
fn several_comparisons_have_a_plot_per_deciding_metric_the_worst_first() {
    let report = of_labels(&["slower", "slowest", "third"]);
    let shown = text(&report, TextOptions { plot: true, ..TextOptions::default() });
    let (_, after) = shown.split_once("output tok/s (higher is better)\n").expect("a plot");
    let names = after.lines().take(3).map(|line| line.trim().split(' ').next().unwrap_or(""));
    let expected: Vec<&str> =
        report.comparisons.iter().map(|comparison| comparison.candidate.name.as_str()).collect();
    assert_eq!(names.collect::<Vec<_>>(), expected, "{shown}");
}

/// Nothing to draw: no ratio exists.
#[test]
fn values_without_a_ratio_have_no_plot() {
    let mut report = of_files(&["data/serving"]);
    for row in &mut report.comparisons[0].metrics {
        row.delta.relative = None;
        row.delta.relative_ci_adjusted = None;
    }
    let shown = text(&report, TextOptions { plot: true, ..TextOptions::default() });
    assert!(!shown.contains(['●', '○', '┴']), "{shown}");
}

#[test]
fn a_table_that_does_not_fit_becomes_blocks_of_lines() {
    let report = of_files(&["data/serving"]);
    let shown = text(&report, TextOptions { width: 40, ..TextOptions::default() });
    let (_, table) = shown.split_once("tiny-model)\n\n").expect("a table");
    let (table, _) = table.split_once("\nwarning: ").expect("what follows");
    insta::assert_snapshot!(table, @"
    output tok/s
      before 557.6 ±0.5 %
      after 578.9 ±0.5 %
      change +3.8 %
      95 % CI +2.9 … +4.7
      verdict better
    mean TTFT ms
      before 64.5 ±1.4 %
      after 63.2 ±1.9 %
      change −2.1 %
      95 % CI −4.3 … −0.1
      verdict better, rests on run-07
    mean TPOT ms
      before 12.11 ±0.6 %
      after 11.61 ±1.0 %
      change −4.1 %
      95 % CI −5.3 … −2.8
      verdict better
    ");
}
