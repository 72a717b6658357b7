//! Several tables of one text, and what stands beside their values. Expected values are those of the cells in the text beside the
//! assertion; means and sums come from a hand calculation.

use beyondnoise::runs::Dataset;

use super::{Files, are, read_text, runs, seen, try_load};

/// The parts that were left out, with the reasons.
fn skipped(read: &Dataset) -> String {
    let all = read.inputs.iter().flat_map(|input| &input.skipped);
    all.map(|part| format!("{}: {}", part.place, part.why)).collect::<Vec<_>>().join("\n")
}

/// The largest number of runs of one variant in one cell.
fn most(read: &Dataset) -> usize {
    let variants = read.groups.iter().flat_map(|group| &group.variants);
    variants.map(|variant| variant.runs.len()).max().unwrap_or_default()
}

/// A table of nothing but ratios behind its sizes is no result, and its heading no variant.
#[test]
fn a_table_of_ratios_is_none_of_results() {
    let read = are(
        "## Sweep\n\n| depth max | base tok/s | MTP tok/s | speedup |\n|---|---|---|---|\n| 2 | 20.0 | 30.0 | 1.50x |\n\
         | 4 | 20.1 | 28.1 | 1.40x |\n\nBy category:\n\n| depth max | code | prose |\n|---|---|---|\n| 2 | 1.61x | 1.38x |\n\
         | 4 | 1.52x | 1.25x |\n",
        "tok",
        &[("base", 20.0), ("MTP", 30.0), ("base", 20.1), ("MTP", 28.1)],
    );
    assert!(skipped(&read).contains("found only changes"), "{}", skipped(&read));
}

/// Beside tables with variants one without is about something else: its heading is none of them, unless it names a side.
#[test]
fn a_table_without_variants_is_not_read_beside_those_with_some() {
    let results = "## Results\n\n| | Baseline | Draft |\n|---|---|---|\n| tok/s | 35.7 | 23.5 |\n| latency (ms) | 71.7 | 109.1 |\n";
    let read = are(
        &format!(
            "{results}\n## Heads\n\n| Head | Acceptance rate (%) |\n|---|---|\n| h0 | 23.2 |\n| h1 | 7.9 |\n"
        ),
        "tok",
        &[("Baseline", 35.7), ("Draft", 23.5)],
    );
    let names: Vec<&str> = runs(&read).iter().map(|run| &*run.variant).collect();
    assert_eq!(names, ["Baseline", "Draft"]);
    assert!(
        skipped(&read).contains("expected variants as in the table at line"),
        "{}",
        skipped(&read)
    );
}

/// Tables with the same rows and columns under different first headers are about different work: they are not pooled.
#[test]
fn the_first_header_names_what_a_table_is_about() {
    let table = |model: &str, a: &str, b: &str| {
        format!(
            "| {model} | ms/token | Speedup |\n|---|---|---|\n| plain | {a} | |\n| compiled | {b} | 2.00x |\n\n"
        )
    };
    let read = are(
        &format!("{}{}", table("Mo_1B", "36.0", "18.0"), table("Mo_7B", "64.0", "32.0")),
        "ms",
        &[("plain", 36.0), ("compiled", 18.0), ("plain", 64.0), ("compiled", 32.0)],
    );
    assert_eq!(most(&read), 1);
}

/// Means over the rows of each label in the table above are no further runs: (10 + 12) / 2 = 11, (20 + 26) / 2 = 23; (5 + 7) / 2 =
/// 6, (9 + 10) / 2 = 9.5. Other statistics may stand beside them.
#[test]
fn a_table_of_the_means_of_each_label_is_no_run() {
    let read = are(
        "## Runs\n\n| Run | Mode | TTFT (ms) | TPOT (ms) | p99 (ms) |\n|---|---|---|---|---|\n| 1 | native | 10 | 5 | 30 |\n\
         | 2 | mapped | 20 | 9 | 41 |\n| 3 | native | 12 | 7 | 35 |\n| 4 | mapped | 26 | 10 | 40 |\n\n## Aggregates\n\n\
         | Mode | TTFT (ms) | TPOT (ms) | p99 (ms) |\n|---|---|---|---|\n| native | 11 | 6 | 35 |\n| mapped | 23 | 9.5 | 41 |\n",
        "ttft",
        &[("native", 10.0), ("mapped", 20.0), ("native", 12.0), ("mapped", 26.0)],
    );
    assert!(skipped(&read).contains("holds the means of the table at line"), "{}", skipped(&read));
}

/// Totals below the rows of a table without labels: 26.385 + 8.581 + 5.823 = 40.789, 23.021 + 8.472 + 5.694 = 37.187, below
/// an empty line and a second header.
#[test]
fn a_row_of_totals_is_no_run() {
    let read = are(
        "alpha_x,beta_x\n26.385,23.021\n8.581,8.472\n5.823,5.694\n,\nalpha_x,beta_x\n40.789,37.187\n",
        "alpha",
        &[("t", 26.385), ("t", 8.581), ("t", 5.823)],
    );
    assert!(skipped(&read).contains("holds the sum of the rows beside it"), "{}", skipped(&read));
}

/// A header of two rows, merged over columns that compare the others.
#[test]
fn a_header_of_two_rows_may_stand_over_columns_of_changes() {
    are(
        "| Batch | Native | | Flash 2 | | F2 vs N |\n|---|---|---|---|---|---|\n| | ms | TFLOPS | ms | TFLOPS | Speedup |\n\
         | 32 | 1.50 | 50.0 | 0.50 | 150.0 | 3.00x |\n| 16 | 2.00 | 60.0 | 0.80 | 150.1 | 2.50x |\n",
        "tflops",
        &[("Native", 50.0), ("Flash 2", 150.0), ("Native", 60.0), ("Flash 2", 150.1)],
    );
}

/// Two values of a cell belong to the names in its header, beside pairs of sizes; numbered parts of a machine are no variants.
#[test]
fn a_header_of_two_names_splits_its_cells() {
    are(
        "| Case | Nq/Nkv | Ours / SDPA | speedup |\n|---|---|---|---|\n| self | 8192/8192 | 45.4 / 90.8 ms | 2.00x |\n\
         | cross | 1024/8192 | 6.3 / 9.45 ms | 1.50x |\n",
        "time",
        &[("Ours", 45.4), ("SDPA", 90.8), ("Ours", 6.3), ("SDPA", 9.45)],
    );
    let read = read_text(
        "t.md",
        "| build | tok/s | GPU0 / GPU1 power |\n|---|---|---|\n| main | 10.0 | 300 / 310 W |\n| pr | 12.0 | 305 / 315 W |\n",
    );
    let names: Vec<&str> = runs(&read).iter().map(|run| &*run.variant).collect();
    assert_eq!(names, ["main", "pr"]);
    let power = runs(&read)[1].metrics.iter().filter(|(name, _)| name.contains("power")).count();
    assert_eq!(power, 2, "one for each");
}

/// The statistics that a header lists are one metric each.
#[test]
fn a_header_lists_statistics() {
    let text = "| users | TTFT mean/p50/p99 (ms) |\n|---|---|\n| 1 | 143 / 139 / 187 |\n| 8 | 197 / 195 / 224 |\n";
    let read = read_text("t.md", text);
    let values: Vec<f64> = runs(&read)[0].metrics.iter().map(|(_, value)| value.value).collect();
    let mut sorted = values.clone();
    sorted.sort_by(f64::total_cmp);
    assert_eq!(sorted, [139.0, 143.0, 187.0], "{values:?}");
}

/// Columns of labels, and of each label with a statistic, whose cells have units, are not one quantity.
#[test]
fn a_label_comes_again_with_a_statistic() {
    let text = "| sessions | fused | plain dot | fused p90 | dot p90 |\n|---|---|---|---|---|\n\
                | 1 | 97.3 | 30.6 | 10.3 ms | 29.7 ms |\n| 2 | 111.5 | 32.3 | 18.4 ms | 30.9 ms |\n";
    are(text, "p90", &[("fused", 10.3), ("plain dot", 29.7), ("fused", 18.4), ("plain dot", 30.9)]);
    are(
        text,
        "value",
        &[("fused", 97.3), ("plain dot", 30.6), ("fused", 111.5), ("plain dot", 32.3)],
    );
}

/// One metric before and after in two ways, beside another that has one side less.
#[test]
fn sides_of_a_known_metric_come_before_those_of_an_unknown_one() {
    are(
        "| Model | Casts before | Casts after | tok/s before | tok/s after (lazy) | tok/s after (pipe) |\n|---|---|---|---|---|---|\n\
         | m35 | 176 | 60 | 41 | 103 | 138 |\n| m26 | 181 | 181 | 27 | 87 | 111 |\n",
        "tok",
        &[
            ("before", 41.0),
            ("after (lazy)", 103.0),
            ("after (pipe)", 138.0),
            ("before", 27.0),
            ("after (lazy)", 87.0),
            ("after (pipe)", 111.0),
        ],
    );
}

/// Words behind a value, `84.5 — reverted`, are left out; values of one row under different conditions are not compared.
#[test]
fn words_behind_a_value_say_under_which_condition_it_was_measured() {
    let read = are(
        "| change | tok/s before | tok/s after |\n|---|---|---|\n| pack | 51.5 | 57.9 |\n| fuse | 86.5 | 84.5 — reverted |\n",
        "tok",
        &[("before", 51.5), ("after", 57.9), ("before", 86.5), ("after", 84.5)],
    );
    assert!(skipped(&read).contains("reverted"), "{}", skipped(&read));
    let read = are(
        "| | aa 4.0 | bb 2.0 |\n|---|---|---|\n| Weights | 13.4 GiB | 8.1 GiB |\n| Decode | 33.1 tok/s | 40.6 tok/s |\n\
         | Prefill | 939 tok/s at 20K | 984 tok/s at 10K |\n",
        "tok/s",
        &[("aa 4.0", 33.1), ("bb 2.0", 40.6)],
    );
    assert!(skipped(&read).contains("another condition beside it"), "{}", skipped(&read));
}

/// Several quantities with their units in one cell.
#[test]
fn quantities_of_one_cell_are_metrics() {
    are(
        "| | before | after |\n|---|---|---|\n| `Reads` | 130.9 ns, 2 B/op | 101.5 ns, 0 B/op |\n\
         | `Mixed` | 184.3 ns, 10 B/op, 1 alloc | 83.7 ns, 0 B/op |\n",
        "time",
        &[("before", 130.9), ("after", 101.5), ("before", 184.3), ("after", 83.7)],
    );
}

/// Rows of several families have a reference each: 3.0 / 1.5 = 2, 2.4 / 1.6 = 1.5. Numbered names of two words are no repeats.
#[test]
fn rows_may_have_several_references() {
    are(
        "| run | s/it | speedup | notes |\n|---|---|---|---|\n| 00 full daily | 2.4 | full ref | x |\n\
         | 01 adapter storage | 3.0 | adapter ref | y |\n| 02 adapter int | 1.5 | 2.00x | z |\n| 03 full tread | 1.6 | 1.50x (vs 00) | w |\n",
        "s/it",
        &[
            ("00 full daily", 2.4),
            ("01 adapter storage", 3.0),
            ("02 adapter int", 1.5),
            ("03 full tread", 1.6),
        ],
    );
}

/// A column under the name of a side holds all that is compared, and words under the name of a place are labels.
#[test]
fn names_of_columns_that_say_another_thing_than_their_cells() {
    are(
        "| scenario | baseline | tok/s |\n|---|---|---|\n| hard | plain | 212.7 |\n| hard | adaptive | 220.2 |\n| hard | adaptive | 218.0 |\n",
        "tok",
        &[("plain", 212.7), ("adaptive", 220.2), ("adaptive", 218.0)],
    );
    let read = read_text(
        "t.md",
        "| Linear path | tok/s |\n|---|---|\n| custom | 67.9 |\n| library | 66.8 |\n",
    );
    assert_eq!(most(&read), 1, "no repeats of one thing");
}

/// A table that cannot be read is named, also where a sentence below it gives values.
#[test]
fn a_table_that_is_not_read_is_named_beside_a_sentence() {
    let read = read_text(
        "t.md",
        "| what | where |\n|---|---|\n| Sanity | `9` (wrong) |\n| Notes | two words |\n\nDecode went from 33.0 to 40.6 tok/s.\n",
    );
    assert_eq!(seen(&read, "tok").len(), 2, "{:?}", seen(&read, "tok"));
    assert!(skipped(&read).contains("line 1"), "{}", skipped(&read));
}

/// Beside several metrics of both variants every column of changes is about the two before it: 50 to 60 is +20 %, 40 to 44 not
/// +15 %.
#[test]
fn changes_beside_several_metrics_are_about_the_columns_before_them() {
    let text = "| Case | Before ms | After ms | Gain | Before tok/s | After tok/s | Gain |\n|---|---|---|---|---|---|---|\n\
                | a | 100.0 | 80.0 | -20.0% | 50.0 | 60.0 | +20.0% |\n| b | 200.0 | 170.0 | -15.0% | 40.0 | 44.0 | +15.0% |\n";
    let read = read_text("t.md", text);
    let claims: Vec<String> = runs(&read)
        .iter()
        .flat_map(|run| &run.info.claims)
        .map(|claim| format!("{} {:+.2}", claim.metric.as_deref().unwrap_or_default(), claim.size))
        .collect();
    assert_eq!(claims.len(), 4, "{claims:?}");
    assert!(claims.iter().filter(|claim| claim.starts_with("tok/s")).count() == 2, "{claims:?}");
}

/// Beside two sides a column of another quantity is none of them: a size in MB, and a label of a list may join sizes by a colon.
#[test]
fn another_quantity_beside_two_sides_is_no_variant() {
    are(
        "| File | Size | Before | After | Speedup |\n|---|---|---|---|---|\n| aa | 9.3 MB | 52.0 ms | 6.5 ms | 8.0x |\n| bb | 76 MB | 400 ms | 40 ms | 10.0x |\n",
        "time",
        &[("Before", 52.0), ("After", 6.5), ("Before", 400.0), ("After", 40.0)],
    );
    let block = |seconds: &str| {
        format!(
            "```\n============ Serving Benchmark Result ============\nSuccessful requests: 32\n\
             Benchmark duration (s): {seconds}\nMean TTFT (ms): 56.5\n==================================================\n```\n\n"
        )
    };
    let text = format!(
        "- w/o this change, 4K in:1K out\n\n{}- w/ this change, 4K in:1K out\n\n{}",
        block("207.1"),
        block("206.6")
    );
    are(
        &text,
        "duration",
        &[("w/o this change, 4K in:1K out", 207.1), ("w/ this change, 4K in:1K out", 206.6)],
    );
}

/// What looks alike and is none: a statistic that is called `min`, builds whose names end in numbers, columns that add up by
/// chance, rows of a sweep (1 + 2 = 3), values in a unit on one side only, names of configurations beside sides.
#[test]
fn rules_of_layout_keep_to_what_they_are_for() {
    are(
        "| build | min TTFT (ms) |\n|---|---|\n| main | 12.3 |\n| pr | 11.1 |\n",
        "ttft",
        &[("main", 12.3), ("pr", 11.1)],
    );
    are(
        "| seqlen | FA2 / FA3 (ms) |\n|---|---|\n| 1024 | 1.25 / 1.02 |\n| 2048 | 4.5 / 3.9 |\n",
        "ms",
        &[("FA2", 1.25), ("FA3", 1.02), ("FA2", 4.5), ("FA3", 3.9)],
    );
    are(
        "| test | aaa/bbb (tok/s) | aaa/bbb (ms) |\n|---|---|---|\n| a | 1250 / 1350 | 12.5 / 11.5 |\n| b | 2550 / 2750 | 25.5 / 22.5 |\n",
        "tok",
        &[("aaa", 1250.0), ("bbb", 1350.0), ("aaa", 2550.0), ("bbb", 2750.0)],
    );
    let sweep = "| variant | GPUs | tok/s |\n|---|---|---|\n| main | 1 | 1021 |\n| main | 2 | 2040 |\n| main | 3 | 3061 |\n\
                 | pr | 1 | 1102 |\n| pr | 2 | 2203 |\n| pr | 3 | 3305 |\n";
    let read = read_text("t.md", sweep);
    assert_eq!(runs(&read).len(), 6, "{}", skipped(&read));
    are(
        "| model | main | pr |\n|---|---|---|\n| aa | 12.5 ms | 11.2 |\n| bb | 25.5 ms | 24.2 |\n",
        "time",
        &[("main", 12.5), ("pr", 11.2), ("main", 25.5), ("pr", 24.2)],
    );
    are(
        "| 配置 | 优化前 | 优化后 | 提升 |\n|---|---|---|---|\n| batch 1 | 120.5 tok/s | 140.2 tok/s | +16.3% |\n| batch 8 | 480.5 tok/s | 570.2 tok/s | +18.7% |\n",
        "tok",
        &[("优化前", 120.5), ("优化后", 140.2), ("优化前", 480.5), ("优化后", 570.2)],
    );
    // Each side under its own first header, and the sections of engines below a summary, are read.
    let side = |name: &str, one: &str, two: &str| {
        format!("| {name} | tok/s |\n|---|---|\n| short | {one} |\n| long | {two} |\n\n")
    };
    let read =
        read_text("t.md", &(side("Before", "120.5", "80.2") + &side("After", "130.5", "88.2")));
    assert_eq!(seen(&read, "tok").len(), 4, "{}", skipped(&read));
    let section = |name: &str, value: &str| {
        format!(
            "### {name} results\n\n| concurrency | TTFT (ms) |\n|---|---|\n| 1 | {value} |\n| 8 | 9{value} |\n\n"
        )
    };
    let text = "| metric | aaa | bbb |\n|---|---|---|\n| throughput (tok/s) | 1200 | 1300 |\n| latency (ms) | 12 | 11 |\n\n".to_owned()
        + &section("aaa", "21.5")
        + &section("bbb", "19.5");
    let read = read_text("t.md", &text);
    assert_eq!(seen(&read, "ttft").len(), 4, "{}", skipped(&read));
}

/// A change is about the metric in the header of its column: +15 % and -10 %; +10 % of the rate, where it is +15 %, is false.
#[test]
fn a_header_says_which_metric_changed() {
    let text = "| test | main tok/s | PR tok/s | main TTFT | PR TTFT | tok/s change | TTFT change |\n|---|---|---|---|---|---|---|\n\
                | a | 100.0 | 115.0 | 50.0 | 45.0 | +15% | -10% |\n| b | 200.0 | 230.0 | 60.0 | 54.0 | +15% | -10% |\n";
    let read = read_text("t.md", text);
    let of = |metric: &str, size: f64| {
        let claims = runs(&read).into_iter().flat_map(|run| &run.info.claims);
        claims
            .filter(|claim| {
                claim.metric.as_deref().is_some_and(|name| name.to_lowercase().contains(metric))
            })
            .filter(|claim| (claim.size - size).abs() < 1e-9)
            .count()
    };
    assert_eq!([of("tok", 0.15), of("ttft", 0.10)], [2, 2]);
}

/// A factor under both sides that is no change, in columns and in a row; values of which no two have one condition.
#[test]
fn factors_may_be_measured_and_conditions_may_leave_nothing() {
    are(
        "| Model | WER (main) | WER (PR) | RTFx (main) | RTFx (PR) |\n|---|---|---|---|---|\n| aa | 2.6 | 2.6 | 85.7x | 77.6x |\n\
         | bb | 3.8 | 3.8 | 81.7x | 73.9x |\n",
        "rtfx",
        &[("main", 85.7), ("PR", 77.6), ("main", 81.7), ("PR", 73.9)],
    );
    are(
        "| Metric | main | PR |\n|---|---|---|\n| WER | 16.5% | 16.5% |\n| Recall | 98.9% | 98.9% |\n| RTFx | 42.81x | 44.61x |\n",
        "rtfx",
        &[("main", 42.81), ("PR", 44.61)],
    );
    let files = Files::new(&[(
        "t.md",
        "| variant | decode |\n|---|---|\n| main | 939 tok/s at 20K |\n| pr | 1039 tok/s at 4K |\n",
    )]);
    let error = try_load(&[&files.path("t.md")]).map(|_| ()).expect_err("no result").to_string();
    assert!(error.contains("under one condition, found \"at 20K\" and \"at 4K\""), "{error}");
}

/// Names of the index under an empty header; a ratio of two columns by their first words, with a spread of its own, beside a
/// quantity of the machine; goals; two values in some cells of a side.
#[test]
fn headers_and_columns_that_belong_to_no_variant() {
    are(
        "| | | TP8 | | TP4 | |\n|---|---|---|---|---|---|\n| ISL | Conc | TTFT (ms) | TPOT (ms) | TTFT (ms) | TPOT (ms) |\n\
         | 1000 | 256 | 2452.5 | 20.5 | 3214.5 | 27.5 |\n| 4000 | 128 | 4656.5 | 21.5 | 6215.5 | 26.5 |\n",
        "ttft",
        &[("TP8", 2452.5), ("TP4", 3214.5), ("TP8", 4656.5), ("TP4", 6215.5)],
    );
    let read = read_text(
        "t.md",
        "| GPU | HBM (GB/s) | Baseline (tok/s) | MTP n=4 (tok/s) | MTP/Base |\n|---|---|---|---|---|\n\
         | A10 | 600 | 11.67 | 9.14 | 0.78x +/- 0.08 |\n| A100 | 1935 | 9.84 | 8.46 | 0.93x +/- 0.26 (crosses 1.0) |\n",
    );
    let mtp = ("MTP n=4".to_owned(), 9.14);
    assert!(seen(&read, "tok").contains(&mtp) && seen(&read, "tok").len() == 4, "{read:?}");
    assert!(runs(&read).iter().all(|run| run.info.claims.is_empty()), "{read:?}");
    are(
        "| Metric | Baseline | Current | Target |\n|---|---|---|---|\n| p50 latency | 22ms | 11ms | 10ms |\n\
         | p99 latency | 187ms | 46ms | 50ms |\n",
        "p99",
        &[("Baseline", 187.0), ("Current", 46.0)],
    );
    are(
        "| Type | Before (tok/s) | After (tok/s) |\n|---|---|---|\n| int8 | 84 | 453 |\n| f16 | 1476 | 1464 |\n| f32 | 1019 | 1000 |\n\
         | bf16 | 9 → 1631 | 1426 |\n| i8bf16 | 9 → 574 | 454 |\n",
        "tok",
        &[
            ("Before", 84.0),
            ("After", 453.0),
            ("Before", 1476.0),
            ("After", 1464.0),
            ("Before", 1019.0),
            ("After", 1000.0),
            ("After", 1426.0),
            ("After", 454.0),
        ],
    );
}

/// hyperfine prints a pair of commands for each of two works; a shell prints the argument that tells two outputs apart.
#[test]
fn commands_name_the_variant_inside_of_their_work() {
    let part = |nth: usize, command: &str, mean: &str| {
        format!(
            "Benchmark {nth}: {command}\n  Time (mean ± σ):     {mean} s ±  0.432 s    [User: 1.5 s, System: 2.5 s]\n  \
             Range (min … max):   1.5 s … 9.5 s    15 runs\n\n"
        )
    };
    let text = part(1, "./uv-main (cold)", "7.5")
        + &part(2, "./uv-branch (cold)", "7.25")
        + &part(1, "./uv-main (warm)", "2.5")
        + &part(2, "./uv-branch (warm)", "2.25");
    let read = read_text("t.md", &text);
    assert_eq!(read.groups.len(), 2, "{read:?}");
    let main = ("uv-main".to_owned(), 7.5);
    assert!(seen(&read, "wall").contains(&main), "{read:?}");
    let bench = |user: &str, file: &str, rate: &str| {
        format!(
            "{user} pgbench -f {file} -c 10 test\ntransaction type: {file}\nscaling factor: 1\nnumber of clients: 10\n\
             latency average = 235.5 ms\ntps = {rate} (excluding connections establishing)\n"
        )
    };
    let text = bench("a@b:~$", "c.sql", "42.5") + &bench("a@b:~$", "plsh.sql", "32.5");
    are(&text, "throughput", &[("c.sql", 42.5), ("plsh.sql", 32.5)]);
}
