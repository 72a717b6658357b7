"""Values of result files, computed without the program: prints the rows of expected.rs.

usage: python3 tests/reading/formats_runners/expected.py > tests/reading/formats_runners/expected.rs
Files that are not there are left out of what it prints; `../shared` holds files of real users.
"""
import collections, csv, itertools, json, os, re, statistics as st

OWN, SHARED = "data/formats/", "../shared/samples/"
NS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
rows = {OWN: [], SHARED: []}


def add(where, file, form, runs, values):
    if os.path.exists(where + file):
        rows[where].append((file, form, runs, values()))


def read(path):
    text = open(path, encoding="utf-8").read()
    return json.loads(text[text.index("{") :][: text.rindex("}") - text.index("{") + 1]) if path.endswith(".txt") else json.loads(text)


def hyperfine(p):
    r = read(p)["results"]
    return [("", i, "wall_time_s", t) for i, t in enumerate(sum((x["times"] for x in r), [])) if i < 3]


def pyperf(p):
    d = read(p)
    b = d["benchmarks"][0]
    name = b.get("metadata", {}).get("name") or d["metadata"]["name"]
    means = [st.fmean(r["values"]) * 1e9 for r in b["runs"] if "values" in r]
    return [(name, i, "time_per_op_ns", v) for i, v in list(enumerate(means))[:3]]


def gbench(p, names):
    out = []
    for name in names:
        b = [x for x in read(p)["benchmarks"] if x["name"] == name and x.get("run_type") != "aggregate"]
        b = b or [x for x in read(p)["benchmarks"] if x["name"] == name + "_mean"]
        out += [(name, 0, m, st.fmean(x[k] * NS[x["time_unit"]] for x in b)) for k, m in (("real_time", "time_per_op_ns"), ("cpu_time", "cpu_time_per_op_ns"))]
        if "items_per_second" in b[0]:
            out.append((name, 0, "items_per_s", st.fmean(x["items_per_second"] for x in b)))
        if "bytes_per_second" in b[0]:
            out.append((name, 0, "mb_per_s", st.fmean(x["bytes_per_second"] for x in b) / 1e6))
    return out


def go(p, name, call=0, units=(("ns/op", "time_per_op_ns"),)):
    calls = re.split(r"(?m)^goos: ", open(p).read())
    text = calls[call + 1] if len(calls) > 1 else calls[0]
    lines = [l.split() for l in text.splitlines() if l.split()[:1] == [name]]
    return [(name, call, m, st.fmean(float(l[l.index(u) - 1]) for l in lines)) for u, m in units]


def jmh(p):
    out = []
    for d in read(p):
        m = d["primaryMetric"]
        if d["mode"] == "thrpt":
            scale = {"ops/s": 1, "ops/ms": 1e3}[m["scoreUnit"]]
            out += [(d["benchmark"], i, "ops_per_s", st.fmean(f) * scale) for i, f in enumerate(m["rawData"])]
        elif d["mode"] == "avgt":
            out += [(d["benchmark"], i, "time_per_op_ns", st.fmean(f) * 1e3) for i, f in enumerate(m["rawData"])]
    return out


def pytest(p):
    return [(b["fullname"], 0, m, b["stats"][k] * 1e9) for b in read(p)["benchmarks"][:2] for k, m in (("mean", "time_per_op_ns"), ("median", "median_time_per_op_ns"), ("min", "min_time_per_op_ns"))]


def sample(p, label):
    d = json.load(open(p))
    n, t = d if isinstance(d, list) else (d["iters"], d["times"])
    v = [b / a for a, b in zip(n, t)]
    return [(label, 0, "time_per_op_ns", st.fmean(v)), (label, 0, "median_time_per_op_ns", st.median(v))]


def raw(p, unit):
    got = {}
    for r in csv.DictReader(open(p)):
        name = "/".join(x for x in (r["group"], r["function"], r["value"]) if x)
        got.setdefault(name, []).append(float(r[unit]) / float(r["iteration_count"]))
    return [(n, 0, "time_per_op_ns", st.fmean(v)) for n, v in got.items()]


def estimates(p):
    d = {k.lower(): v for k, v in read(p).items()}
    return [("", 0, "time_per_op_ns", d["mean"]["point_estimate"]), ("", 0, "median_time_per_op_ns", d["median"]["point_estimate"])]


def k6(p):
    d = read(p)
    m = d["metrics"] if "metrics" in d else {x["name"]: x for x in d["results"]["metrics"]}
    v = lambda name: m[name].get("values", m[name])
    out = [("", 0, "request_throughput", v("http_reqs")["rate"])]
    if "http_req_duration" in m:
        out += [("", 0, "mean_e2el_ms", v("http_req_duration")["avg"]), ("", 0, "p95_e2el_ms", v("http_req_duration")["p(95)"]), ("", 0, "mean_iteration_ms", v("iteration_duration")["avg"])]
    else:
        out += [("", 0, "mean_my_trend", v("my_trend")["avg"]), ("", 0, "median_my_trend", v("my_trend")["med"])]
    return out


def points(p):
    v = [d["data"]["value"] for d in map(json.loads, open(p)) if d["type"] == "Point" and d["metric"] == "http_req_duration"]
    return [("", 0, "mean_e2el_ms", st.fmean(v)), ("", 0, "median_e2el_ms", st.median(v)), ("", 0, "p90_e2el_ms", st.quantiles(v, n=10, method="inclusive")[8])]


def oha(p):
    d = read(p)
    return [("", 0, "request_throughput", d["summary"]["requestsPerSec"]), ("", 0, "mean_e2el_ms", d["summary"]["average"] * 1e3), ("", 0, "p99_e2el_ms", d["latencyPercentiles"]["p99"] * 1e3)]


def vegeta(p):
    d = read(p)
    return [("", 0, "request_throughput", d["throughput"]), ("", 0, "mean_e2el_ms", d["latencies"]["mean"] / 1e6), ("", 0, "p99_e2el_ms", d["latencies"]["99th"] / 1e6)]


def ms(text):
    return sum(float(n) * {"us": 1e-3, "µs": 1e-3, "ms": 1, "s": 1e3, "m": 6e4}[u] for n, u in re.findall(r"([\d.]+)(us|µs|ms|s|m)(?=[\d]|$)", text))


def vegeta_text(p):
    out = []
    for i, t in enumerate(re.split(r"(?m)^Requests ", open(p).read())[1:]):
        names, values = re.search(r"Latencies +\[(.*?)\] +(.*)", t).groups()
        by = dict(zip(names.split(", "), values.split(", ")))
        out += [("", i, "mean_e2el_ms", ms(by["mean"])), ("", i, "p99_e2el_ms", ms(by["99"])), ("", i, "max_e2el_ms", ms(by["max"]))]
    return out


def wrk(p):
    out = []
    for i, t in enumerate(re.split(r"(?m)^ *Running ", open(p).read())[1:]):
        rate, mb = re.search(r"Requests/sec: +([\d.]+)\s+Transfer/sec: +([\d.]+.B)", t).groups()
        size = float(mb[:-2]) * {"K": 2**10, "M": 2**20, "G": 2**30}[mb[-2]] / 1e6
        mean, _, most = re.search(r"Latency +(\S+) +(\S+) +(\S+)", t).groups()
        out += [("", i, "request_throughput", float(rate)), ("", i, "mb_per_s", size), ("", i, "mean_e2el_ms", ms(mean)), ("", i, "max_e2el_ms", ms(most))]
    return out


def libtest(p):
    return [(n, 0, "median_time_per_op_ns", float(v.replace(",", "")) * {"ns": 1, "μs": 1e3, "ms": 1e6, "s": 1e9}[u]) for n, v, u in re.findall(r"test (\S+) \.\.\. bench: +([\d.,]+) (\w+)/iter", open(p).read())]


def console(p):
    return [(n, 0, "time_per_op_ns", float(v) * {"ps": 1e-3, "ns": 1, "us": 1e3, "µs": 1e3, "ms": 1e6}[u]) for n, v, u in re.findall(r"(?m)^(\S+) +time: +\[\S+ \S+ (\S+) (\S+)", open(p).read())][:3]


def locust(p, ends):
    out = []
    for r in csv.DictReader(open(p)):
        label = f"{r['Type']} {r['Name']}"
        stem = "ttft" if r["Name"] == "TTFT" else "e2el"
        if label in ends:
            out += [(label, 0, m, float(r[k])) for m, k in (("request_throughput", "Requests/s"), (f"mean_{stem}_ms", "Average Response Time"), (f"median_{stem}_ms", "Median Response Time"), (f"p99.9_{stem}_ms", "99.9%"), (f"max_{stem}_ms", "Max Response Time"))]
    return out


def jmeter(p):
    out = []
    rows = list(csv.DictReader(open(p, encoding="utf-8")))
    for label in dict.fromkeys(r["label"] for r in rows):
        mine = [r for r in rows if r["label"] == label]
        good = [r for r in mine if r["success"] == "true"]
        start = min(int(r["timeStamp"]) for r in mine)
        end = max(int(r["timeStamp"]) + int(r["elapsed"]) for r in mine)
        out += [(label, 0, "mean_e2el_ms", st.fmean(int(r["elapsed"]) for r in good)), (label, 0, "median_e2el_ms", st.median(int(r["elapsed"]) for r in good)), (label, 0, "mean_ttfb_ms", st.fmean(int(r["Latency"]) for r in good)), (label, 0, "request_throughput", len(good) / ((end - start) / 1e3))]
    return out


def jmeter_statistics(p):
    names = (("request_throughput", "throughput"), ("mean_e2el_ms", "meanResTime"), ("median_e2el_ms", "medianResTime"), ("max_e2el_ms", "maxResTime"))
    return [(n, 0, m, d[k]) for n, d in read(p).items() if n != "Total" for m, k in names]


def jmeter_report(p):
    rate = lambda t: float(t.split("/")[0]) / (60 if t.endswith("/min") else 1)
    names = (("mean_e2el_ms", "Average"), ("median_e2el_ms", "Median"), ("p99_e2el_ms", "99% Line"), ("max_e2el_ms", "Maximum"))
    return [x for r in csv.DictReader(open(p)) if r["Label"] != "TOTAL" for x in [(r["Label"], 0, m, float(r[k])) for m, k in names] + [(r["Label"], 0, "request_throughput", rate(r["Throughput"]))]]


def asv(p, names):
    d = read(p)
    scale = lambda n: ("time_per_op_ns", 1e9) if ".time_" in n else ("memory_bytes", 1) if "mem_" in n else ("result", 1)
    out = []
    for n in names:
        values, params = d["results"][n][:2]
        labels = [f"{n}({', '.join(c)})" for c in itertools.product(*params)] if params else [n]
        out += [(l, 0, scale(n)[0], v * scale(n)[1]) for l, v in zip(labels, values) if v is not None]
    return out


def github_action(p):
    text = open(p).read()
    scale = {"ns": 1, "us": 1e3, "ms": 1e6}
    def one(b):
        unit = b["unit"].split("/")[0]
        metric = "time_per_op_ns" if unit in scale else "ops_per_s" if "/sec" in b["unit"] else "throughput"
        return metric, b["value"] * scale.get(unit, 1)
    if text.startswith("["):
        return [(b["name"], 0, *one(b)) for b in json.loads(text)]
    out, seen = [], collections.Counter()
    for entries in json.loads(text.split("=", 1)[1])["entries"].values():
        for entry in entries:
            for b in entry["benches"]:
                out.append((b["name"], seen[b["name"]], *one(b)))
                seen[b["name"]] += 1
    return out


def bencher(p):
    names = {"latency": "time_per_op_ns", "throughput": "ops_per_s"}
    return [(n, 0, names.get(m, m), v["value"]) for n, ms in read(p).items() for m, v in ms.items()]


for w in (OWN, SHARED):
    p = lambda f: w + f
    for f, n in (("hyperfine/two-commands.json", 16), ("hyperfine/parameters.json", 12), ("hyperfine/hf.json", 10), ("hyperfine/bencher_one.json", 214), ("hyperfine/bencher_two.json", 40), ("hyperfine/single_run_stddev_null.json", 1)):
        add(w, f, "hyperfine json", n, lambda: hyperfine(p(f)))
    for f, n in (("pyperf/before.json", 5), ("pyperf/after.json", 5), ("pyperf/timeit_v2_generated.json", 10)):
        add(w, f, "pyperf json", n, lambda: pyperf(p(f)))
    for f, n, names in (("google-benchmark/repetitions.json", 2, ["BM_Sort/64", "BM_Sort/256"]), ("google-benchmark/aggregates-only.json", 2, ["BM_Sort/64"]), ("google-benchmark/old-with-error.json", 1, ["BM_Copy/8"]), ("google-benchmark/test1_run1.json", 14, ["BM_1PercentFaster", "BM_100xSlower"]), ("google-benchmark/test2_run.json", 10, ["BM_Hi", "BM_One"]), ("google-benchmark/test3_run0.json", 2, ["BM_Two", "medium"]), ("google-benchmark/test3_run1.json", 4, ["BM_One", "short"]), ("google-benchmark/test5_run0.json", 1, ["BM_ManyRepetitions"]), ("bencher-fixtures/cpp_google_two.txt", 2, ["fib_10", "fib_20"])):
        add(w, f, "google-benchmark json", n, lambda: gbench(p(f), names))
    both = (("ns/op", "time_per_op_ns"), ("MB/s", "mb_per_s"))
    memory = (("ns/op", "time_per_op_ns"), ("B/op", "bytes_per_op"), ("allocs/op", "allocs_per_op"), ("hits/op", "hits/op"))
    add(w, "go-bench/three-calls.txt", "go bench text", 6, lambda: go(p("go-bench/three-calls.txt"), "BenchmarkAppend-2", 1, both) + go(p("go-bench/three-calls.txt"), "BenchmarkMade-2", 2, memory))
    for f in ("crc-new", "crc-old"):
        add(w, f"go-bench/{f}.txt", "go bench text", 36, lambda: go(p(f"go-bench/{f}.txt"), "BenchmarkCRC32/poly=IEEE/size=15/align=0-8", 0, both) + go(p(f"go-bench/{f}.txt"), "BenchmarkCRC32/poly=Koopman/size=32kB/align=1-8", 0, both))
    for f in ("new", "old"):
        add(w, f"go-bench/{f}.txt", "go bench text", 2, lambda: go(p(f"go-bench/{f}.txt"), "BenchmarkEncode/format=json-48") + go(p(f"go-bench/{f}.txt"), "BenchmarkEncode/format=gob-48"))
    add(w, "bencher-fixtures/go_bench_five.txt", "go bench text", 5, lambda: go(p("bencher-fixtures/go_bench_five.txt"), "BenchmarkFib10-8") + go(p("bencher-fixtures/go_bench_five.txt"), "BenchmarkFib20") + go(p("bencher-fixtures/go_bench_five.txt"), "BenchmarkFib/my/tabled/benchmark_-_20"))
    for f, n in (("jmh/forks.json", 4), ("jmh/six.json", 6), ("jmh/throughput.json", 1)):
        add(w, f, "jmh json", n, lambda: jmh(p(f)))
    for f, n in (("pytest-benchmark/rounds.json", 2), ("pytest-benchmark/generated.json", 1), ("bencher-fixtures/python_pytest_two.json", 2)):
        add(w, f, "pytest-benchmark json", n, lambda: pytest(p(f)))
    for f, label in (("criterion/sums/xor/100/new/sample.json", "sums/xor/100"), ("criterion/sums/xor/100/main/sample.json", "sums/xor/100"), ("criterion/old/sample.json", ""), ("criterion/new_sample.json", "")):
        add(w, f, "criterion sample", 1, lambda: sample(p(f), label))
    add(w, "criterion/raw/raw.csv", "criterion raw csv", 2, lambda: raw(p("criterion/raw/raw.csv"), "sample_measured_value"))
    add(w, "criterion/new_raw_head.csv", "criterion raw csv", 1, lambda: raw(p("criterion/new_raw_head.csv"), "sample_time_nanos"))
    add(w, "criterion/new_estimates.json", "criterion estimates", 1, lambda: estimates(p("criterion/new_estimates.json")))
    for f in ("k6/summary-export.json", "k6/handle-summary.json", "k6/machine-readable.json", "k6/handleSummary_raw_from_tests.go.txt", "k6/old_summary_export_from_tests.go.txt"):
        add(w, f, "k6 summary json", 1, lambda: k6(p(f)))
    add(w, "k6/points.ndjson", "k6 json lines", 1, lambda: points(p("k6/points.ndjson")))
    add(w, "oha/report.json", "oha json", 1, lambda: oha(p("oha/report.json")))
    for f in ("vegeta/report.json", "vegeta/README_report_json_excerpt.txt"):
        add(w, f, "vegeta json", 1, lambda: vegeta(p(f)))
    for f, n in (("vegeta/reports.txt", 2), ("vegeta/README_report_text_excerpt.txt", 1)):
        add(w, f, "vegeta text", n, lambda: vegeta_text(p(f)))
    for f, n in (("wrk/index.txt", 1), ("wrk/notes.md", 2), ("wrk/readme_output.txt", 1)):
        add(w, f, "wrk text", n, lambda: wrk(p(f)))
    for f, n in (("cargo-bench/libtest.txt", 2), ("bencher-fixtures/rust_bench_many.txt", 6)):
        add(w, f, "cargo bench text", n, lambda: libtest(p(f)))
    for f, n in (("cargo-bench/criterion.txt", 2), ("bencher-fixtures/rust_criterion_many.txt", 5)):
        add(w, f, "cargo bench text", n, lambda: console(p(f)))
    add(w, "locust/results_stats.csv", "locust stats csv", 3, lambda: locust(p("locust/results_stats.csv"), ("GET /items?sort=a,b", "POST /items", "STREAM TTFT")))
    add(w, "wild/isNeil+neuro__locust_stats.csv", "locust stats csv", 1, lambda: locust(p("wild/isNeil+neuro__locust_stats.csv"), ("POST /",)))
    add(w, "wild/rishabhpoddar+llm-inference__locust_stats.csv", "locust stats csv", 3, lambda: locust(p("wild/rishabhpoddar+llm-inference__locust_stats.csv"), ("STREAM E2E", "STREAM TTFT")))
    for f, n in (("jmeter/results.jtl", 2), ("wild/ckq1019+System-performance-testing-utilizing-JMeter__results.jtl", 1)):
        add(w, f, "jmeter jtl", n, lambda: jmeter(p(f)))
    add(w, "jmeter/statistics.json", "jmeter statistics json", 2, lambda: jmeter_statistics(p("jmeter/statistics.json")))
    add(w, "jmeter/aggregate.csv", "jmeter report csv", 2, lambda: jmeter_report(p("jmeter/aggregate.csv")))
    f = "asv/0a1b2c3d-virtualenv-py3.12.json"
    add(w, f, "asv json", 8, lambda: asv(p(f), ("sorting.Suite.time_sort", "sorting.Suite.peakmem_sort", "sorting.track_items", "sorting.time_grid")))
    add(w, "github-action/data.js", "github-action-benchmark data.js", 5, lambda: github_action(p("github-action/data.js")))
    add(w, "github-action/input.json", "github-action-benchmark input", 2, lambda: github_action(p("github-action/input.json")))
    add(w, "bencher/report.json", "bencher bmf", 2, lambda: bencher(p("bencher/report.json")))
    f = "wild/PostHog+benchmark-results__0032ce6c-virtualenv-py3.8.json"
    add(w, f, "asv json", 23, lambda: asv(p(f), ("benchmarks.QuerySuite.track_trends_no_filter",)))

print("//! Written by `expected.py`, which reads the files without this program.\n")
print("use super::Expected;")
for where, name, what in ((OWN, "OWN", "Fixtures of the project."), (SHARED, "SHARED", "Files that real tools wrote, where they are at hand beside the project.")):
    print(f"\n/// {what}\n#[rustfmt::skip]\npub(super) const {name}: &[Expected] = &[")
    for file, form, runs, values in rows[where]:
        print(f'    Expected {{ file: "{file}", format: "{form}", runs: {runs}, values: &[')
        for label, nth, metric, value in values:
            print(f'        ("{label}", {nth}, "{metric}", {float(value)!r}),')
        print("    ] },")
    print("];")
