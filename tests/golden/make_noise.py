#!/usr/bin/env python3
"""Independent reference values for trend, outliers, modes and spread of repeated runs.

Made with   Python 3.11, numpy 2.4.6, scipy 1.17.1, statsmodels 0.15.0, pymannkendall 1.4.3   (see "versions" in noise.json)
How to run  python3 -m venv env
            env/bin/pip install numpy==2.4.6 scipy==1.17.1 statsmodels==0.15.0 pymannkendall==1.4.3
            env/bin/python make_noise.py             (writes noise.json beside this file; some seconds, one core)

Calls:
 * trend: scipy.stats.kendalltau(range(n), x, method="exact"), tau for all; with ties the p-value is the share of the orders
   of the multiset, counted in integers by dividing q-factorials, and for n <= 8 by listing every order as well; above 50
   values pymannkendall.original_test.
 * lag1: statsmodels.tsa.stattools.acf(x, nlags=1)[1]; the moments over all orders from every tuple of up to 4 positions,
   for n = 10 in one case from all 3,628,800 orders; p = 2 scipy.stats.norm.sf.
 * modified_z: numpy.median, scipy.stats.median_abs_deviation(x); without a MAD, the mean absolute deviation from the median.
 * two_modes: every split of the logarithms by numpy.var; the p-value from 200,000 uniform samples.
 * log_sd_interval: scipy.stats.kurtosis(bias=False), scipy.stats.chi2.ppf.
 * mean_standard_error: numpy.std of values and of the means of 20 batches.
 * quantile_standard_error: weights as differences of scipy.stats.beta.cdf; mjci is scipy.stats.mstats.mjci, which has one less in
   both parameters of the distribution and agrees only roughly.
"""
import itertools
import json
import math
import os
import platform

import numpy as np
import pymannkendall
import scipy
import statsmodels
from scipy import stats
from statsmodels.tsa.stattools import acf

HERE = os.path.dirname(os.path.abspath(__file__))
RNG = np.random.default_rng(20240607)
NULL = np.random.default_rng(20261122)


def rounded(values, digits):
    return [float(v) for v in np.round(values, digits)]


# -------------------------------------------------------------------------------------------------------------- trend
def q_product(polynomial, m):
    """polynomial * (1 + q + ... + q^(m-1)), in integers."""
    out = [0] * (len(polynomial) + m - 1)
    for i, c in enumerate(polynomial):
        for k in range(m):
            out[i + k] += c
    return out


def q_quotient(polynomial, m):
    """polynomial / (1 + q + ... + q^(m-1)), in integers and without a rest."""
    out = []
    for k in range(len(polynomial) - m + 1):
        out.append(polynomial[k] - sum(out[max(0, k - m + 1):k]))
    assert q_product(out, m) == polynomial
    return out


def orders_by_falls(x):
    """How many distinct orders of x have 0, 1, 2, ... falling pairs: the q-multinomial coefficient."""
    counts = [1]
    for m in range(1, len(x) + 1):
        counts = q_product(counts, m)
    for t in np.unique(x, return_counts=True)[1]:
        for m in range(2, int(t) + 1):
            counts = q_quotient(counts, m)
    return counts


def kendall_s(x):
    return int(sum(np.sign(x[j] - x[i]) for i in range(len(x)) for j in range(i + 1, len(x))))


def exact_p(x):
    counts = orders_by_falls(x)
    pairs, s = len(counts) - 1, abs(kendall_s(x))
    beyond = sum(c for falls, c in enumerate(counts) if abs(pairs - 2 * falls) >= s)
    return beyond / sum(counts)


def trend():
    series = [
        ("shortest", [3.1, 3.2, 3.4, 3.3]),
        ("rising", rounded(100 + 0.5 * np.arange(6), 2)),
        ("falling_noisy", rounded(50 - 0.3 * np.arange(12) + RNG.normal(0, 1, 12), 3)),
        ("no_trend", rounded(RNG.normal(24, 0.4, 20), 4)),
        ("rising_33", rounded(np.arange(33) * 0.05 + RNG.normal(10, 1, 33), 4)),
        ("fifty", rounded(np.arange(50) * 0.03 + RNG.normal(10, 1, 50), 4)),
        ("fifty_rising", rounded(np.arange(50) + RNG.normal(0, 2, 50), 4)),
        ("sum_zero", [1.0, 4.0, 3.0, 2.0, 2.5, 3.5, 1.5]),
        ("ties_4", [1.0, 1.0, 2.0, 2.0]),
        ("ties_8", [9.7, 9.7, 9.8, 9.7, 9.9, 9.8, 9.9, 9.9]),
        ("ties_half", [0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0]),
        ("ties_20", rounded(RNG.normal(9.8, 0.1, 20) + 0.01 * np.arange(20), 1)),
        ("ties_50", rounded(RNG.normal(24, 0.5, 50) + 0.02 * np.arange(50), 1)),
        ("long_51", rounded(RNG.normal(24, 0.5, 51), 4)),
        ("long_ties_60", rounded(RNG.normal(24, 0.5, 60) + 0.01 * np.arange(60), 1)),
        ("long_120", rounded(RNG.normal(24, 0.5, 120) + 0.001 * np.arange(120), 5)),
    ]
    out = []
    for name, x in series:
        n, tied = len(x), len(set(x)) < len(x)
        tau = float(stats.kendalltau(range(n), x).statistic)
        if n > 50:
            found = pymannkendall.original_test(x)
            assert int(found.s) == kendall_s(x)
            p, made_by = float(found.p), "pymannkendall.original_test(x).p"
        elif tied:
            p, made_by = exact_p(x), "share of all orders, from the q-multinomial coefficient in integers"
            if n <= 8:
                s = [abs(kendall_s(order)) for order in itertools.permutations(x)]
                assert abs(np.mean(np.array(s) >= abs(kendall_s(x))) - p) < 1e-12
        else:
            p, made_by = float(stats.kendalltau(range(n), x, method="exact").pvalue), 'kendalltau(method="exact").pvalue'
            assert abs(p - exact_p(x)) <= 1e-10 * p
        out.append({"name": name, "values": x, "s": kendall_s(x), "tau": tau, "p_value": p, "made_by": made_by})
    return out


# --------------------------------------------------------------------------------------------------------------- lag 1
def lag_moments(x):
    """Mean and variance of r over all orders of x, from the mean products over all tuples of distinct positions."""
    d = np.asarray(x) - np.mean(x)
    n, total = len(d), float((d * d).sum())

    def mean_product(powers):
        tuples = np.array(list(itertools.permutations(range(n), len(powers))))
        return float(np.mean(np.prod([d[tuples[:, k]] ** p for k, p in enumerate(powers)], axis=0)))

    one = (n - 1) * mean_product((1, 1)) / total
    two = ((n - 1) * mean_product((2, 2)) + 2 * (n - 2) * mean_product((1, 2, 1))
           + (n - 2) * (n - 3) * mean_product((1, 1, 1, 1))) / total ** 2
    return one, two - one * one


def lag_moments_by_listing(x):
    d = np.asarray(x) - np.mean(x)
    orders = itertools.permutations(d)
    one = two = count = 0
    while block := list(itertools.islice(orders, 200_000)):
        block = np.array(block)
        r = (block[:, :-1] * block[:, 1:]).sum(axis=1) / (d * d).sum()
        one, two, count = one + r.sum(), two + (r * r).sum(), count + len(r)
    return one / count, two / count - (one / count) ** 2


def lag1():
    def autoregressive(n, rho):
        x = [RNG.normal()]
        for _ in range(n - 1):
            x.append(rho * x[-1] + RNG.normal())
        return rounded(24 + 0.3 * np.array(x), 4)

    series = [
        ("ten", rounded(RNG.normal(24, 0.4, 10), 3)),
        ("ten_ties", [9.7, 9.7, 9.8, 9.8, 9.8, 9.9, 9.9, 9.7, 9.7, 9.7]),
        ("one_outlier", rounded(np.r_[RNG.normal(24, 0.1, 7), 60, RNG.normal(24, 0.1, 6)], 3)),
        ("in_turns", rounded(24 + np.tile([0.5, -0.5], 8) + RNG.normal(0, 0.2, 16), 3)),
        ("memory_20", autoregressive(20, 0.7)),
        ("memory_30", autoregressive(30, 0.5)),
    ]
    out = []
    for name, x in series:
        mean, variance = lag_moments(x)
        assert abs(mean + 1 / len(x)) < 1e-12
        if name == "ten_ties":
            assert np.allclose(lag_moments_by_listing(x), (mean, variance), rtol=1e-9)
        r = float(acf(x, nlags=1)[1])
        p = float(2 * stats.norm.sf(abs(r - mean) / math.sqrt(variance)))
        out.append({"name": name, "values": x, "r": r, "variance_over_orders": variance, "p_value": p,
                    "made_by": "acf(x, nlags=1)[1]; 2 norm.sf(|r + 1/n| / sd over all orders)"})
    return out


# ------------------------------------------------------------------------------------------------------------ outliers
def modified_z():
    out = []
    for x in ([24.32, 24.11, 24.29, 26.4, 24.52], [1.0, 2.0, 4.0], rounded(RNG.normal(500, 5, 15), 2),
              [-3.0, -1.0, 0.0, 2.0, -90.0, 1.0], [9.7, 9.7, 9.7, 9.7, 9.8], [0.0, 0.0, 0.0, 5.0, 0.0, -1.0, 0.0]):
        centre, mad = np.median(x), stats.median_abs_deviation(x)
        spread = mad / 0.6745 if mad > 0 else 1.253314 * np.mean(np.abs(x - centre))
        z = (np.array(x) - centre) / spread
        beyond = [int(i) for i in np.nonzero(np.abs(z) > 3.5)[0] if len(x) >= 5]
        out.append({"values": list(x), "z": z.tolist(), "beyond_3.5": beyond,
                    "made_by": "numpy.median, scipy.stats.median_abs_deviation"})
    return out


# --------------------------------------------------------------------------------------------------------------- modes
def best_split(x):
    x = np.sort(x)
    n = len(x)
    least = max(2, math.ceil(n / 5))
    best = None
    for k in range(least, n - least + 1):
        if x[k - 1] == x[k]:
            continue
        within = k * np.var(x[:k]) + (n - k) * np.var(x[k:])
        share = 1 - within / (n * np.var(x))
        if best is None or share > best[0] + 1e-12:
            best = (float(share), k, float(x[:k].mean()), float(x[k:].mean()))
    return best


def shares_of_rows(x):
    """best_split of every row, for many normal samples at once."""
    x = np.sort(x, axis=1)
    n = x.shape[1]
    least = max(2, math.ceil(n / 5))
    sums, squares = np.cumsum(x, axis=1), np.cumsum(x * x, axis=1)
    all_within = squares[:, -1] - sums[:, -1] ** 2 / n
    best = np.zeros(len(x))
    for k in range(least, n - least + 1):
        low = squares[:, k - 1] - sums[:, k - 1] ** 2 / k
        high = squares[:, -1] - squares[:, k - 1] - (sums[:, -1] - sums[:, k - 1]) ** 2 / (n - k)
        best = np.maximum(best, 1 - (low + high) / all_within)
    return best


def two_modes():
    series = [
        rounded(RNG.normal(24, 0.4, 8), 3),
        rounded(RNG.normal(24, 0.4, 15), 3),
        rounded(np.r_[RNG.normal(24, 0.4, 6), RNG.normal(25.5, 0.4, 6)], 3),
        rounded(np.r_[RNG.normal(24, 0.4, 14), RNG.normal(26, 0.4, 6)], 3),
        rounded(RNG.uniform(10, 11, 25), 3),
        [9.7, 9.7, 9.8, 9.8, 9.8, 10.1, 10.1, 10.2, 10.1, 9.7],
        rounded(RNG.exponential(3, 40), 3),
    ]
    out = []
    for x in series:
        share, lower, _, _ = best_split(np.log(x))
        check = shares_of_rows(np.log([x]))[0]
        assert abs(check - share) < 1e-9
        low, high = float(np.mean(np.sort(x)[:lower])), float(np.mean(np.sort(x)[lower:]))
        uniform = shares_of_rows(NULL.uniform(size=(200_000, len(x))))
        out.append({"values": x, "share": share, "counts": [lower, len(x) - lower], "centres": [low, high],
                    "p_value": float(np.mean(uniform >= share)), "made_by": "numpy.var of every split; 200,000 uniform samples"})
    return out


# -------------------------------------------------------------------------------------------------------------- spread
def by_kurtosis(y, confidence):
    """s sqrt(d / chi2) with d = 2 / (2 / (n - 1) + g / n), g the unbiased excess kurtosis; 1.5 g and an eighth above."""
    n, tail = len(y), (1 - confidence) / 2
    g = max(0.0, float(stats.kurtosis(y, bias=False))) if n > 3 else 0.0
    ends = []
    for g, level in ((g, 1 - tail), (1.5 * g, tail / 8)):
        df = 2 / (2 / (n - 1) + g / n)
        ends.append(float(np.std(y, ddof=1) * math.sqrt(df / stats.chi2.ppf(level, df))))
    return ends


def log_sd_interval():
    out = []
    for x in ([24.32, 24.52], [24.32, 24.11, 24.29], [101.2, 99.8, 104.0, 100.1], rounded(RNG.lognormal(3, 0.05, 5), 3),
              rounded(RNG.lognormal(3, 0.05, 6), 3), rounded(RNG.lognormal(3, 0.05, 8), 3), rounded(RNG.lognormal(3, 0.2, 12), 3),
              rounded(np.exp(0.02 * RNG.standard_t(3, 30)) * 500, 2), [9.7, 9.7, 9.8, 9.7, 9.7, 9.9]):
        for confidence in (0.8, 0.95, 0.99):
            out.append({"values": x, "confidence": confidence, "interval": by_kurtosis(np.log(x), confidence),
                        "made_by": "chi2.ppf, kurtosis(bias=False)"})
    return out


def larger(plain, batched, count):
    """The batched one where its square is larger by more than two standard errors of a variance of so many."""
    beyond = count > 1 and batched ** 2 > plain ** 2 * (1 + 2 * math.sqrt(2 / (count - 1)))
    return float(batched if beyond else plain)


def mean_standard_error():
    out = []
    for n in (2, 3, 7, 16, 50, 101):
        x = [RNG.normal()]
        for _ in range(n - 1):
            x.append(0.6 * x[-1] + RNG.normal())
        x = rounded(100 + np.array(x), 3)
        count = 20 if n >= 20 else 0
        batch = 20 * np.arange(n) // n
        means = np.array([x[batch == k].mean() for k in range(count)])
        plain = np.std(x, ddof=1) / math.sqrt(n)
        batched = np.std(means, ddof=1) / math.sqrt(count) if count > 1 else 0.0
        out.append({"values": x, "plain": float(plain), "batched": float(batched), "expected": larger(plain, batched, count),
                    "made_by": "numpy.std(ddof=1) / sqrt(count)"})
    return out


def quantile_standard_error():
    """Values are given by name: exponential = -ln(1 - (i - 1/2) / n), cubic = ((i - n/3) / n)^3, i = 1 ... n."""
    out = []
    for shape in ("exponential", "cubic"):
        for n, q in [(2, 0.5), (5, 0.5), (10, 0.9), (100, 0.01), (100, 0.5), (100, 0.99), (137, 0.99), (1000, 0.5),
                     (1000, 0.9), (1000, 0.99), (1000, 0.001), (20000, 0.5), (20000, 0.99), (20000, 0.9999),
                     (60000, 0.5), (1200000, 0.99)]:
            i = np.arange(1, n + 1)
            x = -np.log1p(-(i - 0.5) / n) if shape == "exponential" else ((i - n / 3) / n) ** 3
            rank = (n - 1) * q + 1
            law = stats.beta(rank, n + 1 - rank)
            # The upper half as differences of the survival function: no digits are lost beside 1.
            edges = np.arange(n + 1) / n
            below, above = law.cdf(edges), law.sf(edges)
            weights = np.where(edges[1:] <= q, np.diff(below), -np.diff(above))
            centre = np.dot(weights, x)
            expected = math.sqrt(np.dot(weights, (x - centre) ** 2))
            mjci = float(stats.mstats.mjci(x, [q])[0]) if n >= 1000 and n * min(q, 1 - q) >= 100 else None
            out.append({"shape": shape, "n": n, "q": q, "expected": expected, "mjci": mjci,
                        "made_by": "differences of scipy.stats.beta(h, n + 1 - h).cdf, h = (n - 1) q + 1"})
    return out


def components():
    out = []
    for values, errors in (([24.32, 24.11, 24.29, 24.8], [0.1, 0.12, 0.09, 0.15]), ([101.0, 99.0], [3.0, 4.0]),
                           ([5.0, 7.0, 6.0], [0.0, 0.0, 0.0])):
        total, within = np.var(values, ddof=1), np.mean(np.square(errors))
        out.append({"values": values, "within_se": errors, "total": float(np.sqrt(total)), "within": float(np.sqrt(within)),
                    "between": float(np.sqrt(max(0.0, total - within))), "within_share": float(min(1.0, within / total)),
                    "made_by": "numpy.var(ddof=1), numpy.mean(square)"})
    return out


def main():
    golden = {"versions": {"python": platform.python_version(), "numpy": np.__version__, "scipy": scipy.__version__,
                           "statsmodels": statsmodels.__version__, "pymannkendall": pymannkendall.__version__}}
    for make in (trend, lag1, modified_z, two_modes, log_sd_interval, mean_standard_error, quantile_standard_error, components):
        golden[make.__name__] = make()
    with open(os.path.join(HERE, "noise.json"), "w") as f:
        f.write("{\n")
        for i, (name, v) in enumerate(golden.items()):
            text = json.dumps(v, allow_nan=False) if isinstance(v, dict) else \
                "[\n" + ",\n".join(json.dumps(e, allow_nan=False) for e in v) + "\n]"
            f.write(f"{json.dumps(name)}: {text}" + (",\n" if i + 1 < len(golden) else "\n"))
        f.write("}\n")


if __name__ == "__main__":
    main()
