//! Runs of several sessions: the change inside each, the words for it, the fields of the document.
//!
//! Reference numbers are those of statsmodels 0.15.0 and scipy 1.17; the call stands beside each.

use beyondnoise::analysis::analyse;
use beyondnoise::policy::Policy;
use beyondnoise::render::{self, TextOptions};
use beyondnoise::report::{Comparison, Report, SessionUnit};
use beyondnoise::runs::{Dataset, Pairs, Run, Session, Source, Value, Variant};
use beyondnoise::stats::Across;

const METRIC: &str = "mean_e2el_ms";

/// Values of the baseline and of the candidate in each session.
type InSessions<'a> = &'a [[&'a [f64]; 2]];

/// Three sessions with different numbers of runs.
const THREE: InSessions = &[
    [&[100.0, 101.0, 99.5], &[102.0, 103.0]],
    [&[130.0], &[133.0, 133.5]],
    [&[88.0, 90.0, 89.0], &[91.0, 90.5, 92.5]],
];

const FIVE: InSessions = &[
    [&[100.0, 101.0], &[102.0, 103.0]],
    [&[130.0, 131.0], &[133.0, 133.5]],
    [&[88.0, 90.0], &[91.0, 92.5]],
    [&[110.0, 111.5], &[112.0, 111.0]],
    [&[95.0, 94.0], &[96.5, 97.0]],
];

/// Runs by session; without `known`, nobody stated the sessions.
fn runs(sessions: InSessions, known: bool) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for (at, session) in sessions.iter().enumerate() {
        let (a, b) = (session[0].iter(), session[1].iter());
        let values = a.map(|value| ("main", *value)).chain(b.map(|value| ("pr", *value)));
        for (variant, value) in values {
            let position = runs.len() + 1;
            let value = Value { value, resolution: 1e-9 };
            let mut run = Run {
                variant: variant.to_owned(),
                source: Source { path: "runs.csv".into(), position, counts: "line" },
                metrics: [(METRIC.to_owned(), value)].into_iter().collect(),
                ..Run::default()
            };
            run.info.of_table = true;
            run.info.session = known.then(|| Session {
                number: at + 1,
                began: format!("2026-05-0{}T10:00:00.000Z", at + 1),
            });
            runs.push(run);
        }
    }
    runs
}

fn report_of(sessions: InSessions, known: bool, policy: &Policy) -> Report {
    let dataset = Dataset::assemble(runs(sessions, known), Vec::new());
    analyse(&dataset, Some("main"), None, policy).expect("a comparison")
}

fn compared(sessions: InSessions) -> Comparison {
    let report = report_of(sessions, true, &Policy::default());
    report.comparisons.into_iter().next().expect("a comparison")
}

fn text(report: &Report) -> String {
    let shown = render::text(report, TextOptions::default());
    shown.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[track_caller]
fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-8, "{found} {expected}");
}

/// `OLS(ln y, [variant, dummies of the sessions]).fit().conf_int()`: [0.01456425, 0.03469509].
#[test]
fn the_change_is_taken_inside_each_session() {
    let found = compared(THREE);
    let delta = found.metrics[0].delta;
    near(delta.relative.expect("a ratio"), 0.024_629_668_542_972_105_f64.exp_m1());
    let [low, high] = delta.relative_ci.expect("an interval");
    assert!(
        (low.ln_1p() - 0.014_564_25).abs() < 1e-8 && (high.ln_1p() - 0.034_695_09).abs() < 1e-8
    );
    let sessions = found.sessions.as_ref().expect("sessions");
    assert_eq!(sessions.unit, Some(SessionUnit::Run));
    let counts: Vec<_> = sessions.sessions.iter().map(|of| [of.baseline, of.candidate]).collect();
    assert_eq!(counts, [[3, 2], [1, 2], [3, 3]]);
    // The noise is that inside a session, of which there are 10 degrees of freedom.
    near(found.metrics[0].noise.cv.expect("noise"), 6.870_358_646_424_487e-5_f64.sqrt());
    assert_eq!(found.metrics[0].noise.df, Some(10.0));
    let said = text(&report_of(THREE, true, &Policy::default()));
    assert!(said.contains("change taken inside each of 3 sessions"), "{said}");
    // What differs between sessions is no mode, no drift and no outlier of a variant.
    assert!(found.checks.iter().all(|check| !check.id.as_str().contains("mode")), "{said}");
}

/// `scipy.stats.ttest_1samp` of the five differences of the mean logarithms: [0.009554265, 0.030977340].
#[test]
fn from_five_sessions_on_a_session_is_the_unit() {
    let found = compared(FIVE);
    let [low, high] = found.metrics[0].delta.relative_ci.expect("an interval");
    near(low.ln_1p(), 0.009_554_264_982_677_902);
    near(high.ln_1p(), 0.030_977_340_259_179_053);
    assert_eq!(found.sessions.expect("sessions").unit, Some(SessionUnit::Session));
    let said = text(&report_of(FIVE, true, &Policy::default()));
    let words = "change taken inside each of 5 sessions, one difference a session";
    assert!(said.contains(words), "{said}");
}

#[test]
fn one_session_and_unknown_sessions_change_no_number() {
    let one: InSessions = &[[&[100.0, 101.0, 99.5], &[102.0, 103.0, 101.5]]];
    let [known, unknown] = [true, false].map(|known| report_of(one, known, &Policy::default()));
    let json = |report: &Report| {
        let mut value = serde_json::to_value(&report.comparisons[0]).expect("a comparison");
        value.as_object_mut().expect("an object").remove("sessions");
        value
    };
    assert_eq!(json(&known), json(&unknown));
    let words = "all runs of one session: sessions were not varied";
    assert!(text(&known).contains(words) && !text(&unknown).contains("session"));
    assert!(unknown.comparisons[0].sessions.is_none());
}

/// The two sessions of [`THREE`] that have both variants: `OLS` as above.
#[test]
fn a_session_without_a_variant_is_left_out_by_name() {
    let lacking: InSessions = &[THREE[0], THREE[1], [&[50.0, 51.0], &[]]];
    let [found, whole] = [compared(lacking), compared(&THREE[..2])];
    let [without, with] = [&found, &whole].map(|of| of.metrics[0].delta.relative_ci);
    assert_eq!(without, with);
    assert!(found.summary.contains("4 + 4 runs"), "{}", found.summary);
    let said = text(&report_of(lacking, true, &Policy::default()));
    let words = "change taken inside each of 2 sessions; session 3 (from 2026-05-03 10:00 UTC) left out, since it has no \
                 run of pr";
    assert!(said.contains(words), "{said}");
}

#[test]
fn where_no_session_has_both_variants_nothing_is_adjusted_and_the_report_says_so() {
    let apart: InSessions = &[[&[100.0, 101.0, 99.5], &[]], [&[], &[102.0, 103.0, 101.5]]];
    let policy = Policy::default();
    let [known, unknown] = [true, false].map(|known| report_of(apart, known, &policy));
    let interval = |report: &Report| report.comparisons[0].metrics[0].delta.relative_ci;
    assert_eq!(interval(&known), interval(&unknown));
    let said = text(&known);
    assert!(said.contains("no session has runs of both main and pr"), "{said}");
}

#[test]
fn a_median_over_the_runs_is_not_taken_inside_sessions_and_the_report_says_so() {
    let policy = Policy { across: Across::MEDIAN, ..Policy::default() };
    let [known, unknown] = [true, false].map(|known| report_of(THREE, known, &policy));
    let interval = |report: &Report| report.comparisons[0].metrics[0].delta.relative_ci;
    assert_eq!(interval(&known), interval(&unknown));
    assert!(text(&known).contains("their differences are not taken out of the median"));
}

/// `compare_f_test` of statsmodels 0.15.0 against the model with an interaction: p = 0.00175697.
#[test]
fn a_change_that_differs_between_sessions_is_printed_for_each() {
    let differing: InSessions =
        &[[&[100.0, 101.0], &[106.0, 107.0]], [&[100.5, 101.5], &[100.0, 99.0]]];
    let report = report_of(differing, true, &Policy::default());
    let row = report.comparisons[0].metrics[0].in_sessions.as_ref().expect("sessions");
    near(row.interaction_p.expect("a test"), 0.001_756_969_793_238_452_3);
    assert!(row.differs);
    // By hand: the logarithms of the geometric means.
    near(row.changes[0].relative.expect("a ratio"), 0.057_988_612_872_310_163_f64.exp_m1());
    let said = text(&report);
    let words = "the change differs between sessions in mean E2EL (p = 0.002): +6.0 % in session 1 and −1.5 % in session \
                 2; the interval is about these sessions";
    assert!(said.contains(words), "{said}");
    let said = text(&report_of(THREE, true, &Policy::default()));
    assert!(!said.contains("differs between"), "{said}");
}

#[test]
fn without_ratios_the_difference_is_taken_inside_sessions() {
    let signed: InSessions = &[[&[-1.0, 0.5], &[2.0, 1.5]], [&[9.0, 10.0], &[11.0, 12.5]]];
    let found = compared(signed);
    let row = &found.metrics[0];
    // `OLS` of the values themselves: p = 0.01094036.
    near(row.p_value.expect("a test"), 0.010_940_364_479_842_766);
    near(row.delta.absolute, 2.125);
    let of = row.in_sessions.as_ref().expect("sessions");
    assert_eq!(
        of.changes.iter().map(|one| one.absolute).collect::<Vec<_>>(),
        [Some(2.0), Some(2.25)]
    );
    assert!(row.delta.relative.is_none() && of.changes[0].relative.is_none());
}

#[test]
fn every_form_of_the_report_says_the_same_of_sessions() {
    let report = report_of(THREE, true, &Policy::default());
    let words = "change taken inside each of 3 sessions";
    let markdown = render::markdown(&report);
    assert!(markdown.contains(words), "{markdown}");
    assert!(render::html(&report).contains(words));
}

/// The runs of a variant in an order of letters, a run a minute; `sessions` has the number of each run's session.
fn in_order(name: &str, order: &str, sessions: &[usize]) -> Variant {
    let made = order.chars().zip(sessions).enumerate();
    let made = made.filter(|(_, (letter, _))| letter.to_string() == name);
    let run = |(minute, (_, session)): (usize, (char, &usize))| {
        let mut run = Run::default();
        run.info.started = Some(format!("2026-05-01T10:{minute:02}:00Z"));
        run.info.session = Some(Session { number: *session, began: String::new() });
        run
    };
    Variant { name: name.to_owned(), runs: made.map(run).collect(), ..Variant::default() }
}

/// By hand: of C A B B A C and the like, each two variants are in the order A B B A or B A A B.
#[test]
fn two_of_three_variants_in_mirrored_order_have_blocks_of_four() {
    let order = "cabbacbcaacbacbbcacabbac";
    let one = [1; 24];
    let of = |name| in_order(name, order, &one);
    for (a, b) in [("a", "b"), ("a", "c"), ("b", "c")] {
        let pairs = Pairs::match_runs(&of(a), &of(b)).expect("pairs");
        assert_eq!((pairs.positions.len(), pairs.blocks.len()), (8, 4), "{a} {b}");
        assert!(!pairs.one_way);
    }
}

/// A restart after the first run, C: the first pair of A and C spans it, that of A and B does not.
#[test]
fn a_pair_of_two_sessions_is_left_out_with_its_block() {
    let order = "cabbacbcaacb";
    let mut sessions = [2; 12];
    sessions[0] = 1;
    let of = |name| in_order(name, order, &sessions);
    let with_c = Pairs::match_runs(&of("a"), &of("c")).expect("pairs");
    assert_eq!((with_c.positions.len(), with_c.alone, with_c.blocks.len()), (3, (1, 1), 1));
    let with_b = Pairs::match_runs(&of("a"), &of("b")).expect("pairs");
    assert_eq!((with_b.positions.len(), with_b.alone, with_b.blocks.len()), (4, (0, 0), 2));
}
