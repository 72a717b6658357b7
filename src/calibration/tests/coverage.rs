//! Simulated error rates of the intervals: how often they cover the truth, how often they claim a change where
//! there is none, how often they see one that is there.
//!
//! The long study is a command: `cargo calibration --study --check`. Here are the cells that fail first, and the
//! simulation itself, held against numbers made with numpy.

use beyondnoise::calibrate::{Design, Procedure};
use beyondnoise::stats::{
    Across, Adjustment, Curve, Method, PlannedTest, Resampling, Sample, Scale, TwoSample, Undefined,
};
use beyondnoise_calibration::{
    BorrowedRow, BorrowedSettings, Cell, Places, Shape, Study, StudySettings, check,
    check_borrowed, simulate, simulate_borrowed,
};

/// Ways to make an interval of the mean.
fn of_the_mean(methods: &[Method]) -> Vec<Procedure> {
    Procedure::all_of(methods, &[Across::MEAN])
}

fn settings(methods: &[Method], designs: &[&str], repetitions: u64) -> StudySettings {
    StudySettings {
        procedures: of_the_mean(methods),
        shapes: Shape::all().iter().filter(|shape| shape.reference).collect(),
        designs: designs.iter().map(|text| text.parse().expect("a design")).collect(),
        effects: vec![0.05],
        repetitions,
        confidence: 0.95,
        resamples: 1_000,
        seed: 1,
    }
}

/// Four binomial standard errors of a rate measured in `repetitions`.
fn simulation_error(rate: f64, repetitions: u64) -> f64 {
    4.0 * (rate * (1.0 - rate) / repetitions as f64).sqrt()
}

#[track_caller]
fn assert_near(found: f64, expected: f64, repetitions: u64) {
    let error = simulation_error(expected, repetitions);
    assert!((found - expected).abs() <= error, "{found}, expected {expected} within {error}");
}

fn cell<'a>(study: &'a Study, shape: &str, design: &str) -> &'a Cell {
    let design: Design = design.parse().expect("a design");
    let mut cells = study.cells.iter();
    cells.find(|cell| cell.shape == shape && cell.design == design).expect("a cell of the study")
}

#[test]
fn the_default_interval_covers_its_level() {
    let checked = |designs: &[&str], repetitions: u64| {
        let settings = settings(&[Method::Calibrated], designs, repetitions);
        check(&simulate(&settings, &|_| {}), &settings.procedures)
    };
    let few = checked(&["3", "5"], 400);
    assert!(few.violations.is_empty(), "{:#?}", few.violations);
    // Coverage and width of 16 cells, and 2 averages.
    assert_eq!(few.checked, 34);
    let drawn = checked(&["12", "3v10"], 100);
    assert!(drawn.violations.is_empty(), "{:#?}", drawn.violations);
}

#[test]
fn a_plain_bootstrap_of_few_runs_is_found_out() {
    let settings = settings(&[Method::Percentile, Method::Bca], &["3"], 400);
    let check = check(&simulate(&settings, &|_| {}), &settings.procedures);
    let covered: Vec<f64> = check
        .violations
        .iter()
        .filter(|violation| violation.figure == "coverage")
        .filter_map(|violation| violation.found)
        .collect();
    // Eight shapes and the average of each method.
    assert_eq!(covered.len(), 18, "{:#?}", check.violations);
    assert!(covered.iter().all(|coverage| (0.70..0.90).contains(coverage)), "{covered:?}");
}

/// numpy 2.4.6 and scipy 1.17.1, 1,000,000 repetitions a cell: `x` and `y` drawn from the law of the shape by
/// `numpy.random.default_rng(20261121)`, `r = x.var(1, ddof=1) / n / x.mean(1)**2` of both, `df` by Welch and
/// Satterthwaite, `half = scipy.stats.t.ppf(.975, df) * sqrt(rx + ry)`, `d = log(y.mean(1) / x.mean(1))`; coverage
/// `(abs(d) <= half).mean()`, power `(abs(d + log(1.05)) > half).mean()`, width `(2 * half).mean()`.
#[test]
fn the_simulation_agrees_with_numpy() {
    const REPETITIONS: u64 = 4_000;
    let table = [
        ("lognormal 0.5", "3v10", 0.9266, 0.0815, 1.78397),
        ("bimodal", "3v10", 0.8159, 0.1352, 0.18869),
        ("10 % spikes", "5v20", 0.9103, 0.5869, 0.18348),
        ("8 % wild", "3", 0.9726, 0.7754, 0.07943),
        ("Student t2", "5", 0.9718, 0.8336, 0.06806),
        ("8 % slow", "8", 0.9689, 0.9289, 0.04036),
        ("50 + Exp(50)", "12", 0.9386, 0.0685, 0.79491),
    ];
    for (shape, design, coverage, power, width) in table {
        let settings = StudySettings {
            shapes: vec![Shape::named(shape).expect("a shape")],
            ..settings(&[Method::Welch], &[design], REPETITIONS)
        };
        let study = simulate(&settings, &|_| {});
        let cell = cell(&study, shape, design);
        assert_near(cell.coverage.expect("an interval"), coverage, REPETITIONS);
        assert_near(cell.power[0].power.expect("an interval"), power, REPETITIONS);
        // The widths of Student t2 have no variance to speak of.
        let found = cell.width.expect("an interval");
        assert!((found / width - 1.0).abs() < 0.08, "{shape}, {design}: width {found}");
    }
}

/// Noise borrowed from other comparisons keeps the level in each comparison of a job, also in the noisiest.
///
/// numpy 2.4.6 and scipy 1.17.1, 20,000 jobs of 8: `s2 = sigma**2 * chisquare(d) / d` with `d = 4`, Smyth's moments by
/// `scipy.special.digamma` and `polygamma(1)`, the caps and tests of `Prior::guarded`, and for each comparison the exact
/// `2 * norm.sf(c / sigma)` of its critical value `c = t.ppf(.975, df) * sqrt(s2)`, with Welch's `df`
/// where nothing is borrowed; seed 20261122.
#[test]
fn borrowed_noise_agrees_with_numpy() {
    const REPETITIONS: u64 = 4_000;
    let settings = BorrowedSettings {
        places: Places::ALL.to_vec(),
        runs: vec![3],
        groups: vec![8],
        effects: vec![0.05],
        repetitions: REPETITIONS,
        confidence: 0.95,
        resamples: 1_000,
        seed: 1,
    };
    let rows = simulate_borrowed(&settings, &|_| {});
    let of = |places: Places, noise: &str| {
        let mut rows = rows.iter().filter(|row| row.places == places.word());
        rows.find(|row| row.noise == noise && row.method == "welch").expect("a row")
    };
    let power = |row: &BorrowedRow| row.power[0].power.expect("a power");
    // Claims where nothing changed, of all comparisons and of the one that claims most; power.
    let expected = [
        (Places::Alike, "own", 0.0352, None, Some(0.5082)),
        (Places::Alike, "borrowed", 0.0312, None, Some(0.6650)),
        (Places::ChiSquare, "own", 0.0351, None, Some(0.4812)),
        (Places::ChiSquare, "borrowed", 0.0307, None, Some(0.5685)),
        (Places::LogNormal, "borrowed", 0.0350, Some(0.0407), None),
        (Places::TwoGroups, "borrowed", 0.0352, Some(0.0361), None),
        (Places::LogNormalOfThree, "borrowed", 0.0312, Some(0.0554), None),
        (Places::TwoGroupsOfThree, "borrowed", 0.0341, Some(0.0431), None),
        (Places::OneOfTwo, "borrowed", 0.0310, Some(0.0588), None),
        (Places::OneOfThree, "borrowed", 0.0331, Some(0.0472), None),
    ];
    for (places, noise, claims, largest, seen) in expected {
        let row = of(places, noise);
        assert_near(row.false_positives, claims, REPETITIONS);
        if let Some(seen) = seen {
            assert_near(power(row), seen, REPETITIONS);
        }
        if let Some(largest) = largest {
            // The largest of eight that luck makes larger still.
            let found = row.largest_false_positives.expect("a largest");
            let most = largest + simulation_error(largest, REPETITIONS / 8);
            assert!((0.03..most).contains(&found), "{places:?}: {found}");
        }
    }
    // 11.9 to 26.9 % where a history is believed that does not fit.
    let history = of(Places::History, "borrowed");
    assert!(history.false_positives < 0.07, "{}", history.false_positives);
    assert!(check_borrowed(&rows).violations.is_empty());
}

/// The default curve of one repetition of normal noise of 2 %.
fn curve(each: usize, repetition: u64) -> Curve {
    let (baseline, candidate) = Shape::all()[0].runs(Design::each(each), 2, repetition);
    let [baseline, candidate] =
        [baseline, candidate].map(|values| Sample::new(values).expect("finite values"));
    let (across, scale, how) = (Across::MEAN, Scale::Log, Resampling::default());
    TwoSample::new(&baseline, &candidate, across, how)
        .curve(scale, Method::Calibrated)
        .expect("an interval")
}

fn share(of: impl IntoIterator<Item = bool>) -> f64 {
    let all: Vec<bool> = of.into_iter().collect();
    all.iter().filter(|hit| **hit).count() as f64 / all.len() as f64
}

#[test]
fn neither_direction_is_favoured() {
    const REPETITIONS: u64 = 2_000;
    let signed = (0..REPETITIONS).map(|repetition| {
        let curve = curve(4, repetition);
        (curve.p_value(0.0), curve.estimate() > 0.0)
    });
    let claims: Vec<bool> = signed.filter(|(p, _)| *p < 0.1).map(|(_, up)| up).collect();
    let count = claims.len() as u64;
    let upwards = share(claims);
    assert_near(upwards, 0.5, count);
}

#[test]
fn adjusted_claims_over_several_metrics_stay_at_alpha() {
    const REPETITIONS: u64 = 500;
    const METRICS: u64 = 4;
    let families: Vec<Vec<f64>> = (0..REPETITIONS)
        .map(|family| (0..METRICS).map(|m| curve(3, METRICS * family + m).p_value(0.0)).collect())
        .collect();
    // Where nothing changed, every claim is false: Holm's and Benjamini and Hochberg's rates are both the chance of
    // any. 1 - 0.935, with four standard errors of 500 repetitions.
    let most = 0.065 + simulation_error(0.065, REPETITIONS);
    for adjustment in [Adjustment::Holm, Adjustment::FalseDiscovery] {
        let any = share(families.iter().map(|p| adjustment.adjusted(p).iter().any(|p| *p < 0.05)));
        assert!(any <= most, "a false claim in {any} of families of {METRICS}");
    }
    // The same claims unadjusted: 1 - 0.965^4 = 0.13 at the coverage of three runs each.
    let raw = share(families.iter().map(|p| p.iter().any(|p| *p < 0.05)));
    assert!(raw > 0.08, "unadjusted: {raw}");
}

/// statsmodels 0.15.0, `TTestIndPower().power(effect_size=np.log(1.05) / 0.02, nobs1=5, alpha=0.05, ratio=1)`: 0.9201.
///
/// That is for a standard deviation pooled over the variants; the interval estimates two, which costs a little: at
/// least 0.90.
#[test]
fn a_true_change_is_seen_at_the_power_of_the_t_test() {
    const REPETITIONS: u64 = 1_000;
    let settings = StudySettings {
        shapes: vec![&Shape::all()[0]],
        ..settings(&[Method::Calibrated], &["5"], REPETITIONS)
    };
    let study = simulate(&settings, &|_| {});
    let seen = study.cells[0].power[0].power.expect("an interval");
    let low = 0.90 - simulation_error(0.90, REPETITIONS);
    let high = 0.9201 + simulation_error(0.9201, REPETITIONS);
    assert!((low..=high).contains(&seen), "a change of 5 % is seen in {seen} of comparisons");
}

#[test]
fn too_few_runs_for_a_rank_interval_are_no_coverage() {
    let settings = StudySettings {
        procedures: Procedure::all_of(&[Method::Calibrated], &[Across::HODGES_LEHMANN]),
        shapes: vec![&Shape::all()[0]],
        ..settings(&[], &["3", "4"], 200)
    };
    let study = simulate(&settings, &|_| {});
    // 1 of the 10 splits of 3 + 3 runs is the most extreme: no end at 95 %; of 4 + 4 one of 35.
    let (three, four) = (&study.cells[0], &study.cells[1]);
    assert_eq!((three.coverage, three.without_interval), (None, 200));
    assert_eq!((four.without_interval, three.power[0].power), (0, None));
    assert_near(four.coverage.expect("an interval"), 1.0 - 2.0 / 70.0, 200);
}

/// The change for which 80 % power is promised is found in so many comparisons: 0.71 with 3 runs each where the
/// degrees of freedom were 2 (n - 1), as of the t test of one noise for both variants.
#[test]
fn a_promised_power_is_kept() {
    const REPETITIONS: u64 = 2_000;
    for (runs, resampled) in [(3, REPETITIONS), (5, REPETITIONS), (12, 500)] {
        let df = PlannedTest::df((runs, runs), 0.0);
        let effect =
            PlannedTest { noise: 0.02, alpha: 0.05 }.detectable((runs, runs), df, 0.8).exp_m1();
        let settings = StudySettings {
            shapes: vec![&Shape::all()[0]],
            designs: vec![Design::each(runs)],
            effects: vec![effect],
            ..settings(&[Method::Calibrated], &[], resampled)
        };
        let seen = simulate(&settings, &|_| {}).cells[0].power[0].power.expect("an interval");
        let error = simulation_error(0.8, resampled);
        assert!((0.78 - error / 2.0..0.85).contains(&seen), "{runs} runs each: {seen}");
    }
}

/// The median of three pairs covered 0.92: its resamples have three values.
#[test]
fn the_median_of_three_pairs_covers_its_level() {
    const REPETITIONS: u64 = 4_000;
    let covered = (0..REPETITIONS).map(|repetition| {
        let (baseline, candidate) = Shape::all()[0].runs(Design::each(3), 7, repetition);
        let how = Resampling::default();
        let [log, _] =
            Curve::of_pairs(&baseline, &candidate, 0.0, Across::MEDIAN, Method::Calibrated, how);
        let interval = log.expect("an interval").interval(0.95);
        interval.low <= 0.0 && 0.0 <= interval.high
    });
    let covered = share(covered);
    let error = simulation_error(0.95, REPETITIONS);
    assert!((0.935 - error..0.985 + error).contains(&covered), "{covered}");
}

/// numpy 2.4.6, 400 repetitions each: the percentile interval of the 90th percentile covers 0.87 to 0.91 with 10 against
/// 40 runs, 0.92 to 0.94 with 10 against 20, 0.96 to 0.97 with 30 against 60.
#[test]
fn a_quantile_of_unequal_numbers_of_runs_covers_or_is_refused() {
    let p90 = |design: Design, repetition: u64| {
        let (baseline, candidate) = Shape::all()[2].runs(design, 8, repetition);
        let [baseline, candidate] =
            [baseline, candidate].map(|values| Sample::new(values).expect("finite values"));
        let (across, how) = (Across::quantile(0.9), Resampling::default());
        TwoSample::new(&baseline, &candidate, across, how).curve(Scale::Log, Method::Calibrated)
    };
    let design = |text: &str| text.parse::<Design>().expect("a design");
    for refused in ["10v20", "10v40", "40v10", "10v100", "20v40"] {
        let reason = p90(design(refused), 0).expect_err("a quantile of too few runs");
        assert_eq!(reason, Undefined::QuantileOfUnequalRuns(30), "{refused}");
    }
    assert!(reason_of("10v20", p90(design("10v20"), 0)).contains("needs 30 of each variant"));
    for judged in ["10v10", "10v15", "30v60"] {
        const REPETITIONS: u64 = 400;
        let covered = share((0..REPETITIONS).map(|repetition| {
            let interval = p90(design(judged), repetition).expect("an interval").interval(0.95);
            interval.low <= 0.0 && 0.0 <= interval.high
        }));
        assert!(covered > 0.93 - simulation_error(0.93, REPETITIONS), "{judged}: {covered}");
    }
}

fn reason_of(what: &str, curve: Result<Curve, Undefined>) -> String {
    curve.err().unwrap_or_else(|| panic!("{what} has an interval")).to_string()
}
