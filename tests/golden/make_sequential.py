#!/usr/bin/env python3
"""Independent reference values for planning: boundaries of planned looks, runs needed, noise at most.

Written from the method description alone: boundaries by Gauss-Legendre integration and scipy's root finder,
checked against the published table and scipy's multivariate normal probabilities; runs needed by statsmodels,
checked against a plain search with scipy's noncentral t.

Made with   Python 3.11, numpy 2.4.6, scipy 1.17.1, statsmodels 0.15.0   (the versions used are in sequential.json)
How to run  python3 -m venv env && env/bin/pip install numpy==2.4.6 scipy==1.17.1 statsmodels==0.15.0
            env/bin/python make_sequential.py     (writes sequential.json beside this file; some minutes, one core)
"""
import json
import math
import os
import platform

import numpy as np
import scipy
import scipy.integrate
import statsmodels
from scipy import optimize, stats
from statsmodels.stats.power import TTestIndPower

HERE = os.path.dirname(os.path.abspath(__file__))

# Two-sided alpha = 0.05, equally spaced looks, O'Brien-Fleming type spending. Reboussin, DeMets, Kim and Lan,
# "Computations for group sequential boundaries using the Lan-DeMets spending function method",
# Controlled Clinical Trials 21, 2000.
PUBLISHED = {
    2: [2.963, 1.969],
    3: [3.710, 2.511, 1.993],
    4: [4.333, 2.963, 2.359, 2.014],
    5: [4.877, 3.357, 2.680, 2.290, 2.031],
}


def spent(alpha, t):
    """Both sides together; each side spends alpha / 2 by the one-sided function of Lan and DeMets."""
    return 4.0 * stats.norm.sf(stats.norm.isf(alpha / 4.0) / math.sqrt(t))


def linear(alpha, t):
    """Both sides together spend in proportion to the part of the runs."""
    return alpha * t


def boundaries(alpha, runs, nodes=400, spent=spent):
    """Symmetric boundaries, both of them in force, on the scale of the Brownian motion B(t) = Z sqrt(t)."""
    node, weight = np.polynomial.legendre.leggauss(nodes)
    found, x, w, density, before, n_before = [], None, None, None, 0.0, 0
    for n in runs:
        t = n / runs[-1]
        step = (n - n_before) / runs[-1]
        total = spent(alpha, t)
        each_side = (total - before) / 2.0
        if not found:
            bound = stats.norm.isf(each_side) * math.sqrt(t)
        else:
            def beyond(b):
                return math.log(max(np.sum(w * density * stats.norm.sf((b - x) / math.sqrt(step))), 1e-300)) - math.log(each_side)
            bound = optimize.brentq(beyond, 0.05, 12.0, xtol=1e-14, rtol=1e-14)
        y, v = bound * node, bound * weight
        if not found:
            density = stats.norm.pdf(y, scale=math.sqrt(t))
        else:
            density = (stats.norm.pdf(y[:, None] - x[None, :], scale=math.sqrt(step)) * (w * density)[None, :]).sum(axis=1)
        x, w, before, n_before = y, v, total, n
        found.append(bound / math.sqrt(t))
    return found


def check_by_multivariate_normal(alpha, z, runs):
    """Probability of staying inside all boundaries, by Genz's algorithm: 1 - alpha."""
    looks = len(z)
    cov = [[math.sqrt(min(i, j) / max(i, j)) for j in runs] for i in runs]
    law = stats.multivariate_normal(mean=np.zeros(looks), cov=cov, maxpts=2_000_000 * looks, abseps=1e-8, releps=1e-8, seed=1)
    inside = law.cdf(np.array(z), lower_limit=-np.array(z))
    assert abs(1.0 - inside - alpha) < 2e-6, (alpha, z, 1.0 - inside)
    return float(1.0 - inside)


def look_entries():
    entries = []
    for alpha in (0.001, 0.01, 0.05, 0.1, 0.2):
        for looks in range(1, 11):
            runs = range(1, looks + 1)
            z = boundaries(alpha, runs)
            coarse = boundaries(alpha, runs, nodes=250)
            assert max(abs(a - b) for a, b in zip(z, coarse)) < 1e-9, (alpha, looks)
            made_by = "Gauss-Legendre, 400 nodes, scipy.optimize.brentq"
            if looks <= 5:
                check_by_multivariate_normal(alpha, z, runs)
                made_by += "; scipy.stats.multivariate_normal.cdf agrees"
            if alpha == 0.05 and looks in PUBLISHED:
                assert max(abs(a - b) for a, b in zip(z, PUBLISHED[looks])) < 5.1e-4, (z, PUBLISHED[looks])
                made_by += "; the published table agrees"
            entries.append({
                "alpha": alpha,
                "looks": looks,
                "boundary": z,
                "level": [2.0 * float(stats.norm.sf(b)) for b in z],
                "spent": [float(spent(alpha, k / looks)) for k in range(1, looks + 1)],
                "made_by": made_by,
            })
    return entries


def planned_entries():
    entries = []
    for runs in ([5], [3, 4, 6, 8, 12], [2, 12], [3, 4, 5, 6, 7, 8, 9, 10, 11, 12], [10, 11, 40], [2, 3, 100, 1000]):
        for alpha in (0.001, 0.05, 0.2):
            z = boundaries(alpha, runs, nodes=800, spent=linear)
            coarse = boundaries(alpha, runs, spent=linear)
            assert max(abs(a - b) for a, b in zip(z, coarse)) < 1e-9, (alpha, runs)
            made_by = "Gauss-Legendre, 800 nodes, scipy.optimize.brentq"
            if len(runs) <= 5:
                check_by_multivariate_normal(alpha, z, runs)
                made_by += "; scipy.stats.multivariate_normal.cdf agrees"
            entries.append({"alpha": alpha, "runs": runs, "boundary": z, "level": [2.0 * float(stats.norm.sf(b)) for b in z],
                            "made_by": made_by})
    return entries


def chance_entries():
    """Chance that the last look decides, by drawing true means from what the runs say, and then the runs to come."""
    entries, draws = [], 4_000_000
    rng = np.random.default_rng(1)
    for a, b, last, estimate, noise in ((3, 3, 12, 0.0, 0.01), (3, 3, 12, 0.01, 0.03), (8, 8, 12, 0.01, 0.01), (8, 8, 12, 0.01, 0.05),
                                        (6, 6, 12, -0.02, 0.04), (5, 8, 12, 0.012, 0.02), (4, 4, 6, 0.03, 0.02), (8, 8, 12, 0.0, 0.016)):
        df, level, equality_alpha, margin = 2.0 * (last - 1) * last / (last + 1), 0.0267, 0.05, 0.015
        final = []
        for n, mean in ((a, 0.0), (b, estimate)):
            true = mean + noise / math.sqrt(n) * rng.standard_normal(draws)
            new = true + noise / math.sqrt(last - n) * rng.standard_normal(draws)
            final.append((n * mean + (last - n) * new) / last)
        theta, error = final[1] - final[0], noise * math.sqrt(2.0 / last)
        change = np.abs(theta) / error > stats.t.isf(level / 2.0, df)
        half = stats.t.isf(equality_alpha, df) * error
        equal = ~change & (theta - half > math.log1p(-margin)) & (theta + half < math.log1p(margin))
        entries.append({"runs": [a, b], "last": last, "df": df, "level": level, "equality_alpha": equality_alpha, "estimate": estimate,
                        "noise": noise, "margin": margin, "chance": float((change | equal).mean()),
                        "made_by": "numpy.random.default_rng(1), 4,000,000 draws"})
    return entries


def power(effect, runs, alpha, prior_df=0.0):
    """Power of the two-sided t test, `effect` in standard deviations, by scipy.stats.nct."""
    df, shift = 2.0 * (runs - 1) + prior_df, effect * math.sqrt(runs / 2.0)
    if df <= 0.0:
        return 0.0
    critical = stats.t.isf(alpha / 2.0, df)
    value = float(stats.nct.sf(critical, df, shift) + stats.nct.cdf(-critical, df, shift))
    if not math.isfinite(value):
        # The same by a direct integral over the law of the standard deviation.
        def seen(s):
            return (stats.norm.sf(critical * s - shift) + stats.norm.cdf(-critical * s - shift)) * stats.chi.pdf(s * math.sqrt(df), df) * math.sqrt(df)
        value = float(scipy.integrate.quad(seen, 0.0, 10.0, epsabs=1e-12, limit=500)[0])
    return value


def search(effect, wanted, alpha, prior_df=0.0):
    return next(n for n in range(1, 100_001) if power(effect, n, alpha, prior_df) >= wanted)


EFFECTS = (0.3, 0.4, 0.5, 0.7, 0.9, 1.1, 1.3, 1.5, 1.7, 1.875, 2.0, 2.25, 2.5, 2.75, 3.0, 3.5, 4.0, 4.5, 5.0)


def runs_entries():
    entries = []
    for effect in EFFECTS:
        for wanted in (0.8, 0.9):
            for alpha in (0.05, 0.01):
                runs = search(effect, wanted, alpha)
                entry = {"effect": effect, "power": wanted, "alpha": alpha, "runs": runs,
                         "achieved": power(effect, runs, alpha), "made_by": "scipy.stats.nct, search"}
                n = TTestIndPower().solve_power(effect_size=effect, alpha=alpha, power=wanted, ratio=1.0, alternative="two-sided")
                n = float(np.atleast_1d(n)[0])
                entry["statsmodels"] = n if math.isfinite(n) else None
                if math.isfinite(n) and n > 2.0:
                    assert math.ceil(n) == runs, (effect, wanted, alpha, n, runs)
                    entry["made_by"] = "TTestIndPower().solve_power(effect_size=effect, alpha=alpha, power=power, ratio=1), rounded up"
                entries.append(entry)
    return entries


def prior_entries():
    return [{"effect": effect, "power": wanted, "alpha": 0.05, "prior_df": prior,
             "runs": search(effect, wanted, 0.05, prior), "made_by": "scipy.stats.nct, df = 2 (n - 1) + prior_df, search"}
            for effect in (0.5, 1.0, 1.875, 2.5, 3.0, 4.0) for wanted in (0.8, 0.9) for prior in (2.0, 4.5, 10.0, 60.0)]


def detectable_entries():
    entries = []
    for runs in (3, 5, 10, 20):
        for prior in (0.0, 8.0):
            effect = optimize.brentq(lambda e: power(e, runs, 0.05, prior) - 0.8, 0.1, 8.0, xtol=1e-12)
            entries.append({"runs": runs, "prior_df": prior, "power": 0.8, "alpha": 0.05, "effect": effect,
                            "made_by": "scipy.optimize.brentq of scipy.stats.nct"})
    return entries


def noise_entries():
    return [{"df": df, "confidence": confidence,
             "factor": math.sqrt(df / float(stats.chi2.ppf((1.0 - confidence) / 2.0, df))),
             "made_by": "sqrt(df / scipy.stats.chi2.ppf((1 - confidence) / 2, df))"}
            for df in (1, 2, 3, 4, 5, 8, 9, 10, 40, 300) for confidence in (0.8, 0.95)]


def main():
    document = {
        "made_with": {"python": platform.python_version(), "numpy": np.__version__, "scipy": scipy.__version__,
                      "statsmodels": statsmodels.__version__},
        "notes": {
            "looks": "equally spaced, two-sided; alpha(t) = 4 (1 - Phi(z_{alpha/4} / sqrt t)), both sides together",
            "planned": "looks after these numbers of runs, two-sided; alpha(t) = alpha t, both sides together",
            "published": "boundaries at alpha 0.05: Reboussin, DeMets, Kim and Lan 2000, three decimals",
            "effects": "in standard deviations between runs (effect / noise)",
        },
        "published": [{"looks": k, "boundary": v} for k, v in PUBLISHED.items()],
        "looks": look_entries(),
        "planned": planned_entries(),
        "chance": chance_entries(),
        "runs_needed": runs_entries(),
        "runs_needed_with_prior": prior_entries(),
        "detectable": detectable_entries(),
        "noise_at_most": noise_entries(),
    }
    with open(os.path.join(HERE, "sequential.json"), "w", encoding="utf-8") as out:
        json.dump(document, out, indent=1, allow_nan=False)
        out.write("\n")


if __name__ == "__main__":
    main()
