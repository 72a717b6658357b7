//! Verdicts on histories against an independent implementation: `tests/golden/history.json`, made by
//! `tests/golden/make_history.py` in numpy and numba. And laws that need no reference.

use beyondnoise::stats::history::History;
use proptest::prelude::*;
use serde_json::Value;

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("a number, not {value}"))
}

fn count(value: &Value) -> usize {
    usize::try_from(value.as_u64().expect("a count")).expect("a small count")
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().unwrap_or_else(|| panic!("a list {key} in {value}"))
}

/// `make_history.py`, `analyze` of each series. Both round in other places and sum in another order, so numbers agree to
/// 1e-6; nights agree exactly.
#[test]
fn histories_agree_with_numpy() {
    let all: Value = serde_json::from_str(include_str!("../golden/history.json")).expect("JSON");
    let mut judged = 0;
    for one in list(&all, "series") {
        let values: Vec<f64> = list(one, "values").iter().map(number).collect();
        let found = History::of(&values);
        agree(one, &found);
        judged += 1;
    }
    assert_eq!(judged, 101);
}

#[track_caller]
fn agree(expected: &Value, found: &History) {
    let name = &expected["name"];
    let close = |what: &str, found: f64, expected: &Value| {
        let expected = number(expected);
        let off = (found - expected).abs();
        assert!(off <= 1e-6 * expected.abs().max(1e-3), "{name}, {what}: {found}, {expected}");
    };
    let noise = found.noise.expect("judged");
    close("sd", found.sd.iter().copied().fold(f64::INFINITY, f64::min), &expected["sd"]);
    close("memory", noise.memory, &expected["memory"]);
    close("white", noise.white, &expected["white"]);
    let changes = list(expected, "changes");
    let nights: Vec<usize> = found.changes.iter().map(|change| change.night).collect();
    let wanted: Vec<usize> = changes.iter().map(|change| count(&change["night"])).collect();
    assert_eq!(nights, wanted, "{name}");
    for (change, expected) in found.changes.iter().zip(changes) {
        assert_eq!(change.first, count(&expected["first"]), "{name}");
        // A far first night beyond the new level belongs to neither, which the reference does not know.
        let last = count(&expected["last"]);
        assert!(change.last == last || change.last == change.night + 1, "{name}");
        close("effect", change.effect, &expected["effect"]);
        close("standard error", change.standard_error, &expected["standard_error"]);
        close("z", change.z, &expected["z"]);
        close("df", change.df, &expected["df"]);
    }
    let noises = list(expected, "noise_changes");
    assert_eq!(found.noise_changes.len(), noises.len(), "{name}");
    for (change, expected) in found.noise_changes.iter().zip(noises) {
        assert_eq!(change.night, count(&expected["night"]), "{name}");
        close("ratio", change.ratio, &expected["ratio"]);
    }
    let creeps = list(expected, "creeps");
    assert_eq!(found.creeps.len(), creeps.len(), "{name}");
    for (creep, expected) in found.creeps.iter().zip(creeps) {
        assert_eq!((creep.start, creep.end), (count(&expected["start"]), count(&expected["end"])));
        close("creep", creep.effect, &expected["effect"]);
    }
    assert_eq!(found.open, count(&expected["open"]), "{name}");
    assert_eq!(found.excursions.len(), count(&expected["excursions"]), "{name}");
}

#[test]
fn a_short_or_constant_history_is_not_judged() {
    assert_eq!(History::of(&[1.0; 40]).noise, None);
    assert_eq!(History::of(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0]).noise, None);
    assert!(History::of(&[]).changes.is_empty());
    assert!(History::of_raw(&[0.0; 20]).changes.is_empty());
}

/// Values without any noise, and a level that changes once.
#[test]
fn a_change_between_exact_values_is_found() {
    let values: Vec<f64> = (0..40).map(|night| if night < 30 { 5.0 } else { 6.0 }).collect();
    let history = History::of(&values);
    assert_eq!(history.changes.len(), 1);
    assert_eq!((history.changes[0].night, history.changes[0].first), (30, 30));
}

fn nights() -> impl Strategy<Value = Vec<f64>> {
    (12_usize..70, 0_usize..70, 0.8..1.25_f64).prop_flat_map(|(n, at, factor)| {
        proptest::collection::vec(90.0..110.0_f64, n).prop_map(move |mut values| {
            values.iter_mut().skip(at).for_each(|value| *value *= factor);
            values
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 48, ..ProptestConfig::default() })]

    /// In logarithms a unit is an addition; dates cannot depend on it.
    #[test]
    fn a_change_of_unit_moves_no_date(values in nights()) {
        let scaled: Vec<f64> = values.iter().map(|value| value * 1024.0).collect();
        let (one, other) = (History::of(&values), History::of(&scaled));
        let dates = |history: &History| -> Vec<(usize, usize)> {
            history.changes.iter().map(|change| (change.night, change.last)).collect()
        };
        prop_assert_eq!(dates(&one), dates(&other));
        prop_assert_eq!(one.open, other.open);
    }

    /// Lower is higher in one over the values.
    #[test]
    fn a_reversed_direction_reverses_the_effects(values in nights()) {
        let inverse: Vec<f64> = values.iter().map(|value| 1.0 / value).collect();
        let (one, other) = (History::of(&values), History::of(&inverse));
        prop_assert_eq!(one.changes.len(), other.changes.len());
        for (a, b) in one.changes.iter().zip(&other.changes) {
            prop_assert_eq!(a.night, b.night);
            prop_assert!((a.effect + b.effect).abs() < 1e-9);
        }
    }

    /// Every date lies inside its interval and every interval inside its neighbours.
    #[test]
    fn dates_are_in_order(values in nights()) {
        let history = History::of(&values);
        for change in &history.changes {
            prop_assert!(change.first <= change.night && change.night <= change.last);
            prop_assert!(change.last < values.len());
            prop_assert!(change.standard_error > 0.0 && change.z.abs() >= 4.2);
        }
        prop_assert!(history.changes.windows(2).all(|two| two[0].night + 3 <= two[1].night));
        prop_assert!(history.open < 3);
    }

    /// Anything finite has a verdict: no panic, nothing that is not a number.
    #[test]
    fn any_finite_values_are_judged(values in proptest::collection::vec(
        prop_oneof![-1e300..1e300_f64, Just(0.0), 1e-300..1e-290_f64, -1.0..1.0_f64], 0..60)) {
        let history = History::of(&values);
        prop_assert!(history.changes.iter().all(|change| change.effect.is_finite() && !change.z.is_nan()));
    }
}
