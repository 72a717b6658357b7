//! Error rates of the change inside sessions, simulated: how often equal builds are called different, and how often a change
//! is found.

use beyondnoise::stats::{Across, BySession, Method, Resampling, Sample, Scale, TwoSample};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn normal(rng: &mut ChaCha8Rng) -> f64 {
    // Box and Muller.
    let (u, v): (f64, f64) = (rng.random(), rng.random());
    (-2.0 * (1.0 - u).ln()).sqrt() * (std::f64::consts::TAU * v).cos()
}

/// Student's t of three degrees of freedom, with a standard deviation of 1.
fn student(rng: &mut ChaCha8Rng) -> f64 {
    let squares: f64 = (0..3).map(|_| normal(rng).powi(2)).sum();
    normal(rng) / squares.sqrt()
}

type Noise = fn(&mut ChaCha8Rng) -> f64;

/// Standard deviation of a run inside its session, on the scale of logarithms.
const SD: f64 = 0.02;

/// Sessions, runs of each variant in each, the standard deviations of what a session adds to both variants and to one, and the
/// true change; in units of [`SD`].
#[derive(Clone, Copy)]
struct Design {
    sessions: usize,
    runs: usize,
    effect: f64,
    interaction: f64,
    change: f64,
}

/// The values of both variants in each session. The changes of all sessions have the mean `change`: with an interaction, the
/// change inside these sessions is what it is asked about.
fn draw(design: Design, noise: Noise, rng: &mut ChaCha8Rng) -> Vec<[Vec<f64>; 2]> {
    let Design { sessions, runs, effect, interaction, change } = design;
    let own: Vec<f64> = (0..sessions).map(|_| interaction * normal(rng)).collect();
    let centre = own.iter().sum::<f64>() / sessions as f64;
    let session = |own: &f64| {
        let shared = effect * normal(rng);
        [0.0, change + own - centre].map(|shift| {
            (0..runs).map(|_| 100.0 * (SD * (shared + shift + noise(rng))).exp()).collect()
        })
    };
    own.iter().map(session).collect()
}

fn inside(sessions: &[[Vec<f64>; 2]]) -> f64 {
    let cells: Vec<[&[f64]; 2]> = sessions.iter().map(|[a, b]| [&a[..], &b[..]]).collect();
    let [log, _] = BySession::of(&cells, 0.0).curves;
    log.expect("positive values").p_value(0.0)
}

/// Welch's test of all runs, whatever their session.
fn unadjusted(sessions: &[[Vec<f64>; 2]]) -> f64 {
    let all = |side: usize| {
        let values = sessions.iter().flat_map(|session| session[side].iter().copied());
        Sample::new(values.collect()).expect("finite")
    };
    let (a, b) = (all(0), all(1));
    let two = TwoSample::new(&a, &b, Across::MEAN, Resampling::default());
    two.curve(Scale::Log, Method::Welch).expect("an interval").p_value(0.0)
}

/// Share of p-values up to 5 %.
fn called(
    design: Design,
    noise: Noise,
    (repetitions, seed): (usize, u64),
    p: fn(&[[Vec<f64>; 2]]) -> f64,
) -> f64 {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let hits = (0..repetitions).filter(|_| p(&draw(design, noise, &mut rng)) <= 0.05).count();
    hits as f64 / repetitions as f64
}

const NOISES: [(&str, Noise); 2] = [("normal", normal), ("t3", student)];

/// 2, 3, 5 and 8 sessions of 2 to 4 runs of each, session effects of 0, 1 and 4 times the noise, the change the same in all
/// sessions or not. Over 9 designs of 400 repetitions the rate has a standard error of 0.36 points.
#[test]
fn equal_builds_in_several_sessions_are_called_different_in_at_most_5_5_percent() {
    for ((name, noise), sessions) in
        NOISES.into_iter().flat_map(|noise| [2, 3, 5, 8].map(|sessions| (noise, sessions)))
    {
        for interaction in [0.0, 2.0] {
            let mut rates = Vec::new();
            for runs in [2, 3, 4] {
                for (nth, effect) in [0.0, 1.0, 4.0].into_iter().enumerate() {
                    let design = Design { sessions, runs, effect, interaction, change: 0.0 };
                    let seed = (sessions * 100 + runs * 10 + nth) as u64;
                    rates.push(called(design, noise, (400, seed), inside));
                }
            }
            let rate = rates.iter().sum::<f64>() / rates.len() as f64;
            assert!(rate <= 0.055, "{name}, {sessions} sessions, {interaction}: {rate}");
            // Below: an interaction makes the test more careful.
            assert!(interaction > 0.0 || rate >= 0.035, "{name}, {sessions} sessions: {rate}");
        }
    }
}

/// A change of twice the noise, 3 + 3 runs in each session. Expected, by 20,000 repetitions in numpy: in 3 sessions 98 %
/// whatever the session effect; the unadjusted test 98, 89 and 23 % at effects of 0, 1 and 4 times the noise.
#[test]
fn a_change_inside_sessions_is_found_whatever_the_sessions_add() {
    for (sessions, effect, expected) in [
        (2, 0.0, [0.867, 0.866]),
        (2, 1.0, [0.869, 0.722]),
        (2, 4.0, [0.872, 0.288]),
        (3, 0.0, [0.978, 0.979]),
        (3, 1.0, [0.977, 0.892]),
        (3, 4.0, [0.976, 0.234]),
        (5, 0.0, [0.978, 1.000]),
        (5, 1.0, [0.977, 0.990]),
        (5, 4.0, [0.980, 0.246]),
    ] {
        let design = Design { sessions, runs: 3, effect, interaction: 0.0, change: 2.0 };
        let found = [inside, unadjusted].map(|p| called(design, normal, (800, 7), p));
        for (found, expected) in found.into_iter().zip(expected) {
            // Four standard errors.
            let error = (expected * (1.0 - expected) / 800.0_f64).sqrt();
            assert!(
                (found - expected).abs() <= 4.0 * error + 0.005,
                "{sessions} {effect}: {found}"
            );
        }
    }
}
