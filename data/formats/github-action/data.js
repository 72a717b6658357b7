window.BENCHMARK_DATA = {
  "lastUpdate": 1582974000123,
  "repoUrl": "https://github.com/example/fib",
  "entries": {
    "Rust Benchmark": [
      {
        "commit": {
          "author": { "name": "A", "email": "a@example.com", "username": "a" },
          "id": "0123456789abcdef0123456789abcdef01234567",
          "message": "first",
          "timestamp": "2020-02-28T10:00:00+09:00",
          "url": "https://github.com/example/fib/commit/0123456789abcdef0123456789abcdef01234567"
        },
        "date": 1582887600000,
        "tool": "cargo",
        "benches": [
          { "name": "bench_fib_10", "value": 135, "range": "± 24", "unit": "ns/iter" },
          { "name": "bench_fib_20", "value": 18149, "range": "± 755", "unit": "ns/iter" }
        ]
      },
      {
        "commit": {
          "author": { "name": "A", "email": "a@example.com", "username": "a" },
          "id": "89abcdef0123456789abcdef0123456789abcdef",
          "message": "second",
          "timestamp": "2020-02-29T10:00:00+09:00",
          "url": "https://github.com/example/fib/commit/89abcdef0123456789abcdef0123456789abcdef"
        },
        "date": 1582974000000,
        "tool": "cargo",
        "benches": [
          { "name": "bench_fib_10", "value": 135, "range": "± 20", "unit": "ns/iter" },
          { "name": "bench_fib_20", "value": 18.2, "range": "± 0.7", "unit": "us/iter" }
        ]
      }
    ],
    "Load": [
      {
        "commit": { "id": "89abcdef0123456789abcdef0123456789abcdef", "timestamp": "2020-02-29T10:00:00+09:00" },
        "date": 1582974000000,
        "tool": "customBiggerIsBetter",
        "benches": [ { "name": "parse", "value": 812.5, "unit": "docs" } ]
      }
    ]
  }
}
