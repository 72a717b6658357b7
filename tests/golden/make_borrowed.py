#!/usr/bin/env python3
"""Independent reference values for borrowed noise, paired runs, rank sums, pseudo standard errors and medians of many runs.

Written from the method description alone, without looking at the program; what is shared with golden.json (enumeration,
the quantile of enumerated atoms, the search of a p-value) is that of make_golden.py.

Made with   Python 3.11, numpy 2.4.6, scipy 1.17.1, statsmodels 0.15.0, R 4.2.2, limma 3.54.1   (see "versions")
How to run  python3 -m venv env && env/bin/pip install numpy==2.4.6 scipy==1.17.1 statsmodels==0.15.0
            env/bin/python make_borrowed.py          (needs Rscript with limma; writes borrowed.json beside this file; half a
                                                      minute, one core)

Calls and conventions:
 * unequal_linear: the difference of means with different numbers of runs, as in make_golden.py, values of any sign.
 * prior: limma::fitFDist(variances, df), and the same moments with scipy.special.polygamma and brentq. Variances of zero are
   lifted to 1e-5 of the upper median before either. Where their spread is no more than chance (df2 = Inf) limma gives
   the mean of the variances, the reference that weighted by df; there only the Inf is compared. df is the fitted one, at most half of that of the others. moderated: (d0 s0^2 + d s^2) / (d0 + d), df at most that of all variances.
 * moderated: enumeration of make_golden.py, scipy.stats.t.ppf. weight = share of the runs' own degrees of freedom. With two
   runs or one the interval is Student's.
 * paired: all resamples of the pairs; scipy.stats.ttest_rel; BCa with the jackknife of one sample. null where resamples tie
   with the estimate (BCa) or with zero (p of the percentile interval), since rounding decides such a tie.
 * hodges_lehmann: wilcox.test(b, a, conf.int = TRUE, exact = TRUE) in R on logarithms and on plain values; the rank k of the
   bound is the largest with P(U <= k - 1) <= u, counted in integers. R never gives an infinite bound: where k = 0 it is null
   here. p: scipy's mannwhitneyu.
   approximate: more than 2,500 pairs of runs, normal with continuity correction, the same call with method="asymptotic".
 * centre: numpy.median of numpy.add.outer. lenth: numpy.median.
 * order_statistic: the exact law of the resampled quantile in integers (pair of order statistics, multinomial), percentile
   interval; for 7 against 7 from all 1716 resamples of each arm; beside them 4,000,000 draws, with the order statistics
   five standard errors of a level to either side.
 * median_few: every resample; SE^2 = sum of the variances of ln median*, times n / (n - 1), df of Welch and Satterthwaite.
Infinite values are null. u = (1 - confidence) / 2. Intervals on the log scale are not exponentiated.
"""
import itertools
import json
import math
import os
import platform
import subprocess
import sys
from collections import Counter
from fractions import Fraction

import numpy as np
import scipy
from scipy import optimize, special, stats

import make_golden as plain
from make_golden import CONFIDENCES, Calibrated, difference, enumerate_pairs, log_ratio, mean, merge, multisets

HERE = os.path.dirname(os.path.abspath(__file__))
SCALES = (("log", log_ratio), ("linear", difference))


# ------------------------------------------------------------------------------------------------------------------ R
def r(lines):
    """Lines of R, each of which makes a vector `x`; one list of numbers a line."""
    code = "suppressMessages(library(limma))\n" + "".join(
        f'x <- as.numeric({{{line}}}); cat(sprintf("%.17g", x), "\\n")\n' for line in lines)
    done = subprocess.run(["Rscript", "-"], input=code, capture_output=True, text=True, check=True)
    out = [[float(v.replace("Inf", "inf").replace("NA", "nan")) for v in line.split()] for line in done.stdout.splitlines()]
    assert len(out) == len(lines), done.stdout + done.stderr
    return out


def vector(values):
    """Hexadecimal, so that R reads the very same doubles."""
    return "c(" + ", ".join(float(v).hex() for v in values) + ")"


def versions():
    done = subprocess.run(["Rscript", "-e", 'cat(paste(R.version$major, R.version$minor, sep = "."), '
                           'as.character(packageVersion("limma")))'], capture_output=True, text=True, check=True)
    found = done.stdout.split()
    return {"python": platform.python_version(), "numpy": np.__version__, "scipy": scipy.__version__, "r": found[0],
            "limma": found[1]}


# -------------------------------------------------------------------------------------------------- unequal numbers
UNEQUAL = [
    ("negative_3v5", [-4.1, -3.2, -3.9], [-2.2, -2.9, -3.3, -1.7, -2.6]),
    ("negative_candidate_5v3", [1.31, 0.42, 0.95, 1.18, 0.77], [-0.52, -0.61, -0.49]),
    ("about_zero_4v3", [0.4, -0.7, 1.9, -0.3], [2.6, 1.1, -0.8]),
    ("positive_3v4", [1201.0, 1204.5, 1199.2], [2411.0, 2380.5, 2442.3, 2399.9]),
    ("zero_among_6v3", [0.0, 3.0, 1.0, 2.5, 0.5, 4.0], [1.5, 1.75, 2.25]),
]


def unequal_linear():
    out = []
    for name, a, b in UNEQUAL:
        se, df, _, _ = plain.standard_error(a, b, False)
        size = mean([abs(v) for v in a + b])
        c = Calibrated(mean(b) - mean(a), se, df, *enumerate_pairs(a, b, mean, difference, 1e-12 * size))
        out.append({"name": name, "a": a, "b": b, "estimate": c.theta, "se": se, "df": df, **levels(c, 1e-14 * size)})
    return out


def levels(curve, eps=1e-14):
    p = curve.p_value(0.0, eps)
    if p < 1.0:
        # One crossing only: the p-value is the level of the only change from inside to outside.
        scan = curve.alpha_by_scan(0.0, 801)
        assert len(scan) <= 1 and all(lo <= p <= hi for lo, hi in scan), (p, scan)
    return {"interval": {k: [float(v) for v in curve.interval(al)] for k, al in CONFIDENCES}, "p_value": p}


def student(theta, se, df):
    return {"interval": {k: [theta - (t := float(stats.t.ppf(1 - float(al) / 2, df))) * se, theta + t * se]
                         for k, al in CONFIDENCES},
            "p_value": float(2 * stats.t.sf(abs(theta) / se, df))}


# -------------------------------------------------------------------------------------------------------------- prior
def draws(seed, groups, df, spread, scale):
    """Variances of groups whose true variance differs by a lognormal factor."""
    rng = np.random.default_rng(seed)
    true = scale * np.exp(spread * rng.standard_normal(groups))
    df = np.broadcast_to(df, groups)
    return [[float(f"{v:.6g}"), float(d)] for v, d in zip(true * rng.chisquare(df) / df, df)]


PRIORS = [
    # name, others as (variance, df), own
    ("three", [[1e-4, 4], [9e-4, 4], [2.5e-5, 4]], None),
    ("three_and_own", [[1e-4, 4], [9e-4, 4], [2.5e-5, 4]], [4e-4, 4]),
    ("twenty", draws(1, 20, 4, 1.2, 4e-4), [1e-4, 4]),
    ("twenty_other_df", draws(2, 20, [1, 2, 3, 4, 6, 8, 10, 5, 7, 9] * 2, 1.0, 2.5e-3), [3e-4, 2]),
    ("hundred", draws(3, 100, 2, 1.0, 1e-4), [2e-4, 2]),
    ("hundred_fitted_below_cap", draws(4, 100, 8, 0.8, 1e-4), None),
    ("fraction_of_df", [[0.01, 2.5], [0.04, 7.25], [0.0009, 3.75], [0.02, 1.5]], [0.5, 0.5]),
    ("own_far_away", draws(5, 8, 6, 0.4, 1e-4), [0.25, 2]),
    ("no_more_than_chance", [[1.0, 4], [2.0, 4], [1.5, 4], [0.8, 4]], None),
    ("equal", [[3e-4, 5], [3e-4, 5], [3e-4, 5], [3e-4, 5], [3e-4, 5]], [3e-4, 5]),
    ("one_zero_of_five", [[0.0, 3], [1e-4, 3], [5e-4, 3], [2e-4, 3], [9e-4, 3]], None),
    ("one_zero_of_six", [[0.0, 3], [1e-4, 3], [5e-4, 3], [2e-4, 3], [9e-4, 3]], [3e-4, 3]),
    ("own_zero", [[1e-4, 3], [5e-4, 3], [2e-4, 3], [9e-4, 3]], [0.0, 3]),
    ("two_and_own", [[1e-4, 6], [4e-4, 6]], [2e-4, 4]),
    ("two_far_apart_and_own", [[1e-4, 30], [4e-1, 30]], [2e-4, 4]),
    ("two", [[1e-4, 6], [4e-4, 2]], None),
    ("two_of_many_df", [[1e-4, 40], [4e-4, 60]], None),
    ("one", [[1e-4, 3]], None),
    ("one_and_own", [[1e-4, 6]], [9e-4, 4]),
    ("one_of_many_df_and_own", [[1e-4, 60]], [9e-4, 1]),
    ("tiny", [[1e-300, 4], [9e-300, 4], [2.5e-301, 4], [3e-300, 4]], [1e-300, 4]),
]


def moments(variances, df):
    """Smyth 2004: (s0^2, d0) by the moments of ln s^2."""
    s2, df = np.asarray(variances), np.asarray(df, float)
    e = np.log(s2) - special.digamma(df / 2) + np.log(df / 2)
    excess = float(np.var(e, ddof=1) - special.polygamma(1, df / 2).mean())
    if excess <= 0:
        return float(np.average(s2, weights=df)), math.inf, excess
    # In logarithms, since trigamma runs from 1e16 to 1e-16 on this range.
    d0 = 2 * math.exp(optimize.brentq(lambda y: math.log(special.polygamma(1, math.exp(y))) - math.log(excess), -18, 36,
                                      xtol=1e-14, rtol=1e-15))
    return float(np.exp(e.mean() + special.digamma(d0 / 2) - math.log(d0 / 2))), d0, excess


def prior():
    out, calls = [], []
    for name, others, own in PRIORS:
        known = others + ([own] if own else [])
        total = sum(d for _, d in known)
        of_others = sum(d for _, d in others)
        entry = {"name": name, "others": others, "own": own, "pooled_df": total}
        if len(known) >= 3:
            upper_median = sorted(v for v, _ in known)[len(known) // 2]
            s2, df = [max(v, 1e-5 * upper_median) for v, _ in known], [d for _, d in known]
            s0, d0, excess = moments(s2, df)
            entry["fitted"] = [s0, None if math.isinf(d0) else d0]
            d0 = min(d0, of_others / 2)
            calls.append((entry, s2, df, f"f <- fitFDist({vector(s2)}, {vector(df)}); c(f$scale, f$df2)"))
            if len(known) % 2 and min(v for v, _ in known) == 0:  # limma's own offset of zeros
                raw = vector([v for v, _ in known])
                calls.append((entry, s2, df, f"f <- fitFDist({raw}, {vector(df)}); c(f$scale, f$df2)"))
        else:
            s0, d0 = sum(v * d for v, d in others) / of_others, min(of_others / 2, 4.0)
        entry["prior"] = [s0, d0]
        if own:
            v, d = own
            entry["moderated"] = [(d0 * s0 + d * v) / (d0 + d), min(d0 + d, total)]
        else:
            entry["moderated"] = [s0, min(d0, total)]
        out.append(entry)
    worst = 0.0
    for (entry, s2, df, _), (scale, df2) in zip(calls, r([c[-1] for c in calls])):
        entry["limma"] = [scale, None if math.isinf(df2) else df2]
        s0, d0 = entry["fitted"]
        assert (d0 is None) == math.isinf(df2), entry
        if d0 is None:
            assert math.isclose(scale, np.mean(s2), rel_tol=1e-14), entry
            entry["made_by"] = "limma::fitFDist(variances, df) gives Inf; numpy.average(variances, weights=df)"
        else:
            worst = max(worst, abs(scale / s0 - 1), abs(df2 / d0 - 1))
            entry["made_by"] = "limma::fitFDist(variances, df); scipy.special.polygamma, brentq"
    assert worst < 1e-8, worst
    print("prior: largest relative difference of limma and scipy", worst, file=sys.stderr)
    return out


# ---------------------------------------------------------------------------------------------------------- moderated
MODERATED = [
    # name, a, b, prior variance, prior df, pooled df
    ("example_3v3", [24.32, 24.11, 24.29], [24.52, 24.59, 24.74], 3e-5, 8.0, 40.0),
    ("two_2v2", [101.2, 99.8], [103.9, 104.6], 4e-4, 6.0, 30.0),
    ("two_2v5", [50.83, 51.9], [53.56, 54.25, 54.27, 53.44, 53.47], 1e-4, 3.7, 90.0),
    ("small_3v3_unequal_noise", [118.3, 97.2, 104.9], [131.4, 131.9, 131.1], 2.5e-3, 12.0, 13.5),
    ("constant_3v3", [50.0, 50.0, 50.0], [50.4, 50.9, 50.1], 1e-4, 4.0, 20.0),
    ("lognormal05_3v3", [75.0, 67.98, 121.83], [157.58, 36.43, 106.9], 0.01, 25.0, 60.0),
    ("lognormal_4v3", [75.0, 67.98, 121.83, 80.4], [157.58, 96.43, 106.9], 0.04, 2.25, 18.0),
    ("normal_5v5", [296.07, 310.25, 300.76, 301.54, 305.79], [288.45, 290.03, 293.47, 294.39, 286.48], 2e-4, 5.5, 50.0),
    ("skewed_5v5", [21.523, 47.594, 31.206, 27.941, 29.937], [31.321, 20.665, 36.633, 21.804, 23.734], 0.05, 1.5, 40.0),
    ("spike_5v5", [100.2, 99.1, 100.9, 99.6, 149.8], [98.7, 101.3, 97.9, 99.2, 100.4], 1e-4, 16.0, 21.0),
    ("normal_6v6", [1439.9, 1449.9, 1449.3, 1467.5, 1465.7, 1456.7], [1498.3, 1498.8, 1457.8, 1523.7, 1479.0, 1467.9],
     1e-4, 40.0, 47.0),
    ("tiny_prior_df_4v4", [13.759, 13.964, 14.296, 14.457], [13.669, 13.61, 13.34, 13.659], 1e-3, 0.05, 300.0),
    ("one_1v1", [305.88], [287.36], 4e-4, 10.0, 40.0),
    ("one_1v1_little_known", [532.19], [577.3], 4e-4, 1.5, 3.0),
    ("one_1v3", [100.4], [103.2, 102.1, 104.8], 1e-4, 7.5, 40.0),
    ("one_4v1", [1.911, 2.014, 1.968, 2.105], [1.52], 1e-3, 3.0, 12.0),
]


class Mixed(Calibrated):
    """A share `w` of the calibrated quantile and the rest of Student's t."""

    def __init__(self, w, *args):
        super().__init__(*args)
        self.w = w

    def scaled(self, k, tail):
        # The side is that of the atom looked up: lower() and upper() below.
        raise NotImplementedError

    def bound(self, k, tail, side):
        shape = float(self.d[k]) / self.sd_star * plain.t_over_z(tail, self.df)
        t = 0.0 if float(tail) == 0.5 else -float(stats.t.ppf(float(tail), self.df))
        return self.theta + self.se * (self.w * shape + (1 - self.w) * side * t)

    def lower(self, u):
        return self.bound(plain.lower_atom(self.cum, self.total, u), u, -1)

    def upper(self, tail):
        return self.bound(plain.upper_atom(self.cum, self.total, tail), tail, 1)


def moderated():
    out = []
    for name, a, b, s0, d0, pooled in MODERATED:
        la, lb = np.log(a), np.log(b)
        d = len(a) + len(b) - 2
        s2 = (((la - la.mean()) ** 2).sum() + ((lb - lb.mean()) ** 2).sum()) / d if d else 0.0
        v, df = float((d0 * s0 + d * s2) / (d0 + d)), min(d0 + d, pooled)
        entry = {"name": name, "a": a, "b": b, "prior": [s0, d0], "pooled_df": pooled, "variance": v, "df": df,
                 "weight": d / (d0 + d)}
        ma, mb = mean(a), mean(b)
        for scale, combine in SCALES:
            log = scale == "log"
            theta = math.log(mb / ma) if log else mb - ma
            parts = []
            for x, l, m in ((a, la, ma), (b, lb, mb)):  # each variant's own where their numbers of runs differ
                e = len(x) - 1
                w = (d0 * s0 + ((l - l.mean()) ** 2).sum()) / (d0 + e) if len(a) != len(b) else v
                parts.append((w / len(x) * (1.0 if log else m * m), min(d0 + e, pooled)))
            se = math.sqrt(sum(p for p, _ in parts))
            if len(a) != len(b):
                df = min(se ** 4 / sum(p * p / e for p, e in parts), d0 + d, pooled)
            t = student(theta, se, df)
            if min(len(a), len(b)) > 2:
                size = 1.0 if log else mean(a + b)
                c = Mixed(d / (d0 + d), theta, se, df, *enumerate_pairs(a, b, mean, combine, 1e-12 * size))
                calibrated = levels(c, 1e-14 * size)
            else:
                calibrated = t
            entry[scale] = {"estimate": theta, "se": se, "df": df, "calibrated": calibrated, "welch": t}
        out.append(entry)
    return out


# ------------------------------------------------------------------------------------------------------------- paired
PAIRED = [
    ("example_3", [100.0, 120.0, 90.0], [105.0, 126.5, 94.0]),
    ("two", [51.2, 48.9], [52.9, 49.7]),
    ("three_no_change", [812.4, 640.9, 733.3], [818.0, 633.1, 735.9]),
    ("four", [12.91, 14.02, 11.77, 13.35], [13.1, 14.66, 12.04, 13.42]),
    ("five_drift", [201.3, 214.8, 226.1, 239.7, 251.2], [198.8, 210.1, 223.9, 232.2, 248.7]),
    ("five_skewed", [21.523, 47.594, 31.206, 27.941, 29.937], [31.321, 50.665, 36.633, 29.804, 33.734]),
    ("six", [1439.9, 1449.9, 1449.3, 1467.5, 1465.7, 1456.7], [1498.3, 1498.8, 1457.8, 1523.7, 1479.0, 1467.9]),
    ("six_spike", [100.213, 99.104, 100.928, 99.611, 100.832, 98.907], [98.751, 101.346, 97.902, 149.227, 100.418, 99.569]),
    ("five_other_sign", [-2.5, 1.25, 0.75, -0.5, 3.1], [-1.9, 1.8, 0.2, 0.9, 4.4]),
    ("eight", [64.1, 58.8, 71.3, 66.0, 61.9, 59.2, 69.4, 63.3], [65.0, 60.1, 71.1, 68.2, 61.3, 60.7, 71.8, 64.9]),
    ("ten", [5.12, 6.41, 5.77, 6.08, 5.31, 5.93, 6.66, 5.48, 6.2, 5.85],
     [5.31, 6.33, 5.9, 6.29, 5.28, 6.14, 6.81, 5.71, 6.18, 6.02]),
]


def paired():
    out = []
    for name, a, b in PAIRED:
        entry = {"name": name, "a": a, "b": b}
        for scale in ("log", "linear"):
            if scale == "log" and min(a + b) <= 0:
                entry[scale] = None
                continue
            x, y = (np.log(a), np.log(b)) if scale == "log" else (np.array(a), np.array(b))
            d = [math.log(q / p) if scale == "log" else q - p for p, q in zip(a, b)]
            n, theta = len(d), mean(d)
            size = 1.0 if scale == "log" else mean([abs(v) for v in d])
            se = float(np.std(d, ddof=1)) / math.sqrt(n)
            atoms, weights = merge([mean([d[i] for i in c]) for c, _ in multisets(n)], [w for _, w in multisets(n)],
                                   1e-12 * size)
            t = stats.ttest_rel(y, x)
            ends = {k: t.confidence_interval(float(1 - al)) for k, al in CONFIDENCES}
            assert math.isclose(theta, float(np.mean(y - x)), rel_tol=1e-9, abs_tol=1e-13)
            entry[scale] = {
                "estimate": theta, "se": se, "df": n - 1,
                "calibrated": levels(Calibrated(theta, se, n - 1, atoms, weights), 1e-14 * size),
                "welch": {"interval": {k: [float(e.low), float(e.high)] for k, e in ends.items()},
                          "p_value": float(t.pvalue)},
                "percentile": {"interval": {k: list(plain.plain_quantiles(atoms, weights, al)) for k, al in CONFIDENCES},
                               # Of differences rounding decides whether a resample is zero.
                               "p_value": None if np.abs(atoms).min() < 1e-12 * size else plain.percentile_p(atoms, weights)},
                "bca": bca_of_one(d, atoms, weights, size) if n <= 6 else None,
            }
        out.append(entry)
    return out


def bca_of_one(d, atoms, weights, size):
    n, theta, total = len(d), mean(d), int(weights.sum())
    cum = np.cumsum(weights)
    less = int(weights[atoms < theta - 1e-12 * size].sum())
    equal = int(weights[np.abs(atoms - theta) <= 1e-12 * size].sum())
    if equal != math.factorial(n):  # other resamples than that of all pairs tie with the estimate: rounding decides
        return None
    z0 = float(stats.norm.ppf((less + equal / 2) / total))
    left = [mean(d[:i] + d[i + 1:]) for i in range(n)]
    u = [mean(left) - v for v in left]
    acceleration = sum(v ** 3 for v in u) / (6 * sum(v ** 2 for v in u) ** 1.5)
    intervals = {}
    for k, al in CONFIDENCES:
        ends = []
        for z in (float(stats.norm.ppf(float(al) / 2)), -float(stats.norm.ppf(float(al) / 2))):
            level = float(stats.norm.cdf(z0 + (z0 + z) / (1 - acceleration * (z0 + z))))
            i = plain.lower_atom(cum, total, level) if level < 0.5 else plain.upper_atom(cum, total, 1 - Fraction(level))
            ends.append(float(atoms[i]))
        intervals[k] = ends
    if n > 3:  # scipy on 1,000,000 draws, where the law has atoms enough
        got = stats.bootstrap((d,), np.mean, n_resamples=1_000_000, batch=100_000, confidence_level=0.9, method="BCa",
                              rng=np.random.default_rng(7)).confidence_interval
        for g, e in zip(got, intervals["0.90"]):
            assert abs(g - e) < 0.1 * np.std(d), (d, g, e)
    return {"interval": intervals, "z0": z0, "acceleration": acceleration}


# ----------------------------------------------------------------------------------------------------- Hodges-Lehmann
RNG = np.random.default_rng(20240611)


def lognormal(centre, sigma, n, digits):
    return [float(v) for v in np.round(centre * np.exp(sigma * RNG.standard_normal(n)), digits)]


RANKS = [
    ("bound_at_its_level_3v3", [24.32, 24.11, 24.29], [24.52, 24.59, 24.74]),
    ("four_4v4", [24.32, 24.11, 24.29, 24.4], [24.52, 24.59, 24.74, 24.38]),
    ("apart_5v4", [101.2, 99.8, 100.7, 100.1, 102.3], [103.9, 104.6, 106.2, 104.1]),
    ("spike_5v7", [100.2, 99.1, 100.9, 99.6, 149.8], [98.7, 101.3, 97.9, 99.2, 100.4, 98.1, 99.9]),
    ("lognormal_8v6", lognormal(60, 0.3, 8, 3), lognormal(80, 0.3, 6, 3)),
    ("normal_10v10", lognormal(1000, 0.02, 10, 2), lognormal(1015, 0.02, 10, 2)),
    ("uneven_4v20", lognormal(5, 0.1, 4, 4), lognormal(5.6, 0.1, 20, 4)),
    ("lognormal_17v23", lognormal(30, 0.5, 17, 4), lognormal(31, 0.5, 23, 4)),
    ("largest_exact_50v50", lognormal(100, 0.1, 50, 5), lognormal(104, 0.1, 50, 5)),
    ("negative_6v7", [-3.1, 0.7, 2.2, -0.4, 1.6, 5.8], [0.9, 4.3, 2.7, 3.9, -1.3, 6.1, 7.5]),
]
APPROXIMATE = [
    ("normal_60v60", lognormal(100, 0.1, 60, 5), lognormal(103, 0.1, 60, 5)),
    ("uneven_40v90", lognormal(100, 0.1, 40, 5), lognormal(99, 0.1, 90, 5)),
]


def count_law(n, m):
    """Number of orders with U = 0, 1, ..., nm: the Gaussian binomial, multiplied out in integers."""
    ways = [1] + [0] * (n * m)
    for i in range(1, n + 1):
        up = m + i  # times (1 - q^(m+i)) / (1 - q^i)
        for j in range(n * m, up - 1, -1):
            ways[j] -= ways[j - up]
        for j in range(i, n * m + 1):
            ways[j] += ways[j - i]
    assert sum(ways) == math.comb(n + m, n)
    return ways


def scales_of(a, b):
    yield "linear", sorted(y - x for x in a for y in b), a, b
    if min(a + b) > 0:
        yield "log", sorted(math.log(y) - math.log(x) for x in a for y in b), np.log(a), np.log(b)


def hodges_lehmann():
    out, calls = [], []
    for name, a, b in RANKS:
        assert len(set(a + b)) == len(a + b), name
        n, m = len(a), len(b)
        ways, total = count_law(n, m), math.comb(n + m, n)
        up_to = list(itertools.accumulate(ways))
        entry = {"name": name, "a": a, "b": b, "log": None}
        for scale, d, x, y in scales_of(a, b):
            below, above = sum(v < 0 for v in d), sum(v > 0 for v in d)
            assert below + above == n * m
            p = min(Fraction(1), 2 * Fraction(min(up_to[below], up_to[above]), total))
            test = stats.mannwhitneyu(y, x, method="exact", alternative="two-sided")
            assert math.isclose(float(p), test.pvalue, rel_tol=1e-10), (name, float(p), test.pvalue)
            intervals = {}
            for k, al in CONFIDENCES:
                rank = sum(Fraction(c, total) <= al / 2 for c in up_to)  # largest k with P(U <= k - 1) <= u
                intervals[k] = [d[rank - 1], d[-rank]] if rank else [None, None]
                calls.append((name, scale, k, intervals[k],
                              f"w <- suppressWarnings(wilcox.test({vector(y)}, {vector(x)}, conf.int = TRUE, exact = TRUE, "
                              f"conf.level = {k})); c(w$conf.int, w$estimate, w$p.value)"))
            entry[scale] = {"estimate": float(np.median(d)), "interval": intervals, "p_value": float(p)}
            entry["made_by"] = "wilcox.test(b, a, conf.int = TRUE, exact = TRUE), scipy.stats.mannwhitneyu(method='exact')"
        out.append(entry)
    by_name = {e["name"]: e for e in out}
    for (name, scale, _, ends, _), (lo, hi, estimate, p) in zip(calls, r([c[-1] for c in calls])):
        for got, want in [(estimate, by_name[name][scale]["estimate"]), (p, by_name[name][scale]["p_value"])]:
            assert math.isclose(got, want, rel_tol=1e-10, abs_tol=1e-13), (name, scale, got, want)
        if ends[0] is not None:
            assert math.isclose(lo, ends[0], rel_tol=1e-10, abs_tol=1e-13), (name, scale, lo, ends)
            assert math.isclose(hi, ends[1], rel_tol=1e-10, abs_tol=1e-13), (name, scale, hi, ends)
    for name, a, b in APPROXIMATE:
        n, m = len(a), len(b)
        centre, sd = n * m / 2, math.sqrt(n * m * (n + m + 1) / 12)
        entry = {"name": name, "a": a, "b": b}
        ways, total = count_law(n, m), math.comb(n + m, n)
        up_to = list(itertools.accumulate(ways))
        for scale, d, x, y in scales_of(a, b):
            # Largest k with Phi((k - 1 + 1/2 - nm/2) / sd) <= u.
            ranks = {k: math.floor(centre + 0.5 + sd * float(special.ndtri(float(al) / 2))) for k, al in CONFIDENCES}
            for k, al in CONFIDENCES:  # the exact rank is within five
                assert abs(sum(Fraction(c, total) <= al / 2 for c in up_to) - ranks[k]) <= 5
            test = stats.mannwhitneyu(y, x, method="asymptotic", use_continuity=True, alternative="two-sided")
            entry[scale] = {"estimate": float(np.median(d)), "p_value": float(test.pvalue),
                            "interval": {k: [d[rank - 1], d[-rank]] for k, rank in ranks.items()}}
        entry["made_by"] = "scipy.stats.mannwhitneyu(method='asymptotic', use_continuity=True), scipy.special.ndtri"
        out.append(entry)
    return out


def rank_runs_needed():
    """Fewest runs each at which the most extreme of all orders are rare enough."""
    out = []
    for k in ("0.5", "0.8", "0.9", "0.95", "0.99", "0.999", "0.9999"):
        n = 1
        while Fraction(2, math.comb(2 * n, n)) > 1 - Fraction(k):
            n += 1
        out.append({"confidence": float(k), "expected": n})
    return out


def centre():
    out = []
    for values in ([7.25], [1.0, 2.0, 4.0], [10.1, 9.7, 30.2, 9.9], lognormal(50, 0.4, 15, 4), lognormal(50, 0.4, 40, 4),
                   [-3.0, 1.5, 2.25, 8.0], [0.0, 2.0, 3.0, 10.0, 11.0]):
        x = np.sort(np.log(values)) if min(values) > 0 else np.sort(values)
        halves = np.add.outer(x, x) / 2
        middle = float(np.median(halves[np.triu_indices(len(x))]))
        out.append({"values": values, "expected": math.exp(middle) if min(values) > 0 else middle,
                    "made_by": "numpy.median(numpy.add.outer(x, x)[numpy.triu_indices(n)] / 2), exp of that of logarithms"})
    return out


# -------------------------------------------------------------------------------------------------------------- Lenth
def pse(contrasts):
    c = np.abs(contrasts)
    first = 1.5 * np.median(c)
    return float(1.5 * np.median(c[c < 2.5 * first]))


def lenth():
    plain_lists = [[1.0, -2.0, 1.5, -0.5, 20.0], [0.3, -0.1, 0.25, 0.7], [5.0],
                   [float(v) for v in np.round(RNG.standard_normal(15), 4)],
                   [float(v) for v in np.round(np.concatenate((RNG.standard_normal(11), [9.0, -14.5, 30.1])), 4)],
                   [1.0, 1.0, 1.0, 3.74, 3.76]]
    return [{"contrasts": c, "expected": pse(c), "made_by": "1.5 numpy.median(|c| < 2.5 * 1.5 numpy.median(|c|))"}
            for c in plain_lists]


def noise_of_variants():
    out = []
    for values in ([100.0, 101.0, 99.0, 100.5, 130.0], [305.88, 287.36, 301.1, 299.4],
                   lognormal(800, 0.02, 12, 2), lognormal(800, 0.02, 9, 2) + [951.0, 640.5], lognormal(2, 0.5, 24, 4)):
        x = np.log(values)
        out.append({"values": values, "variance": pse(x - np.median(x)) ** 2, "df": (len(values) - 1) / 3,
                    "made_by": "Lenth's error of numpy.log(values) - numpy.median(numpy.log(values)), squared"})
    return out


# --------------------------------------------------------------------------------------------------- order statistics
def law_of_quantile(values, q):
    """Exact law of the type-7 quantile of a resample: pairs of order statistics, probabilities in integers out of n^n."""
    x, n = sorted(values), len(values)
    position = Fraction(q) * (n - 1)
    k = math.floor(position)  # counted from 0: the order statistics of ranks k + 1 and k + 2
    fraction = position - k

    def at_most(i, j):
        """Ways for at least k + 1 draws among the first i values and at least k + 2 among the first j >= i."""
        ways = 0
        for s in range(k + 1, n + 1):
            for t in range(max(0, k + 2 - s), n - s + 1):
                ways += math.comb(n, s) * math.comb(n - s, t) * i ** s * (j - i) ** t * (n - j) ** (n - s - t)
        return ways

    if fraction == 0:
        first = [sum(math.comb(n, s) * i ** s * (n - i) ** (n - s) for s in range(k + 1, n + 1)) for i in range(n + 1)]
        law = [(x[i], first[i + 1] - first[i]) for i in range(n)]
    else:
        below = {(i, j): at_most(i, j) if i else 0 for j in range(n + 1) for i in range(j + 1)}
        law = []
        for i in range(1, n + 1):
            law.append(((i, i), below[i, i] - below[i - 1, i]))
            for j in range(i + 1, n + 1):
                law.append(((i, j), below[i, j] - below[i - 1, j] - below[i, j - 1] + below[i - 1, j - 1]))
        # below[i, i]: both at most the ith; less those whose lower one is at most the (i-1)th.
        f = float(fraction)
        law = [(x[i - 1] + f * (x[j - 1] - x[i - 1]), w) for (i, j), w in law]
    assert sum(w for _, w in law) == n ** n and all(w >= 0 for _, w in law)
    return [(v, w) for v, w in law if w]


def rational_interval(la, lb, combine, size):
    """Percentile interval and p-value, weights in integers of any size."""
    pairs = sorted((combine(va, vb), wa * wb) for va, wa in la for vb, wb in lb)
    atoms, weights, last = [], [], -math.inf
    for value, weight in pairs:
        if value - last <= 1e-12 * size:
            weights[-1] += weight
        else:
            atoms.append(value)
            weights.append(weight)
        last = value
    total = sum(weights)
    cum = list(itertools.accumulate(weights))
    down = list(itertools.accumulate(reversed(weights)))[::-1]
    intervals = {}
    for k, al in CONFIDENCES:
        low = next(v for v, c in zip(atoms, cum) if c >= al / 2 * total)
        high = next(v for v, c in zip(reversed(atoms), reversed(down)) if c >= al / 2 * total)
        intervals[k] = [float(low), float(high)]
    low = sum(w for v, w in zip(atoms, weights) if v <= 1e-14 * size)
    high = sum(w for v, w in zip(atoms, weights) if v >= -1e-14 * size)
    return {"interval": intervals, "p_value": float(min(Fraction(1), 2 * Fraction(min(low, high), total)))}


ORDER = [
    # name, a, b, quantile
    ("median_7v7", lognormal(60, 0.2, 7, 3), lognormal(75, 0.2, 7, 3), 0.5),
    ("median_9v11", lognormal(20, 0.05, 9, 4), lognormal(20.6, 0.05, 11, 4), 0.5),
    ("median_8v6", lognormal(400, 0.02, 8, 2), lognormal(407, 0.02, 6, 2), 0.5),
    ("median_20v20", lognormal(30, 0.3, 20, 4), lognormal(34, 0.3, 20, 4), 0.5),
    ("median_5v12", lognormal(3, 0.1, 5, 4), lognormal(3.2, 0.1, 12, 4), 0.5),
    ("q90_12v10", lognormal(50, 0.2, 12, 3), lognormal(70, 0.2, 10, 3), 0.9),
    ("q75_9v13", lognormal(50, 0.2, 9, 3), lognormal(54, 0.2, 13, 3), 0.75),
]
DRAWS = 4_000_000


def order_statistic():
    out = []
    for index, (name, a, b, q) in enumerate(ORDER):
        la, lb = law_of_quantile(a, Fraction(repr(q))), law_of_quantile(b, Fraction(repr(q)))
        if name == "median_7v7":  # all resamples of each arm
            for values, law in ((a, la), (b, lb)):
                counted = Counter()
                for chosen, weight in multisets(7):
                    counted[sorted(values[i] for i in chosen)[3]] += weight
                assert len(multisets(7)) == 1716 and dict(counted) == dict(law)
        entry = {"name": name, "a": a, "b": b, "quantile": q, "pairs": len(la) * len(lb),
                 "log": {"estimate": float(np.log(np.quantile(b, q)) - np.log(np.quantile(a, q))),
                         **rational_interval(la, lb, lambda x, y: math.log(y) - math.log(x), 1.0)},
                 "linear": {"estimate": float(np.quantile(b, q) - np.quantile(a, q)),
                            **rational_interval(la, lb, lambda x, y: y - x, mean(a + b))},
                 "made_by": "make_borrowed.py law_of_quantile, weights in integers"}
        if name in ("median_9v11", "median_20v20", "q90_12v10"):
            rng = np.random.default_rng(900 + index)
            parts = []
            for _ in range(20):
                sa = np.array(a)[rng.integers(0, len(a), (DRAWS // 20, len(a)))]
                sb = np.array(b)[rng.integers(0, len(b), (DRAWS // 20, len(b)))]
                parts.append(np.log(np.quantile(sb, q, axis=1)) - np.log(np.quantile(sa, q, axis=1)))
            t = np.sort(np.concatenate(parts))
            brackets = {}
            for k, al in CONFIDENCES:
                u = float(al) / 2
                spread = 5 * math.sqrt(DRAWS * u * (1 - u))
                ranks = [math.floor(DRAWS * u - spread), math.ceil(DRAWS * u + spread)]
                brackets[k] = [[float(t[i]) for i in ranks], [float(t[-1 - i]) for i in reversed(ranks)]]
                for (lo, hi), exact in zip(brackets[k], entry["log"]["interval"][k]):
                    assert lo - 1e-12 <= exact <= hi + 1e-12, (name, k, lo, hi, exact)
            low, high = float(np.mean(t <= 1e-14)), float(np.mean(t >= -1e-14))
            p = min(1.0, 2 * min(low, high))
            assert abs(p - entry["log"]["p_value"]) <= 10 * math.sqrt(0.25 / DRAWS), (name, p, entry["log"]["p_value"])
            entry["drawn"] = {"brackets": brackets, "p_value": p, "draws": DRAWS, "seed": 900 + index}
        out.append(entry)
    return out


FEW = [
    ("median_3v3", [24.32, 24.11, 24.29], [24.52, 24.59, 24.74]),
    ("median_4v4", [13.759, 13.964, 14.296, 14.457], [13.669, 13.61, 13.34, 13.659]),
    ("median_4v6", [2167.4, 2209.6, 2191.9, 2234.2], [2322.1, 2392.1, 2285.5, 2355.4, 2323.5, 2411.8]),
]


def median_few():
    out = []
    for name, a, b in FEW:
        parts = []
        for x in (a, b):
            m, w = plain.arm(x, plain.median)
            m, w = np.log(m), np.array(w) / len(x) ** len(x)
            parts.append(float(w @ (m - w @ m) ** 2) * len(x) / (len(x) - 1))
        se = math.sqrt(sum(parts))
        df = sum(parts) ** 2 / sum(p ** 2 / (len(x) - 1) for p, x in zip(parts, (a, b)))
        c = Calibrated(math.log(plain.median(b) / plain.median(a)), se, df,
                       *enumerate_pairs(a, b, plain.median, log_ratio, 1e-12))
        out.append({"name": name, "a": a, "b": b, "estimate": c.theta, "se": se, "df": df, **levels(c)})
    return out


def main():
    golden = {"versions": versions()}
    for make in (unequal_linear, prior, moderated, paired, hodges_lehmann, rank_runs_needed, centre, lenth,
                 noise_of_variants, order_statistic, median_few):
        golden[make.__name__] = make()
        print(f"{make.__name__}: {len(golden[make.__name__])}", file=sys.stderr, flush=True)
    with open(os.path.join(HERE, "borrowed.json"), "w") as f:
        f.write("{\n")
        for i, (name, v) in enumerate(golden.items()):
            text = json.dumps(v, allow_nan=False) if isinstance(v, dict) else \
                "[\n" + ",\n".join(json.dumps(e, allow_nan=False) for e in v) + "\n]"
            f.write(f"{json.dumps(name)}: {text}" + (",\n" if i + 1 < len(golden) else "\n"))
        f.write("}\n")


if __name__ == "__main__":
    main()
