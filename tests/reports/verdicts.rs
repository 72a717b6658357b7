//! From numbers to verdicts, and from verdicts to the headline.

use beyondnoise::stats::Interval;
use beyondnoise::verdict::{Change, Headline, Verdict, headline, judge};

fn interval(low: f64, high: f64) -> Interval {
    Interval { low, high, confidence: 0.9 }
}

/// The table of verdicts, a row each.
#[test]
fn every_row_of_the_table_of_verdicts() {
    let at = |estimate, p_adjusted, equivalence| {
        judge(Change { estimate, p_adjusted, equivalence: Some(equivalence) }, 0.01, 0.05)
    };
    assert_eq!(at(0.02, 0.01, interval(0.01, 0.03)), Verdict::Better);
    assert_eq!(at(-0.02, 0.01, interval(-0.03, -0.01)), Verdict::Worse);
    assert_eq!(at(0.005, 0.01, interval(0.001, 0.009)), Verdict::TinyBetter);
    assert_eq!(at(-0.005, 0.01, interval(-0.009, -0.001)), Verdict::TinyWorse);
    assert_eq!(at(0.001, 0.5, interval(-0.004, 0.006)), Verdict::NoChange);
    assert_eq!(at(0.001, 0.5, interval(-0.02, 0.02)), Verdict::WithinNoise);
}

#[test]
fn a_tie_is_within_noise() {
    let tie = Change { estimate: 0.05, p_adjusted: 0.05, equivalence: Some(interval(0.0, 0.1)) };
    assert_eq!(judge(tie, 0.01, 0.05), Verdict::WithinNoise);
    let none = Change { estimate: 0.0, p_adjusted: 0.001, equivalence: None };
    assert_eq!(judge(none, 0.01, 0.05), Verdict::WithinNoise);
    let at_the_margin = Change { estimate: 0.01, p_adjusted: 0.001, equivalence: None };
    assert_eq!(judge(at_the_margin, 0.01, 0.05), Verdict::Better);
}

#[test]
fn the_headline_follows_from_the_deciding_verdicts() {
    use Verdict::{Better, NoChange, NotJudged, TinyBetter, TinyWorse, WithinNoise, Worse};
    let of = |all: &[Verdict]| {
        let sized: Vec<(Verdict, f64)> = all.iter().map(|verdict| (*verdict, 0.5)).collect();
        headline(&sized)
    };
    assert_eq!(of(&[Better, WithinNoise]), Headline::Improved);
    assert_eq!(of(&[Worse, NoChange]), Headline::Regressed);
    assert_eq!(of(&[Worse, Better]), Headline::TradeOff);
    assert_eq!(of(&[Worse, TinyBetter]), Headline::Regressed);
    // A change that is shown is never called none, nor noise.
    assert_eq!(of(&[NoChange, TinyWorse]), Headline::SlightlyRegressed);
    assert_eq!(of(&[WithinNoise, TinyBetter, NotJudged]), Headline::SlightlyImproved);
    assert_eq!(of(&[NoChange, WithinNoise]), Headline::WithinNoise);
    assert_eq!(of(&[NotJudged]), Headline::NoVerdict);
    assert_eq!(of(&[NoChange, NotJudged]), Headline::NoVerdict);
    assert_eq!(of(&[]), Headline::NoVerdict);
}

#[test]
fn of_slight_changes_in_both_directions_the_larger_names_the_headline() {
    use Verdict::{TinyBetter, TinyWorse};
    let of = |better, worse| headline(&[(TinyWorse, worse), (TinyBetter, better)]);
    assert_eq!(of(0.9, 0.2), Headline::SlightlyImproved);
    assert_eq!(of(0.2, 0.9), Headline::SlightlyRegressed);
    // Of equal ones, that for the worse.
    assert_eq!(of(0.4, 0.4), Headline::SlightlyRegressed);
}
