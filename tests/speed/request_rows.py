#!/usr/bin/env python3
"""A large CSV of request rows: made, reduced by the program and by pandas by turns, compared with numpy.

usage: request_rows.py make FILE [--gb 5] [--runs 20] [--interleaved]
       request_rows.py check FILE RUNS.csv [--of A,3 --of B,17]   exact figures of some runs, by numpy
       request_rows.py time FILE --program PATH [--times 3]       wall, CPU and peak memory, by turns with pandas

Columns: variant,run,request,ttft_ms,tpot_ms,itl_ms,e2el_ms. All values have a fixed number of digits, so that the
text can be made by numpy alone; they are drawn lognormal with a seed per run. RUNS.csv is what
`beyondnoise convert FILE -o RUNS.csv` writes. Needs numpy and pandas.
"""
import argparse
import os
import subprocess
import sys
import tempfile
import time

import numpy as np

# Column: median, log standard deviation, digits before the point.
COLUMNS = {"ttft_ms": (300, 0.3, 3), "tpot_ms": (40, 0.15, 2), "itl_ms": (38, 0.25, 2), "e2el_ms": (5000, 0.12, 4)}
HEADER = "variant,run,request," + ",".join(COLUMNS) + "\n"
PEER = """
import pandas as pd
parts = []
for chunk in pd.read_csv({file!r}, chunksize=5_000_000, usecols=lambda c: c != "request"):
    parts.append(chunk.astype({{"variant": "category"}}))
table = pd.concat(parts)
g = table.groupby(["variant", "run"], observed=True)
print(pd.concat([g.mean(), g.quantile([0.5, 0.9, 0.95, 0.99]).unstack()], axis=1).to_csv())
"""


def digits(matrix, at, numbers, count, point=None):
    """Writes `count` decimal digits of whole numbers into the columns of a byte matrix, with a point before the last six."""
    places = [at + i + (point is not None and i >= point) for i in range(count)]
    for place in reversed(places):
        numbers, digit = np.divmod(numbers, 10)
        matrix[:, place] = digit + ord("0")
    if point is not None:
        matrix[:, at + point] = ord(".")
        return at + count + 1
    return at + count


def rows(variant, run, first, count, rng):
    """Text of some requests of a run, as bytes of equal length."""
    width = 2 + 3 + 9 + sum(whole + 8 for _, _, whole in COLUMNS.values())
    text = np.full((count, width), ord(","), np.uint8)
    text[:, 0] = ord(variant)
    digits(text, 2, np.full(count, run), 2)
    at = digits(text, 5, np.arange(first, first + count), 8) + 1
    for median, sigma, whole in COLUMNS.values():
        low, high = 10 ** (whole - 1), 10**whole
        factor = 0.97 if variant == "B" else 1.0
        values = median * factor * np.exp(sigma * rng.standard_normal(count))
        micro = np.clip(values * 1e6, low * 1e6, high * 1e6 - 1).astype(np.int64)
        at = digits(text, at, micro, whole + 6, whole) + 1
    text[:, -1] = ord("\n")
    return text


def make(file, gb, runs, interleaved):
    width = rows("A", 0, 0, 1, np.random.default_rng(0)).shape[1]
    each = int(gb * 1e9 / width / (2 * runs))
    with open(file, "wb") as out:
        out.write(HEADER.encode())
        names = [(variant, run) for run in range(runs) for variant in "AB"]
        if interleaved:
            rngs = {name: np.random.default_rng([ord(name[0]), name[1]]) for name in names}
            step = 1000
            each -= each % step
            for first in range(0, each, step):
                parts = [rows(*name, first, step, rngs[name]) for name in names]
                np.stack(parts, 1).reshape(-1, width).tofile(out)
        else:
            for variant, run in names:
                rng = np.random.default_rng([ord(variant), run])
                for first in range(0, each, 1_000_000):
                    rows(variant, run, first, min(1_000_000, each - first), rng).tofile(out)
    print(f"{os.path.getsize(file) / 1e9:.2f} GB, {each} requests in each of {2 * runs} runs")


def check(file, table, wanted):
    import pandas as pd

    ours = pd.read_csv(table)
    worst = 0.0
    kept = {tuple(name.split(",")): [] for name in wanted}
    for chunk in pd.read_csv(file, chunksize=5_000_000, float_precision="round_trip"):
        for (variant, run), parts in kept.items():
            parts.append(chunk[(chunk.variant == variant) & (chunk.run == int(run))])
    for (variant, run), parts in kept.items():
        own = pd.concat(parts)
        # Runs are numbered in their order, from 1.
        mine = ours[(ours.variant == variant) & (ours.run == int(run) + 1)].set_index("metric").value
        for column in COLUMNS:
            x = own[column].to_numpy()
            expected = {"mean": x.mean(), "std": x.std(), "median": np.median(x)}
            expected |= {f"p{q}": np.percentile(x, q) for q in (90, 95, 99)}
            for word, value in expected.items():
                error = abs(mine[f"{word}_{column}"] / value - 1)
                worst = max(worst, error)
                if word not in ("mean", "std") and mine[f"{word}_{column}"] != value:
                    sys.exit(f"{variant} {run} {word}_{column}: {mine[f'{word}_{column}']!r}, numpy {value!r}")
        print(f"{variant} {run}: {len(own)} requests, quantiles equal to numpy's in every digit")
    print(f"largest relative difference of a mean or standard deviation: {worst:.1e}")


def measured(command):
    with tempfile.NamedTemporaryFile("r") as figures:
        start = time.perf_counter()
        time_command = ["/usr/bin/time", "-f", "%U %S %M", "-o", figures.name, *command]
        subprocess.run(time_command, check=True, stdout=subprocess.DEVNULL)
        wall = time.perf_counter() - start
        user, system, peak = figures.read().split()
    return wall, float(user) + float(system), int(peak) / 1024


def timed(file, program, times):
    commands = {"program": [program, "show", file], "pandas": [sys.executable, "-c", PEER.format(file=file)]}
    for turn in range(times):
        for name, command in commands.items():
            wall, cpu, peak = measured(command)
            print(f"{turn + 1} {name}: wall {wall:.1f} s, CPU {cpu:.1f} s, peak {peak:.0f} MiB", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["make", "check", "time"])
    parser.add_argument("file")
    parser.add_argument("table", nargs="?")
    parser.add_argument("--gb", type=float, default=5)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--interleaved", action="store_true")
    parser.add_argument("--of", action="append")
    parser.add_argument("--program", default="beyondnoise")
    parser.add_argument("--times", type=int, default=3)
    given = parser.parse_args()
    if given.what == "make":
        make(given.file, given.gb, given.runs, given.interleaved)
    elif given.what == "check":
        check(given.file, given.table, given.of or ["A,3", "B,17"])
    else:
        timed(given.file, given.program, given.times)
