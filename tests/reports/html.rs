//! The web page of a report: whole, alone, and safe whatever a label says. What it looks like is tested in
//! `browser.rs`.

use std::collections::BTreeSet;

use beyondnoise::analysis::analyse;
use beyondnoise::policy::Policy;
use beyondnoise::read::{Options, load};
use beyondnoise::render;
use beyondnoise::report::Report;
use beyondnoise::stats::Method;

fn of_files(paths: &[&str]) -> Report {
    let paths: Vec<String> = paths.iter().map(|&path| path.to_owned()).collect();
    let loaded = load(&paths, &Options::default()).expect("readable inputs");
    let first = loaded.assumed_base.as_deref();
    analyse(&loaded.dataset, None, first, &Policy::default()).expect("a comparison")
}

/// The report of a table, which enumerates nothing.
fn of_table(table: &str, base: Option<&str>) -> Report {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("runs.csv");
    std::fs::write(&path, table).expect("a file");
    let loaded = load(&[path.display().to_string()], &Options::default()).expect("a table");
    let policy = Policy { method: Method::Welch, ..Policy::default() };
    let mut report = analyse(&loaded.dataset, base, None, &policy).expect("a comparison");
    // The folder has another name each time.
    let clean = |text: &mut String| *text = text.replace(&folder.path().display().to_string(), "");
    report.inputs.iter_mut().for_each(|input| clean(&mut input.path));
    for comparison in &mut report.comparisons {
        let lists = [&mut comparison.baseline.run_list, &mut comparison.candidate.run_list];
        for run in lists.into_iter().flatten() {
            let mut path = run.place.path.to_string();
            clean(&mut path);
            run.place.path = path.into();
        }
    }
    report
}

const SMALL: &str = "variant,started,output_throughput,mean_ttft_ms\n\
    before,2026-01-01 10:00,24.32,80.1\nbefore,2026-01-01 10:30,24.11,80.9\nbefore,2026-01-01 10:40,24.29,79.4\n\
    after,2026-01-01 10:10,24.52,80.3\nafter,2026-01-01 10:20,24.59,81.1\nafter,2026-01-01 10:50,24.74,79.9\n";

/// A report of `count` equal comparisons with so many metrics, 6 runs a side.
fn many(count: usize, metrics: usize) -> Report {
    let names = ["output_throughput", "mean_ttft_ms", "mean_tpot_ms"].map(str::to_owned);
    let own = (0..metrics - 3).map(|k| format!("counter_{k}"));
    let names: Vec<String> = names.into_iter().chain(own).collect();
    let mut lines = vec![format!("variant,max_concurrency,{}", names.join(","))];
    for (name, base) in [("before", 100.0), ("after", 102.0)] {
        for run in 0..6 {
            let value = |k: usize| format!("{:.4}", base + ((run * 7 + k) as f64).sin());
            let values: Vec<String> = (0..names.len()).map(value).collect();
            lines.push(format!("{name},8,{}", values.join(",")));
        }
    }
    let mut report = of_table(&lines.join("\n"), None);
    let mut one = report.comparisons[0].clone();
    report.comparisons.clear();
    for number in 0..count {
        one.candidate.name = format!("commit-{number:03}");
        report.comparisons.push(one.clone());
    }
    report
}

/// Tags with their attributes, in order.
fn tags(page: &str) -> impl Iterator<Item = &str> {
    page.split('<').skip(1).filter_map(|rest| rest.split_once('>').map(|(tag, _)| tag))
}

#[test]
fn the_whole_page_of_a_small_report() {
    let page = render::html(&of_table(SMALL, None)).replace(env!("CARGO_PKG_VERSION"), "VERSION");
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    // A tag a line, so that a difference can be read.
    settings.bind(|| insta::assert_snapshot!("small.html", page.replace("><", ">\n<")));
}

#[test]
fn the_same_report_gives_the_same_bytes() {
    let pages: BTreeSet<String> =
        (0..3).map(|_| render::html(&of_files(&["data/serving"]))).collect();
    assert_eq!(pages.len(), 1);
}

#[test]
fn the_verdict_comes_first_in_the_words_of_the_report() {
    for path in ["data/serving", "data/notes/closed-loop-before-after.txt"] {
        let report = of_files(&[path]);
        let page = render::html(&report).replace('\u{a0}', " ");
        let (_, rest) = page.split_once("<h1 id=\"verdict\">").expect("a heading");
        let only = &report.comparisons[0];
        assert!(rest.starts_with(&only.summary), "{rest}");
        let next = rest.find("Next: ").expect("the next step");
        let plots = rest.find("class=\"plot\"").expect("a plot");
        assert!(next < plots, "{path}");
        let before_plots = &rest[..plots];
        assert!(before_plots.matches("class=\"word warn\"").count() <= 3, "{path}");
    }
}

#[test]
fn every_comparison_has_one_headline_and_all_have_one() {
    let report = of_files(&["data/notes/two-workloads-five-steps.txt"]);
    let page = render::html(&report).replace('\u{a0}', " ");
    assert!(page.contains("no verdict for any of the 8 comparisons: one run each</h1>"), "{page}");
    for (index, comparison) in report.comparisons.iter().enumerate() {
        let id = index + 1;
        let (_, title) = page.split_once(&format!("<h2 id=\"c{id}\">")).expect("a heading");
        let names = [&comparison.candidate.name, &comparison.baseline.name];
        assert!(title.starts_with(&format!("{} against {}", names[0], names[1])), "{title}");
        assert!(page.contains(&format!("<a href=\"#c{id}\">")), "{id}");
    }
}

#[test]
fn headings_follow_each_other_and_every_picture_has_words() {
    for path in ["data/serving", "data/notes", "data/notes/mock-abba.md"] {
        let page = render::html(&of_files(&[path]));
        let level = |tag: &str| match tag.as_bytes() {
            [b'h', n @ b'1'..=b'6', ..] => Some(n - b'0'),
            _ => None,
        };
        let levels: Vec<u8> = tags(&page).filter_map(level).collect();
        assert_eq!(levels.iter().copied().filter(|level| *level == 1).count(), 1, "{path}");
        assert!(levels.windows(2).all(|pair| pair[1] <= pair[0] + 1), "{path}: {levels:?}");
        for tag in tags(&page).filter(|tag| tag.starts_with("svg")) {
            let named = tag.contains("role=\"img\"") && tag.contains("aria-labelledby");
            assert!(named || tag.contains("aria-hidden=\"true\""), "{path}: {tag}");
        }
    }
}

#[test]
fn nothing_is_fetched_from_anywhere() {
    let page = render::html(&of_files(&["data/serving"]));
    for word in ["http:", "https:", "url(", "@import", " src=", "<link rel=\"stylesheet\""] {
        assert!(!page.contains(word), "{word}");
    }
    assert!(page.contains("default-src 'none'"));
}

#[test]
fn a_label_is_shown_and_never_obeyed() {
    for label in [
        "<script>alert(1)</script>",
        "\"><img src=x onerror=alert(1)>",
        "</title></style></svg><b>",
        "`<i>` & ``<u>``",
        "javascript:alert(1)",
    ] {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let metric = format!("{label}_ms");
        writer.write_record(["variant", "output_throughput", &metric]).expect("in memory");
        for (variant, value) in
            [("before", "1.01"), ("before", "1.02"), (label, "2.01"), (label, "2.03")]
        {
            writer.write_record([variant, value, value]).expect("in memory");
        }
        let table = String::from_utf8(writer.into_inner().expect("in memory")).expect("text");
        let page = render::html(&of_table(&table, Some("before")));
        let plain =
            render::html(&of_table(&table.replace('<', "(").replace('>', ")"), Some("before")));
        assert_eq!(tags(&page).count(), tags(&plain).count(), "{label}");
        assert_eq!(page.matches("<script").count(), 1, "{label}");
        assert!(!page.contains("onerror=alert(1)>"), "{label}: {page}");
    }
}

#[test]
fn the_order_of_the_runs_is_drawn_where_it_is_known() {
    let known = render::html(&of_table(SMALL, None));
    assert!(known.contains("runs in the order of their start"), "{known}");
    // Started at 10:00, 10:30, 10:40 and at 10:10, 10:20, 10:50.
    assert!(known.contains("A the baseline: A B B A A B."), "{known}");
    let without: Vec<String> = SMALL
        .lines()
        .map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            [cells[0], cells[2], cells[3]].join(",")
        })
        .collect();
    let unknown = render::html(&of_table(&without.join("\n"), None));
    assert!(unknown.contains("in the order of the files"), "{unknown}");
    assert!(!unknown.contains("order of their start"), "{unknown}");
}

#[test]
fn a_hundred_comparisons_stay_light() {
    let page = render::html(&many(100, 25));
    assert!(page.len() < 5_000_000, "{} bytes", page.len());
    // Two plots for each of the three deciding metrics.
    assert_eq!(page.matches("class=\"plot\"").count(), 600);
}

#[test]
fn beyond_a_hundred_comparisons_the_better_ones_have_tables_only() {
    let page = render::html(&many(130, 3));
    assert_eq!(page.matches("class=\"plot\"").count(), 600);
    assert!(page.contains("id=\"c130\""));
}

#[test]
fn values_of_any_size_are_drawn_or_left_out() {
    let extreme = [
        ["0", "0", "0", "0"],
        ["1e300", "1e300", "-1e300", "-1e300"],
        ["1e308", "-1e308", "1e308", "-1e308"],
        ["1e-300", "2e-300", "1e-300", "3e-300"],
        ["5", "5", "5", "5"],
        ["1e9", "1.000000001e9", "1e9", "1.000000002e9"],
    ];
    for [a, b, c, d] in extreme {
        let table = format!("variant,x_ms\nbefore,{a}\nbefore,{b}\nafter,{c}\nafter,{d}\n");
        let page = render::html(&of_table(&table, None));
        let drawn = tags(&page).filter(|tag| !tag.starts_with("td"));
        for tag in drawn {
            let words = || tag.split(['"', ' ']).map(|word| word.trim_start_matches(['M', '-']));
            assert!(!tag.contains("NaN") && words().all(|word| word != "inf"), "{table}: {tag}");
        }
    }
}

/// The comparison without a run that stands apart is told in words.
#[test]
fn evidence_has_no_names_of_fields() {
    let page = render::html(&of_files(&["before=data/serving/before", "after=data/serving/after"]));
    assert!(page.contains("without: "), "the evidence is there");
    for field in ["relative_ci", "p_adjusted", "left_out", "within_noise"] {
        assert!(!page.contains(field), "{field}");
    }
    let page = page.replace('\u{a0}', " ");
    assert!(page.contains("mean TTFT −1.4 % (within noise)"), "the change without it");
}
