//! Pictures in files and pages: where things are drawn, by hand calculation, and that they are whole, safe and repeatable.

use beyondnoise::analysis::{analyse, batch};
use beyondnoise::policy::{Base, Policy};
use beyondnoise::read::{Options, load};
use beyondnoise::render;
use beyondnoise::report::Report;
use beyondnoise::stats::Method;
use std::fmt::Write as _;

fn read(table: &str, by: &[&str]) -> Report {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("runs.csv");
    std::fs::write(&path, table).expect("a file");
    let by: Vec<String> = by.iter().map(|&name| name.to_owned()).collect();
    let options = Options { by: by.clone(), base: Some("before".to_owned()), ..Options::default() };
    let loaded = load(&[path.display().to_string()], &options).expect("a table");
    let policy = Policy { method: Method::Welch, ..Policy::default() };
    if by.is_empty() {
        return analyse(&loaded.dataset, Some("before"), None, &policy).expect("comparisons");
    }
    let base = Base::Label("before".to_owned());
    batch(&loaded.dataset, None, &by, Some(&base), &policy).expect("a batch")
}

/// Names of the open elements, the text, and that every attribute is quoted: whether a picture is well-formed XML.
fn well_formed(picture: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = picture.trim_end();
    assert!(rest.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""), "{rest}");
    while let Some(at) = rest.find('<') {
        let (text, tag) = rest.split_at(at);
        assert!(!text.contains("]]>") && entities(text), "{text}");
        let end = tag.find('>').expect("the end of a tag");
        let inside = &tag[1..end];
        rest = &tag[end + 1..];
        if let Some(name) = inside.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name));
            continue;
        }
        assert_eq!(inside.matches('"').count() % 2, 0, "{inside}");
        assert_eq!(inside.matches("=\"").count() * 2, inside.matches('"').count(), "{inside}");
        assert!(entities(inside), "{inside}");
        if !inside.ends_with('/') {
            open.push(inside.split(' ').next().expect("a name"));
        }
    }
    assert!(open.is_empty() && rest.is_empty(), "{open:?} {rest}");
    assert!(!picture.chars().any(|c| c.is_control() && c != '\n'));
    assert!(!picture.contains("NaN") && !picture.contains("var(--"));
}

fn entities(text: &str) -> bool {
    let known = ["amp;", "lt;", "gt;", "quot;"];
    text.split('&').skip(1).all(|rest| known.iter().any(|name| rest.starts_with(name)))
}

/// One run at 1, 10 and 100 requests in flight.
fn sweep() -> Report {
    let mut table = "variant,max_concurrency,output_throughput,mean_ttft_ms\n".to_owned();
    for (load, before, after) in [(1, 10, 12), (10, 20, 22), (100, 30, 34)] {
        writeln!(table, "before,{load},{},{before}", 100 * load).expect("text");
        writeln!(table, "after,{load},{},{after}", 101 * load).expect("text");
    }
    read(&table, &[])
}

/// Two models by two caps, three runs of each; in one cell the latency rises by 10 %.
fn cells() -> Report {
    let mut table = "variant,model,cap,mean_ttft_ms\n".to_owned();
    for model in ["m1", "m2"] {
        for cap in [8, 16] {
            for (variant, base) in [
                ("before", 100.0),
                ("after", if (model, cap) == ("m1", 16) { 110.0 } else { 100.0 }),
            ] {
                for off in [-0.2, 0.0, 0.2] {
                    writeln!(table, "{variant},{model},{cap},{}", base + off).expect("text");
                }
            }
        }
    }
    read(&table, &["model", "cap"])
}

/// By hand. Across, the logarithms of the loads span 2 decades and have 7 % room at either side: the places are
/// 62 + 304 (0.07, 0.57, 1.07) / 1.14. Up, the values span 10 to 34 with room of 1.68: 10 lies at
/// 204 − 180 × 1.68 / 27.36, and 34 as far below 24.
#[test]
fn a_curve_lies_at_the_logarithm_of_its_loads() {
    let picture = render::svg(&sweep());
    well_formed(&picture);
    assert!(picture.contains("<circle cx=\"80.7\" cy=\"192.9\""), "{picture}");
    assert!(picture.contains("points=\"80.7,192.9 214,"), "{picture}");
    assert!(picture.contains("M347.3 35.1m"), "{picture}");
    for text in ["mean TTFT ms against output tok/s at each load", "mean TTFT ms (lower is better)"]
    {
        assert!(picture.contains(text), "{text}");
    }
}

/// By hand. Names of the rows have the least room, 60; a cell is 86 by 26 with a gap of 2. The change of +10.0 % in the
/// second column is the worst of the scale.
#[test]
fn a_cell_has_its_place_its_number_its_sign_and_its_colour() {
    let report = cells();
    let picture = render::svg(&report);
    well_formed(&picture);
    let cell = "<rect class=\"bad4\" x=\"147\" y=\"47\" width=\"84\" height=\"24\">";
    let (_, after) = picture.split_once(cell).expect("the cell");
    let (inside, _) = after.split_once("</text>").expect("its number");
    assert!(inside.contains("href=\"#i-worse\""), "{inside}");
    assert!(inside.ends_with("x=\"225\" y=\"63.5\">+10.0 %"), "{inside}");
    assert_eq!(picture.matches("class=\"cell\"").count(), 4);
    assert!(picture.contains("4 cells: 1 worse, 0 better. Largest change: +10.0 % at m1, 16."));
    // The page has the same drawings, named for those who do not see them.
    let page = render::html(&report);
    assert_eq!(page.matches("class=\"cell\"").count(), 4);
    assert!(page.contains("4 cells: 1 worse, 0 better."));
}

#[test]
fn a_picture_has_the_verdict_and_the_deciding_metrics() {
    let loaded = load(&["data/serving".to_owned()], &Options::default()).expect("readable inputs");
    let first = loaded.assumed_base.as_deref();
    let report =
        || analyse(&loaded.dataset, None, first, &Policy::default()).expect("a comparison");
    let picture = render::svg(&report());
    well_formed(&picture);
    assert_eq!(picture, render::svg(&report()), "the same report gives the same bytes");
    assert!(picture.contains("Improved, output throughput +3.8 %"), "{picture}");
    let deciding = report().comparisons[0].deciding().count();
    assert_eq!(picture.matches("class=\"plot\"").count(), 2 * deciding);
}

#[test]
fn labels_are_drawn_and_never_obeyed() {
    for label in [
        "<script>alert(1)</script>",
        "\"><image href=x>",
        "</text></svg>",
        "a & b \u{fffe}",
        "]]>",
        "版本一 与 版本二",
        "var(--ink)x",
        "</style>",
    ] {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(["variant", "output_throughput"]).expect("in memory");
        for (variant, value) in
            [("before", "1.01"), ("before", "1.02"), (label, "2.01"), (label, "2.03")]
        {
            writer.write_record([variant, value]).expect("in memory");
        }
        let table = String::from_utf8(writer.into_inner().expect("in memory")).expect("text");
        let picture = render::svg(&read(&table, &[])).replace("var(--ink)x", "");
        well_formed(&picture);
        assert!(!picture.contains("<script") && !picture.contains("<image"), "{picture}");
    }
}

/// 30 models by 10 caps: every cell is drawn, and the page stays light.
#[test]
fn three_hundred_cells_are_one_map() {
    let mut table = "variant,model,cap,mean_ttft_ms,mean_tpot_ms,output_throughput\n".to_owned();
    for cell in 0..300 {
        for (variant, rise) in [("before", 0.0), ("after", f64::from(cell % 7) - 3.0)] {
            for run in 0..3 {
                let value = 100.0 + rise + f64::from(run) / 10.0;
                let (model, cap) = (cell / 10, cell % 10);
                writeln!(table, "{variant},model-{model},{cap},{value},{value},{value}")
                    .expect("text");
            }
        }
    }
    let report = read(&table, &["model", "cap"]);
    let page = render::html(&report);
    assert_eq!(page.matches("class=\"cell\"").count(), 3 * 300);
    assert!(page.len() < 1_000_000, "{} bytes", page.len());
    well_formed(&render::svg(&report));
}

/// Nothing to draw is said.
#[test]
fn a_picture_without_a_change_says_so() {
    let mut report = sweep();
    report.comparisons.clear();
    report.sweeps.clear();
    let picture = render::svg(&report);
    well_formed(&picture);
    assert!(picture.contains("There is no change that could be drawn."), "{picture}");
}

/// Runs whose requests take 1 to 1001 ms, times a factor: the mean is the median, 501 ms, and every quantile of the
/// candidate is that of the baseline times 1.11 / 1.01. So every change and interval is the one of the mean.
#[test]
fn a_quantile_changes_as_the_mean_where_all_requests_do() {
    let mut table = "variant,run,request_id,ttft_ms\n".to_owned();
    for (variant, factors) in [("before", [1.0, 1.02]), ("after", [1.1, 1.12])] {
        for (run, factor) in factors.into_iter().enumerate() {
            for request in 1..=1001 {
                let value = f64::from(request) * factor;
                writeln!(table, "{variant},{variant}-{run},{request},{value}").expect("text");
            }
        }
    }
    let report = read(&table, &[]);
    let row = report.comparisons[0].deciding().find(|row| row.metric == "mean_ttft_ms");
    let row = row.expect("a deciding row");
    let requests = row.requests.as_ref().expect("requests");
    let near = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-9;
    // P99.9 of 1001 requests is one of the largest two: it has no interval.
    let levels: Vec<f64> = requests.changes.iter().map(|change| change.level).collect();
    assert_eq!(levels, [0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99]);
    let of_mean = row.delta.relative_ci.expect("an interval");
    for change in &requests.changes {
        assert!(near(change.relative, 1.11 / 1.01 - 1.0), "{change:?}");
        assert!(near(change.relative_ci[0], of_mean[0]) && near(change.relative_ci[1], of_mean[1]));
    }
    let median =
        requests.levels.iter().position(|level| (*level - 0.5).abs() < 1e-12).expect("the median");
    assert!(near(requests.sides[0].estimates[median], 1.01 * 501.0));
    assert!(near(requests.sides[1].range[median][0], 1.1 * 501.0));
    assert!(near(requests.sides[1].range[median][1], 1.12 * 501.0));
    let picture = render::svg(&report);
    well_formed(&picture);
    assert!(
        picture.contains("Requests of mean TTFT: P50 +9.9 %, P90 +9.9 %, P99 +9.9 %."),
        "{picture}"
    );
    // The median lies half way between 24 and 194.
    assert!(picture.contains(",109 "), "{picture}");
}

/// The signature and the first chunk of a PNG file (ISO/IEC 15948, 5.2 and 11.2.2): two pixels for each unit of the
/// picture, which is 868 wide.
#[cfg(feature = "png")]
#[test]
fn pixels_are_a_png_of_twice_the_size() {
    let report = sweep();
    let bytes = render::png(&report);
    assert!(bytes.starts_with(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"));
    assert_eq!(bytes[16..20], 1736_u32.to_be_bytes());
    assert_eq!(bytes, render::png(&report), "the same report gives the same bytes");
}

/// 270 cells of two metrics by three factors: 90 combinations of a model and a cap, on three devices.
fn many_cells() -> Report {
    let mut table = "variant,model,gpu,cap,mean_ttft_ms,mean_tpot_ms\n".to_owned();
    for (model, gpu) in (0..45).flat_map(|model| (0..3).map(move |gpu| (model, gpu))) {
        for cap in [8, 16] {
            for variant in ["before", "after"] {
                for off in [-0.2, 0.0, 0.2] {
                    // No value recurs, as none of a measurement does.
                    let own = table.len() as f64 * 1e-7;
                    let (ttft, tpot) = (100.0 + off + own, 10.0 + off / 10.0 + own);
                    writeln!(table, "{variant},m{model},g{gpu},{cap},{ttft},{tpot}").expect("text");
                }
            }
        }
    }
    read(&table, &["model", "gpu", "cap"])
}

/// Three factors have a grid too, whose rows are the combinations of two. In a file no picture is higher than 3,000 units:
/// two grids of 90 rows of 26 units would be.
#[test]
fn cells_by_three_factors_have_a_grid_and_a_picture_has_an_end() {
    let report = many_cells();
    let picture = render::svg(&report);
    well_formed(&picture);
    assert!(picture.contains(">m0, 8</text>"), "{picture}");
    assert!(picture.contains("1 more figure is not drawn"), "{picture}");
    let height = picture.split(" height=\"").nth(1).and_then(|rest| rest.split('"').next());
    let height: f64 = height.expect("a height").parse().expect("a number");
    assert!((200.0..=3_000.0).contains(&height), "{height}");
}

/// The page of a batch has its grid before any table, and lists each cell once.
#[test]
fn the_page_of_a_batch_starts_with_its_grid_and_repeats_no_cell() {
    let page = render::html(&cells());
    let grid = page.find("class=\"cell\"").expect("a grid");
    let table = page.find("<table").expect("a table");
    assert!(grid < table, "{grid} {table}");
    let tables = page.split("aria-label=\"cells\"").skip(1);
    let tables = tables.map(|rest| rest.split("</table>").next().expect("a table"));
    let rows: usize = tables.map(|table| table.matches("scope=\"row\"").count()).sum();
    assert_eq!(rows, 4, "2 models by 2 caps");
}

/// Every section of a sweep says its load, and both kinds of curve are drawn for its metric.
#[test]
fn a_sweep_names_its_loads_and_draws_the_change_at_each() {
    let report = sweep();
    let page = render::html(&report);
    for load in ["at 1 in flight: ", "at 10 in flight: ", "at 100 in flight: "] {
        assert_eq!(page.matches(&format!("{load}no verdict")).count(), 1, "{load}");
    }
    let picture = render::svg(&report);
    well_formed(&picture);
    assert!(picture.contains("mean TTFT ms: the change at every load"), "{picture}");
}
