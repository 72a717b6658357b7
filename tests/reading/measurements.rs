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
    }

    #[test]
    fn none_or_several_is_an_error_and_never_a_guess() {
        assert_eq!(choose_baseline(&["a", "b"], None, None), Err(UnclearBaseline::NoLabelHint));
        let several = choose_baseline(&["old", "main", "x"], None, None);
        assert_eq!(
            several,
            Err(UnclearBaseline::SeveralLabelHints(vec!["old".into(), "main".into()]))
        );
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

mod workloads {
    use beyondnoise::checks::what_differs;
    use beyondnoise::runs::{Dataset, Run, Setting, Workload};

    fn compatible(a: &Workload, b: &Workload) -> bool {
        let run = |workload: &Workload, value| Run {
            workload: workload.clone().into(),
            ..Run::new("a", [("x", value)])
        };
        Dataset::assemble(vec![run(a, 1.0), run(b, 2.0)], Vec::new()).groups.len() == 1
    }

    #[test]
    fn what_is_not_known_never_differs() {
        let known =
            Workload { requests: Some(200), model: Some("m".into()), ..Workload::default() };
        let less = Workload { requests: Some(200), ..Workload::default() };
        assert!(compatible(&known, &less));
        let other = Workload { model: Some("n".into()), ..known.clone() };
        assert_eq!(
            what_differs(&known, &other).as_deref(),
            Some("the workloads differ: model m against n")
        );
    }

    #[test]
    fn compatible_is_without_differences() {
        let words = |text: &str| [None, Some(text.to_owned())];
        let mut all = Vec::new();
        for label in words("l") {
            for requests in [None, Some(1), Some(2)] {
                for cap in [Setting::Unknown, Setting::Unlimited, Setting::Value(1.0)] {
                    for tokens in [None, Some(1000), Some(1005), Some(1020)] {
                        all.push(Workload {
                            label: label.clone(),
                            requests,
                            max_concurrency: cap.clone(),
                            input_tokens: tokens,
                            other: label
                                .iter()
                                .map(|l| (l.clone(), cap.value().map_or(0, |_| 1).to_string()))
                                .collect(),
                            ..Workload::default()
                        });
                    }
                }
            }
        }
        for (a, b) in all.iter().flat_map(|a| all.iter().map(move |b| (a, b))) {
            assert_eq!(compatible(a, b), what_differs(a, b).is_none(), "{a:?} {b:?}");
        }
    }

    #[test]
    fn settings_that_are_one_number_are_the_same() {
        let with = |text: &str| Workload {
            other: [("random_range_ratio".to_owned(), text.to_owned())].into(),
            ..Workload::default()
        };
        for (a, b, same) in [
            ("1", "1.0", true),
            ("0.5", ".50", true),
            ("1", "2", false),
            ("1", "one", false),
            ("nan", "NaN", false),
            ("12345678901234567890", "12345678901234567891", false),
        ] {
            assert_eq!(compatible(&with(a), &with(b)), same, "{a} {b}");
            assert_eq!(what_differs(&with(a), &with(b)).is_none(), same, "{a} {b}");
        }
    }

    #[test]
    fn input_tokens_may_differ_by_one_percent() {
        let with = |tokens| Workload { input_tokens: Some(tokens), ..Workload::default() };
        assert!(compatible(&with(10_000), &with(10_099)));
        assert!(!compatible(&with(10_000), &with(10_200)));
    }

    #[test]
    fn words_for_no_limit_are_understood() {
        assert_eq!(Setting::parse("inf"), Setting::Unlimited);
        assert_eq!(Setting::parse("not set"), Setting::Unlimited);
        assert_eq!(Setting::parse("10.00"), Setting::Value(10.0));
        assert_eq!(Setting::parse("trace"), Setting::Unknown);
    }

    #[test]
    fn a_limit_that_is_no_number_is_another_where_it_reads_otherwise() {
        let with =
            |text: &str| Workload { max_concurrency: Setting::parse(text), ..Workload::default() };
        for (a, b, same) in [
            ("c16", "c16", true),
            ("c16", "c64", false),
            ("15 (x1)", "15", false),
            ("c16", "unlimited", false),
            ("c16", "", true),
        ] {
            assert_eq!(compatible(&with(a), &with(b)), same, "{a} {b}");
            assert_eq!(what_differs(&with(a), &with(b)).is_none(), same, "{a} {b}");
        }
        assert_eq!(with("c16").describe(), "max concurrency c16");
        assert_eq!(Setting::parse("c\u{1b}[2J1\n6"), Setting::Text("c[2J1 6".into()));
        assert_eq!(Setting::parse("in\0f"), Setting::Unlimited);
    }
}

mod partition {
    use beyondnoise::checks::what_differs;
    use beyondnoise::runs::{Dataset, Run, Setting, Source, Workload};

    fn agree(a: &Workload, b: &Workload) -> bool {
        what_differs(a, b).is_none()
    }

    /// Whether both know the same fields, and nothing differs.
    fn same_but_tokens(a: &Workload, b: &Workload) -> bool {
        let known = |a: &Workload| {
            let texts = [&a.label, &a.model, &a.dataset, &a.client].map(Option::is_some);
            let limits =
                [&a.max_concurrency, &a.request_rate].map(|limit| *limit == Setting::Unknown);
            (texts, limits, a.requests.is_some(), a.input_tokens.is_some())
        };
        agree(a, b) && known(a) == known(b) && a.other.keys().eq(b.other.keys())
    }

    /// The smallest member of the group of each workload.
    fn groups(workloads: &[&Workload]) -> Vec<usize> {
        let run = |(position, workload): (usize, &&Workload)| Run {
            workload: (*workload).clone().into(),
            source: Source { position, ..Source::default() },
            ..Run::new("a", [("x", 1.0 + position as f64)])
        };
        let runs = workloads.iter().enumerate().map(run).collect();
        let mut found = vec![0; workloads.len()];
        for group in Dataset::assemble(runs, Vec::new()).groups {
            let members = group.variants.iter().flat_map(|variant| &variant.runs);
            let members: Vec<usize> = members.map(|run| run.source.position).collect();
            for member in &members {
                found[*member] = members.iter().copied().min().expect("a member");
            }
        }
        found
    }

    /// The definition: every pair compared.
    fn pair_by_pair(workloads: &[&Workload]) -> Vec<usize> {
        let components = |linked: fn(&Workload, &Workload) -> bool| {
            let mut component: Vec<usize> = (0..workloads.len()).collect();
            for i in 0..workloads.len() {
                for j in 0..i {
                    if linked(workloads[i], workloads[j]) {
                        let (a, b) = (component[i], component[j]);
                        for entry in component.iter_mut().filter(|c| **c == a.max(b)) {
                            *entry = a.min(b);
                        }
                    }
                }
            }
            component
        };
        let (loose, strict) = (components(agree), components(same_but_tokens));
        (0..workloads.len())
            .map(|index| {
                let members: Vec<&Workload> = (0..workloads.len())
                    .filter(|other| loose[*other] == loose[index])
                    .map(|other| workloads[other])
                    .collect();
                let clique = members.iter().all(|a| members.iter().all(|b| agree(a, b)));
                if clique { loose[index] } else { strict[index] }
            })
            .collect()
    }

    #[test]
    fn the_groups_are_those_of_all_pairs() {
        // A fixed sequence, Knuth's MMIX generator.
        let mut state = 7_u64;
        let mut random = move |below: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        let (mut joined, mut apart) = (0, 0);
        for case in 0..3_000 {
            let (size, unknown) = (2 + case % 12, 1 + case % 4);
            let workloads: Vec<Workload> = (0..size)
                .map(|_| {
                    let mut text = |name: &str, values: u64| {
                        let value = random(values + unknown as u64);
                        (value < values).then(|| format!("{name}{value}"))
                    };
                    let (label, model, client) = (text("l", 1), text("m", 3), text("c", 2));
                    // Two of three values are one number.
                    let setting = |name: &str| {
                        let value = text("", 3)?;
                        let value = if value == "2" { "1.0".to_owned() } else { value };
                        Some((name.to_owned(), value))
                    };
                    let other = ["x", "y"].into_iter().filter_map(setting);
                    let other = other.collect();
                    let limit = ["", "unlimited", "8", "c8"].map(Setting::parse);
                    Workload {
                        label,
                        model,
                        client,
                        other,
                        requests: Some(100).filter(|_| random(3) > 0),
                        max_concurrency: limit[usize::try_from(random(4)).expect("small")].clone(),
                        // Neighbours are within one percent of each other, and the ends are not.
                        input_tokens: Some(1_000 + 6 * random(5)).filter(|_| random(4) > 0),
                        ..Workload::default()
                    }
                })
                .collect();
            let workloads: Vec<&Workload> = workloads.iter().collect();
            let (found, expected) = (groups(&workloads), pair_by_pair(&workloads));
            assert_eq!(found, expected, "{workloads:#?}");
            let groups = found.iter().enumerate().filter(|(index, group)| index == *group).count();
            if groups < size { joined += 1 } else { apart += 1 }
        }
        assert!(joined > 500 && apart > 200, "{joined} {apart}: both happen");
    }
}
