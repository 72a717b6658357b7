#!/usr/bin/env python3
"""Random designs through the executable, and once more through reference.py: both must give the same numbers.

    compare.py EXECUTABLE [--designs N] [--seed N] [--write small.json]

Prints a table (kind, cases, largest difference as a share of what is allowed) and exits with 1 where they disagree.
Laws that are listed in full must agree to 1e-9. Where the program draws its resamples, an end must lie between those of
levels five Monte Carlo errors to either side, and a p-value within five of them. What rounding decides (a resample that
ties with the estimate or with zero) may fall to either side; such cases are counted.
"""
import argparse
import csv
import json
import math
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction

import numpy as np
from scipy import stats

import reference as ref

EXACT = 1e-9
#: A level of an enumerated law is met when it is met to within 1e-12; the p-value of BCa is such a level, bent.
OF_A_LEVEL = 1e-11
RESAMPLES = 10_000
DRAWS = 200_000
SHAPES = ["normal 2 %", "normal 10 %", "lognormal 0.2", "lognormal 0.5", "bimodal", "spikes", "Student t3", "exponential",
          "few levels", "rounded", "one arm constant", "any sign"]
#: What is asked of each file of designs: method, statistic over the runs.
ASKED = [("calibrated", "mean"), ("welch", "mean"), ("percentile", "mean"), ("bca", "mean"), ("calibrated", "median"),
         ("percentile", "median"), ("bca", "median"), ("welch", "median"), ("calibrated", "p75")]


def values(rng, shape, n):
    z = rng.standard_normal(n)
    return {
        "normal 2 %": lambda: 1 + 0.02 * z,
        "normal 10 %": lambda: 1 + 0.1 * z,
        "lognormal 0.2": lambda: np.exp(0.2 * z),
        "lognormal 0.5": lambda: np.exp(0.5 * z),
        "bimodal": lambda: 1 + 0.01 * z + 0.1 * rng.integers(0, 2, n),
        "spikes": lambda: 1 + 0.02 * z + 0.5 * (rng.random(n) < 0.1),
        "Student t3": lambda: np.exp(0.03 * rng.standard_t(3, n)),
        "exponential": lambda: 0.5 + rng.exponential(0.1, n),
        "few levels": lambda: 1 + 0.05 * rng.integers(0, 3, n),
        "rounded": lambda: np.round(1 + 0.03 * z, 2),
        "one arm constant": lambda: 1 + 0.02 * z,
        "any sign": lambda: z + 0.5,
    }[shape]()


def design(rng, index):
    shape = SHAPES[index % len(SHAPES)]
    # Most designs are small enough for all resamples to be listed.
    while True:
        n, m = (int(x) for x in rng.integers(2, 13, 2))
        if ref.enumerated(n, m) or rng.random() < 0.2:
            break
    scale = 10.0 ** rng.uniform(-9, 9) if index % 3 else 1.0
    ratio = float(rng.choice([1.0, 1.0, 1.01, 1.05, 0.9]))
    a, b = values(rng, shape, n), values(rng, shape, m) * ratio
    if shape == "one arm constant":
        a = np.full(n, 1.0)
    if shape in ("few levels", "rounded") and scale != 1:
        scale = 10.0 ** round(math.log10(scale))
    a, b = ([float(f"{x * scale:.12g}") for x in xs] for xs in (a, b))
    resolution = float(f"{0.03 * scale:.3g}") if index % 7 == 0 and shape != "any sign" else 0.0
    if ref.deviation(a, resolution) == 0 and ref.deviation(b, resolution) == 0:
        return design(rng, index)
    return {"name": f"m{index:04}", "shape": shape, "a": a, "b": b, "resolution": resolution}


def write(path, designs):
    with open(path, "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["variant", "run", "metric", "value", "resolution"])
        # A metric that tells all runs apart: equal runs would count once.
        table.writerows([name, k, "id", k + place, 0.1] for place, name in ((100, "before"), (200, "after"))
                        for k in range(1, 13))
        for d in designs:
            for name, xs in (("before", d["a"]), ("after", d["b"])):
                table.writerows([name, k + 1, d["name"], repr(x), repr(d["resolution"])] for k, x in enumerate(xs))


def report(executable, *arguments):
    done = subprocess.run([executable, *arguments, "--no-config", "--format", "json"], capture_output=True, text=True,
                          encoding="utf-8")
    if done.returncode:
        sys.exit(f"{arguments}: {done.stderr}")
    return json.loads(done.stdout)


def no_case():
    return [0, 0.0, 0]


class Tally:
    def __init__(self):
        self.rows = defaultdict(no_case)
        self.wrong = []

    def join(self, other):
        for kind, (cases, largest, tied) in other.rows.items():
            known = self.rows[kind]
            known[:] = known[0] + cases, max(known[1], largest), known[2] + tied
        self.wrong += other.wrong

    def add(self, kind, share, what, tied=False):
        known = self.rows[kind]
        known[0] += 1
        known[2] += tied
        share = math.inf if math.isnan(share) else share
        known[1] = max(known[1], share)
        if share > 1:
            self.wrong.append((kind, share, what))

    def number(self, kind, got, want, unit, what, allowed=EXACT):
        if got is None or want is None:
            self.add(kind, 0.0 if got is want else math.inf, (got, want, what))
        else:
            self.add(kind, abs(got - want) / (allowed * max(abs(want), unit)), (got, want, what))

    def between(self, kind, got, low, high, unit, what, tied=False, allowed=EXACT):
        if got is None:
            return self.add(kind, math.inf, what)
        beyond = max(low - got, got - high, 0.0)
        size = max(unit, *(abs(end) for end in (low, high) if math.isfinite(end)), 0.0)
        self.add(kind, beyond / (allowed * size), (got, low, high, what), tied)

    def show(self):
        print(f"{'kind':44} {'cases':>7} {'tied':>5} {'largest / allowed':>18}")
        for kind, (cases, largest, tied) in sorted(self.rows.items()):
            print(f"{kind:44} {cases:7} {tied:5} {largest:18.3g}")
        for kind, share, what in self.wrong[:20]:
            print(f"DISAGREES {kind}: {share:.3g} times what is allowed: {what}")
        print(f"{sum(r[0] for r in self.rows.values())} numbers compared, {len(self.wrong)} disagree")
        return not self.wrong


def monte_carlo(u):
    """Five standard errors of a level that 10,000 resamples reach, and the reference's own."""
    u = float(u)
    return 5 * math.sqrt(u * (1 - u) * (1 / RESAMPLES + 1 / DRAWS)) + 1 / RESAMPLES


def drawn_ends(curve, alpha):
    """Ranges of both ends where the program draws."""
    u = float(alpha / 2)
    error = monte_carlo(u)
    law = curve.law
    # Of the standard deviation of the resamples.
    of_sd = 5 * math.sqrt((law.kurtosis - 1) / 4 * (1 / RESAMPLES + 1 / DRAWS))
    lows, highs = [], []
    for level in (u - error, u + error):
        for sd in (1 - of_sd, 1 + of_sd):
            if isinstance(curve, ref.Calibrated):
                k = ref.t_over_z(u, curve.df) * curve.se / (law.sd * sd)
                lows.append(curve.theta + (law.low(max(level, 1e-12)) - curve.theta) * k)
                highs.append(curve.theta + (law.high(max(level, 1e-12)) - curve.theta) * k)
            elif isinstance(curve, ref.Bca):
                # The bias is a quantile of a share that is drawn too.
                of_bias = 5 * math.sqrt(0.25 * (1 / RESAMPLES + 1 / DRAWS)) / stats.norm.pdf(curve.bias)
                for bias in (*curve.biases, curve.bias):
                    for moved in (bias - of_bias, bias + of_bias):
                        z = stats.norm.ppf(u)
                        low, high = curve.adjusted(z, moved), 1 - curve.adjusted(-z, moved)
                        for sign in (-1, 1):
                            # Rarer than the draws can show: the end is the rarest one drawn.
                            for ends, end, level, far in ((lows, law.low, low, -math.inf), (highs, law.high, high, math.inf)):
                                level += sign * monte_carlo(level)
                                ends.append(far if level < 1 / RESAMPLES else end(min(level, 1.0)))
            else:
                lows.append(law.low(max(level, 1e-12)))
                highs.append(law.high(max(level, 1e-12)))
    if isinstance(curve, ref.Calibrated) and curve.welch:
        lows = [min(low, curve.welch.lower(u)) for low in lows]
        highs = [max(high, curve.welch.upper(u)) for high in highs]
    return min(lows), max(lows), min(highs), max(highs)


def drawn_p(curve, p):
    """Range of the p-value where the program draws."""
    low, high = p
    z = lambda u: float(stats.norm.ppf(min(max(u, 1e-300), 0.5)))
    out = []
    for u, sign in ((low / 2, -1), (high / 2, 1)):
        # A rare level may come out as any smaller one.
        if u < 40 / RESAMPLES:
            out.append(0.0 if sign < 0 else 2 * 80 / RESAMPLES)
            continue
        error = monte_carlo(u) / stats.norm.pdf(z(u))
        error += abs(z(u)) * 5 * math.sqrt((curve.law.kurtosis - 1) / 4 / RESAMPLES)
        if isinstance(curve, ref.Bca):
            error += 2 * 5 * 0.5 / math.sqrt(RESAMPLES) / stats.norm.pdf(curve.bias)
        out.append(2 * float(stats.norm.cdf(min(z(u) + sign * error, 0.0))))
        if sign > 0 and z(u) + error >= 0:
            out[-1] = 1.0
    if isinstance(curve, ref.Calibrated) and curve.welch:
        least = curve.welch.tested()[0][0]
        out = [max(p, least) for p in out]
    return out


def shown(ends, scale):
    """Ends on a scale as a relative change can hold them: none is nearer to -100 % than the last bit."""
    return ends if scale == "linear" else [max(end, math.log1p(-1 + 2.0 ** -53)) for end in ends]


def one(tally, d, row, method, across, alpha):
    a, b = d["a"], d["b"]
    drawn = across == "mean" and method != "welch" and not ref.enumerated(len(a), len(b))
    kind = f"{method}, {across}" + (", drawn" if drawn else "")
    tested = None
    for scale, key in (("log", "relative"), ("linear", "absolute")):
        curve = ref.curve(a, b, across, scale, method, d["resolution"], DRAWS if drawn else 0)
        got = row["delta"][key + "_ci"]
        if curve is None:
            tally.add(f"{kind}: no interval", 0.0 if got is None else math.inf, (d, got))
            continue
        tested = tested or curve
        if got is None:
            tally.add(f"{kind}: {key} interval", math.inf, (d, got))
            continue
        # A bound near -100 % has few digits left as a logarithm.
        if scale == "log":
            got = [max(x, -1 + 2.0 ** -53) for x in got]
        low, high = got if scale == "linear" else (math.log1p(x) for x in got)
        few_digits = [0.0, 0.0] if scale == "linear" else [4e-16 / (EXACT * (1 + x)) for x in got]
        if drawn:
            ends = drawn_ends(curve, alpha)
            unit = high - low
            tally.between(f"{kind}: {key} interval", low, ends[0], ends[1], unit, (d, key))
            tally.between(f"{kind}: {key} interval", high, ends[2], ends[3], unit, (d, key))
            continue
        ends = shown(curve.interval(alpha), scale)
        unit = abs(ends[1] - ends[0]) + (1e-5 if scale == "log" else 1e-5 * float(np.mean(np.abs(a + b))))
        units = [unit + digits for digits in few_digits]
        agree = all(abs(x - y) <= EXACT * max(abs(y), u) for x, y, u in zip((low, high), ends, units))
        # Resamples that tie with the estimate but for rounding.
        tied = isinstance(curve, ref.Bca) and not agree
        if tied:
            ends = shown(curve.widest(alpha), scale)
            tally.between(f"{kind}: {key} interval", low, ends[0], ends[1], unit, (d, key), tied)
            tally.between(f"{kind}: {key} interval", high, ends[2], ends[3], unit, (d, key), tied)
        else:
            tally.number(f"{kind}: {key} interval", low, ends[0], units[0], (d, key))
            tally.number(f"{kind}: {key} interval", high, ends[1], units[1], (d, key))
    if tested is None:
        return tally.add(f"{kind}: no interval", 0.0 if row["p_value"] is None else math.inf, d)
    p, exceeds = tested.tested()
    if across != "mean":
        # No smaller one is claimed than the resamples can show.
        p = tuple(max(x, 1 / (RESAMPLES + 1)) for x in p)
    tied = p[0] != p[1]
    if abs(math.log(ref.center(b, across) / ref.center(a, across))) < 1e-14 if min(a + b) > 0 else False:
        # No change at all but for rounding: resamples without one tie with the estimate.
        p, tied, exceeds = (0.5, 1.0), True, None
    if drawn:
        p = drawn_p(tested, p)
    elif isinstance(tested, ref.Bca) and abs(row["p_value"] - p[0]) > max(EXACT * p[0], OF_A_LEVEL):
        p, tied = tested.tested_widely(), True
    elif isinstance(tested, ref.Bca):
        p = p[0] - OF_A_LEVEL, p[0] + OF_A_LEVEL
    tally.between(f"{kind}: p", row["p_value"], *p, 1e-4, d, tied and not drawn)
    if exceeds is not None and not drawn and row["probability_better"] is not None:
        tally.number(f"{kind}: probability", 1 - row["probability_better"], exceeds, 1e-3, d)


def noise(tally, d, row, alpha):
    a, b = d["a"], d["b"]
    if min(a + b) <= 0:
        return tally.add("noise: none", 0.0 if row["noise"]["cv"] is None else math.inf, d)
    v, df = ref.pooled(a, b, d["resolution"])
    cv = math.sqrt(v)
    tally.number("noise: cv", row["noise"]["cv"], cv, 0, d)
    tally.number("noise: df", row["noise"]["df"], df, 0, d)
    log_ratio = math.log(ref.center(b, "mean") / ref.center(a, "mean"))
    z = float(stats.norm.isf(float(alpha) / 2))
    even = abs(log_ratio) / (z * math.sqrt(1 / len(a) + 1 / len(b)))
    tally.number("noise: break-even cv", row["noise"]["break_even_cv"], even, 1e-6, d)
    seen = ref.comparison_df(len(a), len(b))
    want = ref.detectable(cv, len(a), len(b), seen, float(alpha))
    if math.isfinite(want) and want < 1e6:
        tally.number("noise: detectable change", row["noise"]["detectable"], want, 0, d, allowed=1e-8)


def compared(executable, designs, confidence):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "designs.csv")
        write(path, designs)
        tally = Tally()
        compare(tally, executable, path, designs, confidence)
        return tally


def compare(tally, executable, path, designs, confidence):
    alpha = 1 - Fraction(confidence)
    metrics = [part for d in designs for part in ("--metric", f"{d['name']}:lower")]
    found = {}
    for method, across in ASKED:
        answer = report(executable, "compare", path, *metrics, "--noise", "own", "--method", method, "--across", across,
                        "--confidence", confidence)
        found[method, across] = {row["metric"]: row for row in answer["comparisons"][0]["metrics"]}
    # Design by design: the resamples of one are listed once for all methods.
    for d in designs:
        few, many = sorted((len(d["a"]), len(d["b"])))
        for (method, across), rows in found.items():
            # A quantile has a need of runs, and more of them where the numbers of runs are unlike.
            if across == "p75" and not (few >= 12 or few >= 4 and many <= 1.5 * few):
                continue
            one(tally, d, rows[d["name"]], method, across, alpha)
        noise(tally, d, found["calibrated", "mean"][d["name"]], alpha)
    rows = found["calibrated", "mean"].values()
    judged = [row for row in rows if row["p_value"] is not None and row["p_adjusted"] is not None]
    for row, want in zip(judged, ref.holm([row["p_value"] for row in judged])):
        tally.number("Holm", row["p_adjusted"], want, 1e-300, row["metric"], allowed=1e-12)


def batch(tally, executable, folder, rng, method, confidence):
    """A job of many cells: noise borrowed from the others, p-values adjusted together."""
    alpha = 1 - Fraction(confidence)
    cells, metrics = int(rng.integers(3, 25)), ["mean_ttft_ms", "output_throughput", "p90_itl_ms"]
    path, data = os.path.join(folder, "cells.csv"), {}
    equal = rng.random() < 0.5
    spread = rng.choice([0.0, 0.3, 1.0])
    with open(path, "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["cell", "variant", "run", "metric", "value", "resolution"])
        for cell in range(cells):
            n, m = (int(x) for x in rng.integers(2, 6, 2))
            m = n if equal else m
            for metric in metrics:
                cv = 0.02 * math.exp(spread * rng.standard_normal())
                pair = [[float(f"{100 * math.exp(cv * z + shift):.12g}") for z in rng.standard_normal(k)]
                        for k, shift in ((n, 0), (m, rng.choice([0, 0.02])))]
                data[f"c{cell}", metric] = pair
                for name, xs in zip(("before", "after"), pair):
                    table.writerows([f"c{cell}", name, k + 1, metric, repr(x), 0] for k, x in enumerate(xs))
    found = report(executable, "batch", path, "--by", "cell", "--base", "before", "--method", method, "--noise", "auto",
                   "--confidence", confidence)
    raw = defaultdict(list)
    for comparison in found["comparisons"]:
        cell = comparison["cell"]["cell"]
        for row in comparison["metrics"]:
            metric = row["metric"]
            a, b = data[cell, metric]
            others = [ref.pooled(*data[other, metric], 0.0) for other in (f"c{k}" for k in range(cells)) if other != cell]
            own = ref.pooled(a, b, 0.0)
            total = sum(d for _, d in others) + own[1]
            what = (cell, metric, a, b)
            lent = ref.lent(others, own)
            if (lent is None) != (row["noise"]["prior"] is None):
                tally.add("batch: lent or not", math.inf, what)
                continue
            raw[row["deciding"]].append((row["p_value"], row["p_adjusted"]))
            wider = ref.list_noise([data[f"c{k}", metric] for k in range(cells)], int(cell[1:]), lent is not None)
            if lent is None:
                if wider is not None:
                    p = ref.p_of_list(a, b, wider, ref.curve(a, b, "mean", "log", method).tested()[0][0])
                    tally.number(f"batch, {method}, own noise: p", row["p_value"], p, 1e-12, what)
                continue
            s0, d0 = lent
            tally.number("batch: prior cv", row["noise"]["prior"]["cv"], math.sqrt(s0), 0, what)
            tally.number("batch: prior df", row["noise"]["prior"]["df"], d0, 0, what)
            if wider is None:
                continue
            for scale, key in (("log", "relative"), ("linear", "absolute")):
                curve, (v, df), _ = ref.moderated(a, b, scale, method, s0, d0, total)
                got = row["delta"][key + "_ci"]
                ends = curve.interval(alpha)
                if scale == "log":
                    tally.number("batch: moderated cv", row["noise"]["cv"], math.sqrt(v), 0, what)
                    tally.number("batch: moderated df", row["noise"]["df"], df, 0, what)
                    p, _ = curve.tested()
                    tally.number(f"batch, {method}: p", row["p_value"], p[0], 1e-12, what)
                    got = [math.log1p(x) for x in got]
                for end, want in zip(got, ends):
                    tally.number(f"batch, {method}: {key} interval", end, want, abs(ends[1] - ends[0]), what)
    for rows in raw.values():
        for (_, got), want in zip(rows, ref.benjamini_hochberg([p for p, _ in rows])):
            tally.number("Benjamini and Hochberg", got, want, 1e-300, found["batch"], allowed=1e-12)


def plans(tally, executable, rng, count):
    for _ in range(count):
        percent = float(f"{100 * math.exp(rng.uniform(-6, -2)):.3g}")
        more = float(f"{percent * rng.uniform(0.6, 4):.3g}")
        cv, effect = percent / 100, more / 100
        wanted, confidence = float(rng.choice([0.5, 0.8, 0.9, 0.95])), float(rng.choice([0.9, 0.95, 0.99]))
        found = report(executable, "plan", "--effect", f"{more}%", "--cv", f"{percent}%", "--power", str(wanted),
                       "--confidence", str(confidence))
        metric = found["plans"][0]["metrics"][0]
        tally.number("plan: cv asked for", metric["cv"], cv, 0, percent, allowed=1e-14)
        # A plan never has fewer than three runs: two know the noise to one degree of freedom.
        runs = max(3, ref.runs_needed(effect, cv, wanted, 1 - confidence))
        what = (effect, cv, wanted, confidence)
        tally.number("plan: runs needed", metric["effects"][0]["runs"], runs, 1, what, allowed=1e-9)
        power = ref.power(math.log1p(effect), cv, runs, runs, ref.comparison_df(runs, runs), 1 - confidence)
        tally.number("plan: power", metric["effects"][0]["power"], power, 1, what)
        for known in metric["detectable"]:
            n = known["runs"]
            want = ref.detectable(cv, n, n, ref.comparison_df(n, n), 1 - confidence, wanted)
            tally.number("plan: detectable change", known["effect"], want, 0, what, allowed=1e-8)


def small(path, designs, alpha=Fraction(1, 20)):
    """The answers that the tests of the program hold it to without Python."""
    out = []
    for d in designs:
        entry = {key: d[key] for key in ("shape", "a", "b", "resolution")}
        for method, across in ASKED:
            if across == "p75" and min(len(d["a"]), len(d["b"])) < 4:
                continue
            for scale in ("log", "linear"):
                curve = ref.curve(d["a"], d["b"], across, scale, method, d["resolution"])
                if curve is None:
                    continue
                if isinstance(curve, ref.Bca) and d["shape"] in ("few levels", "rounded"):
                    # Different resamples with the mean of the sample: rounding decides how many tie with it.
                    continue
                (low_p, high_p), _ = curve.tested()
                # A p-value that rounding decides is left out.
                zero = curve.law.at_most(0.0) if isinstance(curve, ref.Bca) else (0, 0)
                p = low_p if low_p == high_p and zero[0] == zero[1] else None
                entry[f"{method} {across} {scale}"] = [*curve.interval(alpha), p]
        out.append(entry)
    with open(path, "w", encoding="utf-8") as file:
        file.write("[\n" + ",\n".join(json.dumps(entry) for entry in out) + "\n]\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("executable")
    parser.add_argument("--designs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write")
    arguments = parser.parse_args()
    executable = os.path.abspath(arguments.executable)
    rng = np.random.default_rng(arguments.seed)
    if arguments.write:
        chosen = [d for d in (design(rng, k) for k in range(400)) if ref.enumerated(len(d["a"]), len(d["b"]))
                  and len(d["a"]) + len(d["b"]) <= 11]
        return small(arguments.write, chosen[:60])
    designs = [design(rng, k) for k in range(arguments.designs)]
    tally = Tally()
    with ProcessPoolExecutor() as pool:
        parts = [designs[start:start + 50] for start in range(0, len(designs), 50)]
        levels = [["0.95", "0.9", "0.99", "0.8"][index % 4] for index in range(len(parts))]
        for part in pool.map(compared, [executable] * len(parts), parts, levels):
            tally.join(part)
    with tempfile.TemporaryDirectory() as folder:
        for index in range(max(4, arguments.designs // 50)):
            batch(tally, executable, folder, rng, ["welch", "calibrated"][index % 2], ["0.95", "0.9"][index // 2 % 2])
    plans(tally, executable, rng, max(10, arguments.designs // 20))
    sys.exit(0 if tally.show() else 1)


if __name__ == "__main__":
    main()
