"""The pytest plugin, in a session of its own."""

from __future__ import annotations

import json

import pytest

import beyondnoise as bn

TEST = """
def test_step(beyondnoise):
    result = beyondnoise.baseline("step_ms", {values}, better="lower")
    if result is not None:
        assert result.headline in ("no_change", "within_noise", "improved")
"""

STORED = [10.11, 10.23, 10.18, 10.15, 10.20]


def run(pytester: pytest.Pytester, values: list[float], *arguments: str) -> pytest.RunResult:
    pytester.makepyfile(test_step=TEST.replace("{values}", repr(values)))
    return pytester.runpytest_subprocess("-p", "no:cacheprovider", *arguments)


def test_values_are_judged_against_what_was_stored(pytester: pytest.Pytester) -> None:
    missing = run(pytester, STORED)
    missing.assert_outcomes(failed=1)
    missing.stdout.fnmatch_lines(["*no baseline step_ms in *store it with --beyondnoise-update*"])

    run(pytester, STORED, "--beyondnoise-update").assert_outcomes(passed=1)
    [file] = (pytester.path / ".beyondnoise").iterdir()
    stored = json.loads(file.read_text(encoding="utf-8"))
    assert stored["schema"] == "beyondnoise-baseline/1"
    assert stored["values"] == STORED and stored["better"] == "lower"

    same = run(pytester, [10.12, 10.22, 10.17, 10.16, 10.21])
    same.assert_outcomes(passed=1)
    same.stdout.fnmatch_lines(["*= beyondnoise =*", "test_step.py::test_step step_ms: no change*"])

    worse = run(pytester, [10.61, 10.58, 10.70, 10.66, 10.63])
    worse.assert_outcomes(failed=1)
    worse.stdout.fnmatch_lines(["*step_ms is worse by 4.5 %, 2.0 % is tolerated*"])
    worse.stdout.fnmatch_lines(["*= beyondnoise =*", "test_step.py::test_step step_ms: regressed*"])


def test_a_damaged_baseline_says_so(pytester: pytest.Pytester) -> None:
    run(pytester, STORED, "--beyondnoise-update").assert_outcomes(passed=1)
    [file] = (pytester.path / ".beyondnoise").iterdir()
    file.write_text("{}", encoding="utf-8")
    damaged = run(pytester, STORED)
    damaged.assert_outcomes(failed=1)
    damaged.stdout.fnmatch_lines(["*expected a stored baseline*store it again*"])


def test_runs_of_pytest_benchmark_are_compared(pytester: pytest.Pytester) -> None:
    pytest.importorskip("pytest_benchmark")
    pytester.makepyfile(test_sum="def test_sum(benchmark):\n    benchmark(sum, range(1000))\n")
    for variant in ["main", "pr", "pr", "main"]:
        pytester.runpytest_subprocess(f"--benchmark-save={variant}").assert_outcomes(passed=1)
    result = bn.compare(pytester.path / ".benchmarks")
    [comparison] = result.comparisons
    assert comparison["baseline"]["name"] == "main"
    assert comparison["baseline"]["runs"] == comparison["candidate"]["runs"] == 2
    assert comparison["workload"]["label"].endswith("test_sum")
