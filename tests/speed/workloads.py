#!/usr/bin/env python3
"""The inputs of compare.py, from fixed seeds: the same on every machine.

usage: workloads.py FOLDER W1 W2 ... [--quick]

w1.csv              variant,run,metric,value               2 variants, 10 runs, 20 metrics
w2.csv              variant,value                          2 variants, 100,000 runs of one metric
w3/{A,B}_NN.csv     ttft_ms,tpot_ms,itl_ms,e2el_ms         20 runs of 100,000 requests
w4.csv              model,config,variant,run,metric,value  2,000 cells of 2 variants, 5 runs, 12 metrics: 240,000 rows
w5/{A,B}_NN.json    as `vllm bench serve --save-detailed`  20 runs of 10,000 requests with 200 gaps, about 42 MB each
w6/{A,B}_NN.json    the same without the requests          20 small files

With --quick W2, W3, W4 and W5 have a tenth of that. Needs numpy.
"""
import json
import os
import sys

import numpy as np

METRICS = ["request_throughput", "output_throughput", "total_token_throughput", "duration",
           "mean_ttft_ms", "median_ttft_ms", "std_ttft_ms", "p90_ttft_ms", "p99_ttft_ms",
           "mean_tpot_ms", "median_tpot_ms", "std_tpot_ms", "p90_tpot_ms", "p99_tpot_ms",
           "mean_itl_ms", "median_itl_ms", "p99_itl_ms", "mean_e2el_ms", "median_e2el_ms", "p99_e2el_ms"]
WORDS = "the of a model serves tokens \"quoted\" caf\u00e9 fast and then batch prefill \n decode over noisy links".split(" ")


def lines(path, header, rows):
    with open(path, "w") as file:
        file.write(header + "\n")
        file.writelines(row + "\n" for row in rows)


def w1(folder, _):
    rng = np.random.default_rng(101)
    base, change = np.exp(rng.uniform(0, 8, 20)), np.exp(rng.uniform(-0.08, 0.08, 20))
    cv, rows = rng.uniform(0.01, 0.08, 20), []
    for variant, factor in (("A", 1.0), ("B", change)):
        values = base * factor * np.exp(cv * rng.standard_normal((10, 20)))
        rows += [f"{variant},{run},{name},{x:.6f}" for run in range(10) for name, x in zip(METRICS, values[run])]
    lines(os.path.join(folder, "w1.csv"), "variant,run,metric,value", rows)


def heavy(rng, n, median, sigma, tail):
    """Lognormal values, of which a part is stretched to a Pareto tail."""
    x = median * np.exp(sigma * rng.standard_normal(n))
    hit = rng.random(n) < tail
    return np.where(hit, x * (1 + rng.pareto(1.8, n)), x)


def w2(folder, part):
    rng = np.random.default_rng(102)
    rows = []
    for variant, factor in (("A", 1.0), ("B", 0.985)):
        rows += [f"{variant},{x:.6f}" for x in heavy(rng, 100_000 // part, 210.0 * factor, 0.6, 0.02)]
    lines(os.path.join(folder, "w2.csv"), "variant,value", rows)


def w3(folder, part):
    os.makedirs(os.path.join(folder, "w3"), exist_ok=True)
    rng = np.random.default_rng(103)
    median, sigma = [150.0, 11.0, 10.5, 2400.0], [0.7, 0.25, 0.35, 0.5]
    for variant in "AB":
        for run in range(10):
            pace = np.exp(0.03 * rng.standard_normal(4))
            faster = [0.97 if variant == "B" and m in (0, 3) else 1.0 for m in range(4)]
            columns = [heavy(rng, 100_000 // part, median[m] * pace[m] * faster[m], sigma[m], 0.01) for m in range(4)]
            rows = ("%.4f,%.4f,%.4f,%.4f" % row for row in zip(*(column.tolist() for column in columns)))
            lines(os.path.join(folder, "w3", f"{variant}_{run:02d}.csv"), "ttft_ms,tpot_ms,itl_ms,e2el_ms", rows)


def w4(folder, part):
    rng = np.random.default_rng(104)
    names, rows = METRICS[:3] + METRICS[4:7] + METRICS[8:11] + METRICS[13:16], []
    for cell in range(2000 // part):
        key = f"model-{cell // 50:02d},tp{1 << (cell % 4)}-c{cell % 50:03d}"
        base = np.exp(rng.uniform(0, 8, 12))
        change = np.where(rng.random(12) < 0.4, np.exp(rng.uniform(-0.1, 0.1, 12)), 1.0)
        cv = rng.uniform(0.005, 0.06, 12)
        for variant, factor in (("A", 1.0), ("B", change)):
            values = base * factor * np.exp(cv * rng.standard_normal((5, 12)))
            rows += [f"{key},{variant},{run},{name},{x:.6f}" for run in range(5) for name, x in zip(names, values[run])]
    lines(os.path.join(folder, "w4.csv"), "model,config,variant,run,metric,value", rows)


def result(rng, variant, run, requests, gaps, detail):
    """One result in the shape of vLLM."""
    pace = (0.97 if variant == "B" else 1.0) * float(np.exp(0.02 * rng.standard_normal()))
    itl = 0.0105 * pace * np.exp(0.3 * rng.standard_normal((requests, gaps)))
    ttft = 0.15 * pace * np.exp(0.6 * rng.standard_normal(requests))
    e2el = ttft + itl.sum(1)
    duration = float(e2el.sum() / 256)
    found = {"date": f"20260801-{run:06d}", "endpoint_type": "openai", "label": None, "model_id": "org/Model-8B",
             "tokenizer_id": "org/Model-8B", "num_prompts": requests, "request_rate": "inf", "burstiness": 1.0,
             "max_concurrency": 256, "duration": duration, "completed": requests, "failed": 0,
             "total_input_tokens": 512 * requests, "total_output_tokens": (gaps + 1) * requests,
             "request_throughput": requests / duration, "request_goodput": None,
             "output_throughput": (gaps + 1) * requests / duration,
             "total_token_throughput": (gaps + 513) * requests / duration}
    if detail:
        words = rng.integers(0, len(WORDS), (requests, 10))
        found |= {"input_lens": [512] * requests, "output_lens": [gaps + 1] * requests, "ttfts": ttft.tolist(),
                  "itls": itl.tolist(), "generated_texts": [" ".join(WORDS[j] for j in row) for row in words],
                  "errors": [""] * requests}
    for name, x in (("ttft", ttft), ("tpot", itl.mean(1)), ("itl", itl.ravel()), ("e2el", e2el)):
        found |= {f"mean_{name}_ms": float(x.mean() * 1e3), f"median_{name}_ms": float(np.median(x) * 1e3),
                  f"std_{name}_ms": float(x.std() * 1e3), f"p99_{name}_ms": float(np.percentile(x, 99) * 1e3)}
    return found


def results(folder, seed, requests, detail):
    os.makedirs(folder, exist_ok=True)
    rng = np.random.default_rng(seed)
    for variant in "AB":
        for run in range(10):
            with open(os.path.join(folder, f"{variant}_{run:02d}.json"), "w") as file:
                json.dump(result(rng, variant, run, requests, 200, detail), file)


def w5(folder, part):
    results(os.path.join(folder, "w5"), 105, 10_000 // part, True)


def w6(folder, _):
    results(os.path.join(folder, "w6"), 106, 1_000, False)


if __name__ == "__main__":
    names = [name for name in sys.argv[2:] if name != "--quick"]
    for name in names:
        {"W1": w1, "W2": w2, "W3": w3, "W4": w4, "W5": w5, "W6": w6}[name](sys.argv[1], 10 if "--quick" in sys.argv else 1)
