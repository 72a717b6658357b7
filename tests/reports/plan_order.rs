//! The order in which runs are to be made, and what they cost.

use beyondnoise::plan::{Cost, PATTERN, order_of_runs};

#[test]
fn the_order_of_runs_balances_a_drift() {
    assert_eq!(order_of_runs(4), "B A A B B A A B");
    assert_eq!(order_of_runs(2), PATTERN);
    for each in 1..20 {
        let order = order_of_runs(each);
        let places = |letter: &str| -> (usize, usize) {
            let at = order.split(' ').enumerate().filter(|(_, l)| *l == letter);
            at.fold((0, 0), |(count, sum), (index, _)| (count + 1, sum + index))
        };
        let ((a, sum_a), (b, sum_b)) = (places("A"), places("B"));
        assert!(a == each && b == each);
        assert!(sum_a.abs_diff(sum_b) == each % 2);
    }
}

#[test]
fn times_are_added_and_shown_in_two_units() {
    let shown = |text: &str, runs| text.parse::<Cost>().unwrap().times(runs).to_string();
    assert_eq!(shown("7min", 12), "1 h 24 min");
    assert_eq!(shown("0.5h", 4), "2 h");
    assert_eq!(shown("1h30min", 2), "3 h");
    assert_eq!(shown("42 s", 3), "2 min 6 s");
    assert_eq!(shown("42.5 seconds", 1), "42.5 s");
    assert_eq!(shown("250ms", 2), "0.5 s");
    assert_eq!(shown("3599.6s", 1), "1 h");
    assert_eq!(shown("5 h", 20), "4 d 4 h");
}

#[test]
fn other_units_are_multiplied_and_kept() {
    let shown = |text: &str, runs| text.parse::<Cost>().unwrap().times(runs).to_string();
    assert_eq!(shown("12USD", 12), "144 USD");
    assert_eq!(shown("1.25", 2), "2.5");
    assert_eq!(shown("0.1 GPU hours", 10), "1 GPU hours");
}

#[test]
fn what_is_no_cost_is_refused() {
    for text in ["", "min", "0min", "-7min", "7,5min", "1.2.3s", "inf", "nan", "$12"] {
        assert!(text.parse::<Cost>().is_err(), "{text}");
    }
}
