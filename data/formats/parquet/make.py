"""Writes the Parquet files of this folder and a CSV of the same rows beside each. Needs pyarrow."""

import csv
import datetime as dt
import decimal
import math
import random

import pyarrow as pa
import pyarrow.parquet as pq


def shown(value, kind):
    if value is None:
        return ""
    if kind == pa.float32():
        return f"{value:.7g}"
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)


def write(name, columns, nested=(), **options):
    table = pa.table(columns)
    rows = options.pop("rows", 7)
    with pq.ParquetWriter(f"{name}.parquet", table.schema, **options) as writer:
        for start in range(0, len(table), rows):
            writer.write_table(table.slice(start, rows))
            if start == rows:
                writer.write_table(table.slice(0, 0))
    with open(f"{name}.csv", "w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        flat = table.drop_columns(list(nested))
        out.writerow(flat.column_names)
        for row in flat.to_pylist():
            out.writerow(map(shown, row.values(), flat.schema.types))


random.seed(11)
requests = []
for variant in ["优化前", "优化后"]:
    for run in range(1, 4):
        for request in range(20):
            start = dt.datetime(2026, 11, 21, 9, run, request)
            failed = request == 13 and run == 2
            e2el = 900 + random.randrange(400) / 4
            requests.append({
                "variant": variant,
                "run": run,
                "request_id": 10**17 + request,
                "ttft_ms": math.nan if request == 4 else None if failed else 50 + random.randrange(800) / 16,
                "itl_ms": round(random.uniform(9, 12), 2),
                "e2el_ms": None if failed else f"{e2el} ms" if request % 2 else f"{e2el / 1000} s",
                "output_tokens": 0 if failed else 100 + request,
                "success": not failed,
                "start_time": start,
                "temperature": 0.5,
                "itls": [1.5, 2.5],
            })
kinds = {
    "variant": pa.dictionary(pa.int8(), pa.string()),
    "run": pa.int8(),
    "request_id": pa.int64(),
    "ttft_ms": pa.float64(),
    "itl_ms": pa.float32(),
    "e2el_ms": pa.string(),
    "output_tokens": pa.uint16(),
    "success": pa.bool_(),
    "start_time": pa.timestamp("us", tz="UTC"),
    "temperature": pa.float64(),
    "itls": pa.list_(pa.float64()),
}
write(
    "requests",
    {name: pa.array([row[name] for row in requests], kind) for name, kind in kinds.items()},
    nested=["itls"],
    compression="zstd",
    rows=25,
)

runs = [
    {
        "variant": variant,
        "run": run,
        "model": "7",
        "date": dt.date(2026, 11, run),
        "mean_ttft_ms": None if run == 3 else 50 + random.randrange(80) / 16,
        "output_throughput": decimal.Decimal(30000 + random.randrange(400)) / 100,
        "accepted": str(random.randrange(100) / 4),
        "median_tpot_ms": f"{10 + random.randrange(8) / 8} ms",
        "failed": 0,
        "greedy": run != 9,
        "note": None,
    }
    for variant in ["a", "b"]
    for run in range(1, 9)
]
kinds = {
    "variant": pa.dictionary(pa.int32(), pa.string()),
    "run": pa.int64(),
    "model": pa.string(),
    "date": pa.date32(),
    "mean_ttft_ms": pa.float64(),
    "output_throughput": pa.decimal128(9, 2),
    "accepted": pa.string(),
    "median_tpot_ms": pa.string(),
    "failed": pa.int16(),
    "greedy": pa.bool_(),
    "note": pa.null(),
}
write(
    "runs",
    {name: pa.array([row[name] for row in runs], kind) for name, kind in kinds.items()},
    compression="snappy",
    data_page_version="2.0",
)

values = [
    {
        "variant": run["variant"],
        "rep": run["run"],
        "metric": metric,
        "value": float(value),
        "max_concurrency": 8,
        "started": dt.datetime(2026, 11, run["run"], 12),
    }
    for run in runs
    for metric, value in [
        ("output_throughput", run["output_throughput"]),
        ("accepted", run["accepted"]),
    ]
]
kinds = {
    "variant": pa.string(),
    "rep": pa.uint32(),
    "metric": pa.dictionary(pa.int32(), pa.string()),
    "value": pa.float64(),
    "max_concurrency": pa.int32(),
    "started": pa.timestamp("ms"),
}
write(
    "long",
    {name: pa.array([row[name] for row in values], kind) for name, kind in kinds.items()},
    compression="gzip",
    use_dictionary=False,
    rows=9,
)
