#!/usr/bin/env python3
"""Time and memory of reading large result files with request detail, against Python with orjson and numpy.

usage: detail.py [--program PATH] [--files N] [--requests N] [--tokens N] [--repeat N] [--keep FOLDER]

Makes N files of each of two variants in the shape of `vllm bench serve --save-detailed`, then runs both programs by
turns on the same files. Each computes mean, median and P99 of TTFT, TPOT and ITL of every file; the second only that,
the first also the comparison. CPU is user and system time of the whole process, as the kernel counts it."""
import argparse
import glob
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
WORDS = "the of a model serves tokens \"quoted\" café fast and then batch prefill \n decode over noisy links".split(" ")


def make(folder, files, requests, tokens):
    """Files of equal seeds: the same on every machine."""
    import numpy as np
    rng = np.random.default_rng(20260801)
    for variant, factor in (("A", 1.0), ("B", 0.97)):
        for run in range(files):
            pace = factor * np.exp(0.02 * rng.standard_normal())
            itls = 0.0105 * pace * np.exp(0.3 * rng.standard_normal((requests, tokens - 1)))
            ttfts = 0.15 * pace * np.exp(0.6 * rng.standard_normal(requests))
            duration = float((ttfts + itls.sum(1)).sum() / 256)
            words = rng.integers(0, len(WORDS), (requests, 10))
            result = {
                "date": f"20260801-{run:06d}", "backend": "openai", "model_id": "org/model", "tokenizer_id": "org/model",
                "num_prompts": requests, "request_rate": "inf", "max_concurrency": 256, "duration": duration,
                "completed": requests, "failed": 0, "total_input_tokens": 512 * requests,
                "total_output_tokens": tokens * requests, "request_throughput": requests / duration,
                "output_throughput": tokens * requests / duration,
                "input_lens": [512] * requests, "output_lens": [tokens] * requests, "ttfts": ttfts.tolist(),
                "itls": itls.tolist(), "generated_texts": [" ".join(WORDS[i] for i in row) for row in words],
                "errors": [""] * requests}
            with open(os.path.join(folder, f"{variant}_{run:02d}.json"), "w") as out:
                json.dump(result, out)


def peer(folder):
    """What a careful user writes in Python."""
    import numpy as np
    import orjson
    total = 0.0
    for path in sorted(glob.glob(os.path.join(folder, "*.json"))):
        with open(path, "rb") as file:
            result = orjson.loads(file.read())
        ttft, itls = np.array(result["ttfts"]), result["itls"]
        lengths = np.fromiter(map(len, itls), int, len(itls))
        itl = np.fromiter(itertools.chain.from_iterable(itls), float, int(lengths.sum()))
        ends = np.cumsum(lengths)
        tpot = np.add.reduceat(itl, ends - lengths) / lengths
        for values in (ttft, tpot, itl):
            total += values.mean() + np.quantile(values, (0.5, 0.99)).sum()
        del result, itls
    print(total)


def measured(command):
    """Wall and CPU seconds, and the peak of the memory in MB."""
    null = os.open(os.devnull, os.O_RDWR)
    start = time.perf_counter()
    child = os.posix_spawnp(command[0], command, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, null, 1)])
    _, status, used = os.wait4(child, 0)
    wall = time.perf_counter() - start
    os.close(null)
    if os.waitstatus_to_exitcode(status) != 0:
        sys.exit(f"failed: {' '.join(command)}")
    # Linux counts in kB, macOS in bytes.
    unit = 1024 if sys.platform == "darwin" else 1
    return wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024 / unit


def median(values):
    values = sorted(values)
    return (values[len(values) // 2] + values[(len(values) - 1) // 2]) / 2


def compare(folder, program, repeat):
    ours = [program, "compare", "--base", "A", f"A={folder}/A_*.json", f"B={folder}/B_*.json"]
    theirs = [sys.executable, os.path.abspath(__file__), "--peer", folder]
    for command in (ours, theirs):
        measured(command)
    pairs = [(measured(ours), measured(theirs)) for _ in range(repeat)]
    for name, runs in zip(("beyondnoise", "orjson + numpy"), zip(*pairs)):
        wall, cpu, peak = (median(column) for column in zip(*runs))
        print(f"{name:15} CPU {cpu:7.2f} s   wall {wall:7.2f} s   peak {peak:6.0f} MB")
    ratio = [median([a[i] / b[i] for a, b in pairs]) for i in (1, 0)]
    print(f"ratio           CPU {ratio[0]:7.2f}     wall {ratio[1]:7.2f}")
    largest = max(os.path.getsize(path) for path in glob.glob(os.path.join(folder, "*.json"))) / 2**20
    peak = max(a[2] for a, _ in pairs)
    print(f"largest file {largest:.1f} MB, peak of beyondnoise {peak / largest:.1f} times that")


def main():
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--program", default=os.path.join(HERE, "..", "..", "target", "release", "beyondnoise"))
    ask.add_argument("--files", type=int, default=10, help="files of each variant")
    ask.add_argument("--requests", type=int, default=10_000)
    ask.add_argument("--tokens", type=int, default=201)
    ask.add_argument("--repeat", type=int, default=5)
    ask.add_argument("--keep", help="folder of the files, which are made there if it has none")
    ask.add_argument("--peer", help=argparse.SUPPRESS)
    ask.add_argument("--make", help=argparse.SUPPRESS)
    args = ask.parse_args()
    if args.peer:
        return peer(args.peer)
    if args.make:
        return make(args.make, args.files, args.requests, args.tokens)
    with tempfile.TemporaryDirectory() as temporary:
        folder = args.keep or temporary
        os.makedirs(folder, exist_ok=True)
        if not glob.glob(os.path.join(folder, "[AB]_*.json")):
            # In a process of its own: a child's peak of memory is at least that of its parent.
            sizes = [f"--{name}={getattr(args, name)}" for name in ("files", "requests", "tokens")]
            subprocess.run([sys.executable, os.path.abspath(__file__), "--make", folder, *sizes], check=True)
        compare(folder, args.program, args.repeat)


if __name__ == "__main__":
    main()
