"""Exact laws of resampled means of thousands of values, for tests/golden/expansion.json.

The values are integers, so that their sums lie on a lattice and the law of a sum is a power of the discrete Fourier
transform of the law of one value: no approximation but the rounding of doubles (numpy 2, about 1e-12).

    python3 tests/golden/make_expansion.py > tests/golden/expansion.json
"""

import json

import numpy as np
from scipy.special import ndtri

LENGTH = 1 << 20  # longer than 20 standard deviations of every sum below: what wraps around has no weight
LEVELS = [0.005, 0.025, 0.05, 0.25, 0.5, 0.75, 0.95, 0.975, 0.995]


def law_of_sum(values, factor):
    """Probabilities of the sum of len(values) draws with replacement, times factor, modulo LENGTH."""
    one = np.bincount((factor * values) % LENGTH, minlength=LENGTH) / len(values)
    law = np.fft.irfft(np.fft.rfft(one) ** len(values), LENGTH)
    return np.clip(law, 0, None)


def unwrapped(law, centre):
    """The same from centre - LENGTH / 2 on, with the first place."""
    first = centre - LENGTH // 2
    return np.roll(law, -(first % LENGTH)), first


def entry(name, a, b):
    n, m = len(a), len(b)
    low, high = np.lcm(n, m) // n, np.lcm(n, m) // m
    common = int(np.lcm(n, m))
    # Differences of the means: (high * sum of b - low * sum of a) / common.
    difference = np.fft.irfft(
        np.fft.rfft(law_of_sum(b, high)) * np.fft.rfft(law_of_sum(a, -low)), LENGTH
    )
    centre = int(round(common * (b.mean() - a.mean())))
    difference, first = unwrapped(np.clip(difference, 0, None), centre)
    reached = np.cumsum(difference)
    linear = [float((first + np.searchsorted(reached, u)) / common) for u in LEVELS]

    of_a, first_a = unwrapped(law_of_sum(a, 1), int(a.sum()))
    of_b, first_b = unwrapped(law_of_sum(b, 1), int(b.sum()))
    reached_b = np.cumsum(of_b)
    kept = np.flatnonzero(of_a > 1e-20)
    means = (first_a + kept) / n

    def at_most(x):  # P(ln(mean of b / mean of a) <= x)
        places = np.floor(means * np.exp(x) * m).astype(np.int64) - first_b
        return float(of_a[kept] @ reached_b[np.clip(places, 0, LENGTH - 1)])

    def quantile(u):
        centre = np.log(b.mean() / a.mean())
        lowest, highest = centre - 1, centre + 1
        for _ in range(60):
            middle = (lowest + highest) / 2
            lowest, highest = (lowest, middle) if at_most(middle) >= u else (middle, highest)
        return highest

    return {
        "name": name,
        "a": a.tolist(),
        "b": b.tolist(),
        "levels": LEVELS,
        "linear": linear,
        "log": [quantile(u) for u in LEVELS],
        "at_most_0": at_most(0.0),
    }


def exponential(n, scale, least):
    return np.round(least - scale * np.log1p(-(np.arange(n) + 0.5) / n)).astype(np.int64)


def lognormal(n, median, sigma):
    return np.round(median * np.exp(sigma * ndtri((np.arange(n) + 0.5) / n))).astype(np.int64)


if __name__ == "__main__":
    entries = [
        entry("exponential, 2000 + 2000", exponential(2000, 200, 300), exponential(2000, 210, 300)),
        entry("lognormal, 1000 + 1500", lognormal(1000, 1000, 0.2), lognormal(1500, 1010, 0.3)),
        entry("lognormal, 5000 + 1000", lognormal(5000, 1000, 0.5), lognormal(1000, 1100, 0.1)),
        entry("long tails, 5000 + 5000", lognormal(5000, 100, 1.0), lognormal(5000, 104, 1.1)),
    ]
    print(json.dumps({"made_by": "tests/golden/make_expansion.py, numpy " + np.__version__, "laws": entries}))
