"""The SELECT of `beyondnoise reduce` in SQL engines, beside numpy: random logs, and faults.

    python tests/differential/reduce.py EXECUTABLE ENGINE... [--logs N] [--run COMMAND] [--faults] [--rows N...] [--executors N]

Engines: duckdb, sail (Spark Connect), spark (a local cluster of two workers), clickhouse, datafusion, ballista (a scheduler and
two executors, as root and with iproute2). Each needs its package from PyPI: duckdb; pysail and pyspark-client==4.0.1; pyspark
and Java; chdb; datafusion; ballista; and all of them numpy and pyarrow. Quantiles, the smallest and the largest value and counts
must be equal to the last bit, means and standard deviations to 1e-12. With --run the executable itself sends the SELECT to this
command of the engine (duckdb, of the package duckdb-cli; datafusion-cli; spark-sql), and its table is read. --faults instead
breaks the log, and kills an executor of spark and ballista during the query: the answer is right, or there is an error. --rows
instead takes time, memory, and bytes moved for so many rows.
"""

import argparse
import csv
import datetime
import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

LEVELS = [
    0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9,
    0.925, 0.95, 0.965, 0.975, 0.985, 0.99, 0.995, 0.999,
]  # fmt: skip
DIALECTS = {"sail": "spark", "ballista": "datafusion"}


def column_of(level):
    return "p" + f"{level * 100:.1f}".removesuffix(".0").replace(".", "_")


def statements(script):
    return [part.strip().rstrip(";") for part in script.split(";\n") if part.strip()]


class DuckDb:
    def __init__(self):
        import duckdb

        self.connection = duckdb.connect(config={"memory_limit": "8GB"})

    def run(self, script):
        (select,) = statements(script)
        return self.connection.sql(select).to_arrow_table().to_pylist()


class ClickHouse:
    def __init__(self):
        import chdb.session

        self.session = chdb.session.Session()

    def run(self, script):
        (select,) = statements(script)
        result = self.session.query(select, "Parquet")
        return pa.parquet.read_table(pa.BufferReader(result.bytes())).to_pylist()


class DataFusion:
    def __init__(self):
        from datafusion import RuntimeEnvBuilder, SessionContext

        # What does not fit goes to the disk.
        limited = RuntimeEnvBuilder().with_disk_manager_os().with_fair_spill_pool(8 * 10**9)
        self.context = lambda: SessionContext(runtime=limited)

    def run(self, script):
        context = self.context()
        *before, select = statements(script)
        for statement in before:
            context.sql(statement)
        return context.sql(select).to_arrow_table().to_pylist()


class Command:
    """A command of an engine, which the executable starts: `reduce --run=COMMAND`."""

    def __init__(self, command):
        self.command = command

    def rows(self, executable, dialect, paths):
        with tempfile.TemporaryDirectory() as folder:
            table = Path(folder) / "runs"
            reduced(executable, dialect, paths, f"--run={self.command}", "-o", str(table))
            text = table.read_text()
        if text.startswith("{"):
            read = [json.loads(line) for line in text.splitlines()]
            names = dict.fromkeys(name for row in read for name in row)
            return [{name: row.get(name) for name in names} for row in read]
        return [{name: cell or None for name, cell in row.items()} for row in csv.DictReader(text.splitlines())]


class Own(Command):
    """The reader of the executable itself, for --rows."""

    def __init__(self):
        super().__init__(None)

    def rows(self, executable, dialect, paths):
        with tempfile.TemporaryDirectory() as folder:
            table = Path(folder) / "runs.csv"
            subprocess.run([executable, "convert", *map(str, paths), "-o", str(table)], capture_output=True, check=True)
            return list(csv.DictReader(table.read_text().splitlines()))


FORWARDING = Path("/proc/sys/net/ipv4/ip_forward")


class Ballista(DataFusion):
    """A scheduler and executors, each a process. The package gives each executor of an address the same port, and the scheduler the
    name localhost: so each executor has a network of its own, where this name is that of the scheduler."""

    PROCESS = """
import sys, time
from ballista import BallistaExecutor, BallistaScheduler
if sys.argv[1] == "scheduler":
    one = BallistaScheduler("0.0.0.0", 50050)
else:
    one = BallistaExecutor(bind_host="0.0.0.0", bind_port=50051, scheduler_port=50050, concurrent_tasks=1)
one.start()
time.sleep(1e6)
"""

    def __init__(self, executors=2):
        from ballista import BallistaSessionContext

        self.networks = [f"bn{number}" for number in range(executors)]
        self.forwarding = FORWARDING.read_text()
        FORWARDING.write_text("1")
        self.processes = [self.start("scheduler")]
        time.sleep(2)
        for number, name in enumerate(self.networks):
            outer, inner = (f"10.199.{number}.{end}" for end in (1, 2))
            hosts = Path(f"/etc/netns/{name}/hosts")
            hosts.parent.mkdir(parents=True, exist_ok=True)
            hosts.write_text(f"{outer} localhost\n")
            for kind in ["link", "netns"]:
                subprocess.run(["ip", kind, "delete", name], stderr=subprocess.DEVNULL)  # Of a start that failed.
            ip("netns", "add", name)
            ip("link", "add", name, "type", "veth", "peer", "name", "eth0", "netns", name)
            for network, device, address in [((), name, outer), (("-n", name), "eth0", inner)]:
                ip(*network, "address", "add", f"{address}/24", "dev", device)
                ip(*network, "link", "set", device, "up")
            ip("-n", name, "link", "set", "lo", "up")
            ip("-n", name, "route", "add", "default", "via", outer)
            self.another()
        self.context = lambda: BallistaSessionContext("df://127.0.0.1:50050")

    def start(self, *words, before=()):
        return subprocess.Popen([*before, sys.executable, "-c", self.PROCESS, *words])

    def kill(self):
        self.processes.pop().kill()

    def another(self):
        inside = ["ip", "netns", "exec", self.networks[len(self.processes) - 1]]
        self.processes.append(self.start("executor", before=inside))
        time.sleep(3)

    def close(self):
        for process in self.processes:
            process.kill()
            process.wait()
        for name in self.networks:
            ip("netns", "delete", name)
            shutil.rmtree(f"/etc/netns/{name}")
        FORWARDING.write_text(self.forwarding)


def ip(*words):
    subprocess.run(["ip", *words], check=True)


class Spark:
    def __init__(self, executors=2):
        from pyspark.sql import SparkSession

        builder = SparkSession.builder.master(f"local-cluster[{executors},1,2048]").config("spark.ui.enabled", "false")
        builder = builder.config("spark.sql.shuffle.partitions", "4").config("spark.executor.memory", "2g")
        builder = builder.config("spark.ui.showConsoleProgress", "false")
        self.session = builder.config("spark.log.level", "OFF").getOrCreate()

    def run(self, script):
        *before, select = statements(script)
        for statement in before:
            self.session.sql(statement)
        return [row.asDict() for row in self.session.sql(select).collect()]

    def kill(self):
        executors = [pid for pid in tree() if b"CoarseGrainedExecutorBackend" in Path(f"/proc/{pid}/cmdline").read_bytes()]
        os.kill(executors[-1], signal.SIGKILL)

    def another(self):
        time.sleep(5)  # The cluster starts one itself.


class Sail(Spark):
    kill = None  # It has no executors.

    def __init__(self):
        from pysail.spark import SparkConnectServer
        from pyspark.sql import SparkSession

        self.server = SparkConnectServer()
        self.server.start()
        _, port = self.server.listening_address
        self.session = SparkSession.builder.remote(f"sc://localhost:{port}").getOrCreate()

    def run(self, script):
        *before, select = statements(script)
        for statement in before:
            self.session.sql(statement)
        return self.session.sql(select).toArrow().to_pylist()


ENGINES = {"duckdb": DuckDb, "clickhouse": ClickHouse, "datafusion": DataFusion, "spark": Spark, "sail": Sail, "ballista": Ballista, "own": Own}


def tree():
    """This process and all below it."""
    parents = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(path.parent.name)] = int(path.read_text().rsplit(")", 1)[1].split()[1])
        except OSError:
            pass  # It has ended.
    found = [os.getpid()]
    for pid in found:
        found += [child for child, parent in parents.items() if parent == pid]
    return found


def of_tree(file, name):
    """A number that /proc has of each of these processes, summed up."""
    total = 0
    for pid in tree():
        try:
            total += int(Path(f"/proc/{pid}/{file}").read_text().split(f"{name}:")[1].split()[0])
        except (OSError, IndexError):
            pass
    return total


def processor():
    """Seconds of processor of each of these processes, by number."""
    spent = {}
    for pid in tree():
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
            # Its own, and that of children that have ended.
            spent[pid] = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
        except OSError:
            pass
    return spent


def received():
    """Bytes that came in on the loopback device and from the networks of executors."""
    lines = [line.split(":") for line in Path("/proc/net/dev").read_text().splitlines() if ":" in line]
    return sum(int(numbers.split()[0]) for name, numbers in lines if name.strip().startswith(("lo", "bn")))


def design(rng):
    """A log as columns, its form, and the names and factors of its latencies."""
    variants = ["base", "pr"][: 1 + int(rng.integers(2))]
    runs = int(rng.integers(1, 4))
    most = 10 ** rng.uniform(0, 3.3) if rng.random() < 0.97 else 10 ** rng.uniform(4, 5)
    latencies = {"ttft_ms": 1.0, "e2e_s": 1000.0, "tpot_us": 0.001}
    kept = list(rng.permutation(list(latencies)))[: int(rng.integers(1, 4))]
    columns = {name: [] for name in ["variant", "run", "start", *kept, "output_tokens", "status", "gpu_power", "id"]}
    ties, gaps = rng.random() < 0.4, rng.random() < 0.5
    failing = rng.choice([0.0, 0.02, 0.3])
    for v, variant in enumerate(variants):
        for run in range(runs):
            n = max(1, int(most * rng.uniform(0.5, 1)))
            clock = 1.7e9 + 1000 * run + 100 * v + np.round(np.cumsum(rng.exponential(0.05, n)), 6)
            order = rng.permutation(n) if rng.random() < 0.5 else np.arange(n)
            columns["variant"] += [variant] * n
            columns["run"] += [run] * n
            columns["start"] += list(clock[order])
            for name in kept:
                values = rng.lognormal(3, 0.5, n) * (1 if rng.random() < 0.9 else 1e-9)
                values = np.round(values, 0 if ties else 6)
                empty = rng.random(n)
                cells = [float(value) for value in values]
                if gaps:
                    some = [None, math.nan, -0.0, 0.0, -1.0]
                    cells = [some[int(e * 50)] if e < 0.1 else value for e, value in zip(empty, cells)]
                columns[name] += cells
            columns["output_tokens"] += [int(k) for k in rng.integers(1, 500, n)]
            columns["status"] += ["ok" if x >= failing else "timeout" for x in rng.random(n)]
            columns["gpu_power"] += [-0.0 if x < 0.1 else float(x) for x in rng.normal(0, 100, n)]
            columns["id"] += [f"r{k}" for k in range(n)]
    return columns, {name: latencies[name] for name in kept}


def dressed(columns, rng):
    """The columns as people have them: names of the run and of a setting, forms of the status and of the start."""
    columns = dict(columns)
    status = columns.pop("status")
    good = [word == "ok" for word in status]
    name, cells = [
        ("success", good),
        ("error", [None if ok else word for ok, word in zip(good, status)]),
        ("status_code", [200 if ok else 503 for ok in good]),
        ("status", status),
    ][int(rng.integers(4))]
    columns[name] = cells
    start = columns.pop("start")
    how = int(rng.integers(4))
    if how == 1:
        start = [value * 1000 for value in start]
    if how == 2:
        start = [datetime.datetime.fromtimestamp(value, datetime.UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ") for value in start]
    columns["start_time_ms" if how == 1 else "start_time"] = start
    columns["request_id"] = columns.pop("id")
    hostile = ["model", 'mo"del', "x`y", "it's", "a;b--", "模型"][int(rng.integers(6))]
    columns[hostile] = ["m'1"] * len(start)
    return columns, how == 2


def plain(value):
    """As JavaScript writes it: 20 for 20.0."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def one_file(table, path):
    if path.suffix == ".parquet":
        pa.parquet.write_table(table, path)
    elif path.suffix in (".csv", ".tsv"):
        delimiter = "," if path.suffix == ".csv" else "\t"
        pa.csv.write_csv(table, path, pa.csv.WriteOptions(delimiter=delimiter))
    else:
        with path.open("w") as file:
            for row in table.to_pylist():
                row = {name: None if value != value else plain(value) for name, value in row.items()}
                file.write(json.dumps(row) + "\n")


def written(columns, rng, folder):
    """Writes one to three files; their paths."""
    form = ["csv", "parquet", "ndjson"][int(rng.integers(3))]
    rows = len(columns["run"])
    table = pa.table(columns)
    parts = min(int(rng.integers(1, 4)), rows)
    cuts = [rows * part // parts for part in range(parts + 1)]
    paths = []
    for part in range(parts):
        path = folder / f"part-{part}.{form}"
        piece = table.slice(cuts[part], cuts[part + 1] - cuts[part])
        one_file(piece, path)
        paths.append(path)
    return paths


def of_numpy(columns, latencies):
    """Figures of each quantity of each run, by numpy."""
    expected = {}
    keys = sorted(set(zip(columns["variant"], columns["run"])))
    arrays = {name: np.array([math.nan if cell is None else cell for cell in columns[name]]) for name in [*latencies, "start", "output_tokens", "gpu_power"]}
    variant, run = np.array(columns["variant"]), np.array(columns["run"])
    good = np.array(columns["status"]) == "ok"
    stem = {"ttft_ms": "mean_ttft_ms", "e2e_s": "mean_e2el_ms", "tpot_us": "mean_tpot_ms"}
    for key in keys:
        mine = (variant == key[0]) & (run == key[1])
        answered = np.zeros(len(mine), bool)
        quantities = {}
        for name, factor in latencies.items():
            counted = mine & good & (arrays[name] > 0)
            answered |= counted
            quantities[name] = (counted, factor)
        quantities["gpu_power"] = (mine & good, 1.0)
        facts = {
            "completed": int(answered.sum()),
            "failed": int((mine & ~answered).sum()),
            "output_tokens": int(arrays["output_tokens"][mine & good].sum()),
            "miscounted": 0,
        }
        for name, (counted, factor) in quantities.items():
            values = arrays[name][counted] + 0.0
            n = len(values)
            if n == 0:
                continue
            ordered = np.sort(values)
            figures = {"n_values": n, "min": ordered[0] * factor, "max": ordered[-1] * factor}
            figures |= {"value": math.fsum(values) / n * factor, "std": np.std(values - values.mean()) * factor}
            figures |= {column_of(level): np.quantile(ordered, level) * factor for level in LEVELS}
            if n >= 20:
                turns = values[np.lexsort((values, arrays["start"][counted]))]
                block = 20 * np.arange(n) // n
                figures |= {f"block_{k + 1}": turns[block == k].mean() * factor for k in range(20)}
            expected[(key[0], str(key[1]), stem.get(name, "mean_gpu_power"))] = figures | facts
        if not any(counted.any() for counted, _ in quantities.values()):
            # All failed.
            failed = {"n_values": 0, "completed": 0, "failed": facts["failed"]}
            expected[(key[0], str(key[1]), stem[next(iter(latencies))])] = failed
        if "e2e_s" in latencies:
            counted = quantities["e2e_s"][0]
            if counted.any():
                first = arrays["start"][mine].min()
                expected[(key[0], str(key[1]), "duration")] = {"value": (arrays["start"] + arrays["e2e_s"])[counted].max() - first}
    return expected


ROUNDED = {"value", "std", *(f"block_{k}" for k in range(1, 21))}


def differences(rows, expected, dates):
    """What differs, in words."""
    found = {(row["variant"], row["run"], row["metric"]): row for row in rows}
    if len(found) != len(rows) or set(found) != set(expected):
        yield f"rows {sorted(set(found) ^ set(expected))[:4]} of {len(rows)}"
        return
    for key, figures in expected.items():
        for name, wanted in figures.items():
            value = found[key][name]
            value = (0.0 if name == "failed" else math.nan) if value is None else float(value)
            size = abs(wanted) if name != "value" or "max" not in figures else max(abs(figures["max"]), abs(figures["min"]))
            if key[2] == "duration":
                # Sums of seconds since 1970, which have seven digits behind the point.
                fits = abs(value - wanted) <= 1e-6
            elif name in ROUNDED:
                size = max(abs(figures.get("max", wanted)), abs(figures.get("min", wanted)))
                fits = abs(value - wanted) <= 1e-12 * size or name.startswith("block") and dates and abs(value - wanted) <= size
            else:
                fits = value == wanted
            if not fits:
                yield f"{key} {name}: {value!r}, numpy {float(wanted)!r}"


def reduced(executable, dialect, paths, *more):
    command = [executable, "reduce", "--no-config", "--dialect", dialect, *more, *map(str, paths)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def judged(executable, path):
    command = [executable, "compare", "--no-config", "--format", "json", "--base", "base", str(path)]
    done = subprocess.run(command, capture_output=True, text=True)
    return json.loads(done.stdout) if done.returncode == 0 else done.stderr


def unequal(raw, other, where=""):
    """Where two reports differ, but for where runs were read and the last digits."""
    if isinstance(raw, dict) and isinstance(other, dict):
        for key in sorted({*raw, *other} - {"inputs", "read_as", "source", "run_list", "next_command", "left_out", "started"}):
            yield from unequal(raw.get(key), other.get(key), f"{where}/{key}")
    elif isinstance(raw, list) and isinstance(other, list) and len(raw) == len(other):
        for place, (one, two) in enumerate(zip(raw, other)):
            yield from unequal(one, two, f"{where}/{place}")
    elif isinstance(raw, float) and isinstance(other, (int, float)):
        # Times since 1970 have seven digits behind the point, and a change may be a small part of what it is the change of.
        if abs(raw - other) > 1e-4 * max(abs(raw), abs(other), 1e-6):
            yield f"{where}: {raw} raw, {other} reduced"
    elif raw != other:
        yield f"{where}: {str(raw)[:150]} raw, {str(other)[:150]} reduced"


def verdicts(executable, path, rows, folder):
    """How the verdict on the reduced table differs from that on the raw rows."""
    names = list(rows[0])
    lines = [",".join('"' + name.replace('"', '""') + '"' for name in names)]
    for row in rows:
        cells = ["" if row[name] is None else str(row[name]) for name in names]
        lines.append(",".join('"' + cell.replace('"', '""') + '"' for cell in cells))
    table = Path(folder) / "reduced.csv"
    table.write_text("\n".join(lines) + "\n")
    raw, other = judged(executable, path), judged(executable, table)
    if isinstance(raw, dict) and isinstance(other, dict):
        yield from unequal(raw, other)
    elif isinstance(raw, dict) != isinstance(other, dict):
        yield f"raw: {str(raw)[:200]}, reduced: {str(other)[:200]}"


def answer(executable, name, engine, paths):
    dialect = DIALECTS.get(name, name)
    if isinstance(engine, Command):
        return engine.rows(executable, dialect, paths)
    return engine.run(reduced(executable, dialect, paths))


def random_logs(executable, engines, logs):
    wrong = 0
    for name, engine in engines.items():
        begun, bad, compared = time.monotonic(), 0, 0
        rng = np.random.default_rng(1)
        for number in range(logs):
            columns, latencies = design(rng)
            columns_written, dates = dressed(columns, rng)
            with tempfile.TemporaryDirectory() as folder:
                paths = written(columns_written, rng, Path(folder))
                try:
                    rows = answer(executable, name, engine, paths)
                except subprocess.CalledProcessError as error:
                    print(f"{name}, log {number}: {error.stderr.strip()}")
                    bad += 1
                    continue
                except Exception as error:  # noqa: BLE001
                    print(f"{name}, log {number}: {paths[0].suffix} {str(error)[:600]}")
                    bad += 1
                    continue
                found = list(differences(rows, of_numpy(columns, latencies), dates))
                # Of a log in several files, which were cut inside a run, the raw reader makes more runs; and a table of one row a run
                # is a log only for those who say so.
                if len(paths) == 1 and rows and len(columns["run"]) > len(set(zip(columns["variant"], columns["run"]))):
                    found += verdicts(executable, paths[0], rows, folder)
                    compared += 1
            bad += bool(found)
            for line in found[:3]:
                print(f"{name}, log {number} {paths[0].suffix}: {line}")
        print(f"{name}: {logs - bad} of {logs} logs equal to numpy, {compared} verdicts to those on the raw rows, {time.monotonic() - begun:.0f} s", flush=True)
        wrong += bad
    return wrong


def of_ttft(columns):
    n = len(columns["run"])
    whole = {"status": ["ok"] * n, **columns, "start": columns["start_time"], "gpu_power": [math.nan] * n}
    return {key: value for key, value in of_numpy(whole, {"ttft_ms": 1.0}).items() if key[2] == "mean_ttft_ms"}


def four_runs():
    """A log of four runs for each of two variants, with an id for each request."""
    n = 4000
    rng = np.random.default_rng(7)
    return {
        "variant": ["base", "pr"] * (n // 2),
        "run": [k * 4 // n for k in range(n)],
        "request_id": [f"r{k}" for k in range(n)],
        "start_time": list(1.7e9 + np.arange(n) * 0.25),
        "ttft_ms": [float(value) for value in np.round(rng.lognormal(3, 0.5, n), 3)],
        "output_tokens": [int(value) for value in rng.integers(1, 500, n)],
    }


def losses(executable, engines):
    """A part of the SELECT loses a row or a run, or has a row twice, as in an engine that lost a machine: the answer is right, or
    the program refuses it."""
    wrong = 0
    columns = four_runs()
    expected = of_ttft(columns)
    for name, engine in engines.items():
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "log.parquet"
            pa.parquet.write_table(pa.table(columns), path)
            script = reduced(executable, DIALECTS.get(name, name), [path])
            for part in ["bn_runs", "bn_different", "bn_values", "bn_moments", "bn_ranked", "bn_sorted", "bn_turns"]:
                if f"{part} AS (" not in script:
                    continue
                faults = ["WHERE bn_start > 1.7e9", "UNION ALL SELECT * FROM {0} WHERE bn_start = 1.7e9"]
                if part == "bn_runs":
                    faults.append("WHERE bn_id > 1")
                for fault in faults:
                    before, after = script.split(f"{part} AS (", 1)
                    faulty = re.sub(r"FROM (bn_\w+)", lambda found: f"FROM (SELECT * FROM {found[1]} {fault.format(found[1])}) AS {found[1]}", after, count=1)
                    rows = engine.run(f"{before}{part} AS ({faulty}")
                    found = list(differences(rows, expected, False))
                    refused = any(row["miscounted"] or row["repeated"] for row in rows)
                    print(f"{name}, {part} {fault.format(part)}: {'refused' if refused else f'WRONG: {found[:2]}' if found else 'the right answer'}")
                    wrong += bool(found) and not refused
    return wrong


def faults(executable, engines):
    """A log of four files, broken in every way that can be: what each engine answers."""
    wrong = 0
    for name, engine in engines.items():
        for fault in ["none", "missing", "truncated", "twice", "text", "infinite", "negative"]:
            columns = four_runs()
            n = len(columns["run"])
            expected = of_ttft(columns)
            with tempfile.TemporaryDirectory() as folder:
                paths = []
                for part in range(4):
                    piece = {key: list(cells[part * n // 4 : (part + 1) * n // 4]) for key, cells in columns.items()}
                    if part == 2 and fault == "text":
                        piece["ttft_ms"] = [f"{value}" for value in piece["ttft_ms"]]
                        piece["ttft_ms"][5] = "broken"
                    if part == 2 and fault in ("infinite", "negative"):
                        piece["ttft_ms"][5] = math.inf if fault == "infinite" else -3.0
                    paths.append(Path(folder) / f"part-{part}.parquet")
                    pa.parquet.write_table(pa.table(piece), paths[-1])
                script = reduced(executable, DIALECTS.get(name, name), paths)
                if fault == "missing":
                    paths[2].unlink()
                if fault == "truncated":
                    paths[2].write_bytes(paths[2].read_bytes()[:-500])
                if fault == "twice":
                    shutil.copy(paths[2], paths[3].with_name("part-4.parquet"))
                    script = reduced(executable, DIALECTS.get(name, name), [*paths, paths[3].with_name("part-4.parquet")])
                try:
                    rows = engine.run(script)
                except Exception as error:  # noqa: BLE001
                    said = " ".join(str(error).split())[:110]
                    good = fault != "none"
                    print(f"{name}, {fault}: {'' if good else 'WRONG '}an error: {said}")
                    wrong += not good
                    continue
            counted = sum((row["not_numbers"] or 0) + (row["repeated"] or 0) for row in rows)
            found = list(differences(rows, expected, False))
            if fault == "none":
                good, said = not found and not counted, "the right answer"
            else:
                good, said = counted > 0, f"{counted} faulty rows are counted, which the program refuses"
            print(f"{name}, {fault}: {said if good else 'WRONG: ' + str(found[:2])}")
            wrong += not good
    return wrong


def shifting(executable, engines):
    """Logs that begin with whole numbers and without errors, in one file or in the first behind an address: engines that take
    types from there must not read the others as such."""
    wrong = 0
    for name, engine in engines.items():
        for kind in ["csv", "tsv", "ndjson", "several parquet", "several csv", "several ndjson"]:
            *several, ending = kind.split()
            rng = np.random.default_rng(7)
            n = 4000 if several else 240_000
            status = ["ok" if k < n // 2 or k % 50 else "timeout" for k in range(n)]
            ttft = [float(value) for value in np.round(rng.lognormal(3, 0.5, n), 3)]
            columns = {
                "variant": ["base", "pr"] * (n // 2),
                "run": [k * 4 // n for k in range(n)],
                "start_time": list(1.7e9 + np.arange(n) * 0.25),
                "ttft_ms": [math.ceil(value) if k < n // 2 else value for k, value in enumerate(ttft)],
                "output_tokens": [1] * n,
            }
            expected = of_ttft({**columns, "status": status})
            columns["error"] = [None if word == "ok" else word for word in status]
            with tempfile.TemporaryDirectory() as folder:
                parts = 2 if several else 1
                for part in range(parts):
                    piece = {key: cells[part * n // parts : (part + 1) * n // parts] for key, cells in columns.items()}
                    one_file(pa.table(piece), Path(folder) / f"{part}.{ending}")
                log = [f"s3://log/*.{ending}", "--columns", ",".join(columns)] if several else [f"{folder}/0.{ending}"]
                script = reduced(executable, DIALECTS.get(name, name), log)
                # For want of a store.
                script = script.replace("s3('s3://log", "file('s3://log").replace("s3://log", folder)
                try:
                    found = list(differences(engine.run(script), expected, False))
                    said = f"WRONG: {found[:2]}" if found else "the right answer"
                except Exception as error:  # noqa: BLE001
                    said = "an error: " + " ".join(str(error).split())[:110]
                    said = said if several else "WRONG: " + said
            print(f"{name}, types that change, {kind}: {said}")
            wrong += said.startswith("WRONG")
    return wrong


def made(rows, folder):
    """A log of so many rows in eight files, by DuckDB."""
    import duckdb

    paths = [Path(folder) / f"part-{part}.parquet" for part in range(8)]
    for part, path in enumerate(paths):
        duckdb.sql(
            f"COPY (SELECT CASE WHEN i % 2 = 0 THEN 'base' ELSE 'pr' END AS variant, {part} AS run, i AS request_id, "
            f"1.7e9 + {part} * 1e5 + i * 1e-3 AS start_time, round(exp(3 + sin(i * 7e-1) + sin(i * 1.3)), 3) AS ttft_ms, "
            f"round(exp(5 + sin(i * 3e-1) + sin(i * 1.7)), 3) AS e2e_ms, 1 + i % 400 AS output_tokens, i % 997 > 0 AS success "
            f"FROM range({rows // 8}) t(i)) TO '{path}' (FORMAT parquet)"
        )
    return paths


def kills(executable, engines):
    """An executor is killed at moments of a query: the answer is the one of before, or there is an error, or the program refuses it."""
    wrong = 0
    for name, engine in engines.items():
        if not getattr(engine, "kill", None):
            continue
        with tempfile.TemporaryDirectory() as folder:
            script = reduced(executable, DIALECTS.get(name, name), made(2_000_000, folder))
            engine.run(script)
            begun = time.monotonic()
            rows = engine.run(script)
            # Two latencies and the duration of 16 runs.
            if len(rows) != 48:
                print(f"{name}: WRONG: {len(rows)} rows of 48")
                wrong += 1
            lasts = time.monotonic() - begun
            for share in [0.1, 0.3, 0.5, 0.7, 0.9]:
                timer = threading.Timer(share * lasts, engine.kill)
                timer.start()
                try:
                    again = engine.run(script)
                    found, refused = list(unequal(rows, again)), any(row["miscounted"] or row["repeated"] for row in again)
                    said = "rows are miscounted, which the program refuses" if refused else f"WRONG: {found[:2]}"
                    said = said if found else "the right answer"
                    wrong += bool(found) and not refused
                except Exception as error:  # noqa: BLE001
                    said = "an error: " + " ".join(str(error).split())[:110]
                timer.join()
                print(f"{name}, an executor killed after {share:.0%} of {lasts:.1f} s: {said}", flush=True)
                engine.another()
    return wrong


def growth(executable, engines, sizes):
    """Seconds, also of processors, memory of all processes, and bytes written and sent for logs of so many rows."""
    for rows in sizes:
        with tempfile.TemporaryDirectory(dir=os.environ.get("LOGS")) as folder:
            paths = made(rows, folder)
            size = sum(path.stat().st_size for path in paths) / 1e6
            for name, engine in engines.items():
                peak, ended = [0.0], threading.Event()

                def watch(peak=peak, ended=ended):
                    while not ended.wait(0.2):
                        peak[0] = max(peak[0], of_tree("status", "VmRSS") / 1e6)

                watcher = threading.Thread(target=watch)
                watcher.start()
                wrote, sent, used, begun = of_tree("io", "wchar"), received(), processor(), time.monotonic()
                try:
                    said = f"{len(answer(executable, name, engine, paths))} rows of result"
                except Exception as error:  # noqa: BLE001
                    said = "an error: " + " ".join(str(error).split())[:300]
                seconds = time.monotonic() - begun
                wrote, sent = (of_tree("io", "wchar") - wrote) / 1e9, (received() - sent) / 1e9
                used = [round(spent - used.get(pid, 0)) for pid, spent in processor().items()]
                ended.set()
                watcher.join()
                print(
                    f"{name}: {rows:,} rows, {size:.0f} MB: {seconds:.1f} s, {[one for one in used if one]} s of processor in each process, at most {peak[0]:.1f} GB of memory, "
                    f"{wrote:.1f} GB written, {sent:.1f} GB sent, {said}",
                    flush=True,
                )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("executable")
    parser.add_argument("engines", nargs="+", choices=ENGINES)
    parser.add_argument("--logs", type=int, default=200)
    parser.add_argument("--run", metavar="COMMAND", help="of the one engine")
    parser.add_argument("--faults", action="store_true")
    parser.add_argument("--rows", type=int, nargs="*", default=[])
    parser.add_argument("--executors", type=int, help="of spark and ballista")
    args = parser.parse_args()
    more = {"executors": args.executors} if args.executors else {}
    engines = {name: Command(args.run) if args.run else ENGINES[name](**more) for name in args.engines}
    wrong = 1
    try:
        if args.rows:
            growth(args.executable, engines, args.rows)
            wrong = 0
        elif args.faults:
            wrong = sum(test(args.executable, engines) for test in [faults, losses, shifting, kills])
        else:
            wrong = random_logs(args.executable, engines, args.logs)
    except BaseException:
        traceback.print_exc()
    # Engines leave threads behind that never end.
    for engine in engines.values():
        getattr(engine, "close", lambda: None)()
    sys.stdout.flush()
    os._exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
