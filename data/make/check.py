"""Compare the effect in data/serving with what the server was told to do.

`check.py [FOLDER]`, standard library only. FOLDER holds before/ and after/.
"""

import json
import math
import pathlib
import statistics
import sys

here = pathlib.Path(__file__).resolve().parent
folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else here.parent / "serving"

# From the defaults in server.py and the call in run.sh.
ttft = 60 * (1 + 0.03 * (2.0 - 1))
tpot = 12 * (1 + 0.03 * (1.25 - 1))
e2e = [ttft + 23 * tpot * factor for factor in (1.0, 0.96)]
truth = {"output_throughput": e2e[0] / e2e[1], "mean_ttft_ms": 1.0, "mean_tpot_ms": 0.96}

runs = {v: [json.loads(p.read_text()) for p in sorted((folder / v).glob("*.json"))] for v in ("before", "after")}
for metric, expected in truth.items():
    a, b = ([r[metric] for r in runs[v]] for v in ("before", "after"))
    va, vb = statistics.variance(a) / len(a), statistics.variance(b) / len(b)
    difference = statistics.mean(b) - statistics.mean(a)
    df = (va + vb) ** 2 / (va**2 / (len(a) - 1) + vb**2 / (len(b) - 1))
    spread = [statistics.stdev(x) / statistics.mean(x) for x in (a, b)]
    print(
        f"{metric:18} truth {expected - 1:+.2%}  measured {difference / statistics.mean(a):+.2%}"
        f" (SE {math.sqrt(va + vb) / statistics.mean(a):.2%})"
        f"  Welch t {difference / math.sqrt(va + vb):+.2f}, df {df:.1f}"
        f"  run spread {spread[0]:.2%} / {spread[1]:.2%}"
    )
