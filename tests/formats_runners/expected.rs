//! Written by `expected.py`, which reads the files without this program.

use super::Expected;

/// Fixtures of the project.
#[rustfmt::skip]
pub(super) const OWN: &[Expected] = &[
    Expected { file: "hyperfine/two-commands.json", format: "hyperfine json", runs: 16, values: &[
        ("", 0, "wall_time_s", 0.013026328),
        ("", 1, "wall_time_s", 0.013002072000000002),
        ("", 2, "wall_time_s", 0.012953560000000001),
    ] },
    Expected { file: "hyperfine/parameters.json", format: "hyperfine json", runs: 12, values: &[
        ("", 0, "wall_time_s", 0.001922043),
        ("", 1, "wall_time_s", 0.0011235330000000001),
        ("", 2, "wall_time_s", 0.0011391560000000001),
    ] },
    Expected { file: "pyperf/before.json", format: "pyperf json", runs: 5, values: &[
        ("sorted", 0, "time_per_op_ns", 1582.3413333843444),
        ("sorted", 1, "time_per_op_ns", 1609.7921667703),
        ("sorted", 2, "time_per_op_ns", 1619.6851665881695),
    ] },
    Expected { file: "pyperf/after.json", format: "pyperf json", runs: 5, values: &[
        ("sorted", 0, "time_per_op_ns", 1731.3616666190985),
        ("sorted", 1, "time_per_op_ns", 1764.1521667428608),
        ("sorted", 2, "time_per_op_ns", 1732.8355002064197),
    ] },
    Expected { file: "google-benchmark/repetitions.json", format: "google-benchmark json", runs: 2, values: &[
        ("BM_Sort/64", 0, "time_per_op_ns", 387.18148120376304),
        ("BM_Sort/64", 0, "cpu_time_per_op_ns", 189.95848911634164),
        ("BM_Sort/64", 0, "items_per_s", 336920850.9786089),
        ("BM_Sort/256", 0, "time_per_op_ns", 3177.6439528479036),
        ("BM_Sort/256", 0, "cpu_time_per_op_ns", 1520.8824838078838),
        ("BM_Sort/256", 0, "items_per_s", 168324648.84475356),
    ] },
    Expected { file: "google-benchmark/aggregates-only.json", format: "google-benchmark json", runs: 2, values: &[
        ("BM_Sort/64", 0, "time_per_op_ns", 427.11554734453034),
        ("BM_Sort/64", 0, "cpu_time_per_op_ns", 188.72119666975698),
        ("BM_Sort/64", 0, "items_per_s", 339126293.4488112),
    ] },
    Expected { file: "google-benchmark/old-with-error.json", format: "google-benchmark json", runs: 1, values: &[
        ("BM_Copy/8", 0, "time_per_op_ns", 42000.0),
        ("BM_Copy/8", 0, "cpu_time_per_op_ns", 39000.0),
        ("BM_Copy/8", 0, "mb_per_s", 190.0),
    ] },
    Expected { file: "go-bench/three-calls.txt", format: "go bench text", runs: 6, values: &[
        ("BenchmarkAppend-2", 1, "time_per_op_ns", 1647.15),
        ("BenchmarkAppend-2", 1, "mb_per_s", 431.06),
        ("BenchmarkMade-2", 2, "time_per_op_ns", 569.6),
        ("BenchmarkMade-2", 2, "bytes_per_op", 512.0),
        ("BenchmarkMade-2", 2, "allocs_per_op", 1.0),
        ("BenchmarkMade-2", 2, "hits/op", 0.5),
    ] },
    Expected { file: "jmh/forks.json", format: "jmh json", runs: 4, values: &[
        ("org.example.Sort.quick", 0, "time_per_op_ns", 15200.000000000002),
        ("org.example.Sort.quick", 1, "time_per_op_ns", 15799.999999999998),
        ("org.example.Sort.quick", 0, "ops_per_s", 64000.0),
    ] },
    Expected { file: "pytest-benchmark/rounds.json", format: "pytest-benchmark json", runs: 2, values: &[
        ("test_sum.py::test_sum", 0, "time_per_op_ns", 5318.837501514888),
        ("test_sum.py::test_sum", 0, "median_time_per_op_ns", 5026.750000070024),
        ("test_sum.py::test_sum", 0, "min_time_per_op_ns", 5024.49997838994),
        ("test_sum.py::test_sorted", 0, "time_per_op_ns", 4326.150004393033),
        ("test_sum.py::test_sorted", 0, "median_time_per_op_ns", 4291.150003155053),
        ("test_sum.py::test_sorted", 0, "min_time_per_op_ns", 4273.900003681774),
    ] },
    Expected { file: "criterion/sums/xor/100/new/sample.json", format: "criterion sample", runs: 1, values: &[
        ("sums/xor/100", 0, "time_per_op_ns", 154.7666796182845),
        ("sums/xor/100", 0, "median_time_per_op_ns", 158.61128388595301),
    ] },
    Expected { file: "criterion/sums/xor/100/main/sample.json", format: "criterion sample", runs: 1, values: &[
        ("sums/xor/100", 0, "time_per_op_ns", 164.9295506729965),
        ("sums/xor/100", 0, "median_time_per_op_ns", 161.42743967104536),
    ] },
    Expected { file: "criterion/old/sample.json", format: "criterion sample", runs: 1, values: &[
        ("", 0, "time_per_op_ns", 4.766666666666667),
        ("", 0, "median_time_per_op_ns", 4.8),
    ] },
    Expected { file: "criterion/raw/raw.csv", format: "criterion raw csv", runs: 2, values: &[
        ("sums/xor/100", 0, "time_per_op_ns", 245.0),
        ("sums/xor/400", 0, "time_per_op_ns", 900.0),
    ] },
    Expected { file: "k6/summary-export.json", format: "k6 summary json", runs: 1, values: &[
        ("", 0, "request_throughput", 79.96),
        ("", 0, "mean_e2el_ms", 12.5),
        ("", 0, "p95_e2el_ms", 26.75),
        ("", 0, "mean_iteration_ms", 1012.5),
    ] },
    Expected { file: "k6/handle-summary.json", format: "k6 summary json", runs: 1, values: &[
        ("", 0, "request_throughput", 79.96),
        ("", 0, "mean_e2el_ms", 12.5),
        ("", 0, "p95_e2el_ms", 26.75),
        ("", 0, "mean_iteration_ms", 1012.5),
    ] },
    Expected { file: "k6/machine-readable.json", format: "k6 summary json", runs: 1, values: &[
        ("", 0, "request_throughput", 79.96),
        ("", 0, "mean_e2el_ms", 12.5),
        ("", 0, "p95_e2el_ms", 26.75),
        ("", 0, "mean_iteration_ms", 1012.5),
    ] },
    Expected { file: "k6/points.ndjson", format: "k6 json lines", runs: 1, values: &[
        ("", 0, "mean_e2el_ms", 17.25),
        ("", 0, "median_e2el_ms", 12.0),
        ("", 0, "p90_e2el_ms", 29.2),
    ] },
    Expected { file: "oha/report.json", format: "oha json", runs: 1, values: &[
        ("", 0, "request_throughput", 812.4),
        ("", 0, "mean_e2el_ms", 12.3),
        ("", 0, "p99_e2el_ms", 48.4),
    ] },
    Expected { file: "vegeta/report.json", format: "vegeta json", runs: 1, values: &[
        ("", 0, "request_throughput", 99.86),
        ("", 0, "mean_e2el_ms", 2.470118),
        ("", 0, "p99_e2el_ms", 3.53),
    ] },
    Expected { file: "vegeta/reports.txt", format: "vegeta text", runs: 2, values: &[
        ("", 0, "mean_e2el_ms", 13.172),
        ("", 0, "p99_e2el_ms", 1247.7),
        ("", 0, "max_e2el_ms", 60500.0),
        ("", 1, "mean_e2el_ms", 9.172),
        ("", 1, "p99_e2el_ms", 47.7),
        ("", 1, "max_e2el_ms", 60.5),
    ] },
    Expected { file: "wrk/index.txt", format: "wrk text", runs: 1, values: &[
        ("", 0, "request_throughput", 90.92),
        ("", 0, "mb_per_s", 0.05687296),
        ("", 0, "mean_e2el_ms", 43.67),
        ("", 0, "max_e2el_ms", 48.0),
    ] },
    Expected { file: "wrk/notes.md", format: "wrk text", runs: 2, values: &[
        ("", 0, "request_throughput", 748868.53),
        ("", 0, "mb_per_s", 635.7830860800001),
        ("", 0, "mean_e2el_ms", 0.63591),
        ("", 0, "max_e2el_ms", 12.92),
        ("", 1, "request_throughput", 615488.12),
        ("", 1, "mb_per_s", 1095.21666048),
        ("", 1, "mean_e2el_ms", 1.05),
        ("", 1, "max_e2el_ms", 1100.0),
    ] },
    Expected { file: "cargo-bench/libtest.txt", format: "cargo bench text", runs: 2, values: &[
        ("codec::decode", 0, "median_time_per_op_ns", 3161.0),
        ("codec::encode", 0, "median_time_per_op_ns", 22.5),
    ] },
    Expected { file: "cargo-bench/criterion.txt", format: "cargo bench text", runs: 2, values: &[
        ("sums/xor/100", 0, "time_per_op_ns", 169.54),
        ("sums/xor/400", 0, "time_per_op_ns", 738.35),
    ] },
    Expected { file: "locust/results_stats.csv", format: "locust stats csv", runs: 3, values: &[
        ("GET /items?sort=a,b", 0, "request_throughput", 40.0),
        ("GET /items?sort=a,b", 0, "mean_e2el_ms", 132.5),
        ("GET /items?sort=a,b", 0, "median_e2el_ms", 120.0),
        ("GET /items?sort=a,b", 0, "p99.9_e2el_ms", 910.0),
        ("GET /items?sort=a,b", 0, "max_e2el_ms", 912.75),
        ("POST /items", 0, "request_throughput", 10.0),
        ("POST /items", 0, "mean_e2el_ms", 36.25),
        ("POST /items", 0, "median_e2el_ms", 35.0),
        ("POST /items", 0, "p99.9_e2el_ms", 89.0),
        ("POST /items", 0, "max_e2el_ms", 88.5),
        ("STREAM TTFT", 0, "request_throughput", 9.0),
        ("STREAM TTFT", 0, "mean_ttft_ms", 1640.5),
        ("STREAM TTFT", 0, "median_ttft_ms", 1500.0),
        ("STREAM TTFT", 0, "p99.9_ttft_ms", 3000.0),
        ("STREAM TTFT", 0, "max_ttft_ms", 3020.25),
    ] },
    Expected { file: "jmeter/results.jtl", format: "jmeter jtl", runs: 2, values: &[
        ("list", 0, "mean_e2el_ms", 146.66666666666666),
        ("list", 0, "median_e2el_ms", 140.0),
        ("list", 0, "mean_ttfb_ms", 130.0),
        ("list", 0, "request_throughput", 6.818181818181818),
        ("save, twice", 0, "mean_e2el_ms", 60.0),
        ("save, twice", 0, "median_e2el_ms", 60.0),
        ("save, twice", 0, "mean_ttfb_ms", 50.0),
        ("save, twice", 0, "request_throughput", 3.409090909090909),
    ] },
    Expected { file: "jmeter/statistics.json", format: "jmeter statistics json", runs: 2, values: &[
        ("list", 0, "request_throughput", 19.75),
        ("list", 0, "mean_e2el_ms", 212.5),
        ("list", 0, "median_e2el_ms", 205.0),
        ("list", 0, "max_e2el_ms", 640.0),
        ("save", 0, "request_throughput", 9.875),
        ("save", 0, "mean_e2el_ms", 47.5),
        ("save", 0, "median_e2el_ms", 45.0),
        ("save", 0, "max_e2el_ms", 120.0),
    ] },
    Expected { file: "asv/0a1b2c3d-virtualenv-py3.12.json", format: "asv json", runs: 8, values: &[
        ("sorting.Suite.time_sort(100)", 0, "time_per_op_ns", 12500000.0),
        ("sorting.Suite.time_sort(1000)", 0, "time_per_op_ns", 250000000.0),
        ("sorting.Suite.peakmem_sort", 0, "memory_bytes", 52428800.0),
        ("sorting.track_items", 0, "result", 2233.0),
        ("sorting.time_grid(a, 1)", 0, "time_per_op_ns", 1000000.0),
        ("sorting.time_grid(a, 2)", 0, "time_per_op_ns", 2000000.0),
        ("sorting.time_grid(b, 1)", 0, "time_per_op_ns", 3000000.0),
        ("sorting.time_grid(b, 2)", 0, "time_per_op_ns", 4000000.0),
    ] },
];

/// Files that real tools wrote, where they are at hand beside the project.
#[rustfmt::skip]
pub(super) const SHARED: &[Expected] = &[
    Expected { file: "hyperfine/hf.json", format: "hyperfine json", runs: 10, values: &[
        ("", 0, "wall_time_s", 0.011004264000000001),
        ("", 1, "wall_time_s", 0.011756173),
        ("", 2, "wall_time_s", 0.011962775),
    ] },
    Expected { file: "hyperfine/bencher_one.json", format: "hyperfine json", runs: 214, values: &[
        ("", 0, "wall_time_s", 0.01074585146),
        ("", 1, "wall_time_s", 0.012721892460000002),
        ("", 2, "wall_time_s", 0.012780726459999999),
    ] },
    Expected { file: "hyperfine/bencher_two.json", format: "hyperfine json", runs: 40, values: &[
        ("", 0, "wall_time_s", 0.10586876872),
        ("", 1, "wall_time_s", 0.10725897672000001),
        ("", 2, "wall_time_s", 0.10985180972),
    ] },
    Expected { file: "hyperfine/single_run_stddev_null.json", format: "hyperfine json", runs: 1, values: &[
        ("", 0, "wall_time_s", 0.0015631970000000001),
    ] },
    Expected { file: "pyperf/timeit_v2_generated.json", format: "pyperf json", runs: 10, values: &[
        ("timeit", 0, "time_per_op_ns", 27667.30358888525),
        ("timeit", 1, "time_per_op_ns", 26676.303100603425),
        ("timeit", 2, "time_per_op_ns", 26933.590942412877),
    ] },
    Expected { file: "google-benchmark/test1_run1.json", format: "google-benchmark json", runs: 14, values: &[
        ("BM_1PercentFaster", 0, "time_per_op_ns", 100.0),
        ("BM_1PercentFaster", 0, "cpu_time_per_op_ns", 100.0),
        ("BM_100xSlower", 0, "time_per_op_ns", 100.0),
        ("BM_100xSlower", 0, "cpu_time_per_op_ns", 100.0),
    ] },
    Expected { file: "google-benchmark/test2_run.json", format: "google-benchmark json", runs: 10, values: &[
        ("BM_Hi", 0, "time_per_op_ns", 42000000.0),
        ("BM_Hi", 0, "cpu_time_per_op_ns", 24000000.0),
        ("BM_One", 0, "time_per_op_ns", 5.0),
        ("BM_One", 0, "cpu_time_per_op_ns", 5.0),
    ] },
    Expected { file: "google-benchmark/test3_run0.json", format: "google-benchmark json", runs: 2, values: &[
        ("BM_Two", 0, "time_per_op_ns", 8.5),
        ("BM_Two", 0, "cpu_time_per_op_ns", 88.0),
        ("medium", 0, "time_per_op_ns", 8.5),
        ("medium", 0, "cpu_time_per_op_ns", 81.0),
    ] },
    Expected { file: "google-benchmark/test3_run1.json", format: "google-benchmark json", runs: 4, values: &[
        ("BM_One", 0, "time_per_op_ns", 9.0),
        ("BM_One", 0, "cpu_time_per_op_ns", 110.0),
        ("short", 0, "time_per_op_ns", 800.0),
        ("short", 0, "cpu_time_per_op_ns", 1.0),
    ] },
    Expected { file: "google-benchmark/test5_run0.json", format: "google-benchmark json", runs: 1, values: &[
        ("BM_ManyRepetitions", 0, "time_per_op_ns", 1000000000.0),
        ("BM_ManyRepetitions", 0, "cpu_time_per_op_ns", 1000000000000.0),
    ] },
    Expected { file: "bencher-fixtures/cpp_google_two.txt", format: "google-benchmark json", runs: 2, values: &[
        ("fib_10", 0, "time_per_op_ns", 214.98980114547953),
        ("fib_10", 0, "cpu_time_per_op_ns", 213.65507206163295),
        ("fib_20", 0, "time_per_op_ns", 27455.600415007055),
        ("fib_20", 0, "cpu_time_per_op_ns", 27364.90320427236),
    ] },
    Expected { file: "go-bench/crc-new.txt", format: "go bench text", runs: 36, values: &[
        ("BenchmarkCRC32/poly=IEEE/size=15/align=0-8", 0, "time_per_op_ns", 44.519999999999996),
        ("BenchmarkCRC32/poly=IEEE/size=15/align=0-8", 0, "mb_per_s", 336.95),
        ("BenchmarkCRC32/poly=Koopman/size=32kB/align=1-8", 0, "time_per_op_ns", 74280.9),
        ("BenchmarkCRC32/poly=Koopman/size=32kB/align=1-8", 0, "mb_per_s", 441.379),
    ] },
    Expected { file: "go-bench/crc-old.txt", format: "go bench text", runs: 36, values: &[
        ("BenchmarkCRC32/poly=IEEE/size=15/align=0-8", 0, "time_per_op_ns", 46.87),
        ("BenchmarkCRC32/poly=IEEE/size=15/align=0-8", 0, "mb_per_s", 320.711),
        ("BenchmarkCRC32/poly=Koopman/size=32kB/align=1-8", 0, "time_per_op_ns", 70943.5),
        ("BenchmarkCRC32/poly=Koopman/size=32kB/align=1-8", 0, "mb_per_s", 462.59399999999994),
    ] },
    Expected { file: "go-bench/new.txt", format: "go bench text", runs: 2, values: &[
        ("BenchmarkEncode/format=json-48", 0, "time_per_op_ns", 1421.9),
        ("BenchmarkEncode/format=gob-48", 0, "time_per_op_ns", 3087.5),
    ] },
    Expected { file: "go-bench/old.txt", format: "go bench text", runs: 2, values: &[
        ("BenchmarkEncode/format=json-48", 0, "time_per_op_ns", 1722.7),
        ("BenchmarkEncode/format=gob-48", 0, "time_per_op_ns", 3079.4),
    ] },
    Expected { file: "bencher-fixtures/go_bench_five.txt", format: "go bench text", runs: 5, values: &[
        ("BenchmarkFib10-8", 0, "time_per_op_ns", 325.0),
        ("BenchmarkFib20", 0, "time_per_op_ns", 40537.123),
        ("BenchmarkFib/my/tabled/benchmark_-_20", 0, "time_per_op_ns", 40537.456),
    ] },
    Expected { file: "jmh/six.json", format: "jmh json", runs: 6, values: &[
        ("com.github.caffeine.caffeine.cache.ComputeBenchmark.compute_sameKey", 0, "ops_per_s", 152520132.34402195),
        ("com.github.guava.caffeine.cache.ComputeBenchmark.compute_sameKey", 0, "ops_per_s", 29945718.61137783),
        ("com.github.hashmap.caffeine.cache.ComputeBenchmark.compute_sameKey", 0, "ops_per_s", 7828947.712794046),
        ("com.github.caffeine.caffeine.cache.ComputeBenchmark.compute_spread", 0, "ops_per_s", 75813218.87869738),
        ("com.github.guava.caffeine.cache.ComputeBenchmark.compute_spread", 0, "ops_per_s", 32709984.763771255),
        ("com.github.hashmap.caffeine.cache.ComputeBenchmark.compute_spread", 0, "ops_per_s", 113640916.67262991),
    ] },
    Expected { file: "jmh/throughput.json", format: "jmh json", runs: 1, values: &[
        ("org.openjdk.jmh.samples.JMHSample_01_HelloWorld.wellHelloThere", 0, "ops_per_s", 3376238873.1228185),
    ] },
    Expected { file: "pytest-benchmark/generated.json", format: "pytest-benchmark json", runs: 1, values: &[
        ("test_b.py::test_x", 0, "time_per_op_ns", 16046.142861471579),
        ("test_b.py::test_x", 0, "median_time_per_op_ns", 15586.99977977085),
        ("test_b.py::test_x", 0, "min_time_per_op_ns", 15185.999927780358),
    ] },
    Expected { file: "bencher-fixtures/python_pytest_two.json", format: "pytest-benchmark json", runs: 2, values: &[
        ("bench.py::test_fib_10", 0, "time_per_op_ns", 24088.681333229408),
        ("bench.py::test_fib_10", 0, "median_time_per_op_ns", 22300.000000363696),
        ("bench.py::test_fib_10", 0, "min_time_per_op_ns", 22067.000000181026),
        ("bench.py::test_fib_20", 0, "time_per_op_ns", 2985030.672661863),
        ("bench.py::test_fib_20", 0, "median_time_per_op_ns", 2960582.5000003083),
        ("bench.py::test_fib_20", 0, "min_time_per_op_ns", 2734935.9999999655),
    ] },
    Expected { file: "criterion/new_sample.json", format: "criterion sample", runs: 1, values: &[
        ("", 0, "time_per_op_ns", 4.723173110355466),
        ("", 0, "median_time_per_op_ns", 4.670911442470985),
    ] },
    Expected { file: "criterion/new_raw_head.csv", format: "criterion raw csv", runs: 1, values: &[
        ("Fibonacci/Iterative", 0, "time_per_op_ns", 4.802367106858785),
    ] },
    Expected { file: "criterion/new_estimates.json", format: "criterion estimates", runs: 1, values: &[
        ("", 0, "time_per_op_ns", 4.723173110355467),
        ("", 0, "median_time_per_op_ns", 4.670911442470985),
    ] },
    Expected { file: "k6/handleSummary_raw_from_tests.go.txt", format: "k6 summary json", runs: 1, values: &[
        ("", 0, "request_throughput", 3.0),
        ("", 0, "mean_my_trend", 15.0),
        ("", 0, "median_my_trend", 15.0),
    ] },
    Expected { file: "k6/old_summary_export_from_tests.go.txt", format: "k6 summary json", runs: 1, values: &[
        ("", 0, "request_throughput", 3.0),
        ("", 0, "mean_my_trend", 15.0),
        ("", 0, "median_my_trend", 15.0),
    ] },
    Expected { file: "vegeta/README_report_json_excerpt.txt", format: "vegeta json", runs: 1, values: &[
        ("", 0, "request_throughput", 101.00012489812),
        ("", 0, "mean_e2el_ms", 2.371194),
        ("", 0, "p99_e2el_ms", 3.53),
    ] },
    Expected { file: "vegeta/README_report_text_excerpt.txt", format: "vegeta text", runs: 1, values: &[
        ("", 0, "mean_e2el_ms", 113.172398),
        ("", 0, "p99_e2el_ms", 247.771566),
        ("", 0, "max_e2el_ms", 264.815246),
    ] },
    Expected { file: "wrk/readme_output.txt", format: "wrk text", runs: 1, values: &[
        ("", 0, "request_throughput", 748868.53),
        ("", 0, "mb_per_s", 635.7830860800001),
        ("", 0, "mean_e2el_ms", 0.63591),
        ("", 0, "max_e2el_ms", 12.92),
    ] },
    Expected { file: "bencher-fixtures/rust_bench_many.txt", format: "cargo bench text", runs: 6, values: &[
        ("tests::benchmark", 0, "median_time_per_op_ns", 3161.0),
        ("tests::other_benchmark", 0, "median_time_per_op_ns", 3161.0),
        ("tests::last_benchmark", 0, "median_time_per_op_ns", 3161.0),
        ("tests::one_digit", 0, "median_time_per_op_ns", 1000.0),
        ("tests::two_digit", 0, "median_time_per_op_ns", 22000000.0),
        ("tests::three_digit", 0, "median_time_per_op_ns", 333000000000.0),
    ] },
    Expected { file: "bencher-fixtures/rust_criterion_many.txt", format: "cargo bench text", runs: 5, values: &[
        ("file", 0, "time_per_op_ns", 0.32389999999999997),
        ("rolling_file", 0, "time_per_op_ns", 0.42966000000000004),
        ("tracing_file", 0, "time_per_op_ns", 18019.0),
    ] },
    Expected { file: "wild/isNeil+neuro__locust_stats.csv", format: "locust stats csv", runs: 1, values: &[
        ("POST /", 0, "request_throughput", 4.944105223538414),
        ("POST /", 0, "mean_e2el_ms", 2019.4182154166203),
        ("POST /", 0, "median_e2el_ms", 2007.5247999993735),
        ("POST /", 0, "p99.9_e2el_ms", 2100.0),
        ("POST /", 0, "max_e2el_ms", 2057.078800004092),
    ] },
    Expected { file: "wild/rishabhpoddar+llm-inference__locust_stats.csv", format: "locust stats csv", runs: 3, values: &[
        ("STREAM E2E", 0, "request_throughput", 0.7922194975166604),
        ("STREAM E2E", 0, "mean_e2el_ms", 44544.53370445653),
        ("STREAM E2E", 0, "median_e2el_ms", 31000.0),
        ("STREAM E2E", 0, "p99.9_e2el_ms", 124000.0),
        ("STREAM E2E", 0, "max_e2el_ms", 123641.75701141357),
        ("STREAM TTFT", 0, "request_throughput", 0.9506633970199926),
        ("STREAM TTFT", 0, "mean_ttft_ms", 16883.112209930754),
        ("STREAM TTFT", 0, "median_ttft_ms", 1500.0),
        ("STREAM TTFT", 0, "p99.9_ttft_ms", 97000.0),
        ("STREAM TTFT", 0, "max_ttft_ms", 96665.13800621033),
    ] },
    Expected { file: "wild/ckq1019+System-performance-testing-utilizing-JMeter__results.jtl", format: "jmeter jtl", runs: 1, values: &[
        ("HTTP请求", 0, "mean_e2el_ms", 35.764),
        ("HTTP请求", 0, "median_e2el_ms", 32.0),
        ("HTTP请求", 0, "mean_ttfb_ms", 35.672),
        ("HTTP请求", 0, "request_throughput", 12.767478678310608),
    ] },
    Expected { file: "wild/PostHog+benchmark-results__0032ce6c-virtualenv-py3.8.json", format: "asv json", runs: 23, values: &[
        ("benchmarks.QuerySuite.track_trends_no_filter", 0, "result", 2233.0),
    ] },
];
