#!/usr/bin/env python3
"""Writes data/nights.csv: 90 nights of a benchmark with known events, synthetic. The seed is fixed.

Noise: normal on the logarithm, 1.0 % a night (throughput), 1.5 % (TTFT), 0.8 % (TPOT), and 0.3 % between the two runs of a
night. Events: a step in all cells of model `large` on the night of 20 April (image of the machine: 550 -> 560), throughput
-5 %, TPOT +5 %; a spike on 1 April in one cell, throughput / 3; a creep of TTFT, +0.4 % a night from 20 March to 19 April,
model `small`, 8 in flight; the last night of model `small`, 32 in flight is 8 % slower: nobody knows yet.
"""
import datetime
import os

import numpy as np

rng = np.random.default_rng(20260526)
first = datetime.date(2026, 3, 1)
rows = ["date,commit,driver,model,concurrency,output_throughput,mean_ttft_ms,mean_tpot_ms"]
cells = [("small", 8), ("small", 32), ("large", 8), ("large", 32)]
nights = 90
noise = {cell: [np.exp(sd * rng.normal(size=nights)) for sd in (.010, .015, .008)] for cell in cells}
for night in range(nights):
    day = first + datetime.timedelta(days=night)
    commit = f"{int(rng.integers(16 ** 7)):07x}"
    driver = "550.54" if night < 50 else "560.28"
    for model, load in cells:
        base = 1 if model == "small" else 3
        rate, ttft, tpot = [x[night] for x in noise[model, load]]
        rate *= 900 * load / (load + 10) / base
        ttft *= (40 + 2 * load) * base
        tpot *= (6 + .1 * load) * base
        if model == "large" and night >= 50:
            rate, tpot = rate * .95, tpot * 1.05
        if (model, load) == ("large", 8) and night == 31:
            rate = rate / 3
        if (model, load) == ("small", 8):
            ttft *= 1.004 ** min(max(night - 19, 0), 30)
        if (model, load) == ("small", 32) and night == nights - 1:
            rate, tpot = rate * .92, tpot * 1.08
        for run in range(2):
            a, b, c = np.exp(.003 * rng.normal(size=3))
            rows.append(f"{day}T02:{10 * run:02d}:00Z,{commit},{driver},{model},{load},{rate * a:.2f},{ttft * b:.2f},{tpot * c:.3f}")
path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "nights.csv")
with open(path, "w") as file:
    file.write("\n".join(rows) + "\n")
