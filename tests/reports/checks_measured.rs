//! Checks of what was measured and of what people wrote beside it: each fires on what it is for, and keeps
//! quiet just below its threshold.

use std::fmt::Write;

use beyondnoise::analysis::analyse;
use beyondnoise::checks::{Outcome, Severity};
use beyondnoise::policy::Policy;
use beyondnoise::read::{File, Options, load, load_bytes};
use beyondnoise::render;
use beyondnoise::report::{Check, ClaimRow, Comparison, Report};
use beyondnoise::verdict::{Headline, Verdict};

fn report_of(files: &[(&str, &str)], base: Option<&str>) -> Report {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(path, text).expect("written");
    }
    let inputs = if let [(name, _)] = files {
        folder.path().join(name).display().to_string()
    } else {
        folder.path().display().to_string()
    };
    let loaded = load(&[inputs], &Options::default()).expect("runs");
    analyse(&loaded.dataset, base, None, &Policy::default()).expect("a comparison")
}

fn first(report: Report) -> Comparison {
    report.comparisons.into_iter().next().expect("a comparison")
}

fn of_note(note: &str) -> Comparison {
    first(report_of(&[("note.md", note)], None))
}

fn of_table(rows: &[String]) -> Comparison {
    first(report_of(&[("runs.csv", &(rows.join("\n") + "\n"))], None))
}

fn found<'a>(comparison: &'a Comparison, id: &str) -> Option<&'a Check> {
    comparison.checks.iter().find(|check| check.id.as_str() == id)
}

fn fires(comparison: &Comparison, id: &str) -> bool {
    found(comparison, id).is_some()
}

/// A text block as vLLM prints it; 100 requests in 50 s, 10,000 tokens in, 20,000 out.
struct Block {
    concurrency: &'static str,
    duration: f64,
    ttft: f64,
    tpot: f64,
    more: &'static str,
}

const BLOCK: Block = Block {
    concurrency: "Maximum request concurrency: 4",
    duration: 50.0,
    ttft: 100.0,
    tpot: 9.5,
    more: "",
};

impl Block {
    fn text(&self) -> String {
        let Self { concurrency, duration, ttft, tpot, more } = self;
        format!(
            "\n============ Serving Benchmark Result ============\n\
             Successful requests: 100\nFailed requests: 0\n{concurrency}\n\
             Benchmark duration (s): {duration:.2}\nTotal input tokens: 10000\n\
             Total generated tokens: 20000\nMean TTFT (ms): {ttft:.2}\nMean TPOT (ms): {tpot:.2}\n{more}\n\
             ==================================================\n\n"
        )
    }
}

/// A note with a baseline and a candidate.
fn note(before: &Block, after: &Block) -> String {
    format!("## before\n{}\n## after\n{}", before.text(), after.text())
}

/// A candidate that differs from [`BLOCK`] a little.
const AFTER: Block = Block { duration: 49.0, ttft: 97.0, tpot: 9.3, ..BLOCK };

fn pair(more: &'static str) -> Comparison {
    of_note(&note(&BLOCK, &Block { more, ..AFTER }))
}

mod tools {
    use super::*;

    fn with(columns: &str, before: &str, after: &str) -> Comparison {
        let rows = ["before", "after"]
            .into_iter()
            .zip([before, after])
            .flat_map(|(name, cells)| [24.1, 24.2].map(|value| format!("{name},{cells},{value}")));
        let head = format!("variant,{columns},output_throughput");
        let all: Vec<String> = std::iter::once(head).chain(rows).collect();
        of_table(&all)
    }

    #[test]
    fn another_client_is_named_whether_or_not_more_differs() {
        for (columns, before, after) in
            [("client", "vllm", "guidellm"), ("client,requests", "vllm,100", "guidellm,200")]
        {
            let refused = with(columns, before, after);
            assert_eq!(refused.headline, Headline::NotComparable, "{columns}");
            let check = found(&refused, "tool-mismatch").expect(columns);
            assert_eq!(check.severity, Severity::Block);
            assert!(check.message.contains("vllm against guidellm"), "{}", check.message);
            // FORMATS of the clients: linear interpolation against an empirical quantile.
            assert!(check.message.contains("percentiles"), "{}", check.message);
            assert_eq!(
                check.message.contains("requests 100 against 200"),
                columns.contains("requests")
            );
            assert!(refused.next_step.contains("same client"), "{}", refused.next_step);
        }
        let other = with("client,requests", "vllm,100", "vllm,200");
        assert!(fires(&other, "workload-mismatch") && !fires(&other, "tool-mismatch"));
        assert!(!fires(&with("client", "vllm", "vllm"), "tool-mismatch"));
    }

    #[test]
    fn prompts_that_differ_by_up_to_one_percent_are_told() {
        let tokens = |b: &str| with("input_tokens", "10000", b);
        let check = tokens("10050");
        let check = found(&check, "input-tokens-differ").expect("0.5 % more");
        assert_eq!(check.severity, Severity::Warn);
        assert!(check.message.contains("10000") && check.message.contains("10050"));
        assert!(!fires(&tokens("10000"), "input-tokens-differ"));
        // By hand: 200 of 10,200 are 1.96 %, another workload.
        assert!(fires(&tokens("10200"), "workload-mismatch"));
    }

    /// Result files of vLLM, two a variant, with this metadata.
    fn with_metadata(before: [&str; 2], after: [&str; 2]) -> Comparison {
        let file = |metadata: &str, rate: f64| {
            format!(
                "{{\"model_id\":\"m\",\"num_prompts\":100,\"completed\":100,\"duration\":{},{metadata},\
                 \"request_throughput\":{rate},\"mean_ttft_ms\":{}}}",
                100.0 / rate,
                50.0 / rate
            )
        };
        let files = [
            ("before/1.json", file(before[0], 2.01)),
            ("before/2.json", file(before[1], 2.02)),
            ("after/1.json", file(after[0], 2.03)),
            ("after/2.json", file(after[1], 2.04)),
        ];
        let files: Vec<(&str, &str)> =
            files.iter().map(|(name, text)| (*name, &text[..])).collect();
        first(report_of(&files, None))
    }

    #[test]
    fn what_else_differs_in_the_metadata_is_listed() {
        let [old, new] = ["\"version\":\"0.10\"", "\"version\":\"0.11\""];
        let differs = with_metadata([old, old], [new, new]);
        let check = found(&differs, "env-mismatch").expect("two versions");
        assert_eq!(check.severity, Severity::Warn);
        assert!(
            check.message.contains("also differ in this: version 0.10 against 0.11"),
            "{}",
            check.message
        );
        assert!(differs.metrics.iter().any(|row| row.verdict != Verdict::NotJudged));
        // A number that varies between the runs of one variant is measured.
        let [low, high] = ["\"mem_gb\":\"40.09\"", "\"mem_gb\":\"40.10\""];
        assert!(!fires(&with_metadata([high, high], [low, high]), "env-mismatch"));
        // One variant mixes both.
        assert!(fires(&with_metadata([old, new], [new, new]), "env-mismatch"));
        assert!(!fires(&with_metadata([old, old], [old, old]), "env-mismatch"));
        for of_the_run in ["\"seed\":\"K\"", "\"run_id\":\"K\"", "\"label\":\"K\"", "\"x\":K.12345"]
        {
            let [a, b] = [1, 2].map(|k| of_the_run.replace('K', &k.to_string()));
            let quiet = with_metadata([&a, &a], [&b, &b]);
            assert!(!fires(&quiet, "env-mismatch"), "{of_the_run}");
        }
        // Both mix the same.
        assert!(!fires(&with_metadata([old, new], [old, new]), "env-mismatch"));
        for key in ["rep", "Unnamed: 0", "prompt_characters", "word_count", "shard_index"] {
            let [a, b] = [1, 2].map(|k| format!("\"{key}\":\"{k}\""));
            assert!(!fires(&with_metadata([&a, &a], [&b, &b]), "env-mismatch"), "{key}");
        }
        // Every run has another one.
        let [a, b, c, d] = [1, 2, 3, 4].map(|k| format!("\"pages\":{k}"));
        assert!(!fires(&with_metadata([&a, &b], [&c, &d]), "env-mismatch"));
    }

    /// Rows of two variants, three runs each, with one more column.
    fn named([a, b]: [&str; 2], column: &str, cells: [[&str; 3]; 2]) -> Comparison {
        let mut rows = vec![format!("variant,{column},output_throughput")];
        for (name, cells) in [a, b].into_iter().zip(cells) {
            rows.extend(
                cells.iter().zip([24.1, 24.2, 24.3]).map(|(cell, x)| format!("{name},{cell},{x}")),
            );
        }
        first(report_of(&[("runs.csv", &rows.join("\n"))], Some(a)))
    }

    /// What the labels say already is the change under test, not one beside it.
    #[test]
    fn what_the_labels_say_is_not_told_again() {
        let quiet = |labels, column, cells: [&str; 2]| {
            !fires(&named(labels, column, cells.map(|cell| [cell; 3])), "env-mismatch")
        };
        assert!(quiet(["server-0.10.0", "server-0.11.0"], "release", ["0.10.0", "0.11.0"]));
        assert!(quiet(["mode=p", "mode=q"], "mode", ["p", "q"]));
        // One or two characters are in many words.
        assert!(!quiet(["a-p", "a-q"], "mode", ["p", "q"]));
        assert!(quiet(["a-ppp", "a-qqq"], "mode", ["ppp", "qqq"]));
        // Only one of them says it.
        assert!(!quiet(["server-0.10.0", "new"], "release", ["0.10.0", "0.11.0"]));
        assert!(!quiet(["old", "server-0.11.0"], "release", ["0.10.0", "0.11.0"]));
        // What is left of the values without the labels is the same, or is not.
        assert!(quiet(["3.0", "3.1"], "family", ["x3.0y", "x3.1y"]));
        assert!(!quiet(["3.0", "3.1"], "family", ["x3.0y", "z3.1y"]));
        // Two values in one variant are two settings, unless the user pools them.
        let mixed = [["0.10.0", "0.10.0", "0.10.1"], ["0.11.0"; 3]];
        let labels = ["server-0.10.0", "server-0.11.0"];
        assert_eq!(named(labels, "release", mixed).headline, Headline::NotComparable);
        let rows = |(name, cells): (&str, [&str; 3])| {
            cells.map(|cell| format!("{name},{cell},24.1\n")).concat()
        };
        let table = labels.into_iter().zip(mixed).map(rows).collect::<String>();
        let table = format!("variant,release,output_throughput\n{table}");
        let file = File { variant: None, name: "t.csv", bytes: table.as_bytes() };
        let options = Options { pool: vec!["release".to_owned()], ..Options::default() };
        let pooled = load_bytes(&[file], &options).expect("readable").dataset;
        let comparison =
            first(analyse(&pooled, Some(labels[0]), None, &Policy::default()).expect("two"));
        let check = found(&comparison, "env-mismatch").expect("told");
        assert!(
            check.message.contains("release 0.10.0 and 0.10.1 against 0.11.0"),
            "{}",
            check.message
        );
    }

    #[test]
    fn another_device_is_not_compared() {
        let [a, b] = ["\"gpu_name\":\"H100\"", "\"gpu_name\":\"H200\""];
        let refused = with_metadata([a, a], [b, b]);
        assert_eq!(refused.headline, Headline::NotComparable);
        assert_eq!(found(&refused, "env-mismatch").expect("two devices").severity, Severity::Block);
        assert!(refused.next_step.contains("device"), "{}", refused.next_step);
        assert!(!fires(&with_metadata([a, a], [a, a]), "env-mismatch"));
    }

    #[test]
    fn a_factor_near_a_thousand_is_another_unit() {
        let scaled = |factor: f64| {
            let rows = ["variant,output_throughput,mean_ttft_ms".to_owned()].into_iter().chain(
                [("before", 1.0), ("after", factor)].into_iter().flat_map(|(name, factor)| {
                    [50.0, 51.0].map(|v| format!("{name},{},{}", v + 1.0, v * factor))
                }),
            );
            of_table(&rows.collect::<Vec<_>>())
        };
        // By hand: up to a factor of 2 from 1000 or 0.001.
        // Also nanoseconds against milliseconds and seconds, and minutes and hours against seconds, which are hit as
        // closely as the noise of 51 against 50 lets them.
        for factor in
            [1000.0, 501.0, 1999.0, 0.001, 0.0019, 1e6, 1e-6, 1e9, 60.0, 1.0 / 60.0, 3600.0]
        {
            let comparison = scaled(factor);
            assert!(fires(&comparison, "unit-suspect"), "{factor}");
            assert_eq!(comparison.headline, Headline::NotComparable);
            let figures = &found(&comparison, "unit-suspect").expect("fires").message;
            assert!(
                !(0.0015..0.01).contains(&factor) || figures.contains(" 50.5 against 0.09595,"),
                "{figures}"
            );
            assert!(comparison.next_step.contains("unit"), "{}", comparison.next_step);
            let verdict = |name: &str| {
                comparison.metrics.iter().find(|row| row.metric == name).expect(name).verdict
            };
            assert_eq!(verdict("mean_ttft_ms"), Verdict::NotJudged);
            assert_ne!(verdict("output_throughput"), Verdict::NotJudged);
        }
        for factor in [499.0, 2001.0, 0.0021, 1.0, 50.0, 1.0 / 50.0, 70.0] {
            assert!(!fires(&scaled(factor), "unit-suspect"), "{factor}");
        }
    }
}

mod consistency {
    use super::*;

    #[test]
    fn figures_of_a_block_that_contradict_each_other_are_told() {
        // After: 100 requests in 49 s are 2.0408 req/s, 20,000 tokens 408.16 tok/s, with the prompts 612.24.
        for (firing, quiet) in [
            ("Output token throughput (tok/s): 410.30", "Output token throughput (tok/s): 410.10"),
            ("Request throughput (req/s): 2.06", "Request throughput (req/s): 2.05"),
            ("Total token throughput (tok/s): 616.00", "Total token throughput (tok/s): 615.00"),
            (
                "P99 TTFT (ms): 99.00\nMedian TTFT (ms): 99.50",
                "P99 TTFT (ms): 99.00\nMedian TTFT (ms): 98.99",
            ),
            (
                "P95 TTFT (ms): 99.00\nP99 TTFT (ms): 98.00",
                "P95 TTFT (ms): 98.00\nP99 TTFT (ms): 98.00",
            ),
            (
                "P50 TTFT (ms): 90.00\nMedian TTFT (ms): 90.02",
                "P50 TTFT (ms): 90.00\nMedian TTFT (ms): 90.01",
            ),
            ("Max TTFT (ms): 96.00", "Max TTFT (ms): 97.00"),
            (
                "Input token throughput (tok/s): 204.08\nOutput token throughput (tok/s): 408.16\n\
                 Total token throughput (tok/s): 608.00",
                "Input token throughput (tok/s): 204.08\nOutput token throughput (tok/s): 408.16\n\
                 Total token throughput (tok/s): 612.24",
            ),
        ] {
            let comparison = pair(firing);
            let check = found(&comparison, "inconsistent-block").expect(firing);
            assert_eq!(check.severity, Severity::Warn);
            assert!(!fires(&pair(quiet), "inconsistent-block"), "{quiet}");
        }
    }

    /// TTFT + TPOT x 199 at 100 requests in 50 s, that is 2 a second.
    #[test]
    fn requests_in_flight_follow_from_latency_and_rate() {
        // (0.1 + 0.0095 x 199) x 2 = 3.98 of 4; with 9.01 ms 3.786, 5.4 % less; with 9.1 ms 3.82, 4.5 % less.
        let told = |tpot| of_note(&note(&Block { tpot, ..BLOCK }, &AFTER));
        assert!(fires(&told(9.01), "little-law"));
        assert!(!fires(&told(9.1), "little-law"));
        assert_eq!(found(&told(9.01), "little-law").expect("told").severity, Severity::Note);
    }

    #[test]
    fn a_short_run_is_told() {
        // Half a minute, and five times (100 + 199 x 9.5) ms = 1.99 s, which is less.
        let lasts = |duration| of_note(&note(&Block { duration, ..BLOCK }, &AFTER));
        assert!(fires(&lasts(29.9), "short-run"));
        assert!(!fires(&lasts(30.0), "short-run"));
        // Five times (100 + 199 x 50) ms are 50.25 s, and of the measured 9 s 45 s.
        let slow = |more| of_note(&note(&Block { tpot: 50.0, more, ..BLOCK }, &AFTER));
        assert!(fires(&slow(""), "short-run"));
        assert!(!fires(&slow("Mean E2EL (ms): 9000.00"), "short-run"));
    }

    /// Account by hand: TTFT −3 ms, 199 x −0.2 ms = −39.8 ms, together −42.8 ms.
    #[test]
    fn the_account_of_a_request_agrees_with_its_measured_latency() {
        let measured = |before, after| {
            let before = Block { more: before, ..BLOCK };
            of_note(&note(&before, &Block { more: after, ..AFTER })).per_request
        };
        let account = pair("").per_request.expect("an account");
        assert!((account.total_ms - -42.8).abs() < 1e-9 && (account.ttft_ms - -3.0).abs() < 1e-9);
        let e2el =
            ["Mean E2EL (ms): 1990.50", "Mean E2EL (ms): 1947.70", "Mean E2EL (ms): 1930.00"];
        assert!(measured(e2el[0], e2el[1]).is_some());
        assert!(measured(e2el[0], e2el[2]).is_none(), "−60.5 ms measured");
        // All at once: the same account.
        let burst = Block { concurrency: "", ..BLOCK };
        let after = Block { concurrency: "", ..AFTER };
        assert!(of_note(&note(&burst, &after)).per_request.is_some());
    }
}

mod trade_off {
    use super::*;

    fn runs(cap: &str, ttft: f64, tpot: f64) -> Comparison {
        let mut rows = vec![
            "variant,requests,max_concurrency,request_rate,output_throughput,mean_ttft_ms,mean_tpot_ms".to_owned(),
        ];
        for (name, ttft, tpot) in [("before", 1.0, 1.0), ("after", ttft, tpot)] {
            for run in [-1.0, 0.0, 1.0, 0.5] {
                let wobble = 1.0 + 0.001 * run;
                let (rate, a, b) = (500.0 * wobble, 100.0 * ttft * wobble, 10.0 * tpot * wobble);
                rows.push(format!("{name},1000,{cap},unlimited,{rate:.3},{a:.4},{b:.4}"));
            }
        }
        of_table(&rows)
    }

    #[test]
    fn what_the_headline_says_has_a_check_with_its_numbers() {
        let both = runs("4", 0.9, 1.1);
        assert_eq!(both.headline, Headline::TradeOff);
        let check = found(&both, "trade-off").expect("a trade-off");
        assert_eq!(check.evidence["better"][0]["metric"], "mean_ttft_ms");
        assert_eq!(check.evidence["worse"][0]["metric"], "mean_tpot_ms");
        assert!(!fires(&runs("4", 0.9, 0.9), "trade-off"));
        // Beyond noise but under the 1 % that matters.
        assert!(!fires(&runs("4", 0.9, 1.007), "trade-off"));
    }

    #[test]
    fn where_throughput_decides_it_is_a_note() {
        let burst = runs("unlimited", 0.9, 1.1);
        assert_ne!(burst.headline, Headline::TradeOff);
        let check = found(&burst, "trade-off").expect("a trade-off");
        assert_eq!(check.severity, Severity::Note);
        assert!(check.message.contains("throughput does"), "{}", check.message);
    }
}

mod claims {
    use super::*;

    fn of_seed(name: &str) -> Vec<(Vec<ClaimRow>, Vec<Check>)> {
        let path = format!("{}/data/notes/{name}", env!("CARGO_MANIFEST_DIR"));
        let loaded = load(&[path], &Options::default()).expect("a note");
        let report = analyse(&loaded.dataset, None, None, &Policy::default()).expect("comparisons");
        let with_claims = report.comparisons.into_iter().filter(|c| !c.claims.is_empty());
        with_claims.map(|c| (c.claims, c.checks)).collect()
    }

    fn check(checks: &[Check]) -> &Check {
        checks.iter().find(|check| check.id.as_str() == "claim-check").expect("a claim check")
    }

    /// By hand: 14120.81 / 14624.41 = 0.96556; 13971.41 / 13665.09 = 1.02242, of which the logarithm over the
    /// root of 2 is 0.01568; 1.96 x 0.01568 x 1.41421 = 0.04345, as a ratio 4.44 %.
    #[test]
    fn a_claim_that_holds_is_held_against_the_repeats_of_its_note() {
        let all = of_seed("burst-cache-steps.txt");
        let [(claims, checks)] = &all[..] else { panic!("one comparison has the claim") };
        let [claim] = &claims[..] else { panic!("shown once") };
        assert_eq!((claim.text.as_str(), claim.outcome), ("TTFT ⬇️ 3.44%", Outcome::Matches));
        assert_eq!(claim.metric.as_deref(), Some("mean_ttft_ms"));
        assert_eq!((claim.claimed, claim.against.as_deref()), (-0.0344, Some("baseline")));
        assert!((claim.measured.expect("measured") - -0.034_436).abs() < 1e-6);
        let found = check(checks);
        assert_eq!(found.severity, Severity::Warn);
        for words in
            ["matches: mean TTFT −3.44 %", "within run-to-run noise", "differ by 2.2 %", "4.4 %"]
        {
            assert!(found.message.contains(words), "{words}: {}", found.message);
        }
    }

    /// By hand: 10232.89 / 10584.73 = 0.96676, 10232.89 / 10365.81 = 0.98718.
    #[test]
    fn a_claim_against_the_previous_step_is_no_claim_against_the_baseline() {
        let all = of_seed("two-workloads-five-steps.txt");
        let [(claims, checks)] = &all[..] else { panic!("one comparison has the claim") };
        let [claim] = &claims[..] else { panic!("shown once") };
        assert_eq!(claim.outcome, Outcome::OtherBaseline);
        assert_eq!(claim.against.as_deref(), Some("并行 q/k/v pad"));
        assert!((claim.measured.expect("measured") - -0.033_240).abs() < 1e-6);
        let found = check(checks);
        for words in
            ["holds only against the previous step", "−3.32 %", "it is −1.28 % against Baseline"]
        {
            assert!(found.message.contains(words), "{words}: {}", found.message);
        }
        assert_eq!(found.evidence["claims"][0]["outcome"], "other_baseline");
    }

    #[test]
    fn both_stand_in_every_form_of_the_report() {
        for (name, words) in [
            ("burst-cache-steps.txt", "is within run-to-run noise"),
            ("two-workloads-five-steps.txt", "holds only against the previous step"),
        ] {
            let path = format!("{}/data/notes/{name}", env!("CARGO_MANIFEST_DIR"));
            let loaded = load(&[path], &Options::default()).expect("a note");
            let report =
                analyse(&loaded.dataset, None, None, &Policy::default()).expect("a report");
            let text = render::text(
                &report,
                render::TextOptions { width: 9999, verbose: true, ..Default::default() },
            );
            for form in [text, render::markdown(&report), render::json(&report)] {
                assert!(form.contains(words), "{name}: {form}");
            }
        }
    }

    /// A note with this line between the candidate's heading and its block. TTFT goes from 100 to 97 ms, TPOT
    /// from 9.5 to 9.3 ms (−2.105 %), duration from 50 to 49 s, so that throughput rises by 2.0408 %.
    fn claimed(line: &str) -> ClaimRow {
        let text = format!("## before\n{}\n## after\n\n{line}\n\n{}", BLOCK.text(), AFTER.text());
        let claims = of_note(&text).claims;
        let [claim] = &claims[..] else { panic!("{line}: {claims:?}") };
        claim.clone()
    }

    #[test]
    fn every_outcome_is_told_apart() {
        use Outcome::{Differs, Matches, NotChecked, OtherSign};
        for (line, outcome) in [
            ("TTFT ⬇️ 3.00%", Matches),
            ("mean TTFT -3.09%", Matches),
            // By hand: 1 - 100 / 97 = −3.093 %; 0.1 points from either is the limit.
            ("TTFT −3.25%", Differs),
            ("TTFT −2.85%", Differs),
            ("TTFT ⬆️ 3.00%", OtherSign),
            ("TTFT 降低 3.0%", Matches),
            ("TTFT 提升 3.0%", Matches),
            ("TTFT 增加 3.0%", OtherSign),
            ("吞吐提升 2.04%", Matches),
            ("throughput 2.0% faster", Matches),
            ("throughput 2.00% of the new value faster", Matches),
            ("总耗时减少 2%", Matches),
            ("+2.04%", Matches),
            // Two digits less are half a percent more.
            ("TTFT 3% lower", Matches),
            ("TTFT 4% lower", Differs),
            // S7: the time of a token is that of decoding; a bound is no change.
            ("decode −2.1%", Matches),
            // The statement with the change names its metric, and not the one beside it.
            ("it decodes 2.1% faster; first-token latency is another matter", Matches),
            ("TTFT is another matter; decode −2.1%", Matches),
            ("TTFT lower by three percent", Matches),
            ("no more than 3% TTFT overhead", NotChecked),
            ("P99 TTFT −3.00%", NotChecked),
            ("GPU utilization 97%", NotChecked),
            ("TTFT 波动 3%", NotChecked),
            // The two values are no metric's here, in the sentence that goes on as well.
            ("音频吞吐量从 12.16 audio-s/s 提升到 33.07 audio-s/s（+182.0%）", NotChecked),
            ("but `hcom_allReduce` is 15% slower", NotChecked),
            ("draft fetch count is 50% lower", NotChecked),
            (
                "Of a cold file system we read 1,418 → ~370 blocks,\n**2.23× faster** than before",
                NotChecked,
            ),
            ("The second sentence says that P99 TTFT\nis 3.00% lower than it was", NotChecked),
        ] {
            let claim = claimed(line);
            assert_eq!(claim.outcome, outcome, "{line}: {}", claim.message);
            assert_eq!(claim.measured.is_none(), outcome == NotChecked, "{line}");
            assert_eq!(claim.metric.is_none(), outcome == NotChecked, "{line}");
        }
        assert!((claimed("TTFT 降低 3.0%").claimed - -0.03).abs() < 1e-12);
    }

    /// The words that follow a claim, whole; the changes are those of [`claimed`].
    #[test]
    fn the_words_say_of_which_value_and_against_what() {
        for (line, words) in [
            ("TTFT ⬇️ 3.00%", "matches: mean TTFT −3.00 % against before"),
            ("mean TTFT -3.15%", "matches: mean TTFT −3.09 % of the new value against before"),
            ("TTFT −3.25%", "differs: mean TTFT −3.00 % against before"),
            ("TTFT ⬆️ 3.00%", "has the other sign: mean TTFT −3.00 % against before"),
            // Without a direction only the size can be wrong.
            ("TTFT 3.00%", "matches: mean TTFT −3.00 % against before"),
            ("TTFT 2.80%", "differs: mean TTFT −3.00 % against before"),
            // A tenth of a point is the limit, or what the printed digits leave open; by hand: 97 / 100 = −3 %, 9.3 / 9.5 =
            // −2.105 %, and 9.25 … 9.35 of 9.45 … 9.55 are −3.1 … −1.1 %.
            ("TTFT −2.90%", "matches: mean TTFT −3.00 % against before"),
            ("TPOT −2.00%", "matches: mean TPOT −2.11 % against before"),
            ("TPOT −4.00%", "differs: mean TPOT −2.11 % against before"),
        ] {
            assert_eq!(claimed(line).message, words, "{line}");
        }
        let bare = claimed("3.00%");
        assert_eq!(bare.outcome, Outcome::NotChecked);
        assert_eq!(bare.message, "is not checked: it names neither a metric nor a direction");
        let missing = claimed("P99 TTFT −3.00%");
        assert_eq!(
            missing.message,
            "is not checked: no metric that it could mean was measured in both variants"
        );
    }

    /// By hand: 110 / 100 = 1.10, 126 / 120 = 1.05, 143 / 130 = 1.10 of the first against the second, whichever is the baseline.
    #[test]
    fn a_ratio_of_two_columns_is_about_them_in_their_order() {
        let table = "| len | Alpha (us) | Beta (us) | Alpha/Beta |\n|--|--|--|--|\n| 1024 | 110.0 | 100.0 | 1.100 |\n\
                     | 2048 | 126.0 | 120.0 | 1.050 |\n| 4096 | 143.0 | 130.0 | 1.100 |\n";
        for base in ["Alpha", "Beta"] {
            let report = report_of(&[("note.md", table)], Some(base));
            let claims = report.comparisons.iter().flat_map(|comparison| &comparison.claims);
            let outcomes: Vec<Outcome> = claims.map(|claim| claim.outcome).collect();
            assert_eq!(outcomes, [Outcome::Matches; 3], "{base}");
        }
    }

    /// By hand: 281.9 / 320.4 = 0.87984 (−12.02 %; 320.4 / 281.9 = 1.1366), 22.60 / 24.80 = 0.91129 (−8.87 %), 1702.7 / 1520.3 = 1.11998.
    #[test]
    fn a_claim_is_about_what_its_words_and_values_say() {
        use Outcome::{Differs, Matches, NotChecked, OtherSign};
        let table = "| Build | TTFT (ms) | TPOT (ms) | throughput (tok/s) |\n|---|---|---|---|\n\
                     | main | 320.4 | 24.80 | 1520.3 |\n| pr | 281.9 | 22.60 | 1702.7 |\n";
        for (sentence, outcome) in [
            // Two values, either way round where the words do not say which is which.
            ("TTFT is down by 12.0% (320.4 -> 281.9 ms).", Matches),
            ("Throughput: 1702.7 vs 1520.3 tok/s (+12.0%).", Matches),
            ("Throughput: 1520.3 vs 1702.7 tok/s (+12.0%).", Matches),
            ("Throughput: 1702.7 vs 1520.3 tok/s (10.7% lower).", OtherSign),
            ("Throughput goes from 1702.7 to 1520.3 tok/s (-10.7%).", OtherSign),
            ("TTFT improved from 320.4 to 291.9 ms (-8.9%).", NotChecked),
            ("TTFT improved from 320.4 to 291.9 ms (-12.0%).", Differs),
            ("TTFT improved by 8.9% (24.80 -> 22.60 ms).", NotChecked),
            ("ITL drops by 12.0% (320.4 -> 281.9 ms).", NotChecked),
            (
                "Copying takes 77.5 instead of 80.0 us, a change from 80.0 to 77.5 us (-3.1%).",
                Matches,
            ),
            // The direction is that of the candidate.
            ("TTFT is 13.7% higher.", OtherSign),
            ("The rate of tokens per second is 12.0% lower.", OtherSign),
            // What a clause leaves out stands before it, and what it names does not.
            ("TPOT is 8.9% lower, TTFT 12.0%.", Matches),
            ("TTFT is down 12.0%, TPOT is within noise.", Matches),
            ("TPOT is down 12.0%, TTFT is within noise.", Differs),
            ("TTFT is down 12.0%, within noise.", NotChecked),
            ("TTFT is 12.0% lower and ITL 12.0% lower.", NotChecked),
            ("TTFT is 12.0% lower and queueing 12.0%.", NotChecked),
            ("TTFT is 12.0% lower and TPOT 12.0% lower.", Differs),
            // Names and values beside a metric that is here are no excuse.
            ("With `torch_compile` TPOT drops by 20%.", Differs),
            ("After 600 s of warmup throughput is 30% higher.", Differs),
            ("TTFT is 20% lower than last week.", Differs),
            ("It is 3.08x as fast, and 20% faster than the sequential reference.", NotChecked),
            ("Due to the cache throughput is close to 40% higher.", Differs),
        ] {
            let claims =
                first(report_of(&[("note.md", &format!("{table}\n{sentence}\n"))], None)).claims;
            let last = claims.last().map(|claim| (claim.outcome, claim.message.clone()));
            assert_eq!(
                last.as_ref().map(|(found, _)| *found),
                Some(outcome),
                "{sentence}: {last:?}"
            );
        }
    }

    /// By hand: 337.3 / 286.6 = 1.1769, 337.3 / 198.2 = 1.7018, 286.6 / 198.2 = 1.4460, whatever the baseline.
    #[test]
    fn a_sentence_with_than_is_about_the_two_that_it_names() {
        let note = "* alpha is at 337.3 req/s\n* beta is at 286.6 req/s\n* gamma is at 198.2 req/s\n\n\
                    alpha is 17.7% faster than beta\nalpha is 70.2% faster than gamma\nbeta is 30% faster than gamma\n";
        for base in ["beta", "gamma"] {
            let claims = first(report_of(&[("note.md", note)], Some(base))).claims;
            let outcomes: Vec<Outcome> = claims.iter().map(|claim| claim.outcome).collect();
            let expected = [Outcome::Matches, Outcome::Matches, Outcome::Differs];
            assert_eq!(outcomes, expected, "{base}: {claims:?}");
        }
    }

    /// By hand: 0.618 / 1.050 = 58.86 %, 31.051 / 109.341 = 28.40 %, 52.1 / 163.7 = 31.8 % of the second.
    #[test]
    fn a_percentage_without_a_sign_may_be_a_share_of_the_other_column() {
        let table = "| M | Own TFLOPS | Lib TFLOPS | Own/Lib |\n|--|--|--|--|\n| 1 | 0.618 | 1.050 | 58.9% |\n\
                     | 64 | 31.051 | 109.341 | 28.4% |\n| 512 | 52.1 | 163.7 | 31.8% |\n";
        for base in ["Own", "Lib"] {
            let report = report_of(&[("note.md", table)], Some(base));
            let claims = report.comparisons.iter().flat_map(|comparison| &comparison.claims);
            let outcomes: Vec<Outcome> = claims.map(|claim| claim.outcome).collect();
            assert_eq!(outcomes, [Outcome::Matches; 3], "{base}");
        }
    }

    /// By hand: 100.5 / 35.6 = 2.823, 100.5 / 40.6 = 2.475, 40.6 / 35.6 = 1.140. The row that the others are compared with
    /// claims nothing, and a percentage that no column explains is none of theirs.
    #[test]
    fn a_change_over_a_named_variant_is_against_it() {
        let note = "**Q-4B** on M4 Max, 36 GB &mdash; **2.8x** faster than cpp, **2.5x** faster than lm\n\n\
                    | | tok/s | speedup |\n|---|---:|---:|\n| cpp | 35.6 | 1.0x |\n| lm | 40.6 | 1.1x |\n| own | 100.5 | 2.8x |\n";
        for base in ["cpp", "lm"] {
            let report = report_of(&[("note.md", note)], Some(base));
            let claims: Vec<&ClaimRow> =
                report.comparisons.iter().flat_map(|comparison| &comparison.claims).collect();
            let bad = |claim: &&&ClaimRow| {
                matches!(claim.outcome, Outcome::Differs | Outcome::OtherSign | Outcome::NotChecked)
            };
            assert_eq!(claims.len(), 4, "{base}: {claims:?}");
            assert!(!claims.iter().any(|claim| bad(&claim)), "{base}: {claims:?}");
        }
        let table = "| arm | pp512 (t/s) | tg128 (t/s) | score |\n|---|---|---|---|\n| prior | 3403.3 | 129.7 | +51.48% |\n\
                     | fuse | 3407.5 | 129.7 | +51.58% |\n| pin | 1139 | 107.35 | 0 |\n";
        let report = report_of(&[("note.md", table)], Some("pin"));
        assert!(report.comparisons.iter().all(|comparison| comparison.claims.is_empty()));
    }

    /// By hand: 2.3 / 1.15 = 2.0 and 435 / 870 = 0.5; 298.34 / 306.65 = 0.9729, 336.35 / 306.65 = 1.0968; 5.46 / 6.16 = 0.8864.
    #[test]
    fn true_claims_are_never_called_false() {
        let all_match = |note: &str, base: &str, count: usize| {
            let report = report_of(&[("note.md", note)], Some(base));
            let claims: Vec<&ClaimRow> =
                report.comparisons.iter().flat_map(|comparison| &comparison.claims).collect();
            let good = claims.iter().filter(|claim| claim.outcome == Outcome::Matches).count();
            assert_eq!((claims.len(), good), (count, count), "{claims:?}");
        };
        let table = "| Setup | it/s | ms/step | Speedup |\n|---|---|---|---|\n| Baseline | 1.15 | 870 | 1.0x |\n\
                     | compiled | 2.3 | 435 | 2.0x |\n";
        all_match(table, "Baseline", 1);
        let list = "| Lane | ms/step |\n|---|---|\n| base | 306.65 |\n| inter | 298.34 |\n| ell | 336.35 |\n\n### Speed-up\n\n\
                    - inter: +2.7% (298.34 vs 306.65 ms/step)\n- ell: -9.7% (336.35 vs 306.65 ms/step)\n";
        all_match(list, "base", 2);
        // 12.34 / 8.41 = 1.467, 12.34 / 2.97 = 4.155; 0.3360 / 0.6292 = 0.534 of the time, 0.4157 / 0.6292 = 0.661.
        let stages = "| Stage | ms/step | against the baseline |\n|---|---|---|\n| first baseline | 12.34 | 1.00x |\n| early | 8.41 | 1.47x |\n| graph | 2.97 | 4.16x |\n";
        all_match(stages, "first baseline", 2);
        let unsigned = "| Method | Sec/Step | Val Perplexity | Speedup |\n|---|---|---|---|\n| Baseline | 0.6292 | 60.06 | - |\n\
                        | BF16 | 0.4157 | 59.96 | **33.9%** |\n| Flash | 0.3360 | 60.66 | **46.6%** |\n";
        all_match(unsigned, "Baseline", 2);
        // Of several rows without a change nobody knows which is meant.
        let families = "| Method | TPS | vs native |\n|---|---|---|\n| A own | 179.83 | 1.3951× |\n| A native | 128.90 | 1.0000× |\n\
                        | B own | 71.89 | 1.0099× |\n| B native | 71.19 | 1.0000× |\n";
        all_match(families, "A native", 0);
        let chinese = "| Method | TPOT (ms) |\n|---|---|\n| AR Baseline | 7.47 |\n| Linear K=6 | 6.16 |\n| Dyna | 5.46 |\n\n\
                       - TPOT：Dyna 最低（5.46ms），比 Linear K=6（6.16ms）快 **11%**\n";
        all_match(chinese, "AR Baseline", 1);
    }

    /// By hand: 39.2 / 16.4 = 2.390, 92.69 / 53.71 = 1.726.
    #[test]
    fn a_ratio_below_the_sides_of_a_case_is_a_claim_about_them() {
        let note = "* 7B:\n  * main: 39.2 ms/tok\n  * PR: 16.4 ms/tok\n  * = 2.39x\n\
                    * 30B:\n  * main: 92.69 ms/tok\n  * PR: 53.71 ms/tok\n  * = 2.73x\n";
        let report = report_of(&[("note.md", note)], None);
        let claims = report.comparisons.iter().flat_map(|comparison| &comparison.claims);
        let outcomes: Vec<(&str, Outcome)> =
            claims.map(|claim| (claim.text.trim_start_matches("* "), claim.outcome)).collect();
        assert_eq!(outcomes, [("= 2.39x", Outcome::Matches), ("= 2.73x", Outcome::Differs)]);
    }

    /// The repeats of two other variants, of which the squared standard deviations of the logarithms count as often
    /// as they have runs less one: numpy, sqrt((2 var(ln [95, 100, 105]) + var(ln [98, 102])) / 3) = 0.044006; the
    /// reach is exp(1.959964 x 0.044006 x sqrt(2)) - 1 = 0.129727.
    #[test]
    fn the_noise_of_a_claim_is_pooled_over_what_was_repeated() {
        let mut text =
            format!("## before\n{}\n## after\nTTFT −3.00%\n{}", BLOCK.text(), AFTER.text());
        for (name, all) in [("one", &[95.0, 100.0, 105.0][..]), ("two", &[98.0, 102.0])] {
            text += &["## ", name, "\n"].concat();
            for (k, ttft) in all.iter().enumerate() {
                let duration = 50.0 + k as f64;
                text += &Block { ttft: *ttft, duration, ..BLOCK }.text();
            }
        }
        let report = report_of(&[("note.md", &text)], Some("before"));
        let after = report.comparisons.iter().find(|c| c.candidate.name == "after");
        let check = found(after.expect("compared"), "claim-check").expect("a claim check");
        assert_eq!(check.severity, Severity::Warn);
        let claim = &check.evidence["claims"][0];
        for (name, expected) in [("noise_cv", 0.044_006), ("noise_reach", 0.129_727)] {
            let number = claim[name].as_f64().expect(name);
            assert!((number - expected).abs() < 1e-6, "{name}: {number}");
        }
        assert!(
            check.message.contains(
                "it is within run-to-run noise: repeated runs have a CV of 4.4 %, and single runs with this noise \
                 differ by up to 13.0 % with nothing changed (at 95 %)"
            ),
            "{}",
            check.message
        );
        // By hand: 3 % against 4.4 % is a change of 30 % against 4.4 %.
        let clear = text.replace("TTFT −3.00%", "TTFT −30.0%").replace("97.00", "70.00");
        let report = report_of(&[("note.md", &clear)], Some("before"));
        let after = report.comparisons.iter().find(|c| c.candidate.name == "after");
        let check = found(after.expect("compared"), "claim-check").expect("a claim check");
        assert_eq!(check.severity, Severity::Note);
        assert!(check.evidence["claims"][0]["noise_cv"].is_null(), "{:?}", check.evidence);
    }

    #[test]
    fn a_claim_belongs_to_the_block_it_stands_at() {
        let whose = |text: String| -> Vec<(String, String)> {
            let claims = of_note(&text).claims.into_iter();
            claims.map(|claim| (claim.variant, claim.text)).collect()
        };
        let (before, after) = (BLOCK.text(), AFTER.text());
        let below = format!("## before\n{before}\n## after\n{after}\nTTFT ⬇️ 3%\n");
        assert_eq!(whose(below), [("after".to_owned(), "TTFT ⬇️ 3%".to_owned())]);
        // Below the first block and above the next heading: of the first; it can only mean the other.
        let between = format!("## after\n{after}\nTTFT ⬇️ 3%\n\n## before\n{before}");
        assert_eq!(whose(between), [("after".to_owned(), "TTFT ⬇️ 3%".to_owned())]);
        let two = format!("## before\n{before}\n## after\nTTFT ⬇️ 3%, TPOT ⬇️ 2.1%\n{after}");
        assert_eq!(whose(two).len(), 2);
        // Beside the baseline, as in a title, it is a change of what is compared with it.
        let title = format!("# PR (TTFT ⬇️ 3%)\n\n## before\n{before}\n## after\n{after}");
        let claims = of_note(&title).claims;
        assert_eq!((claims.len(), claims[0].outcome), (1, Outcome::Matches));
        assert!(claims[0].message.contains("of after"), "{}", claims[0].message);
    }

    /// S7: below two candidates a sentence is about the one that it names. TTFT goes from 100 to 97 and to 90 ms.
    #[test]
    fn a_closing_sentence_is_about_the_variant_that_it_names() {
        let blocks = [BLOCK.text(), AFTER.text(), Block { ttft: 90.0, ..AFTER }.text()];
        let outcome = |close: &str| {
            let [base, one, two] = &blocks;
            let note = format!("## before\n{base}\n## alpha\n{one}\n## gamma\n{two}\n{close}\n");
            let report = report_of(&[("note.md", &note)], None);
            let claims = report.comparisons.into_iter().flat_map(|one| one.claims);
            claims.map(|claim| claim.outcome).collect::<Vec<_>>()
        };
        assert_eq!(outcome("TTFT is 3.0% lower with alpha."), [Outcome::Matches]);
        assert_eq!(outcome("TTFT is 3.0% lower with gamma."), [Outcome::Differs]);
        assert_eq!(outcome("TTFT is 10.0% lower with gamma."), [Outcome::Matches]);
        assert_eq!(outcome("TTFT is 3.0% lower."), [Outcome::Matches]);
    }

    #[test]
    fn a_claim_within_the_noise_of_its_own_runs_is_told() {
        let mut text = String::from("## before\n");
        for ttft in [95.0, 100.0, 105.0] {
            text += &Block { ttft, duration: 50.0 + ttft / 100.0, ..BLOCK }.text();
        }
        text += "## after\nTTFT ⬇️ 3%\n";
        for ttft in [92.0, 97.0, 102.0] {
            text += &Block { ttft, duration: 50.0 + ttft / 100.0, ..AFTER }.text();
        }
        let comparison = of_note(&text);
        let check = found(&comparison, "claim-check").expect("a claim check");
        assert_eq!(
            (check.severity, comparison.claims[0].outcome),
            (Severity::Warn, Outcome::Matches)
        );
        assert!(check.message.contains("is within the noise of these runs"), "{}", check.message);
    }
}

mod failures {
    use super::*;

    fn fails(name: &str, text: &str) -> String {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("written");
        match load(&[path.display().to_string()], &Options::default()) {
            Ok(loaded) => match analyse(&loaded.dataset, None, None, &Policy::default()) {
                Ok(report) => panic!("{}", render::json(&report)),
                Err(error) => error.to_string(),
            },
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn runs_without_a_success_are_refused_wherever_they_stand() {
        let object = |label: &str, completed: u32| {
            format!(
                "{{\"label\":\"{label}\",\"model_id\":\"m\",\"num_prompts\":10,\"completed\":{completed},\
                 \"duration\":0.005,\"request_throughput\":0.0,\"output_throughput\":0.0,\"mean_ttft_ms\":0.0}}"
            )
        };
        let json = format!("{}\n{}", object("before", 0), object("after", 0));
        assert!(fails("r.json", &json).contains("every request failed"));
        let table = "variant,requests,completed,output_throughput\nbefore,10,0,0\nafter,10,0,0\n";
        assert!(fails("r.csv", table).contains("every request failed"));
        let block =
            note(&BLOCK, &AFTER).replace("Successful requests: 100", "Successful requests: 0");
        // It says that none failed either.
        assert!(fails("r.md", &block).contains("expected successful requests, found 0"));
    }

    #[test]
    fn a_latency_of_zero_is_judged_nowhere() {
        let table = "variant,requests,completed,output_throughput,mean_ttft_ms\n\
            before,10,10,24.1,0\nbefore,10,10,24.2,0\nafter,10,10,24.3,50\nafter,10,10,24.4,51\n";
        let of_table = first(report_of(&[("r.csv", table)], None));
        let block = note(&Block { ttft: 0.0, ..BLOCK }, &AFTER);
        for comparison in [of_table, of_note(&block)] {
            assert!(!comparison.metrics.iter().any(|row| row.metric == "mean_ttft_ms"));
            assert!(fires(&comparison, "one-sided-metric"));
        }
    }

    /// Failed requests stand in the arrays with 0: the mean of the others is 100 and 97 ms.
    #[test]
    fn failed_requests_in_arrays_are_no_latencies() {
        let object = |label: &str, seconds: f64, k: usize| {
            let mut ttfts = String::new();
            for request in 0..20 {
                let value = if request < 10 { 0.0 } else { seconds + 0.0001 * k as f64 };
                let comma = if request > 0 { "," } else { "" };
                write!(ttfts, "{comma}{value}").expect("writing to a String cannot fail");
            }
            format!(
                "{{\"label\":\"{label}\",\"model_id\":\"m\",\"num_prompts\":20,\"completed\":10,\
                 \"duration\":{},\"request_throughput\":{},\"ttfts\":[{ttfts}]}}\n",
                50.0 + k as f64,
                10.0 / (50.0 + k as f64),
            )
        };
        let all: String =
            (0..3).map(|k| object("before", 0.1, k) + &object("after", 0.097, k + 3)).collect();
        let comparison = first(report_of(&[("r.json", &all)], None));
        assert_eq!(comparison.headline, Headline::NotComparable);
        assert!(fires(&comparison, "failed-requests"));
        let row = comparison.metrics.iter().find(|row| row.metric == "mean_ttft_ms").expect("TTFT");
        assert!((row.baseline.estimate - 100.1).abs() < 1e-9, "{}", row.baseline.estimate);
        assert_eq!(row.verdict, Verdict::NotJudged);
    }
}

mod deciding {
    use super::*;

    fn decide(cap: &str) -> (Vec<String>, String) {
        let head =
            "variant,max_concurrency,request_throughput,mean_e2el_ms,median_e2el_ms,p99_e2el_ms";
        let mut rows = vec![head.to_owned()];
        rows.extend(["before", "after"].map(|name| format!("{name},{cap},20.1,50.2,49.3,90.4")));
        rows[2] = rows[2].replace("20.1", "20.7").replace("50.2", "49.8");
        let comparison = of_table(&rows);
        let names = comparison.deciding().map(|row| row.metric.clone()).collect();
        (names, comparison.next_step)
    }

    /// As wrk, oha, k6 and vegeta measure: no tokens, one latency.
    #[test]
    fn a_client_without_tokens_is_judged_by_rate_and_latency() {
        let (names, next) = decide("");
        let all = ["request_throughput", "mean_e2el_ms", "median_e2el_ms", "p99_e2el_ms"];
        assert_eq!(names, all);
        assert!(!next.contains("prefix cache") && !next.contains("seed"), "{next}");
        // In a closed loop the mean latency is the rate again.
        assert_eq!(decide("8").0, [all[0], all[2], all[3]]);
        assert!(pair("").next_step.contains("prefix cache"));
    }
}

/// Cells of which each variant has one that the other lacks are missing, and not held against one another.
#[test]
fn a_cell_that_only_one_variant_has_is_missing() {
    let text = "variant,run,concurrency,tok_s\nmain,1,8,100.0\nmain,2,8,100.5\nmain,3,8,99.5\nmain,1,16,200\nmain,2,16,201\n\
                main,3,16,199\npr,1,8,110.0\npr,2,8,110.5\npr,3,8,109.5\npr,1,32,400\npr,2,32,404\npr,3,32,399\n";
    let report = report_of(&[("runs.csv", text)], None);
    assert_eq!(report.comparisons.len(), 1, "{:?}", report.comparisons);
    let missing: Vec<(&str, &str)> =
        report.unmatched.iter().map(|row| (&*row.variant, &*row.why)).collect();
    assert_eq!(missing, [("main", "only main has runs"), ("pr", "only pr has runs")]);
}

/// A cell that two candidates have and the baseline lacks is that of neither alone.
#[test]
fn a_cell_that_the_baseline_lacks_says_so() {
    let mut text = "variant,run,concurrency,tok_s\n".to_owned();
    for (variant, load, rate) in
        [("main", 8, 100), ("a", 8, 110), ("b", 8, 105), ("a", 32, 400), ("b", 32, 390)]
    {
        for run in 1..=3 {
            writeln!(text, "{variant},{run},{load},{}", rate + run).expect("text");
        }
    }
    let report = report_of(&[("runs.csv", &text)], Some("main"));
    let why: Vec<&str> = report.unmatched.iter().map(|row| &*row.why).collect();
    assert_eq!(why, ["the baseline has no runs"; 2]);
}

/// The number of runs over a column counts behind averages of a metric of any name.
#[test]
fn a_header_says_how_many_runs_are_behind_the_averages_of_its_column() {
    let note = "| Configuration | prefill tok/s (n=5) | goodput (mean ± std, n=3 seeds) |\n|---|---:|---:|\n\
                | before | 45.5 ± 7.7 | 96.39 ± 5.46 |\n| after | **198.9 ± 16.9** (4.4x) | 99.66 ± 5.18 |\n";
    let comparison = of_note(note);
    let mut runs: Vec<(&str, Option<usize>)> =
        comparison.metrics.iter().map(|row| (&*row.metric, row.baseline.averaged)).collect();
    runs.sort_unstable();
    assert_eq!(runs, [("goodput", Some(3)), ("prefill_throughput", Some(5))]);
}

/// Two values before a percentage, the new one first, say which metric is meant. None here has 8.58 and 8.48: by hand 8.58 / 8.48 =
/// 1.0118, so that the sentence agrees with itself at 1.2 % and says something else at 9.2 %.
#[test]
fn a_change_behind_two_values_is_that_of_these_values() {
    let table = "| Mode | TTFT (ms) | copy GB/s |\n|---|---|---|\n| main | 50.0 | 9.51 |\n| pr | 40.0 | 10.25 |\n";
    let outcome = |sentence: &str| {
        let comparison = of_note(&format!("{table}\n{sentence}\n"));
        let claims: Vec<ClaimRow> = comparison.claims;
        claims.iter().map(|claim| (claim.outcome, claim.metric.is_some())).collect::<Vec<_>>()
    };
    assert_eq!(
        outcome("pr copies at 8.58 GB/s versus 8.48 GB/s on main (+1.2%)."),
        [(Outcome::Matches, false)]
    );
    assert_eq!(
        outcome("pr copies at 8.58 GB/s versus 8.48 GB/s on main (+9.2%)."),
        [(Outcome::NotChecked, false)]
    );
    assert_eq!(
        outcome("pr copies at 10.25 GB/s versus 9.51 GB/s on main (+7.8%)."),
        [(Outcome::Matches, true)]
    );
}

/// 230 / 140 = 1.643 between two that the sentence does not name: neither true nor false of the last one; 1.444 holds nowhere.
#[test]
fn a_sentence_that_names_no_variant_is_not_judged_where_it_holds_for_two_others() {
    let outcome = |claim: &str| {
        let note = format!(
            "| Build | tok/s |\n|---|---|\n| main | 100.0 |\n| fast | 230.0 |\n| slim | 140.0 |\n\nThat is a {claim} higher rate.\n"
        );
        let rows = report_of(&[("note.md", &note)], None).comparisons.into_iter();
        let row = rows.flat_map(|one| one.claims).find(|row| row.text.contains(claim));
        let ClaimRow { outcome, message, .. } = row.expect("a claim");
        (outcome, message)
    };
    let (found, message) = outcome("64.3 %");
    assert_eq!(found, Outcome::NotChecked);
    assert!(
        message.contains("names no variant, and would hold for fast against slim"),
        "{message}"
    );
    assert_eq!(outcome("44.4 %").0, Outcome::Differs);
}

/// Memory is neither fast nor slow; `1.25x of main` says which way the change goes. 512.3 to 540.1 is 5.4 % more, 100 to 80 is
/// a ratio of 0.8.
#[test]
fn speed_is_none_of_memory_and_a_ratio_has_a_direction() {
    let outcomes = |words: &str, header: &str, values: [f64; 2]| -> Vec<Outcome> {
        let [old, new] = values;
        let note = format!(
            "| build | {header} |\n|---|---|\n| main | {old} |\n| PR | {new} |\n\n{words}\n"
        );
        of_note(&note).claims.iter().map(|claim| claim.outcome).collect()
    };
    let memory = |words: &str| outcomes(words, "peak memory (MB)", [512.3, 540.1]);
    assert_eq!(memory("PR is 5.4 % faster."), [Outcome::NotChecked]);
    assert_eq!(memory("PR needs 5.4 % more memory."), [Outcome::Matches]);
    let latency = |words: &str| outcomes(words, "latency (ms)", [100.0, 80.0]);
    assert_eq!(latency("The latency is 1.25x of main."), [Outcome::OtherSign]);
    assert_eq!(latency("The latency is 0.80x of main."), [Outcome::Matches]);
    assert_eq!(latency("Latency is down 20 % at every load."), [Outcome::Matches]);
    assert_eq!(latency("Latency is down 40 % under load."), [Outcome::Differs]);
    assert_eq!(latency("The limit was set to 1.25x of the model size."), []);
}

/// The cell of a claim is the one that it names, and not one whose size is a part of its figure: 84 is 16 % less than 100, 190 is 5 %
/// less than 200.
#[test]
fn the_figure_of_a_claim_names_no_cell() {
    let outcome = |claim: &str| {
        let note = format!(
            "| build | batch | TTFT (ms) |\n|---|---|---|\n| main | 1 | 100.0 |\n| main | 16 | 200.0 |\n| PR | 1 | 84.0 |\n| PR | 16 | 190.0 |\n\n{claim}\n"
        );
        let rows = report_of(&[("note.md", &note)], Some("main")).comparisons.into_iter();
        rows.flat_map(|one| one.claims).map(|row| row.outcome).collect::<Vec<_>>()
    };
    assert_eq!(outcome("TTFT is 16.0 % lower at batch 1."), [Outcome::Matches]);
    assert_eq!(outcome("TTFT is 5.0 % lower at batch 16."), [Outcome::Matches]);
    assert_eq!(outcome("TTFT is 25.0 % lower at batch 16."), [Outcome::Differs]);
}

/// A rate is computed anew from the counts, 384 / 66.60 against 384 / 70.58 is +5.98 %; as it is printed, 5.77 against 5.44, it is
/// +6.07 %. Both are what a claim may say.
#[test]
fn a_claim_may_be_computed_from_the_printed_digits_of_a_rate() {
    let outcome = |claim: &str| {
        let block = |label: &str, duration: &str, rate: &str| {
            format!(
                "## {label}\n```\n============ Serving Benchmark Result ============\nSuccessful requests:                     384\n\
                 Benchmark duration (s):                  {duration}\nRequest throughput (req/s):              {rate}\n\
                 ==================================================\n```\n\n"
            )
        };
        let note = block("main", "70.58", "5.44") + &block("PR", "66.60", "5.77") + claim + "\n";
        of_note(&note).claims.iter().map(|claim| claim.outcome).collect::<Vec<_>>()
    };
    assert_eq!(outcome("Request throughput of the PR is 6.1 % higher."), [Outcome::Matches]);
    assert_eq!(outcome("Request throughput of the PR is 6.0 % higher."), [Outcome::Matches]);
    assert_eq!(outcome("Request throughput of the PR is 7.5 % higher."), [Outcome::Differs]);
}

/// A row of changes is about the rows above it: 12.31 / 11.40 = 1.08, 19.40 / 17.02 = 1.14, 13.00 / 12.00 = 1.083; 18 is 10 % better
/// than 20, and 120 is 20 % better than 100.
#[test]
fn rows_of_changes_are_checked_in_the_direction_of_their_label() {
    let outcomes = |note: &str| -> Vec<Outcome> {
        of_note(note).claims.iter().map(|claim| claim.outcome).collect()
    };
    let rows = "| build | p50 (ms) | p99 (ms) | mean (ms) |\n|---|---|---|---|\n| main | 12.31 | 19.40 | 13.00 |\n| PR | 11.40 | 17.02 | 12.00 |\n\
                | speedup | 1.08x | 1.14x | 1.50x |\n";
    assert_eq!(outcomes(rows), [Outcome::Matches, Outcome::Matches, Outcome::Differs]);
    let rows = "| build | tok/s | p99 (ms) |\n|---|---|---|\n| main | 100.0 | 20.0 |\n| PR | 120.0 | 18.0 |\n| improvement | +20.0% | +10.0% |\n";
    assert_eq!(outcomes(rows), [Outcome::Matches, Outcome::Matches]);
    let rows = "| build | tok/s | p99 (ms) |\n|---|---|---|\n| main | 100.0 | 20.0 |\n| PR | 120.0 | 18.0 |\n| change | +35.0% | -10.0% |\n";
    assert_eq!(outcomes(rows), [Outcome::Differs, Outcome::Matches]);
}
