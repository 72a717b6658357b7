//! What readers hand over: pairs, levels, baselines, times, groups of one workload.

mod levels {
    use beyondnoise::runs::{Dataset, Levels, Run, RunInfo, Spread, Value, Variant};

    fn run(levels: &[(&str, &str)], value: f64) -> Run {
        let levels = levels.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
        Run {
            info: RunInfo { levels, ..RunInfo::default() }.into(),
            metrics: [("x", Value { value, resolution: 0.5 })].into(),
            ..Run::default()
        }
    }

    fn variant(runs: &[(&str, &str, f64)]) -> Variant {
        let runs = runs.iter().map(|(m, s, value)| run(&[("machine", m), ("start", s)], *value));
        let mut dataset = Dataset::assemble(runs.collect(), Vec::new());
        dataset.groups.remove(0).variants.remove(0)
    }

    /// By hand: machine 1 has starts of mean (1 + 3) / 2 = 2 and 6, so 4; their plain mean would be 10 / 3.
    #[test]
    fn levels_inside_are_averaged_before_those_outside() {
        let a = variant(&[("1", "1", 1.0), ("1", "1", 3.0), ("1", "2", 6.0), ("2", "1", 8.0)]);
        assert_eq!(a.runs.len(), 3);
        assert_eq!(a.runs[0].info.inside["x"], Spread { sd: 2.0_f64.sqrt(), runs: 2 });
        let levels = Levels::shared_by(&a, &a).expect("levels");
        assert!(levels.blocks && levels.unit == 0);
        assert_eq!(levels.pairs(), Some(vec![(0, 0), (2, 2)]));
        assert_eq!(levels.value(0, &a, 0, "x").map(|value| value.value), Some(4.0));
        assert_eq!((levels.counts, levels.inside), (vec![[2, 2], [3, 3]], [2, 2]));
    }

    #[test]
    fn one_machine_leaves_its_starts_and_other_machines_are_units() {
        let one = variant(&[("1", "1", 1.0), ("1", "2", 3.0)]);
        let levels = Levels::shared_by(&one, &one).expect("levels");
        assert!(levels.are_runs() && !levels.blocks && levels.pairs().is_none());
        let others = variant(&[("3", "1", 1.0), ("3", "2", 3.0), ("4", "1", 5.0)]);
        let two = variant(&[("1", "1", 1.0), ("2", "1", 3.0)]);
        let levels = Levels::shared_by(&two, &others).expect("levels");
        assert!(!levels.blocks && levels.unit == 0);
        assert_eq!(levels.units.map(|units| units.len()), [2, 2]);
    }

    /// Of machines 1, 2, 3 and 2, 3, 4 only 2 and 3 can be compared; one shared machine makes no blocks.
    #[test]
    fn blocks_are_what_both_share() {
        let a = variant(&[("1", "1", 1.0), ("2", "1", 2.0), ("3", "1", 3.0)]);
        let b = variant(&[("2", "1", 1.0), ("3", "1", 2.0), ("4", "1", 3.0), ("4", "2", 3.0)]);
        let levels = Levels::shared_by(&a, &b).expect("levels");
        assert_eq!((levels.blocks, levels.alone), (true, [1, 2]));
        assert_eq!(levels.pairs(), Some(vec![(1, 0), (2, 1)]));
        let c = variant(&[("3", "1", 1.0), ("4", "1", 2.0)]);
        let levels = Levels::shared_by(&a, &c).expect("levels");
        assert_eq!((levels.blocks, levels.alone), (false, [0, 0]));
    }
}

mod pairs {
    use beyondnoise::runs::{Pairs, Run, RunInfo, Unpaired, Variant};

    fn variant(name: &str, runs: &[(Option<&str>, Option<&str>)]) -> Variant {
        let run = |&(pair, started): &(Option<&str>, Option<&str>)| {
            let (pair, started) = (pair.map(Into::into), started.map(Into::into));
            Run { info: RunInfo { pair, started, ..RunInfo::default() }.into(), ..Run::default() }
        };
        let runs = runs.iter().map(run).collect();
        Variant { name: name.to_owned(), runs, ..Variant::default() }
    }

    #[test]
    fn names_pair_whatever_the_order() {
        let a = variant("a", &[(Some("1"), None), (Some("2"), None), (Some("3"), None)]);
        let b = variant("b", &[(Some("3"), None), (Some("1"), None)]);
        let pairs = Pairs::match_runs(&a, &b).unwrap();
        assert_eq!(
            pairs,
            Pairs {
                positions: vec![(0, 1), (2, 0)],
                alone: (1, 0),
                one_way: false,
                blocks: Vec::new(),
            }
        );
        let numbers = variant("b", &[(Some("3.0"), None), (Some("01"), None)]);
        assert_eq!(Pairs::match_runs(&a, &numbers).unwrap().positions, [(0, 1), (2, 0)]);
        let twice = variant("b", &[(Some("1"), None), (Some("1"), None)]);
        assert_eq!(Pairs::match_runs(&a, &twice), Err(Unpaired::Twice("1".into())));
    }

    #[test]
    fn turns_in_time_pair_and_blocks_do_not() {
        // A B B A
        let a = variant("a", &[(None, Some("2026-01-01T10:00")), (None, Some("2026-01-01T10:30"))]);
        let b = variant("b", &[(None, Some("2026-01-01T10:10")), (None, Some("2026-01-01T10:20"))]);
        assert_eq!(Pairs::match_runs(&a, &b).unwrap().positions, [(0, 0), (1, 1)]);
        let late =
            variant("b", &[(None, Some("2026-01-01T11:10")), (None, Some("2026-01-01T11:20"))]);
        let refused = Pairs::match_runs(&a, &late);
        assert!(matches!(refused, Err(Unpaired::NotByTurns { variant, .. }) if variant == "a"));
        let unknown = variant("b", &[(None, None), (None, None)]);
        assert!(matches!(Pairs::match_runs(&a, &unknown), Err(Unpaired::Unknown(_))));
    }
}

mod baseline {
    use beyondnoise::runs::{UnclearBaseline, choose_baseline};

    #[test]
    fn the_label_that_says_so_is_the_baseline_wherever_it_stands() {
        assert_eq!(choose_baseline(&["fast", "main"], None, None), Ok(1));
        assert_eq!(choose_baseline(&["优化前", "优化后"], None, None), Ok(0));
        // The branch of today comes after what was before it.
        assert_eq!(choose_baseline(&["current master", "numbers before"], None, None), Ok(1));
        // Of the values of one option the default.
        assert_eq!(choose_baseline(&["64k", "32k default"], None, None), Ok(1));
        // Words that all labels have name none of them.
        let labels = ["Optimized original results", "Baseline original results"];
        assert_eq!(choose_baseline(&labels, None, None), Ok(1));
        // All others name the change.
        assert_eq!(choose_baseline(&["proposed", "current"], None, None), Ok(1));
    }

    #[test]
    fn none_or_several_is_an_error_and_never_a_guess() {
        assert_eq!(choose_baseline(&["a", "b"], None, None), Err(UnclearBaseline::NoLabelHint));
        let several = choose_baseline(&["old", "main", "x"], None, None);
        assert_eq!(
            several,
            Err(UnclearBaseline::SeveralLabelHints(vec!["old".into(), "main".into()]))
        );
        let both = choose_baseline(&["main (baseline)", "old scheduler removed"], None, None);
        assert!(matches!(both, Err(UnclearBaseline::SeveralLabelHints(_))), "{both:?}");
        let missing = choose_baseline(&["old"], Some("trunk"), None);
        assert_eq!(missing, Err(UnclearBaseline::NoSuchLabel("trunk".into())));
    }

    #[test]
    fn the_first_of_two_inputs_is_the_baseline_unless_it_says_the_opposite() {
        assert_eq!(choose_baseline(&["x", "y"], None, Some("x")), Ok(0));
        let opposite = choose_baseline(&["after", "y"], None, Some("after"));
        assert_eq!(opposite, Err(UnclearBaseline::NoLabelHint));
        assert_eq!(choose_baseline(&["x", "before"], None, Some("x")), Ok(1));
    }
}

mod started {
    use beyondnoise::runs::seconds;

    #[test]
    fn months_and_leap_years_follow_each_other() {
        let day = |text: &str| seconds(text).expect("a date") / 86_400.0;
        assert!((day("2024-03-01") - day("2024-02-28") - 2.0).abs() < 1e-9);
        assert!((day("2026-03-01") - day("2026-02-28") - 1.0).abs() < 1e-9);
        assert!((day("2026-01-01") - day("2025-12-31") - 1.0).abs() < 1e-9);
    }

    #[test]
    fn what_is_no_time_has_no_place() {
        for text in [
            "",
            "monday",
            "2026-13-01",
            "10:20",
            "2026-01-01T99",
            "2026-01-01T1:2:3:4",
            "日本-01-01x",
        ] {
            assert_eq!(seconds(text), None, "{text}");
        }
    }
}

mod groups {
    use beyondnoise::runs::{Dataset, Run, Source, Value, Workload};

    fn run(variant: &str, path: &str, requests: u64, model: Option<&str>, value: f64) -> Run {
        Run {
            variant: variant.into(),
            source: Source { path: path.into(), position: 1, counts: "line" },
            workload: Workload {
                requests: Some(requests),
                model: model.map(Into::into),
                ..Workload::default()
            }
            .into(),
            metrics: [("x".to_owned(), Value { value, resolution: 0.0 })].into(),
            ..Run::default()
        }
    }

    #[test]
    fn different_workloads_are_different_groups() {
        let runs = vec![run("a", "1", 10, None, 1.0), run("b", "2", 20, None, 2.0)];
        assert_eq!(Dataset::assemble(runs, vec![]).groups.len(), 2);
    }

    #[test]
    fn a_run_that_says_less_joins_only_where_one_meaning_is_left() {
        let one = vec![run("a", "1", 10, Some("m"), 1.0), run("b", "2", 10, None, 2.0)];
        assert_eq!(Dataset::assemble(one, vec![]).groups.len(), 1);
        let two = vec![
            run("a", "1", 10, Some("m"), 1.0),
            run("b", "2", 10, None, 2.0),
            run("c", "3", 10, Some("n"), 3.0),
        ];
        assert_eq!(Dataset::assemble(two, vec![]).groups.len(), 3);
    }

    #[test]
    fn a_duplicate_stays_under_the_label_that_says_baseline() {
        let runs = vec![run("x", "1", 10, None, 0.1 + 0.2), run("main", "2", 10, None, 0.1 + 0.2)];
        let dataset = Dataset::assemble(runs, vec![]);
        assert_eq!(dataset.variant_names(), ["main"]);
        assert_eq!(dataset.groups[0].duplicates[0].dropped_variant, "x");
    }
}

mod values {
    use beyondnoise::runs::{Metrics, Value};

    #[test]
    fn a_single_value_is_kept_as_many_are() {
        let value = |value| Value { value, resolution: 0.0 };
        let mut metrics = Metrics::from([("b", value(2.0))]);
        assert_eq!((metrics.len(), metrics.insert("b", value(3.0))), (1, Some(value(2.0))));
        metrics.insert("a", value(1.0));
        let all: Vec<_> = metrics.iter().map(|(name, value)| (name.to_owned(), *value)).collect();
        assert_eq!(all, [("a".to_owned(), value(1.0)), ("b".to_owned(), value(3.0))]);
        assert_eq!(metrics.remove("a"), Some(value(1.0)));
        // One that was left is one that was put in.
        let one = Metrics::from([("b", value(3.0))]);
        assert_eq!(metrics, one);
        metrics.retain(|_, value| value.value > 3.0);
        assert_eq!(metrics, Metrics::new());
        let mut one = one;
        assert_eq!((one.remove("x"), one.remove("b")), (None, Some(value(3.0))));
        assert!(one.is_empty() && one.into_iter().next().is_none());
    }

    #[test]
    fn a_run_of_one_metric_takes_no_memory_beside_itself() {
        assert_eq!(size_of::<Metrics>(), 32);
    }
}
