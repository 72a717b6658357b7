//! Which workloads are the same, and how runs are split by them.

mod workloads {
    use crate::checks::what_differs;
    use crate::runs::{Dataset, Run, Setting, Workload};

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
    use crate::checks::what_differs;
    use crate::runs::{Dataset, Run, Setting, Source, Workload};

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
