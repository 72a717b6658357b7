#!/usr/bin/env python3
"""Independent reference values for the statistics of this program.

Written from the method description alone, without looking at the program, in the plainest way that works:
resamples are enumerated in full, every pair of arms is listed, ranks are compared as exact integers.

Made with   Python 3.11, numpy 2.4.6, scipy 1.17.1, statsmodels 0.15.0   (the versions really used are in golden.json)
How to run  python3 -m venv env && env/bin/pip install numpy==2.4.6 scipy==1.17.1 statsmodels==0.15.0
            env/bin/python make_golden.py            (writes golden.json beside this file; some minutes, one core)

Conventions, where the description leaves room (all repeated in golden.json under "notes"):
 * theta = ln(mean B / mean A). A = baseline, B = candidate. Intervals are given as exp(.) - 1, a fraction, not percent.
 * SE and df: Welch-Satterthwaite; when an arm has only 2 runs, df = min(n_A, n_B) - 1. With different numbers of runs,
   3 or more each, the arm with fewer is never taken as quieter than both pooled (unequal_parts); method Welch is plain.
 * sd* = square root of the weighted second moment of delta* about its own weighted mean (divisor = total weight).
 * ties: atoms of theta* closer than 1e-12 (absolute scale: 1e-12 times the mean of |values|) are one atom. It is
   asserted that this gives just as many atoms as exact rational arithmetic on the decimal inputs.
 * ranks: weights are integers, u is an exact fraction, so "cumulative weight >= u" is decided without rounding.
 * upper level: the tail 1-u = alpha/2 is used directly, and t^-1(u) = -t^-1(1-u).
 * p-value: bisection on alpha, asking of the interval itself whether it contains 0.
"""
import itertools
import json
import math
import os
import platform
import sys
import warnings
from collections import Counter
from fractions import Fraction

import numpy as np
import scipy
import statsmodels
from scipy import optimize, special, stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestIndPower

HERE = os.path.dirname(os.path.abspath(__file__))
CONFIDENCES = [("0.90", Fraction(1, 10)), ("0.95", Fraction(1, 20)), ("0.99", Fraction(1, 100))]
HALF = Fraction(1, 2)

# ------------------------------------------------------------------------------------------------------------ designs
EXACT = [
    # name, baseline A, candidate B
    ("example_3v3", [24.32, 24.11, 24.29], [24.52, 24.59, 24.74]),
    ("two_2v2", [101.2, 99.8], [103.9, 104.6]),
    ("two_2v5", [50.83, 51.9], [53.56, 54.25, 54.27, 53.44, 53.47]),
    ("small_3v3_unequal_noise", [118.3, 97.2, 104.9], [131.4, 131.9, 131.1]),
    ("one_arm_constant_3v3", [50.0, 50.0, 50.0], [50.4, 50.9, 50.1]),
    ("theta_zero_exactly_3v3", [10.0, 10.4, 10.7], [10.7, 10.0, 10.4]),
    ("lognormal05_3v3", [75.0, 67.98, 121.83], [157.58, 36.43, 106.9]),
    ("normal_3v5", [809.04, 804.75, 814.09], [809.94, 838.98, 830.5, 824.84, 836.38]),
    ("slower_4v4", [13.759, 13.964, 14.296, 14.457], [13.669, 13.61, 13.34, 13.659]),
    ("normal_4v6", [2167.4, 2209.6, 2191.9, 2234.2], [2322.1, 2392.1, 2285.5, 2355.4, 2323.5, 2411.8]),
    ("normal_5v5", [296.07, 310.25, 300.76, 301.54, 305.79], [288.45, 290.03, 293.47, 294.39, 286.48]),
    ("skewed_5v5", [22.841, 29.998, 28.999, 29.423, 31.179], [26.918, 32.636, 25.416, 25.099, 24.344]),
    ("ties_5v5", [20.1, 20.1, 20.3, 20.2, 20.1], [20.2, 20.3, 20.3, 20.5, 20.2]),
    ("theta_near_zero_5v5", [119.39, 119.27, 121.28, 118.54, 121.31], [119.21, 118.95, 120.18, 121.14, 120.29]),
    ("spike_5v5", [100.2, 99.1, 100.9, 99.6, 149.8], [98.7, 101.3, 97.9, 99.2, 100.4]),
    ("lognormal05_5v5", [135.0, 78.33, 136.83, 54.84, 143.72], [74.42, 168.93, 125.84, 108.95, 151.14]),
    ("skewed_exponential_5v5", [21.523, 47.594, 31.206, 27.941, 29.937], [31.321, 20.665, 36.633, 21.804, 23.734]),
    ("normal_6v6", [1439.9, 1449.9, 1449.3, 1467.5, 1465.7, 1456.7], [1498.3, 1498.8, 1457.8, 1523.7, 1479.0, 1467.9]),
    ("quiet_few_6v3", [212.4, 219.8, 205.1, 214.9, 208.3, 221.7], [203.1, 203.9, 202.6]),
    ("loud_few_6v3", [0.4127, 0.4133, 0.4119, 0.4141, 0.4125, 0.413], [0.42513, 0.40724, 0.43981]),
    ("scales_apart_3v4", [3.02, 3.05, 3.04], [61.3, 58.2, 66.4, 63.5]),
    ("constant_few_3v4", [8.5, 8.5, 8.5], [8.31, 8.62, 8.57, 8.44]),
]
DRAWN = [
    ("normal_10v10",
     [103.62, 100.41, 99.0, 97.1, 100.57, 97.47, 102.2, 100.29, 101.62, 100.33],
     [105.71, 100.63, 102.15, 106.2, 98.23, 102.58, 104.93, 98.81, 99.9, 98.25]),
    ("lognormal02_8v12",
     [75.982, 57.77, 56.335, 45.233, 48.501, 72.215, 57.769, 55.377],
     [84.356, 60.069, 99.419, 66.888, 64.979, 68.281, 72.54, 82.839, 62.608, 61.06, 72.552, 77.05]),
    ("exponential_20v20",
     [34.754, 41.04, 31.232, 36.937, 31.482, 46.417, 32.855, 31.722, 30.824, 32.771, 30.23, 30.716, 37.03, 36.963,
      30.418, 38.429, 31.155, 32.485, 34.218, 40.93],
     [28.744, 28.28, 31.35, 28.259, 29.343, 29.304, 28.048, 31.12, 29.795, 33.353, 33.753, 37.596, 34.119, 30.037,
      29.811, 28.904, 31.028, 32.189, 29.754, 30.93]),
]
BCA = ["normal_5v5", "skewed_exponential_5v5", "normal_6v6"]


# -------------------------------------------------------------------------------------------------------- enumeration
def multisets(n):
    """All index multisets of size n out of n, with their multinomial weights (integers summing to n**n)."""
    out = []
    for c in itertools.combinations_with_replacement(range(n), n):
        w = math.factorial(n)
        for k in Counter(c).values():
            w //= math.factorial(k)
        out.append((c, w))
    assert sum(w for _, w in out) == n ** n
    return out


def arm(x, stat):
    ms = multisets(len(x))
    return [stat([x[i] for i in c]) for c, _ in ms], [w for _, w in ms]


def mean(v):
    return math.fsum(v) / len(v)


def merge(values, weights, tol):
    """Sorted distinct atoms and integer weights; a step of at most tol to the next value is no step."""
    values, weights = np.asarray(values, float), np.asarray(weights, np.int64)
    order = np.argsort(values, kind="stable")
    values, weights = values[order], weights[order]
    start = np.concatenate(([0], np.nonzero(np.diff(values) > tol)[0] + 1))
    return values[start], np.add.reduceat(weights, start)


def enumerate_pairs(a, b, stat, combine, tol):
    """Every pair of a resample of A and a resample of B: atoms of theta* and integer weights."""
    va, wa = arm(a, stat)
    vb, wb = arm(b, stat)
    t = combine(np.array(va)[:, None], np.array(vb)[None, :])
    w = np.array(wa, dtype=np.int64)[:, None] * np.array(wb, dtype=np.int64)[None, :]
    return merge(t.ravel(), w.ravel(), tol)


def log_ratio(va, vb):
    return np.log(vb) - np.log(va)


def difference(va, vb):
    return vb - va


def n_atoms_exactly(a, b, ratio):
    """The number of different theta* in exact rational arithmetic on the decimal inputs (means only)."""
    sa = {sum(c) for c in itertools.combinations_with_replacement([Fraction(repr(x)) for x in a], len(a))}
    sb = {sum(c) for c in itertools.combinations_with_replacement([Fraction(repr(x)) for x in b], len(b))}
    sa, sb = [s / len(a) for s in sa], [s / len(b) for s in sb]
    return len({(y / x if ratio else y - x) for x in sa for y in sb})


def literal_check(a, b, atoms, weights, combine):
    """The most literal form: all n_A**n_A * n_B**n_B ordered resamples. Only for small designs."""
    if len(a) ** len(a) * len(b) ** len(b) > 10_000_000:
        return False
    ma = np.array([mean(r) for r in itertools.product(a, repeat=len(a))])
    mb = np.array([mean(r) for r in itertools.product(b, repeat=len(b))])
    t = np.sort(combine(ma[:, None], mb[None, :]).ravel())
    assert np.allclose(np.repeat(atoms, weights), t, rtol=0, atol=1e-11 * (1 + np.abs(t).max()))
    return True


# ------------------------------------------------------------------------------------------------- the quantile curve
def lower_atom(cum, total, u):
    """Index of the smallest atom with cumulative weight >= u (u < 1/2)."""
    need = Fraction(u) * total
    return int(np.searchsorted(cum, math.ceil(need), side="left"))


def upper_atom(cum, total, tail):
    """Index of the largest atom with P(. >= atom) >= tail (tail = 1 - u < 1/2)."""
    # P(. >= atom_k) * total = total - cum[k-1] >= tail * total   <=>   cum[k-1] <= (1 - tail) * total
    room = math.floor((1 - Fraction(tail)) * total)
    return int(np.searchsorted(cum[:-1], room, side="right"))


def t_over_z(u, df):
    """t_df^-1(u) / Phi^-1(u) for 0 < u <= 1/2, at 1/2 the limit."""
    u = float(u)
    if u > 0.5 - 1e-10:
        return float(stats.norm.pdf(0) / stats.t.pdf(0, df))
    return float(stats.t.ppf(u, df) / stats.norm.ppf(u))


class Calibrated:
    """theta + SE * (delta*_(u) / sd*) * (t_df^-1(u) / Phi^-1(u)), delta* the atoms of the resampled theta, less theta."""

    def __init__(self, theta, se, df, atoms, weights):
        self.theta, self.se, self.df = theta, se, df
        self.weights = np.asarray(weights, np.int64)
        self.total = int(self.weights.sum())
        self.cum = np.cumsum(self.weights)
        self.d = np.asarray(atoms, float) - theta
        p = self.weights / self.total
        m = float(p @ self.d)
        self.sd_star = math.sqrt(float(p @ (self.d - m) ** 2))

    def scaled(self, k, tail):
        return self.theta + self.se * (float(self.d[k]) / self.sd_star) * t_over_z(tail, self.df)

    def lower(self, u):  # u < 1/2; u = 1/2 stands for the limit from the left
        return self.scaled(lower_atom(self.cum, self.total, u), u)

    def upper(self, tail):  # level 1 - tail; tail = 1/2 stands for the limit from the right
        return self.scaled(upper_atom(self.cum, self.total, tail), tail)

    def interval(self, alpha):
        return self.lower(Fraction(alpha) / 2), self.upper(Fraction(alpha) / 2)

    def contains(self, x, alpha):
        lo, hi = self.interval(alpha)
        return lo <= x <= hi

    def p_value(self, x=0.0, eps=0.0):
        """The alpha at which an end of the interval touches x: bisection on alpha, the interval itself being asked."""
        lo, hi = self.interval(1)
        if lo - eps <= x <= hi + eps:
            return 1.0
        inside, outside = 1e-30, 1.0  # alpha where x is inside, alpha where it is outside
        assert self.contains(x, inside)
        while outside / inside > 2:
            mid = math.sqrt(inside * outside)
            inside, outside = (mid, outside) if self.contains(x, mid) else (inside, mid)
        for _ in range(70):
            mid = 0.5 * (inside + outside)
            inside, outside = (mid, outside) if self.contains(x, mid) else (inside, mid)
        return 0.5 * (inside + outside)

    def cdf(self, x, eps=0.0):
        """The level u at which the curve passes x: the curve read as a distribution function."""
        p = self.p_value(x, eps)
        if p == 1.0:
            return 0.5
        return p / 2 if x < self.interval(1)[0] else 1 - p / 2

    def alpha_by_scan(self, x, n=4001):
        """A second way: a plain scan of alpha, to find every change between inside and outside."""
        grid = np.concatenate((np.logspace(-12, -3, 200, endpoint=False), np.linspace(1e-3, 1 - 1e-9, n)))
        state = [self.contains(x, float(al)) for al in grid]
        return [(float(grid[i]), float(grid[i + 1])) for i in range(len(grid) - 1) if state[i] != state[i + 1]]

    def p_by_steps(self, x):
        """A third way: step by step of the atoms. Returns (smallest alpha that excludes x, largest that contains it)."""
        lo, hi = self.interval(1)
        if lo <= x <= hi:
            return 1.0, 1.0
        if x < lo:
            d, cum = self.d, self.cum
        else:  # mirror
            d, cum = -self.d[::-1], np.cumsum(self.weights[::-1])
        y = (x - self.theta) * self.sd_star / self.se * (1 if x < lo else -1)
        ends = cum / self.total
        keep = np.concatenate(([True], ends[:-1] < 0.5))
        d, right = d[keep], np.minimum(ends[keep], 0.5)
        left = np.concatenate(([0.0], right[:-1]))

        def ratio(u):
            r = np.full(u.shape, np.inf)
            mid = (u > 0) & (u < 0.5 - 1e-10)
            r[mid] = stats.t.ppf(u[mid], self.df) / stats.norm.ppf(u[mid])
            r[u >= 0.5 - 1e-10] = stats.norm.pdf(0) / stats.t.pdf(0, self.df)
            return r

        with np.errstate(invalid="ignore"):
            at_left, at_right = d * ratio(left) > y, d * ratio(right) > y  # excluded just after / at the end of the step
        at_left[0] = False

        def root(k):
            if at_left[k] == at_right[k]:
                return None
            return optimize.brentq(lambda u: d[k] * t_over_z(u, self.df) - y, max(left[k], 1e-30), right[k],
                                   xtol=1e-300, rtol=1e-14)
        first_k = int(np.nonzero(at_left | at_right)[0][0])
        first = left[first_k] if at_left[first_k] else root(first_k)
        last_k = int(np.nonzero(~(at_left & at_right))[0][-1])
        last = right[last_k] if not at_right[last_k] else root(last_k)
        return 2 * float(first), 2 * float(last)


# ------------------------------------------------------------------------------------------------ moments of a design
def variance(x):
    return float(np.var(x, ddof=1))


def relative_moments(a, b):
    ma, mb = mean(a), mean(b)
    ra = variance(a) / (len(a) * ma * ma)
    rb = variance(b) / (len(b) * mb * mb)
    return float(np.log(mb) - np.log(ma)), ra, rb


def absolute_moments(a, b):
    return mean(b) - mean(a), variance(a) / len(a), variance(b) / len(b)


def degrees_of_freedom(a, b, ra, rb):
    ws = (ra + rb) ** 2 / (ra * ra / (len(a) - 1) + rb * rb / (len(b) - 1))
    rule = float(min(len(a), len(b)) - 1) if min(len(a), len(b)) == 2 else float(ws)
    return rule, float(ws)


def unequal_parts(fewer, more, ratio):
    """(part of SE^2, df) of either arm, each on its own scale: ratio of means (squared CVs) or difference of means."""
    n, m = len(fewer), len(more)
    d, e = n - 1, m - 1
    own, others = variance(fewer), variance(more)
    mf, mm = mean(fewer), mean(more)
    if ratio:
        own, others = own / mf ** 2, others / mm ** 2
    pooled = (d * own + e * others) / (d + e)
    part = (pooled / n, d + e) if own < pooled else (own / n, d + e * pooled / own)
    return part, (others / m, e)


def standard_error(a, b, ratio):
    """SE and df of the calibrated interval of the mean, and the plain pair of Welch and Satterthwaite."""
    _, ra, rb = relative_moments(a, b) if ratio else absolute_moments(a, b)
    df, ws = degrees_of_freedom(a, b, ra, rb)
    plain = math.sqrt(ra + rb), ws
    if len(a) == len(b) or min(len(a), len(b)) < 3:
        return plain[0], df, *plain
    (p, dp), (q, dq) = unequal_parts(a, b, ratio) if len(a) < len(b) else unequal_parts(b, a, ratio)
    return math.sqrt(p + q), (p + q) ** 2 / (p ** 2 / dp + q ** 2 / dq), *plain


def pair(lo, hi):
    return [float(lo), float(hi)]


def rel(lo, hi):
    return [math.expm1(lo), math.expm1(hi)]


# -------------------------------------------------------------------------------------------------------- the sections
def calibrated():
    out = []
    for name, a, b in EXACT:
        theta = relative_moments(a, b)[0]
        se, df, plain_se, ws = standard_error(a, b, True)
        atoms, weights = enumerate_pairs(a, b, mean, log_ratio, 1e-12)
        assert len(atoms) == n_atoms_exactly(a, b, True), name
        literal = literal_check(a, b, atoms, weights, log_ratio)
        c = Calibrated(theta, se, df, atoms, weights)

        p = c.p_value(0.0, 1e-14)
        first, last = c.p_by_steps(0.0) if p < 1 else (1.0, 1.0)
        scan = c.alpha_by_scan(0.0) if p < 1 else []
        assert p == 1.0 or (min(first, last) * (1 - 1e-9) <= p <= max(first, last) * (1 + 1e-9)), (name, p, first, last)
        if p < 1 and first == last:
            assert all(lo <= p <= hi for lo, hi in scan), (name, p, scan)
        x1 = math.log(1.01)
        first1, last1 = c.p_by_steps(x1)
        unique = abs(first - last) < 1e-9 and abs(first1 - last1) < 1e-9
        level_ties = []
        for conf, alpha in CONFIDENCES:
            exact = alpha / 2 * c.total
            if exact.denominator == 1 and (int(exact) in set(c.cum.tolist()) or c.total - int(exact) in set(c.cum.tolist())):
                level_ties.append(conf)

        abs_theta = absolute_moments(a, b)[0]
        abs_se, abs_df, abs_plain_se, abs_ws = standard_error(a, b, False)
        scale = mean([abs(v) for v in a + b])
        aatoms, aweights = enumerate_pairs(a, b, mean, difference, 1e-12 * scale)
        assert len(aatoms) == n_atoms_exactly(a, b, False), name
        ca = Calibrated(abs_theta, abs_se, abs_df, aatoms, aweights)
        out.append({
            "name": name, "a": a, "b": b,
            "theta": theta, "se": se, "df": df, "se_welch": plain_se, "df_welch_satterthwaite": ws,
            "sd_star": c.sd_star, "atoms": len(atoms), "total_weight": c.total,
            "multiset_pairs": math.comb(2 * len(a) - 1, len(a)) * math.comb(2 * len(b) - 1, len(b)),
            "interval_relative": {k: rel(*c.interval(al)) for k, al in CONFIDENCES},
            "p_value": p, "p_first_excluded": first, "p_last_contained": last,
            "p_delta_above_0": 1 - c.cdf(0.0, 1e-14), "p_relative_above_0.01": 1 - c.cdf(x1, 1e-14),
            "curve_crossings_unique": unique,
            "gap_at_half": pair(*c.interval(1)),
            "cumulative_weight_equals_level_at": level_ties,
            "absolute": {"theta": abs_theta, "se": ca.se, "df": abs_df, "se_welch": abs_plain_se,
                         "df_welch_satterthwaite": abs_ws, "sd_star": ca.sd_star, "atoms": len(aatoms),
                         "interval": {k: pair(*ca.interval(al)) for k, al in CONFIDENCES},
                         "p_value": ca.p_value(0.0, 1e-14 * scale)},
            "checked_against_all_ordered_resamples": literal,
            "made_by": "make_golden.py Calibrated(theta, se, df, *enumerate_pairs(a, b, mean, log_ratio)); "
                       "scipy.stats.t.ppf / norm.ppf",
        })
    e = out[0]
    lo, hi = e["interval_relative"]["0.95"]
    assert f"{100*lo:+.3f} {100*hi:+.3f} {e['df']:.3f}" == "+0.525 +2.593 3.997", (lo, hi, e["df"])
    return out


def exact_large(a, b, theta, se, df):
    """No listing of the pairs: P(theta* <= x) summed over A's atoms by binary search in B's. Sorted arms, float weights."""
    def sorted_arm(x):
        v, w = arm(x, lambda r: sum(r) / len(r))
        v, w = np.log(np.array(v)), np.array(w, float) / float(len(x)) ** len(x)
        o = np.argsort(v)
        return v[o], w[o]
    va, wa = sorted_arm(a)
    vb, wb = sorted_arm(b)
    if len(va) > len(vb):
        loop, lw, sign, look, kw = vb, wb, -1, va, wa
    else:
        loop, lw, sign, look, kw = va, wa, 1, vb, wb
    up = np.concatenate(([0.0], np.cumsum(kw)))
    down = np.concatenate((np.cumsum(kw[::-1])[::-1], [0.0]))

    def below(x):  # P(theta* <= x), tiny tolerance for rounding
        if sign == 1:  # ln B <= x + ln A
            return float(lw @ up[np.searchsorted(look, x + loop + 1e-13, side="right")])
        return float(lw @ down[np.searchsorted(look, loop - x - 1e-13, side="left")])  # ln A >= ln B - x

    def above(x):  # P(theta* >= x)
        if sign == 1:
            return float(lw @ down[np.searchsorted(look, x + loop - 1e-13, side="left")])
        return float(lw @ up[np.searchsorted(look, loop - x + 1e-13, side="right")])

    def moments(v, w):
        m = float(w @ v)
        return float(w @ (v - m) ** 2)
    sd = math.sqrt(moments(va, wa) + moments(vb, wb))
    mn, mx = vb[0] - va[-1] - 1e-9, vb[-1] - va[0] + 1e-9

    def quantile(u, upper):
        lo, hi = mn, mx
        for _ in range(60):
            m = 0.5 * (lo + hi)
            if upper:
                lo, hi = (m, hi) if above(m) >= u else (lo, m)
            else:
                lo, hi = (lo, m) if below(m) >= u else (m, hi)
        return 0.5 * (lo + hi)

    def end(u, upper):
        return theta + se * (quantile(u, upper) - theta) / sd * t_over_z(u, df)
    upper = theta < 0
    lo, hi = math.log(1e-12), math.log(0.5)
    for _ in range(45):
        m = 0.5 * (lo + hi)
        inside = (end(math.exp(m), True) >= 0) if upper else (end(math.exp(m), False) <= 0)
        lo, hi = (m, hi) if inside else (lo, m)
    return {"sd_star": sd,
            "interval_relative": {k: rel(end(float(al / 2), False), end(float(al / 2), True)) for k, al in CONFIDENCES},
            "p_value": 2 * math.exp(0.5 * (lo + hi)),
            "made_by": "make_golden.py exact_large: every resample of each arm, P(theta* <= x) by binary search"}


def drawn():
    batches, size = 20, 100_000
    out = []
    for i, (name, a, b) in enumerate(DRAWN):
        theta = relative_moments(a, b)[0]
        se, df, _, _ = standard_error(a, b, True)
        seed = 20250101 + i
        rng = np.random.default_rng(seed)
        av, bv = np.array(a), np.array(b)
        parts = []
        for _ in range(batches):
            sa = av[rng.integers(0, len(a), (size, len(a)))].mean(axis=1)
            sb = bv[rng.integers(0, len(b), (size, len(b)))].mean(axis=1)
            parts.append(np.log(sb) - np.log(sa))
        per = {k: [] for k, _ in CONFIDENCES}
        ps = []
        for t in parts:
            c = Calibrated(theta, se, df, *merge(t, np.ones(size, np.int64), 1e-12))
            for k, al in CONFIDENCES:
                per[k].append(rel(*c.interval(al)))
            ps.append(c.p_value(0.0))
        c = Calibrated(theta, se, df, *merge(np.concatenate(parts), np.ones(batches * size, np.int64), 1e-12))
        root = math.sqrt(batches)
        entry = {
            "name": name, "a": a, "b": b, "theta": theta, "se": se, "df": df, "resamples": batches * size, "seed": seed,
            "sd_star": c.sd_star,
            "interval_relative": {k: rel(*c.interval(al)) for k, al in CONFIDENCES},
            "interval_mc_se": {k: (np.std(per[k], axis=0, ddof=1) / root).tolist() for k, _ in CONFIDENCES},
            "interval_mc_se_with_10000_resamples":
                {k: (np.std(per[k], axis=0, ddof=1) * math.sqrt(size / 10_000)).tolist() for k, _ in CONFIDENCES},
            "p_value": c.p_value(0.0), "p_value_mc_se": float(np.std(ps, ddof=1)) / root,
            "p_value_mc_se_with_10000_resamples": float(np.std(ps, ddof=1)) * math.sqrt(size / 10_000),
            "made_by": f"make_golden.py drawn(): numpy.random.default_rng({seed}), {batches} batches of {size}; "
                       "Monte Carlo standard errors from the spread of the batches",
        }
        if len(a) <= 10:
            entry["exact"] = exact_large(a, b, theta, se, df)
            for k, _ in CONFIDENCES:
                for got, want, s in zip(entry["interval_relative"][k], entry["exact"]["interval_relative"][k],
                                        entry["interval_mc_se"][k]):
                    assert abs(got - want) < 4.5 * s, (name, k, got, want, s)
        else:
            entry["exact"] = None
        out.append(entry)
    # the same routine must give what the full listing gives
    name, a, b = EXACT[10]
    theta = relative_moments(a, b)[0]
    se, df, _, _ = standard_error(a, b, True)
    x = exact_large(a, b, theta, se, df)
    c = Calibrated(theta, se, df, *enumerate_pairs(a, b, mean, log_ratio, 1e-12))
    assert np.allclose(x["interval_relative"]["0.95"], rel(*c.interval(Fraction(1, 20))), atol=1e-11)
    assert math.isclose(x["p_value"], c.p_value(0.0), rel_tol=1e-6), (x["p_value"], c.p_value(0.0))
    return out


def welch():
    out = []
    for name, a, b in EXACT + DRAWN:
        theta, ra, rb = relative_moments(a, b)
        se = math.sqrt(ra + rb)
        df, ws = degrees_of_freedom(a, b, ra, rb)
        at, va, vb = absolute_moments(a, b)
        ase = math.sqrt(va + vb)
        adf, aws = degrees_of_freedom(a, b, va, vb)

        def two(th, s, d):
            return {k: pair(th - stats.t.ppf(1 - float(al) / 2, d) * s, th + stats.t.ppf(1 - float(al) / 2, d) * s)
                    for k, al in CONFIDENCES}

        def p(th, s, d):
            return float(2 * stats.t.sf(abs(th) / s, d))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # scipy warns of the constant arm
            assert math.isclose(p(at, ase, aws), stats.ttest_ind(b, a, equal_var=False).pvalue, rel_tol=1e-6, abs_tol=1e-9)
        entry = {"name": name, "a": a, "b": b, "theta": theta, "se": se, "df": df,
                 "interval_relative": {k: rel(*v) for k, v in two(theta, se, df).items()}, "p_value": p(theta, se, df),
                 "p_relative_above_0.01": float(stats.t.sf((math.log(1.01) - theta) / se, df)),
                 "absolute": {"theta": at, "se": ase, "df": adf, "interval": two(at, ase, adf), "p_value": p(at, ase, adf)},
                 "made_by": "theta +- scipy.stats.t.ppf(1-alpha/2, df) * se; 2 * scipy.stats.t.sf(|theta|/se, df)"}
        if df != ws:
            entry["with_plain_welch_satterthwaite_df"] = {
                "df": ws, "interval_relative": {k: rel(*v) for k, v in two(theta, se, ws).items()},
                "p_value": p(theta, se, ws)}
        out.append(entry)
    return out


def plain_quantiles(atoms, weights, alpha):
    cum = np.cumsum(weights)
    total = int(cum[-1])
    u = Fraction(alpha) / 2
    return float(atoms[lower_atom(cum, total, u)]), float(atoms[upper_atom(cum, total, u)])


def percentile_p(atoms, weights, eps=1e-14):
    total = int(weights.sum())
    low = int(weights[atoms <= eps].sum())
    high = int(weights[atoms >= -eps].sum())
    return min(1.0, 2 * min(low, high) / total)


def percentile():
    out = []
    for name, a, b in EXACT:
        atoms, weights = enumerate_pairs(a, b, mean, log_ratio, 1e-12)
        out.append({"name": name, "a": a, "b": b, "theta": relative_moments(a, b)[0],
                    "interval_relative": {k: rel(*plain_quantiles(atoms, weights, al)) for k, al in CONFIDENCES},
                    "p_value": percentile_p(atoms, weights),
                    "made_by": "make_golden.py plain_quantiles(*enumerate_pairs(a, b, mean, log_ratio), alpha); "
                               "p = min(1, 2 min(P(theta* <= 0), P(theta* >= 0)))"})
    return out


def bca():
    out = []
    for name in BCA:
        a, b = next((a, b) for n, a, b in EXACT if n == name)
        theta = relative_moments(a, b)[0]
        atoms, weights = enumerate_pairs(a, b, mean, log_ratio, 1e-12)
        total = int(weights.sum())
        cum = np.cumsum(weights)
        less = int(weights[atoms < theta - 1e-12].sum())
        equal = int(weights[np.abs(atoms - theta) <= 1e-12].sum())
        z0 = float(stats.norm.ppf((less + equal / 2) / total))
        num = den = 0.0
        for which, x in enumerate((a, b)):
            n = len(x)
            jack = []
            for i in range(n):
                left = x[:i] + x[i + 1:]
                jack.append(math.log(mean(b)) - math.log(mean(left)) if which == 0
                            else math.log(mean(left)) - math.log(mean(a)))
            u = [(n - 1) * (mean(jack) - j) for j in jack]
            num += sum(v ** 3 for v in u) / n ** 3
            den += sum(v ** 2 for v in u) / n ** 2
        acc = num / den ** 1.5 / 6
        exact, levels = {}, {}
        for k, al in CONFIDENCES:
            ends, us = [], []
            for z in (stats.norm.ppf(float(al) / 2), -stats.norm.ppf(float(al) / 2)):
                u = float(stats.norm.cdf(z0 + (z0 + z) / (1 - acc * (z0 + z))))
                i = lower_atom(cum, total, u) if u < 0.5 else upper_atom(cum, total, 1 - Fraction(u))
                us.append(u)
                ends.append(float(atoms[i]))
            exact[k], levels[k] = rel(*ends), us

        def statistic(x, y, axis=-1):
            return np.log(np.mean(y, axis=axis)) - np.log(np.mean(x, axis=axis))
        monte = {}
        for k, al in CONFIDENCES:
            r = stats.bootstrap((a, b), statistic, n_resamples=1_000_000, batch=100_000, paired=False, vectorized=True,
                                confidence_level=float(1 - al), method="BCa", rng=np.random.default_rng(77))
            ci = r.confidence_interval
            monte[k] = rel(ci.low, ci.high)
            se = r.standard_error
            for g, e in zip(monte[k], exact[k]):
                assert abs(math.log1p(g) - math.log1p(e)) < 0.02 * se, (name, k, g, e, se)
        out.append({
            "name": name, "a": a, "b": b, "theta": theta, "z0": z0, "acceleration": acc,
            "p_below": less / total, "p_equal": equal / total, "levels": levels,
            "interval_relative": exact,
            "scipy_interval_relative": monte, "scipy_resamples": 1_000_000,
            "made_by": "exact: all resamples; z0 = Phi^-1(P(theta* < theta) + P(theta* = theta)/2); a = (1/6) sum_j "
                       "[sum_i U_ji^3 / n_j^3] / (sum_j [sum_i U_ji^2 / n_j^2])^1.5, U_ji = (n_j - 1)(mean_i theta_j(i) - "
                       "theta_j(i)), theta_j(i) = theta without observation i of sample j; level = Phi(z0 + (z0+z)/(1-a(z0+z))); "
                       "quantile of theta* by the rule of section 'calibrated'.  scipy: scipy.stats.bootstrap((a, b), log ratio of "
                       "means, n_resamples=1000000, method='BCa', rng=default_rng(77))"})
    return out


def median(v):
    s = sorted(v)
    n = len(s)
    return s[n // 2] if n % 2 else (s[n // 2 - 1] + s[n // 2]) / 2


def median_over_runs():
    designs = [(n, a, b) for n, a, b in EXACT if n in ("normal_5v5", "skewed_5v5", "ties_5v5")]
    designs.append(("median_6v5", [1439.9, 1449.9, 1449.3, 1467.5, 1465.7, 1456.7], [1498.3, 1498.8, 1457.8, 1523.7, 1479.0]))
    designs.append(("median_6v5_spike", [31.2, 30.8, 47.9, 31.5, 30.9, 31.1], [30.1, 30.6, 29.9, 44.4, 30.3]))
    out = []
    for name, a, b in designs:
        atoms, weights = enumerate_pairs(a, b, median, log_ratio, 1e-12)
        aatoms, aweights = enumerate_pairs(a, b, median, difference, 1e-12 * mean(a + b))
        out.append({"name": name, "a": a, "b": b, "theta": math.log(median(b) / median(a)),
                    "atoms": len(atoms),
                    "interval_relative": {k: rel(*plain_quantiles(atoms, weights, al)) for k, al in CONFIDENCES},
                    "p_value": percentile_p(atoms, weights),
                    "absolute": {"theta": median(b) - median(a),
                                 "interval": {k: pair(*plain_quantiles(aatoms, aweights, al)) for k, al in CONFIDENCES}},
                    "made_by": "make_golden.py plain_quantiles(*enumerate_pairs(a, b, median, log_ratio), alpha); the median "
                               "of an even number is the mean of the middle two"})
    return out


PS = [[0.01, 0.04, 0.03], [0.2, 0.001, 0.03, 0.03, 1.0, 0.5], [1.0, 1.0, 0.7, 1.0],
      [0.0004, 0.05, 0.05, 0.012, 0.0004, 0.9, 0.31, 0.049, 1.0, 0.02]]


def adjusted(method):
    return [{"p": p, "adjusted": multipletests(p, method=method)[1].tolist(),
             "made_by": f"statsmodels.stats.multitest.multipletests(p, method='{method}')[1]"} for p in PS]


def quantile():
    rng = np.random.default_rng(5)
    samples = [[7.25], [3.5, 1.25], [10.1, 9.7, 30.2], [5.0, 5.0, 5.0, 6.0, 1.0],
               [round(float(v), 4) for v in rng.lognormal(4, 1, 200)], [round(float(v), 3) for v in rng.normal(0, 5, 37)]]
    return [{"values": s, "q": q, "expected": float(np.percentile(s, 100 * q, method="linear")),
             "made_by": f"numpy.percentile(values, {100 * q!r}, method='linear')"}
            for s in samples for q in (0.0, 0.01, 0.05, 0.25, 0.5, 0.9, 0.95, 0.99, 0.999, 1.0)]


DFS = [1, 1.5, 2, 2.7, 3.997, 5, 10, 30, 200]
US = [1e-8, 1e-4, 0.001, 0.005, 0.025, 0.05, 0.1, 0.25, 0.4, 0.4999, 0.6, 0.9, 0.975, 0.99999]


def t_ppf():
    return [{"df": df, "u": u, "expected": float(stats.t.ppf(u, df)), "made_by": f"scipy.stats.t.ppf({u!r}, {df!r})"}
            for df in DFS for u in US]


def norm_ppf():
    return [{"u": u, "expected": float(special.ndtri(u)), "made_by": f"scipy.special.ndtri({u!r})"} for u in US]


def t_cdf():
    xs = [-40.0, -12.5, -6.0, -4.0, -2.776, -2.0, -1.0, -0.3, -1e-4, 0.0, 0.5, 1.5, 3.0, 9.0]
    return [{"df": df, "x": x, "expected": float(stats.t.cdf(x, df)), "made_by": f"scipy.stats.t.cdf({x!r}, {df!r})"}
            for df in DFS for x in xs]


def power_of(d, n, ratio=1.0, alpha=0.05):
    """The power, and a check of statsmodels by integrating over the pooled standard deviation."""
    got = float(TTestIndPower().power(d, n, alpha, ratio=ratio, alternative="two-sided"))
    df = n + n * ratio - 2
    nc = d * math.sqrt(n * ratio / (1 + ratio))
    crit = stats.t.ppf(1 - alpha / 2, df)
    g, w = np.polynomial.legendre.leggauss(400)
    lo, hi = stats.chi2.ppf(1e-16, df), stats.chi2.isf(1e-16, df)
    s = np.sqrt(np.linspace(lo, hi, 41) / df)  # integrate over s = sqrt(chi2/df), piece by piece
    total = 0.0
    for p, q in zip(s[:-1], s[1:]):
        x = 0.5 * (q - p) * g + 0.5 * (q + p)
        f = stats.chi2.pdf(df * x * x, df) * 2 * df * x * (stats.norm.sf(crit * x - nc) + stats.norm.cdf(-crit * x - nc))
        total += 0.5 * (q - p) * float(w @ f)
    if math.isnan(got):  # scipy's noncentral t gives nan far out, where the power is nearly 1
        assert total > 0.99, (d, n, ratio, total)
        return min(total, 1.0), "integral over the pooled standard deviation (power_of), statsmodels giving nan for "
    POWER_DIFFERENCES.append(abs(total - got))
    assert abs(total - got) < 1e-7, (d, n, ratio, got, total)
    return got, ""


POWER_DIFFERENCES = []


EFFECTS = [0.3, 0.5, 0.8, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0, 4.0]


def power():
    out = []
    for d in EFFECTS:
        for n in (2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50):
            value, how = power_of(d, n)
            out.append({"effect_over_noise": d, "n_a": n, "n_b": n, "alpha": 0.05, "expected": value,
                        "made_by": how + f"TTestIndPower().power({d}, {n}, 0.05, ratio=1, alternative='two-sided')"})
        for na, nb in ((2, 5), (3, 10), (5, 20), (20, 5), (4, 6)):
            value, how = power_of(d, na, nb / na)
            out.append({"effect_over_noise": d, "n_a": na, "n_b": nb, "alpha": 0.05, "expected": value,
                        "made_by": how + f"TTestIndPower().power({d}, {na}, 0.05, ratio={nb}/{na}, alternative='two-sided')"})
    print("power: largest difference from direct integration", max(POWER_DIFFERENCES), file=sys.stderr)
    return out


def runs_needed():
    out = []
    for target in (0.8, 0.9):
        for d in EFFECTS + [0.1, 0.2, 5.0, 8.0, 15.0]:
            n = 2
            while power_of(d, n)[0] < target:
                n += 1
            if n > 2:
                real = float(TTestIndPower().solve_power(effect_size=d, alpha=0.05, power=target))
                assert math.ceil(real - 1e-9) == n, (d, n, real)
            out.append({"effect_over_noise": d, "power": target, "alpha": 0.05, "expected": n,
                        "made_by": f"smallest n >= 2 with TTestIndPower().power({d}, n, 0.05) >= {target}"})
    return out


def detectable():
    out = []
    for n in (2, 3, 5, 10, 20):
        d = optimize.brentq(lambda e: power_of(e, n)[0] - 0.8, 0.05, 30, xtol=1e-13, rtol=1e-13)
        check = float(np.squeeze(TTestIndPower().solve_power(nobs1=n, alpha=0.05, power=0.8)))
        assert abs(d - check) < 1e-6, (n, d, check)
        out.append({"n": n, "power": 0.8, "alpha": 0.05, "expected": float(d),
                    "made_by": f"the d with TTestIndPower().power(d, {n}, 0.05) = 0.8 (brentq; solve_power agrees to 1e-6)"})
    return out


def pooled_cv():
    out = []
    for name, a, b in EXACT:
        la, lb = np.log(a), np.log(b)
        s2 = (((la - la.mean()) ** 2).sum() + ((lb - lb.mean()) ** 2).sum()) / (len(a) + len(b) - 2)
        out.append({"name": name, "a": a, "b": b, "df": len(a) + len(b) - 2, "sd_log_a": float(la.std(ddof=1)),
                    "sd_log_b": float(lb.std(ddof=1)), "sd_log_pooled": float(np.sqrt(s2)),
                    "cv_percent": float(100 * np.sqrt(s2)),
                    "cv_percent_if_lognormal": float(100 * np.sqrt(np.expm1(s2))),
                    "made_by": "numpy: sqrt(sum over variants of squared deviations of ln x / (n_A + n_B - 2)); "
                               "cv_percent = 100 sd, cv_percent_if_lognormal = 100 sqrt(exp(sd^2) - 1)"})
    return out


def break_even():
    z = float(special.ndtri(0.975))
    return [{"a": a, "b": b, "theta": math.log(b / a), "expected": abs(math.log(b / a)) / (z * math.sqrt(2)),
             "made_by": "abs(math.log(b/a)) / (scipy.special.ndtri(0.975) * math.sqrt(2)), a fraction, not percent"}
            for a, b in ((305.88, 287.36), (532.19, 577.30), (45.32, 47.72))]


def main():
    golden = {
        "notes": {
            "versions": {"python": platform.python_version(), "numpy": np.__version__, "scipy": scipy.__version__,
                         "statsmodels": statsmodels.__version__},
            "ties": "atoms of theta* closer than 1e-12 are merged (absolute scale: 1e-12 times the mean of |values|); the "
                    "number of atoms equals that of exact rational arithmetic on the decimal inputs. Weights are integers "
                    "and levels exact fractions, so cumulative weights and levels are compared without rounding. "
                    "cumulative_weight_equals_level_at lists the confidences where the two are exactly equal.",
            "half": "gap_at_half = the limits of the curve at u = 1/2 from the left and from the right (log scale); a null or "
                    "margin within it (or within 1e-14 of it) has p = 1 and cdf 1/2.",
            "p_value": "the alpha at which an end of the interval touches 0, by bisection; where the curve jumps over 0, the "
                       "alpha of the jump. p_first_excluded and p_last_contained, from a step-by-step search, differ only "
                       "where the curve is not monotone (beside u = 1/2, when the median of delta* is not 0).",
            "intervals": "interval_relative: exp(.) - 1 as fractions; keys are confidences",
            "df": "min(n_A, n_B) - 1 if an arm has 2 runs, else Welch-Satterthwaite",
            "unequal_runs": "calibrated and drawn, different numbers of runs, 3 or more each; F = the arm with fewer, M = the "
                            "other, d = n - 1, v = (s/m)^2 (linear: s^2, M's times (m_F/m_M)^2 where both means are positive), "
                            "v_p = (d_F v_F + d_M v_M)/(d_F + d_M): F's part of SE^2 is v_p/n_F with d_F + d_M degrees of "
                            "freedom if v_F < v_p, else v_F/n_F with d_F + d_M/2; M's is its own",
            "sd_star": "about the weighted mean of delta*, divisor = total weight",
        },
    }
    for name, make in [("calibrated", calibrated), ("drawn", drawn), ("welch", welch), ("percentile", percentile),
                       ("bca", bca), ("median_over_runs", median_over_runs), ("holm", lambda: adjusted("holm")),
                       ("bh", lambda: adjusted("fdr_bh")), ("quantile", quantile), ("t_ppf", t_ppf),
                       ("norm_ppf", norm_ppf), ("t_cdf", t_cdf), ("power", power), ("runs_needed", runs_needed),
                       ("detectable", detectable), ("pooled_cv", pooled_cv), ("break_even", break_even)]:
        golden[name] = make()
        print(f"{name}: {len(golden[name])}", file=sys.stderr, flush=True)
    with open(os.path.join(HERE, "golden.json"), "w") as f:
        f.write("{\n")
        for i, (name, v) in enumerate(golden.items()):
            f.write(f"{json.dumps(name)}: ")
            if isinstance(v, dict):
                f.write(json.dumps(v, allow_nan=False))
            else:
                f.write("[\n" + ",\n".join(json.dumps(e, allow_nan=False) for e in v) + "\n]")
            f.write(",\n" if i + 1 < len(golden) else "\n")
        f.write("}\n")


if __name__ == "__main__":
    main()
