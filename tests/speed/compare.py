#!/usr/bin/env python3
"""Everything timed by one command: beyondnoise against what a user of Python would run, as whole processes, by turns.

    python3 tests/speed/compare.py --out src/docs/speed.md

makes the inputs (workloads.py), a virtual environment with the peers (peers.py) unless --python names one, and a table
of CPU time, wall time and peak memory. CPU is user and system time of the process as the kernel counts it: it hardly
depends on what else the machine does. Ratios are medians over the turns, each of two processes that ran one after the
other. Peers that would take minutes are timed at two smaller amounts, and the straight line through them is followed
to the full one; the table says so. `--quick` takes a tenth of the data and one turn, for a first look.
"""
import argparse
import os
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGES = ["numpy", "scipy", "pandas", "polars", "arch", "orjson"]
BEGIN, END = "<!-- table of compare.py: begin -->", "<!-- table of compare.py: end -->"
RESAMPLES, CELLS = 10_000, 2000

# What each workload is, what beyondnoise is asked, and its peers: program, what it does, amounts, full amount.
WORKLOADS = {
    "W1": ("two variants, 10 runs each, 20 metrics", ["compare", "w1.csv", "--base", "A"], [
        ("numpy", "percentile", [RESAMPLES]), ("scipy_nd", "BCa, one n-d call", [RESAMPLES]),
        ("scipy", "BCa, a call a metric", [RESAMPLES]), ("arch", "BCa, a call a metric", [RESAMPLES])]),
    "W2": ("two variants, 100,000 runs each, one metric", ["compare", "w2.csv", "--base", "A"], [
        ("numpy", "percentile", [100, 1000]), ("scipy", "percentile", [100, 1000]), ("arch", "percentile", [100, 1000]),
        ("pandas", "percentile, sample loop", [100, 1000]), ("polars", "percentile, sample loop", [100, 1000])]),
    "W3": ("20 CSV files of 100,000 requests, 4 metrics", ["compare", "A={}/w3/A_*", "B={}/w3/B_*", "--base", "A"], [
        ("polars_read", "reads the files, nothing else", [0]), ("numpy_run", "a figure a run, percentile", [RESAMPLES]),
        ("numpy", "requests pooled, percentile", [2, 20]), ("scipy", "requests pooled, percentile", [2, 20]),
        ("arch", "requests pooled, percentile", [2, 20]), ("pandas", "requests pooled, percentile", [2, 20])]),
    "W4": ("2,000 cells of 12 metrics, 240,000 rows",
           ["batch", "--by", "model,config", "--base", "A", "w4.csv"], [
        ("numpy", "percentile, weights shared", [RESAMPLES]), ("scipy_nd", "BCa, n-d calls", [RESAMPLES]),
        ("scipy", "BCa, loop of pandas", [5, 20])]),
    "W5": ("20 JSON files with request detail, 42 MB each",
           ["compare", "A={}/w5/A_*", "B={}/w5/B_*", "--base", "A"], [
        ("polars", "figures of each run only", [0]), ("orjson", "with numpy, figures of each run only", [0]),
        ("json", "with numpy, figures of each run only", [0])]),
    "W6": ("20 small JSON files", ["compare", "A={}/w6/A_*", "B={}/w6/B_*", "--base", "A"], [
        ("plain", "Python alone, ratios only", [0]), ("polars", "ratios only", [0]), ("pandas", "ratios only", [0])]),
}


def full(name, program):
    """The amount that the whole workload is."""
    return CELLS if (name, program) == ("W4", "scipy") else RESAMPLES


class Run:
    """Times of one process."""

    def __init__(self, command, folder):
        null = os.open(os.devnull, os.O_RDWR)
        actions = [(os.POSIX_SPAWN_DUP2, null, k) for k in (0, 1)] + [(os.POSIX_SPAWN_CLOSE, null)]
        start = time.perf_counter()
        # posix_spawn has no working folder of its own.
        before = os.getcwd()
        os.chdir(folder)
        child = os.posix_spawnp(command[0], command, os.environ, file_actions=actions)
        os.chdir(before)
        _, status, used = os.wait4(child, 0)
        self.wall, self.cpu = time.perf_counter() - start, used.ru_utime + used.ru_stime
        # Linux counts in kB, macOS in bytes.
        self.peak = used.ru_maxrss / 1024 / (1024 if sys.platform == "darwin" else 1)
        os.close(null)
        if os.waitstatus_to_exitcode(status) != 0:
            sys.exit(f"failed: {shlex.join(command)}")


def peak_alone(command, folder, otherwise):
    """Peak memory in MB; a child of Python cannot be seen below Python's own, one of GNU time can."""
    timer = shutil.which("time")
    if timer is None or sys.platform == "darwin" or otherwise > 40:
        return otherwise
    with tempfile.NamedTemporaryFile("r") as told:
        done = subprocess.run([timer, "-f", "%M", "-o", told.name, *command], cwd=folder, stdout=subprocess.DEVNULL)
        words = told.read().split()
    return int(words[-1]) / 1024 if done.returncode == 0 and words else otherwise


def line_at(points, at):
    """The straight line through two points."""
    (a, y), (b, z) = points
    return y + (z - y) / (b - a) * (at - a)


def measured(name, program, python, folder, turns):
    """The rows of a workload."""
    _, asked, peers = WORKLOADS[name]
    ours = [program] + [part.replace("{}", ".") for part in asked]
    own, rows = [], []
    for peer, what, amounts in peers:
        commands = [[python, os.path.join(HERE, "peers.py"), peer, name, ".", str(amount)] for amount in amounts]
        # A slow peer is timed once at each amount.
        times = turns if len(amounts) == 1 else 1
        pairs = [(Run(ours, folder), [Run(command, folder) for command in commands]) for _ in range(times)]
        own += [mine for mine, _ in pairs]
        value = {}
        for kind in ("cpu", "wall"):
            full_amount = full(name, peer)
            of = [[getattr(run, kind) for run in theirs] for _, theirs in pairs]
            of = [row[0] if len(row) == 1 else line_at(list(zip(amounts, row)), full_amount) for row in of]
            value[kind] = statistics.median(of)
            value["ratio_" + kind] = statistics.median(theirs / getattr(mine, kind) for theirs, (mine, _) in zip(of, pairs))
        peak = max(run.peak for _, theirs in pairs for run in theirs)
        if len(amounts) > 1:
            unit = "cells" if full_amount == CELLS else "resamples"
            what += f" (a line through {amounts[0]} and {amounts[1]} {unit})"
        rows.append((peer.split("_")[0].replace("plain", "Python"), what, value, peak))
        print(f"{name} {peer}: {value['cpu']:.3f} s CPU, {value['ratio_cpu']:.1f} times", file=sys.stderr, flush=True)
    value = {kind: statistics.median(getattr(run, kind) for run in own) for kind in ("cpu", "wall")}
    peak = peak_alone(ours, folder, max(run.peak for run in own))
    command = "`" + " ".join(asked[:1]) + "`"
    return [("**beyondnoise**", command, value, peak), *rows]


def digits(x):
    """Three digits that count."""
    return f"{x:.0f}" if x >= 100 else f"{x:.{2 if x < 10 else 1}f}" if x >= 0.1 else f"{x:.3f}"


def table(found):
    head = ["| workload | program | | CPU s | wall s | peak MB | CPU, times | wall, times |", "|---|---|---|--:|--:|--:|--:|--:|"]
    for name, rows in found.items():
        for index, (program, what, value, peak) in enumerate(rows):
            title = f"{name}: {WORKLOADS[name][0]}" if index == 0 else ""
            times = [f"{value[k]:.0f}" if value[k] >= 10 else f"{value[k]:.1f}" for k in ("ratio_cpu", "ratio_wall")] if index else ["1", "1"]
            cells = [title, program, what, digits(value["cpu"]), digits(value["wall"]), f"{peak:.0f}", *times]
            head.append("| " + " | ".join(cells) + " |")
    return head


def shares(name, program, folder, turns, whole):
    """Parts of our CPU time: the start of the process, reading (as `show` does it), the rest."""
    asked = WORKLOADS[name][1]
    inputs = [part.replace("{}", ".") for part in asked if part.startswith(("A=", "B=")) or part.endswith(".csv")]
    start, read = (statistics.median(Run([program, *command], folder).cpu for _ in range(turns))
                   for command in (["--version"], ["show", *inputs]))
    # Measured apart: `show` prints every run, which may take longer than comparing them.
    read = min(read, whole)
    parts = [start, read - start, whole - read]
    percent = [f"{100 * max(part, 0) / max(sum(parts), 1e-9):.0f} %" for part in parts]
    return "| " + " | ".join([name, digits(whole), *percent]) + " |"


def machine():
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{os.cpu_count()} cores and {memory:.0f} GiB of memory"


def versions(program, python):
    ask = f"import importlib.metadata as m; print(', '.join(p + ' ' + m.version(p) for p in {PACKAGES!r}))"
    theirs = subprocess.run([python, "-c", "import sys; print('Python', sys.version.split()[0]); " + ask],
                            capture_output=True, text=True, check=True).stdout.split("\n")
    ours = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    return ", ".join([ours, *filter(None, theirs)])


def peers_python(folder):
    """A Python with the peers, made in a virtual environment that is kept for the next time."""
    python = os.path.join(folder, "bin", "python")
    if not os.path.exists(python):
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
    return python


def write(out, lines):
    """Between the marks of a file that has them, else as the file."""
    text = "\n".join([BEGIN, *lines, END])
    if out is None:
        print("\n".join(lines))
        return
    before = open(out).read() if os.path.exists(out) else ""
    marks = re.compile(re.escape(BEGIN) + ".*" + re.escape(END), re.DOTALL)
    with open(out, "w") as file:
        file.write(marks.sub(lambda _: text, before) if marks.search(before) else text + "\n")


def main():
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("workloads", nargs="*", metavar="W1 ... W6", help="all if none is named")
    ask.add_argument("--program", default=os.path.join(HERE, "..", "..", "target", "release", "beyondnoise"))
    ask.add_argument("--python", help="a Python that has " + ", ".join(PACKAGES))
    ask.add_argument("--data", help="folder of the inputs, kept for the next time (default: a temporary one)")
    ask.add_argument("--turns", type=int, default=5)
    ask.add_argument("--quick", action="store_true", help="a tenth of the data, one turn")
    ask.add_argument("--out", help="markdown file; a table that stands in it is replaced")
    given = ask.parse_args()
    unknown = [name for name in given.workloads if name not in WORKLOADS]
    if unknown:
        ask.error(f"expected workloads among {', '.join(WORKLOADS)}, found {', '.join(unknown)}")
    names = given.workloads or list(WORKLOADS)
    program = os.path.abspath(given.program)
    if not os.path.exists(program):
        ask.error(f"no program at {program}: build it with cargo build --release --no-default-features")
    python = given.python or peers_python(os.path.join(tempfile.gettempdir(), "beyondnoise-peers"))
    with tempfile.TemporaryDirectory() as temporary:
        folder = os.path.abspath(given.data or temporary)
        folder = os.path.join(folder, "quick" if given.quick else "full")
        os.makedirs(folder, exist_ok=True)
        # In a process of its own: the peak memory of a child is at least that of its parent.
        missing = [name for name in names if not os.path.exists(os.path.join(folder, name + ".done"))]
        for name in missing:
            size = ["--quick"] if given.quick else []
            subprocess.run([python, os.path.join(HERE, "workloads.py"), folder, name, *size], check=True)
            open(os.path.join(folder, name + ".done"), "w").close()
        turns = 1 if given.quick else given.turns
        load = os.getloadavg()[0]
        found = {name: measured(name, program, python, folder, turns) for name in names}
        of_whole = [shares(name, program, folder, turns, found[name][0][2]["cpu"]) for name in names]
    busy = f" The machine was busy (load {load:.1f}): wall times are too long." if load > 0.5 * os.cpu_count() else ""
    quick = " A tenth of the data of W2 to W5." if given.quick else ""
    lines = [f"Measured on {machine()}, medians of {turns} turns.{quick}{busy}", "", *table(found), "",
             f"{versions(program, python)}.", "",
             "Parts of the CPU time of beyondnoise: the start of the process (`--version`), reading (`show` of the same files, "
             "less that), and statistics, checks and report.", "",
             "| workload | CPU s | start | reading | statistics and report |", "|---|--:|--:|--:|--:|", *of_whole]
    write(given.out, lines)


if __name__ == "__main__":
    main()
