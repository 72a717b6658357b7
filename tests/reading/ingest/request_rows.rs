//! Rows of requests, reduced to their runs. Expected figures are numpy's, on the same files:
//! `np.percentile(x, q)`, `x.mean()`, `x.std()` over the rows of a run with `success`.

use beyondnoise::read::{Options, Tidy, load, tidy};
use beyondnoise::runs::Setting;

use super::{Files, close, counts, dataset, own, read_text, runs, value};

const ITERATIONS: &str = "iterations_of_one_process";

fn data(path: &str) -> String {
    own(&format!("data/formats/request-rows/{path}"))
}

/// A table of so many rows after a header, each made from its number.
fn table(header: &str, rows: usize, row: impl Fn(usize) -> String) -> String {
    let lines: Vec<String> = (0..rows).map(|at| row(at) + "\n").collect();
    format!("{header}\n{}", lines.concat())
}

/// `(where, why)` of what was left out.
fn left_out(dataset: &beyondnoise::runs::Dataset) -> Vec<(&str, &str)> {
    let all = dataset.inputs.iter().flat_map(|input| &input.skipped);
    all.map(|skipped| (skipped.place.as_str(), skipped.why.as_str())).collect()
}

#[test]
fn numbered_requests_become_the_statistics_of_their_run() {
    let read = dataset(&[&data("numbered.csv")]);
    assert_eq!(read.inputs[0].format, Some("request rows"));
    assert_eq!(counts(&read.groups[0]), [("main", 3), ("pr", 3)]);
    let workload = &read.groups[0].workload;
    assert_eq!((&workload.max_concurrency, workload.requests), (&Setting::Value(4.0), Some(12)));
    let all = runs(&read);
    let [first, second, ..] = all[..] else { panic!("six runs") };
    close(value(first, "mean_ttft_ms"), 229.800_000_000_000_04);
    close(value(first, "median_ttft_ms"), 233.7);
    close(value(first, "p90_ttft_ms"), 274.52);
    close(value(first, "p99_ttft_ms"), 286.024);
    close(value(first, "std_ttft_ms"), 36.134_217_393_859_06);
    close(value(first, "mean_tpot_ms"), 19.562_833_333_333_334);
    close(value(first, "p95_tpot_ms"), 20.327_55);
    // The last end less the first start, and the counts over it.
    close(value(first, "duration"), 6.492_000_102_996_826);
    close(value(first, "output_throughput"), 404.0 / 6.492_000_102_996_826);
    close(value(first, "request_throughput"), 12.0 / 6.492_000_102_996_826);
    assert_eq!(
        (first.info.completed, first.info.failed, first.info.output_tokens),
        (Some(12), Some(0), Some(404))
    );
    assert_eq!(
        (first.name.as_deref(), first.info.started.as_deref()),
        (Some("1"), Some("1700001000"))
    );
    assert_eq!(
        first.requests.as_ref().map(|detail| detail.counts["ttft"]),
        first.info.completed.and_then(|n| usize::try_from(n).ok())
    );
    // The failed request counts as failed and for nothing else.
    close(value(second, "mean_ttft_ms"), 243.881_818_181_818_2);
    close(value(second, "p99_ttft_ms"), 329.090_000_000_000_03);
    assert_eq!(
        (second.info.completed, second.info.failed, second.info.output_tokens),
        (Some(11), Some(1), Some(344))
    );
    assert!(all.iter().all(|run| !run.metadata.contains_key(ITERATIONS)));
    assert_eq!(left_out(&read)[0].0, "column prompt");
}

#[test]
fn a_file_of_many_requests_is_one_run() {
    let read = dataset(&[&data("file-per-run")]);
    assert_eq!(counts(&read.groups[0]), [("A", 2), ("B", 2)]);
    let [first, .., last] = runs(&read)[..] else { panic!("four runs") };
    for (run, metric, expected) in [
        (first, "mean_ttft_ms", 310.784_625),
        (first, "median_ttft_ms", 295.7345),
        (first, "p99_tpot_ms", 69.632_78),
        (first, "median_itl_ms", 37.849_500_000_000_006),
        (first, "p99_e2el_ms", 8_868.341_830_000_001),
        (last, "mean_e2el_ms", 5_395.188_266_666_666),
        (last, "p99_ttft_ms", 587.335_06),
    ] {
        close(value(run, metric), expected);
    }
    assert_eq!(first.metadata[ITERATIONS], "120 requests");
    assert!(left_out(&read).iter().all(|(place, why)| {
        *place == "column run" && why.contains("read as requests of one run")
    }));
}

#[test]
fn lines_of_objects_are_requests_too() {
    let read = dataset(&[&data("lines.jsonl")]);
    assert_eq!(read.inputs[0].format, Some("request rows"));
    assert_eq!(counts(&read.groups[0]), [("main", 2), ("pr", 2)]);
    let [first, .., last] = runs(&read)[..] else { panic!("four runs") };
    // No unit in `latency` and `ttft`: seconds, as their size shows, and that is said.
    close(value(first, "mean_e2el_ms"), 1692.85);
    close(value(first, "p95_e2el_ms"), 2008.235);
    close(value(last, "median_ttft_ms"), 256.3);
    assert_eq!(
        (last.info.completed, last.info.failed, last.info.output_tokens),
        (Some(7), Some(1), Some(112))
    );
    let (place, why) = left_out(&read)[0];
    assert!(place == "column latency, ttft" && why.contains("taken as seconds"), "{place}: {why}");
}

#[test]
fn rows_are_runs_unless_the_table_says_otherwise() {
    let named =
        |at: usize| format!("{},{}.5", if at.is_multiple_of(2) { "a" } else { "b" }, 100 + at);
    for (header, rows, per_variant) in [
        // Named after one request, but few enough to be means that somebody typed.
        ("variant,ttft_ms", 6, 3),
        ("variant,ttft_ms", 200, 100),
        ("variant,mean_ttft_ms", 1000, 500),
        ("variant,step_time_ms", 1000, 500),
        ("variant,output_throughput", 1000, 500),
    ] {
        let read = read_text("t.csv", &table(header, rows, named));
        let [(_, a), (_, b)] = counts(&read.groups[0])[..] else { panic!("two variants") };
        assert_eq!((a, b), (per_variant, per_variant), "{header}");
    }
    let read = read_text("t.csv", &table("variant,ttft_ms", 202, named));
    assert_eq!(counts(&read.groups[0]), [("a", 1), ("b", 1)]);
    assert_eq!(runs(&read)[0].metadata[ITERATIONS], "101 requests");
}

#[test]
fn what_was_assumed_of_an_open_table_is_said() {
    let named = |at: usize| format!("a,{}.5", 100 + at);
    let said = |text: &str| {
        let read = read_text("t.csv", text);
        left_out(&read).iter().map(|(place, why)| format!("{place}: {why}")).collect::<Vec<_>>()
    };
    assert!(said(&table("variant,ttft_ms", 20, named)).is_empty());
    assert!(said(&table("variant,ttft_ms", 21, named))[0].contains("every row is read as a run"));
    assert!(said(&table("variant,x", 1001, named))[0].contains("every row is read as a run"));
    let shared = |at: usize| format!("a,{},{}.5", at / 3, 100 + at);
    let few = said(&table("variant,run,x", 30, shared));
    assert!(few[0].contains("each run counts once, with their mean (10 runs)"), "{few:?}");
}

#[test]
fn rows_that_share_a_run_are_its_requests() {
    let row = |at: usize| format!("a,{},{}.5", at % 4, 100 + at);
    // With names of requests from two rows a run on, with others from ten; fewer, and figures of whole runs, are averaged.
    for (header, rows, expected) in [
        ("variant,run,latency_ms", 8, 4),
        ("variant,run,score", 39, 4),
        ("variant,run,score", 40, 4),
        ("variant,run,mean_ttft_ms", 80, 4),
    ] {
        let read = read_text("t.csv", &table(header, rows, row));
        assert_eq!(runs(&read).len(), expected, "{header} {rows}");
    }
    // 100.5, 104.5, ... 136.5: mean 118.5, P99 at 8.91 of 9 steps, all by hand.
    let read = read_text("t.csv", &table("variant,run,score", 40, row));
    let first = runs(&read)[0];
    for (metric, expected) in
        [("mean_score", 118.5), ("median_score", 118.5), ("p99_score", 136.14)]
    {
        close(value(first, metric), expected);
    }
    // Repeats inside a run, which is the outer level: 6 runs of 10.
    let both = |at: usize| format!("a,{},{},{}.5", at / 10, at % 10, 100 + at);
    assert_eq!(runs(&read_text("t.csv", &table("variant,run,rep,latency_ms", 60, both))).len(), 6);
}

#[test]
fn requests_in_the_long_layout_are_reduced() {
    let row = |at: usize| {
        let metric = if at.is_multiple_of(2) { "TTFT (s)" } else { "output_tokens" };
        let value = if at.is_multiple_of(2) { format!("0.{}", 10 + at) } else { "7".to_owned() };
        format!("a,{},{at},{metric},{value}", at / 20)
    };
    let read = read_text("t.csv", &table("variant,run,request_id,metric,value", 40, row));
    let [first, second] = runs(&read)[..] else { panic!("two runs") };
    // 0.10, 0.12, ... 0.28 s and 0.30, ... 0.48 s: medians by hand.
    close(value(first, "median_ttft_ms"), 190.0);
    close(value(second, "median_ttft_ms"), 390.0);
    assert_eq!((first.info.output_tokens, first.info.completed), (Some(70), Some(10)));
}

#[test]
fn failures_and_missing_values_are_counted() {
    for (column, good, bad) in [
        ("success", "True", "False"),
        ("error", "", "connection reset"),
        ("status", "200", "500"),
        ("failed", "0", "1"),
    ] {
        let row = |at: usize| {
            let status = if at == 3 { bad } else { good };
            format!("a,1,{at},{},{status}", if at == 3 { 9999 } else { 100 })
        };
        let read =
            read_text("t.csv", &table(&format!("variant,run,req,ttft_ms,{column}"), 10, row));
        let run = runs(&read)[0];
        assert_eq!((run.info.completed, run.info.failed), (Some(9), Some(1)), "{column}");
        assert_eq!(value(run, "p99_ttft_ms"), 100.0, "{column}");
    }
    // 0, -1, NaN and nothing are no time; a row without any is a failure.
    let read = read_text(
        "t.csv",
        "variant,req,ttft_ms,tpot_ms\na,1,100,5\na,2,110,0\na,3,-1,7\na,4,120,NaN\na,5,,\n",
    );
    let run = runs(&read)[0];
    assert_eq!((value(run, "mean_ttft_ms"), value(run, "mean_tpot_ms")), (110.0, 6.0));
    assert_eq!((run.info.completed, run.info.failed), (Some(4), Some(1)));
    let said = left_out(&read);
    assert!(said.contains(&(
        "column tpot_ms",
        "2 requests have no value there (empty, or 0 or -1 for a latency)"
    )));
}

#[test]
fn starts_and_latencies_give_the_duration() {
    // The last request starts at 900 ms and takes 300 ms.
    let row = |at: usize| format!("a,{at},{},{}", at * 100, if at == 9 { 300 } else { 150 });
    let read = read_text("t.csv", &table("variant,req,start_time_ms,latency_ms", 10, row));
    let run = runs(&read)[0];
    close(value(run, "duration"), 1.2);
    close(value(run, "request_throughput"), 10.0 / 1.2);
    // Times since the start of the run put no runs in order.
    assert_eq!(run.info.started, None);
}

#[test]
fn runs_that_ended_after_a_time_are_one_workload() {
    let row = |at: usize| format!("a,{},{at},{}.5", usize::from(at > 12), 100 + at);
    let read = read_text("t.csv", &table("variant,run,req,ttft_ms", 30, row));
    assert_eq!((read.groups.len(), read.groups[0].workload.requests), (1, None));
    assert!(left_out(&read)[0].1.contains("different numbers of requests"));
}

#[test]
fn numbers_that_repeat_without_a_run_are_pointed_out() {
    let row = |at: usize| format!("a,{},{}.5", at % 5, 100 + at);
    let read = read_text("t.csv", &table("variant,request_id,ttft_ms", 20, row));
    assert_eq!(counts(&read.groups[0]), [("a", 1)]);
    let (place, why) = left_out(&read)[0];
    assert!(place == "column run" && why.contains("numbers the same requests more than once"));
}

#[test]
fn reduced_runs_are_written_and_read_back() {
    let read = dataset(&[&data("numbered.csv")]);
    let text = tidy(&read, Tidy::Csv).expect("a table");
    let again = read_text("runs.csv", &String::from_utf8(text).expect("text"));
    assert_eq!(counts(&again.groups[0]), [("main", 3), ("pr", 3)]);
    for (a, b) in runs(&read).iter().zip(runs(&again)) {
        let metrics = |run: &beyondnoise::runs::Run| {
            run.metrics.iter().map(|(name, v)| (name.to_owned(), v.value)).collect::<Vec<_>>()
        };
        assert_eq!(metrics(a), metrics(b));
    }
}

#[test]
fn a_large_file_is_read_in_blocks_to_the_same_figures() {
    // 40 MB, above the size from which files are not read as a whole; the same rows in two small files.
    let pad = "x".repeat(380);
    let header = "variant,run,request_id,ttft_ms,note";
    let row = |at: usize| {
        let ttft = at.wrapping_mul(2_654_435_761) % 100_003;
        format!(
            "{},{},{at},{}.25,{pad}",
            if at.is_multiple_of(2) { "a" } else { "b" },
            at / 2 % 3,
            ttft + 1
        )
    };
    let whole = table(header, 100_000, row);
    let short = whole.replace(&pad, "x");
    let files = Files::new(&[("large.csv", &whole), ("small.csv", &short)]);
    let figures = |name: &str| {
        let read = dataset(&[&files.path(name)]);
        assert_eq!(read.inputs[0].format, Some("request rows"));
        let all = runs(&read).into_iter().map(|run| {
            let metrics = ["mean_ttft_ms", "std_ttft_ms", "median_ttft_ms", "p99_ttft_ms"];
            (run.variant.clone(), run.info.completed, metrics.map(|metric| value(run, metric)))
        });
        all.collect::<Vec<_>>()
    };
    let (large, small) = (figures("large.csv"), figures("small.csv"));
    assert_eq!(large.len(), 6);
    for ((name, completed, large), (twin, same, small)) in large.iter().zip(&small) {
        assert_eq!((name, completed, &large[2..]), (twin, same, &small[2..]));
        // Other blocks round the sums elsewhere.
        close(large[0], small[0]);
        close(large[1], small[1]);
    }
}

/// Every row and every line is looked at a bounded number of times: else each of these takes minutes.
#[test]
fn long_tables_with_an_id_and_long_logs_are_read_in_one_pass() {
    let row = |at: usize| {
        let (kind, size, setting) = (at % 2, 128 << (at % 3), at % 4);
        let value = 900.0 + (at * 7919 % 997) as f64 / 10.0;
        format!("{},k{kind},{size},s{setting},{value:.1}", at / 12)
    };
    let text = table("run,kind,isl,host,output_throughput", 6_000, row);
    let files = Files::new(&[("t.csv", &text)]);
    assert_eq!(runs(&dataset(&[&files.path("t.csv")])).len(), 6_000);

    let line = |at: usize| format!("throughput: {}.{} tok/s\n\n", 100 + at % 7, at % 9);
    let side = |side: &str| format!("{side}:\n{}", (0..5_000).map(line).collect::<String>());
    let files = Files::new(&[("log.txt", &(side("main") + &side("pr")))]);
    assert_eq!(runs(&dataset(&[&files.path("log.txt")])).len(), 10_000);
}

#[test]
fn a_large_table_of_runs_is_read_in_parts() {
    let pad = "x".repeat(4000);
    let row = |at: usize| {
        let metric = if at.is_multiple_of(2) { "x_ms" } else { "y_ms" };
        format!("{},{},{metric},{at}.5,{pad}", if at < 5000 { "a" } else { "b" }, at / 2)
    };
    let files = Files::new(&[("t.csv", &table("variant,run,metric,value,note", 10_000, row))]);
    let read = dataset(&[&files.path("t.csv")]);
    assert_eq!(counts(&read.groups[0]), [("a", 2500), ("b", 2500)]);
    assert_eq!(value(runs(&read)[4999], "y_ms"), 9999.5);
}

#[test]
fn a_run_column_that_is_named_counts() {
    let text = table("variant,batch,latency_ms", 40, |at| format!("a,{},{}.5", at % 2, 100 + at));
    let files = Files::new(&[("t.csv", &text)]);
    let options = Options { run_column: vec!["batch".to_owned()], ..Options::default() };
    let read = load(&[files.path("t.csv")], &options).expect("a table").dataset;
    assert_eq!(counts(&read.groups[0]), [("a", 2)]);
}
