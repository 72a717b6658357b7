#!/usr/bin/env python3
"""Thousands of comparisons in one table: `beyondnoise compare` and the pandas + scipy loop that a user writes.

The table has a row per model, workload, variant (A and B), run (5) and metric (12), so a group of 120 rows is one
comparison of 12 metrics. Both programs read the same file, as whole processes, by turns; the smallest CPU and wall
times of the turns are compared, and the peak memory of each. Needs numpy, pandas and scipy.

    python tests/speed/batch.py target/release/beyondnoise                     # 2,000 groups, ours alone
    python tests/speed/batch.py target/release/beyondnoise --peer welch        # and the cheapest peer
    python tests/speed/batch.py target/release/beyondnoise --peer bca --groups 20
    python tests/speed/batch.py target/release/beyondnoise --groups 20000      # ten times as long, if it is linear

The peers: `bca` makes a scipy.stats.bootstrap interval (BCa, 10,000 resamples) of each ratio of means and Welch's p,
`welch` only scipy's Welch interval and p of the logarithms; both then adjust by Benjamini and Hochberg.
"""
import argparse
import os
import shlex
import subprocess
import sys
import tempfile
import time

METRICS = ["request_throughput", "output_throughput", "total_token_throughput", "mean_ttft_ms", "median_ttft_ms",
           "std_ttft_ms", "p99_ttft_ms", "mean_tpot_ms", "median_tpot_ms", "p99_tpot_ms", "mean_itl_ms", "median_itl_ms"]
RUNS = 5


def generate(path, groups):
    """Noise of 0.5 to 6 % from run to run; four metrics in ten change, by up to 10 %."""
    import numpy as np
    rng = np.random.default_rng(104)
    with open(path, "w") as f:
        f.write("model,workload,variant,run,metric,value\n")
        for g in range(groups):
            key = f"model-{g // 50:02d},tp{1 << (g % 4)}-c{g % 50:03d}"
            base = np.exp(rng.uniform(0, 8, len(METRICS)))
            change = np.where(rng.random(len(METRICS)) < 0.4, np.exp(rng.uniform(-0.1, 0.1, len(METRICS))), 1.0)
            cv = rng.uniform(0.005, 0.06, len(METRICS))
            for variant, factor in (("A", 1.0), ("B", change)):
                values = base * factor * np.exp(cv * rng.standard_normal((RUNS, len(METRICS))))
                for run in range(RUNS):
                    f.writelines(f"{key},{variant},{run},{m},{x:.6f}\n" for m, x in zip(METRICS, values[run]))


def peer(path, kind):
    """The loop over groups, printed as a table."""
    import numpy as np
    import pandas as pd
    from scipy import stats
    rng = np.random.default_rng(7)
    rows = []
    for key, group in pd.read_csv(path).groupby(["model", "workload", "metric"]):
        a, b = (group.loc[group.variant == v, "value"].to_numpy() for v in "AB")
        if kind == "bca":
            ratio = lambda x, y, axis=-1: y.mean(axis=axis) / x.mean(axis=axis)
            interval = stats.bootstrap((a, b), ratio, n_resamples=10_000, method="BCa", vectorized=True,
                                       rng=rng).confidence_interval
            low, high, p = interval.low, interval.high, stats.ttest_ind(a, b, equal_var=False).pvalue
        else:
            test = stats.ttest_ind(np.log(b), np.log(a), equal_var=False)
            interval = test.confidence_interval(0.95)
            low, high, p = np.exp(interval.low), np.exp(interval.high), test.pvalue
        rows.append((*key, b.mean() / a.mean(), low, high, p))
    table = pd.DataFrame(rows, columns=["model", "workload", "metric", "ratio", "low", "high", "p"])
    table["p_adjusted"] = stats.false_discovery_control(table["p"])
    table.to_csv(sys.stdout, index=False)


def measured(command):
    """Wall and CPU seconds and peak memory in MB of one process, and its exit status."""
    start = time.perf_counter()
    null = os.open(os.devnull, os.O_RDWR)
    actions = [(os.POSIX_SPAWN_DUP2, null, k) for k in (0, 1)] + [(os.POSIX_SPAWN_CLOSE, null)]
    pid = os.posix_spawnp(command[0], command, os.environ, file_actions=actions)
    os.close(null)
    _, status, usage = os.wait4(pid, 0)
    wall = time.perf_counter() - start
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, os.waitstatus_to_exitcode(status)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("program", nargs="?")
    arguments.add_argument("--groups", type=int, default=2000)
    arguments.add_argument("--turns", type=int, default=3)
    arguments.add_argument("--peer", choices=["bca", "welch"])
    arguments.add_argument("--options", default="-q", help="further options of compare (default -q)")
    arguments.add_argument("--as-peer", help=argparse.SUPPRESS)
    arguments.add_argument("--write", help=argparse.SUPPRESS)
    given = arguments.parse_args()
    if given.write:
        return generate(given.write, given.groups)
    if given.as_peer:
        return peer(given.as_peer, given.peer)
    if not given.program:
        arguments.error("expected the path of the executable")
    with tempfile.TemporaryDirectory() as folder:
        table = os.path.join(folder, "batch.csv")
        # In a process of its own: the peak memory of a child is at least that of its parent.
        subprocess.run([sys.executable, __file__, "--write", table, "--groups", str(given.groups)], check=True)
        print(f"{given.groups} groups, {given.groups * len(METRICS)} rows of metrics, "
              f"{os.path.getsize(table) / 1e6:.1f} MB; load of the machine {os.getloadavg()[0]:.1f}")
        commands = {"ours": [given.program, "compare", table, "--base", "A", *shlex.split(given.options)]}
        if given.peer:
            commands[given.peer] = [sys.executable, __file__, "--peer", given.peer, "--as-peer", table]
        turns = {name: [] for name in commands}
        for _ in range(given.turns):
            for name, command in commands.items():
                result = measured(command)
                if result[3] != 0:
                    sys.exit(f"{shlex.join(command)}: exit status {result[3]}")
                turns[name].append(result)
        best = {name: [min(turn[k] for turn in results) for k in range(3)] for name, results in turns.items()}
        for name, (wall, cpu, memory) in best.items():
            print(f"{name:6} {cpu:9.3f} s CPU  {wall:9.3f} s wall  {memory:7.0f} MB")
        if given.peer:
            theirs, ours = best[given.peer], best["ours"]
            print(f"{given.peer} takes {theirs[1] / ours[1]:.0f} times the CPU and "
                  f"{theirs[0] / ours[0]:.0f} times the wall time")


if __name__ == "__main__":
    main()
