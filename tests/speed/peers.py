#!/usr/bin/env python3
"""What a user of Python would run in place of beyondnoise: one program a peer and workload, started by compare.py.

usage: peers.py PEER WORKLOAD FOLDER AMOUNT

AMOUNT is the number of resamples, in W4 of a loop the number of cells. Only what a peer needs is imported: the start
of the process is part of what is timed. Each prints what it found, so that nothing can be left out.
"""
import glob
import os
import sys

PEER, WORKLOAD, FOLDER, AMOUNT = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
SEED, LEVELS, ENDS = 7, (0.5, 0.99), [2.5, 97.5]
REQUESTS = ["ttft_ms", "tpot_ms", "itl_ms", "e2el_ms"]


def path(*parts):
    return os.path.join(FOLDER, *parts)


def files(folder, ending):
    return sorted(glob.glob(path(folder, f"*.{ending}")))


def small_samples():
    """W1 by metric, with the csv module only."""
    import csv
    found = {}
    with open(path("w1.csv")) as file:
        for row in csv.DictReader(file):
            found.setdefault(row["metric"], {"A": [], "B": []})[row["variant"]].append(float(row["value"]))
    return found


def large_samples():
    """W2, by the fastest reader that the peer is used with."""
    import numpy as np
    import polars as pl
    table = pl.read_csv(path("w2.csv"))
    return [np.ascontiguousarray(table.filter(pl.col("variant") == v)["value"].to_numpy()) for v in "AB"]


def request_rows():
    """W3 as variant, run, metric, request; read by polars, the fastest of the peers."""
    import numpy as np
    import polars as pl
    tables = [pl.read_csv(file) for file in files("w3", "csv")]
    return np.array([[table[name].to_numpy() for name in REQUESTS] for table in tables]).reshape(2, 10, 4, -1)


def cells():
    """W4 as comparison, variant, run."""
    import pandas as pd
    table = pd.read_csv(path("w4.csv"))
    table = table.sort_values(["model", "config", "metric", "variant", "run"], kind="stable")
    return table[["model", "config", "metric"]].iloc[::10].reset_index(drop=True), table["value"].to_numpy().reshape(-1, 2, 5)


def written(keys, a, b, low, high):
    """The table of W4: Welch's p, adjusted by Benjamini and Hochberg."""
    from scipy import stats
    p = stats.ttest_ind(a, b, axis=-1, equal_var=False).pvalue
    keys["ratio"], keys["low"], keys["high"], keys["p"] = b.mean(-1) / a.mean(-1), low, high, p
    keys["p_adjusted"] = stats.false_discovery_control(p)
    keys.to_csv(sys.stdout, index=False)


def ratio(a, b, axis=-1):
    return b.mean(axis=axis) / a.mean(axis=axis)


def scipy_interval(a, b, statistic, method, **more):
    import numpy as np
    from scipy import stats
    found = stats.bootstrap((a, b), statistic, n_resamples=AMOUNT, method=method, rng=np.random.default_rng(SEED), **more)
    return found.confidence_interval.low, found.confidence_interval.high


def scipy_w1():
    import numpy as np
    for name, of in small_samples().items():
        print(name, *scipy_interval(np.array(of["A"]), np.array(of["B"]), ratio, "BCa", vectorized=True))


def scipy_nd_w1():
    import numpy as np
    found = small_samples()
    a, b = (np.array([of[variant] for of in found.values()]) for variant in "AB")
    print(*scipy_interval(a, b, ratio, "BCa", vectorized=True, axis=-1))


def arch_w1():
    import numpy as np
    from arch.bootstrap import IndependentSamplesBootstrap
    for name, of in small_samples().items():
        bootstrap = IndependentSamplesBootstrap(np.array(of["A"]), np.array(of["B"]), seed=SEED)
        print(name, bootstrap.conf_int(ratio, AMOUNT, method="bca"))


def numpy_w1():
    import numpy as np
    rng = np.random.default_rng(SEED)
    for name, of in small_samples().items():
        a, b = np.array(of["A"]), np.array(of["B"])
        i, j = rng.integers(0, a.size, (AMOUNT, a.size)), rng.integers(0, b.size, (AMOUNT, b.size))
        print(name, np.percentile(b[j].mean(1) / a[i].mean(1), ENDS))


def scipy_w2():
    a, b = large_samples()
    print(scipy_interval(a, b, ratio, "percentile", vectorized=True, axis=-1, batch=20))


def arch_w2():
    from arch.bootstrap import IndependentSamplesBootstrap
    print(IndependentSamplesBootstrap(*large_samples(), seed=SEED).conf_int(ratio, AMOUNT, method="percentile"))


def numpy_w2():
    import numpy as np
    rng = np.random.default_rng(SEED)
    means = [[x[rng.integers(0, x.size, x.size)].mean() for _ in range(AMOUNT)] for x in large_samples()]
    print(np.percentile(np.array(means[1]) / np.array(means[0]), ENDS))


def pandas_w2():
    import numpy as np
    import pandas as pd
    table = pd.read_csv(path("w2.csv"))
    samples = [table.loc[table["variant"] == variant, "value"] for variant in "AB"]
    means = [[x.sample(frac=1, replace=True, random_state=SEED + r).mean() for r in range(AMOUNT)] for x in samples]
    print(np.percentile(np.array(means[1]) / np.array(means[0]), ENDS))


def polars_w2():
    import polars as pl
    table = pl.read_csv(path("w2.csv"))
    samples = [table.filter(pl.col("variant") == variant)["value"] for variant in "AB"]
    means = [[x.sample(fraction=1.0, with_replacement=True, seed=SEED + r).mean() for r in range(AMOUNT)] for x in samples]
    ratios = pl.Series(means[1]) / pl.Series(means[0])
    print([ratios.quantile(end / 100, "linear") for end in ENDS])


def polars_read_w3():
    import polars as pl
    print(sum(pl.read_csv(file).height for file in files("w3", "csv")))


def numpy_run_w3():
    """One number a run, and an interval of their means: the least that says the same."""
    import numpy as np
    x = request_rows()
    rng = np.random.default_rng(SEED)
    per_run = np.concatenate([x.mean(3)[None], np.quantile(x, LEVELS, axis=3)])
    for figure in per_run:
        i = rng.integers(0, 10, (2, AMOUNT, 10))
        print(np.percentile(figure[1][i[1]].mean(1) / figure[0][i[0]].mean(1), ENDS, axis=0))


def pooled(x, runs):
    """Mean, median and P99 of the requests of some runs, for each metric."""
    import numpy as np
    values = [x[runs, metric].ravel() for metric in range(4)]
    return np.array([[y.mean(), *np.quantile(y, LEVELS)] for y in values])


def numpy_w3():
    import numpy as np
    x = request_rows()
    rng = np.random.default_rng(SEED)
    of = [np.array([pooled(x[k], rng.integers(0, 10, 10)) for _ in range(AMOUNT)]) for k in range(2)]
    print(np.percentile(of[1] / of[0], ENDS, axis=0))


def scipy_w3():
    import numpy as np
    x, runs = request_rows(), np.arange(10)
    for metric in range(4):
        for statistic in (np.mean, np.median, lambda y: np.quantile(y, 0.99)):
            def change(i, j):
                return statistic(x[1, j.astype(int), metric]) / statistic(x[0, i.astype(int), metric])
            print(scipy_interval(runs, runs, change, "percentile", vectorized=False))


def arch_w3():
    import numpy as np
    from arch.bootstrap import IndependentSamplesBootstrap
    x, runs = request_rows(), np.arange(10)
    change = lambda i, j: (pooled(x[1], j) / pooled(x[0], i)).ravel()
    print(IndependentSamplesBootstrap(runs, runs, seed=SEED).conf_int(change, AMOUNT, method="percentile"))


def pandas_w3():
    import numpy as np
    import pandas as pd
    runs = [pd.read_csv(file) for file in files("w3", "csv")]
    rng = np.random.default_rng(SEED)

    def figures(k):
        y = pd.concat([runs[10 * k + i] for i in rng.integers(0, 10, 10)])
        return np.vstack([y.mean(), y.quantile(list(LEVELS))])
    of = [np.array([figures(k) for _ in range(AMOUNT)]) for k in range(2)]
    print(np.percentile(of[1] / of[0], ENDS, axis=0))


def scipy_w4():
    """The loop over cells that a user writes."""
    import numpy as np
    import pandas as pd
    from scipy import stats
    rows, table = [], pd.read_csv(path("w4.csv"))
    amount, resamples = AMOUNT, 10_000
    for index, (key, group) in enumerate(table.groupby(["model", "config", "metric"])):
        if index >= amount * 12:
            break
        a, b = (group.loc[group["variant"] == variant, "value"].to_numpy() for variant in "AB")
        found = stats.bootstrap((a, b), ratio, n_resamples=resamples, method="BCa", vectorized=True,
                                rng=np.random.default_rng(SEED)).confidence_interval
        rows.append((*key, b.mean() / a.mean(), found.low, found.high, stats.ttest_ind(a, b, equal_var=False).pvalue))
    table = pd.DataFrame(rows, columns=["model", "config", "metric", "ratio", "low", "high", "p"])
    table["p_adjusted"] = stats.false_discovery_control(table["p"])
    table.to_csv(sys.stdout, index=False)


def scipy_nd_w4():
    import numpy as np
    keys, x = cells()
    low, high = np.empty(len(x)), np.empty(len(x))
    for i in range(0, len(x), 500):
        part = x[i:i + 500]
        low[i:i + 500], high[i:i + 500] = scipy_interval(part[:, 0], part[:, 1], ratio, "BCa", vectorized=True, axis=-1, batch=1000)
    written(keys, x[:, 0], x[:, 1], low, high)


def numpy_w4():
    """One matrix of weights for all comparisons: the resampled means are a matrix product."""
    import numpy as np
    keys, x = cells()
    rng = np.random.default_rng(SEED)
    of_a, of_b = (rng.multinomial(5, [0.2] * 5, AMOUNT) / 5.0 for _ in range(2))
    low, high = np.empty(len(x)), np.empty(len(x))
    for i in range(0, len(x), 500):
        ratios = (x[i:i + 500, 1] @ of_b.T) / (x[i:i + 500, 0] @ of_a.T)
        low[i:i + 500], high[i:i + 500] = np.percentile(ratios, ENDS, axis=1, overwrite_input=True)
    written(keys, x[:, 0], x[:, 1], low, high)


def of_requests(ttft, itl, lengths):
    import numpy as np
    ends = np.cumsum(lengths)
    tpot = np.add.reduceat(itl, ends - lengths) / lengths
    for values in (ttft, tpot, itl):
        print(values.mean(), *np.quantile(values, LEVELS))


def from_lists(parse):
    import itertools
    import numpy as np
    for file in files("w5", "json"):
        with open(file, "rb") as opened:
            found = parse(opened.read())
        itls = found["itls"]
        lengths = np.fromiter(map(len, itls), int, len(itls))
        of_requests(np.array(found["ttfts"]), np.fromiter(itertools.chain.from_iterable(itls), float, int(lengths.sum())), lengths)
        del found, itls


def orjson_w5():
    import orjson
    from_lists(orjson.loads)


def json_w5():
    import json
    from_lists(json.loads)


def polars_w5():
    import polars as pl
    schema = {"ttfts": pl.List(pl.Float64), "itls": pl.List(pl.List(pl.Float64))}
    for file in files("w5", "json"):
        table = pl.read_json(file, schema=schema)
        itls = table["itls"].explode()
        of_requests(table["ttfts"].explode().to_numpy(), itls.explode().to_numpy(), itls.list.len().to_numpy().astype(int))


def plain_w6():
    import json
    means = {"A": {}, "B": {}}
    for file in files("w6", "json"):
        with open(file) as opened:
            for key, value in json.load(opened).items():
                if isinstance(value, (int, float)) and not isinstance(value, bool):
                    means[os.path.basename(file)[0]].setdefault(key, []).append(value)
    for key, of_a in means["A"].items():
        a, b = sum(of_a) / len(of_a), sum(means["B"][key]) / len(means["B"][key])
        print(f"{key:28s} {a:16.6f} {b:16.6f} {b / a if a else float('nan'):10.6f}")


def pandas_w6():
    import json
    import pandas as pd
    rows = []
    for file in files("w6", "json"):
        with open(file) as opened:
            rows.append(json.load(opened) | {"variant": os.path.basename(file)[0]})
    table = pd.DataFrame(rows).groupby("variant").mean(numeric_only=True).T
    table["ratio"] = table["B"] / table["A"]
    print(table.to_string())


def polars_w6():
    import polars as pl
    tables = [pl.read_json(file).with_columns(variant=pl.lit(os.path.basename(file)[0])) for file in files("w6", "json")]
    table = pl.concat(tables, how="vertical_relaxed")
    numbers = [name for name, kind in table.schema.items() if kind.is_numeric()]
    means = table.group_by("variant", maintain_order=True).agg(pl.col(numbers).mean())
    a, b = means.row(0, named=True), means.row(1, named=True)
    for name in numbers:
        print(f"{name:28s} {a[name]:16.6f} {b[name]:16.6f} {b[name] / a[name] if a[name] else float('nan'):10.6f}")


if __name__ == "__main__":
    globals()[f"{PEER}_{WORKLOAD.lower()}"]()
