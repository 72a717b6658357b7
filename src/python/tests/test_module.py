"""What the module promises beside its numbers: errors, notebooks, tests, types, silence."""

from __future__ import annotations

import decimal
import doctest
import importlib
import os
import pickle
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pandas
import polars
import pyarrow
import pytest
import settings
from conftest import ROOT, Run

import beyondnoise as bn

METRIC = {"step_ms": "lower"}
BETTER = {"before": [10.11, 10.23, 10.18, 10.15], "after": [9.12, 9.31, 9.22, 9.27]}


@pytest.mark.parametrize("name", ["beyondnoise", "beyondnoise._errors", "beyondnoise._results", "beyondnoise._inputs"])
def test_the_examples_of_the_docstrings_hold(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    failed, tried = doctest.testmod(importlib.import_module(name))
    assert failed == 0 and (tried > 0 or name.endswith("_inputs"))


def test_the_examples_of_the_manual_hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").symlink_to(ROOT / "data")
    page = (ROOT / "src/docs/python.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 5
    example = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "python.md", "python.md", 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    assert runner.run(example).failed == 0


def test_the_settings_are_those_of_the_library() -> None:
    assert settings.PATH.read_text(encoding="utf-8") == settings.text(), "run src/python/tests/settings.py"


def test_the_version_is_that_of_the_executable(run: Run) -> None:
    assert run("--version").stdout.split()[1] == bn.__version__


def raised(*data: Any, **options: Any) -> bn.Error:
    with pytest.raises(bn.Error) as caught:
        bn.compare(*data, **options)
    return caught.value


def test_errors_carry_their_parts(tmp_path: Path) -> None:
    error = raised("no/such/file")
    assert (error.path, error.found) == ("no/such/file", "No such file or directory (os error 2)")
    path = tmp_path / "runs.csv"
    path.write_text("variant,step_ms\nbefore,10.1\nafter,ten\n", encoding="utf-8")
    error = raised(path, metric=METRIC)
    assert error.path == str(path)
    assert error.place == "line 3"
    assert error.expected and "number" in error.expected
    assert error.found == '"ten"'
    assert error.remedy
    assert isinstance(error, ValueError)
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.__dict__) == (str(error), error.__dict__)
    frame = polars.DataFrame({"variant": ["before", "after", "before"], "step_ms": ["10.1", "ten", "10.3"]})
    error = raised(frame, metric=METRIC)
    assert (error.path, error.place) == ("frame", "row 2")


def test_errors_name_keyword_arguments() -> None:
    error = raised({"a": [10.1, 10.2], "b": [9.1, 9.3]}, metric=METRIC)
    assert "--" not in str(error) and error.remedy and "base" in error.remedy
    error = raised(BETTER, metric=METRIC, tolerance=3)
    assert str(error) == 'tolerance 3 has no unit; write "3 %"'
    error = raised(BETTER, metric=METRIC, confidence="99.999%")
    assert error.expected == "a confidence from 0.6 to 0.9999, or 60% to 99.99%"
    error = raised(BETTER, metric={"step_ms": "faster"})
    assert "lower or higher" in str(error)
    error = raised(BETTER)
    assert error.expected == "the metric that the numbers are of"
    with pytest.raises(TypeError, match="tolerence.*did you mean tolerance"):
        bn.compare(BETTER, metric=METRIC, tolerence="3%")  # type: ignore[call-arg]
    for data in [3, [], {}, [1.0, 2.0], None, {"before": 3, "after": [1]}]:
        assert raised(data, metric=METRIC).remedy


def test_a_result_asserts() -> None:
    result = bn.compare({"main": BETTER["after"], "pr": BETTER["before"]}, metric=METRIC)
    assert (result.headline, result.gate) == ("regressed", "fail")
    with pytest.raises(AssertionError, match="step_ms is worse by 10") as caught:
        result.assert_not_worse()
    assert repr(result) in str(caught.value)
    result.assert_not_worse("20%")
    result.assert_not_worse(0.2)
    bn.compare(BETTER, metric=METRIC).assert_not_worse("0%")
    with pytest.raises(AssertionError, match="no verdict"):
        bn.compare({"main": [1.0], "pr": [2.0]}, metric=METRIC).assert_not_worse()
    with pytest.raises(bn.Error, match="percentage"):
        result.assert_not_worse("two")


def test_an_improvement_is_asserted() -> None:
    improved = bn.compare(BETTER, metric=METRIC)
    assert improved.decision == improved.to_dict()["decision"] == "promote"
    improved.assert_improved()
    worse = bn.compare({"main": BETTER["after"], "pr": BETTER["before"]}, metric=METRIC)
    with pytest.raises(AssertionError, match="^reject: step_ms is worse by 10") as caught:
        worse.assert_improved()
    assert repr(worse) in str(caught.value)
    with pytest.raises(AssertionError, match="^more data: no verdict, 1 run per variant"):
        bn.compare({"main": [1.0], "pr": [2.0]}, metric=METRIC).assert_improved()
    assert "Decision: promote: step_ms" in bn.compare(BETTER, metric=METRIC, require="improved").to_text()


def test_a_report_in_a_notebook_stays_in_its_frame() -> None:
    hostile = {"</iframe><script>alert(1)</script>": BETTER["before"], '"main" onload="x': BETTER["after"]}
    result = bn.compare(hostile, base='"main" onload="x', metric=METRIC)
    page = result._repr_html_()
    assert page.count("<iframe") == page.count("</iframe>") == 1
    assert page.count("<") == 2 and page.count('"') % 2 == 0
    assert 'sandbox="allow-scripts"' in page and "color-scheme" in page
    assert repr(result) == result.to_text().rstrip()
    assert repr(bn.plan(effect="3%", cv="2%")).startswith("beyondnoise: 9 runs of each variant")


def test_nothing_is_printed(capfd: pytest.CaptureFixture[str]) -> None:
    bn.compare(ROOT / "data/serving")
    bn.noise(ROOT / "data/serving")
    raised("no/such/file")
    assert capfd.readouterr() == ("", "")


def test_other_threads_go_on() -> None:
    large = {f"v{number}": [10 + number * 0.01 + 0.003 * run for run in range(300)] for number in range(12)}
    done = threading.Event()
    ticks = 0

    def work() -> None:
        bn.compare(large, base="v0", metric=METRIC, resamples=200_000)
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    while not done.wait(0.002):
        ticks += 1
    thread.join()
    assert ticks > 10


def test_ctrl_c_ends_a_call(tmp_path: Path) -> None:
    # Nobody ever writes to it.
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    code = f"""
import os
import beyondnoise as bn
print("begin", flush=True)
try:
    bn.compare("a={pipe}")
except KeyboardInterrupt:
    print("ended", flush=True)
os._exit(0)
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout and process.stdout.readline() == "begin\n"
        time.sleep(0.3)
        asked = time.monotonic()
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "ended\n"
        assert time.monotonic() - asked < 2


def test_after_a_fork_it_works() -> None:
    bn.compare(BETTER, metric=METRIC)
    child = os.fork()
    if child == 0:
        os._exit(0 if bn.compare(BETTER, metric=METRIC).headline == "improved" else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_frames_of_every_shape() -> None:
    rows = [{"variant": name, "step_ms": value} for name, values in BETTER.items() for value in values]
    frame = pandas.DataFrame(rows)
    expected = bn.compare(frame, metric=METRIC).to_dict()["comparisons"][0]["metrics"]
    for other in [
        frame.set_index("variant"),
        frame.sample(frac=1, random_state=1).sort_values(["variant", "step_ms"]).iloc[::-1].sort_index(),
        frame.astype({"variant": "category"}),
        polars.from_pandas(frame).with_columns(polars.col("variant").cast(polars.Categorical)),
        polars.from_pandas(frame).with_columns(polars.lit([1, 2]).alias("list")),
        polars.concat([polars.from_pandas(frame)[:3], polars.from_pandas(frame)[3:]], rechunk=False),
    ]:
        found = bn.compare(other, metric=METRIC).to_dict()
        assert found["comparisons"][0]["metrics"] == expected
    nested = polars.from_pandas(frame).with_columns(polars.lit([1, 2]).alias("list"))
    skipped = bn.compare(nested, metric=METRIC).to_dict()["inputs"][0]["skipped"]
    assert [entry["where"] for entry in skipped] == ["column list"]
    for empty in [polars.DataFrame(), frame[:0], polars.DataFrame({"variant": [], "step_ms": []})]:
        assert raised(empty, metric=METRIC).remedy


def test_columns_of_every_type_are_read_or_named() -> None:
    rows = 3
    columns: dict[str, Any] = {
        "variant": ["a", "a", "a", "b", "b", "b"],
        "step_ms": [10.1, 10.2, 10.3, 9.1, 9.2, 9.3],
        "u64": pyarrow.array([2**64 - 1] * 2 * rows, pyarrow.uint64()),
        "f32": pyarrow.array([0.1] * 2 * rows, pyarrow.float32()),
        "f16": pyarrow.array([0.5] * 2 * rows, pyarrow.float16()),
        "decimal": pyarrow.array([decimal.Decimal("1.10")] * 2 * rows, pyarrow.decimal128(5, 2)),
        "small": pyarrow.array([decimal.Decimal("1.10")] * 2 * rows, pyarrow.decimal32(5, 2)),
        "time": pyarrow.array(range(2 * rows), pyarrow.time64("us")),
        "date": pyarrow.array(range(2 * rows), pyarrow.date32()),
        "at": pyarrow.array(range(2 * rows), pyarrow.timestamp("s", tz="Europe/Berlin")),
        "took": pyarrow.array([1_500_000] * 2 * rows, pyarrow.duration("us")),
        "none": pyarrow.nulls(2 * rows),
        "bytes": pyarrow.array([b"\xff\x00"] * 2 * rows),
        "fixed": pyarrow.array([b"ab"] * 2 * rows, pyarrow.binary(2)),
        "view": pyarrow.array(["x"] * 2 * rows, pyarrow.string_view()),
        "word": pyarrow.array(["x"] * 2 * rows).dictionary_encode(),
        "list": pyarrow.array([[1]] * 2 * rows),
        "map": pyarrow.array([{"k": 1}] * 2 * rows),
        "interval": pyarrow.array([(1, 2, 3)] * 2 * rows, pyarrow.month_day_nano_interval()),
    }
    table = pyarrow.table(columns)
    result = bn.compare(table, base="a", metric=METRIC)
    expected = bn.compare(table.select(["variant", "step_ms"]), base="a", metric=METRIC)
    of = [one.to_dict()["comparisons"][0]["metrics"][0]["delta"] for one in (result, expected)]
    assert of[0] == of[1]
    skipped = {entry["where"] for entry in result.to_dict()["inputs"][0]["skipped"]}
    assert {"column list", "column map", "column f16", "column interval", "column fixed"} <= skipped


def test_frames_that_cannot_be_read_say_so() -> None:
    for data in [
        pandas.DataFrame({"variant": ["a", "b", "c"], "step_ms": [object(), 2, 3]}),
        pyarrow.table({"x": pyarrow.array([decimal.Decimal("1.10")], pyarrow.decimal256(50, 2))}),
        pandas.DataFrame([["a", 1.0, 2.0]], columns=["variant", "step_ms", "step_ms"]),
        pyarrow.table([[1.0, 2.0], [2.0, 3.0]], names=["x", "x"]),
        pyarrow.RecordBatchReader.from_batches(pyarrow.schema([("x", pyarrow.int8())]), []),
    ]:
        error = raised(data, metric=METRIC)
        assert error.path == "frame" and error.remedy, error


def test_missing_values_of_pandas_are_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{"variant": name, "step_ms": value} for name, values in BETTER.items() for value in values]
    frame = pandas.DataFrame([*rows, {"variant": "after", "step_ms": None}])
    frame["at"] = pandas.Series([pandas.Timestamp("2026-11-01")] * 8 + [pandas.NaT])
    frame["n"] = pandas.array([1] * 8 + [pandas.NA], "Int64")
    with_pyarrow = bn.compare(frame, metric=METRIC).to_json()
    # As if it were not installed: the columns are then taken one by one.
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert bn.compare(frame, metric=METRIC).to_json() == with_pyarrow


def test_results_of_pytest_benchmark_are_read(tmp_path: Path) -> None:
    folder = ROOT / "data/formats/pytest-benchmark"
    runs = bn.read(folder)
    assert len(runs) > 0 and "time_per_op_ns" in {row["metric"] for row in runs.rows()}


def test_one_run_each_has_a_grade_by_published_repeats_unless_it_is_turned_off() -> None:
    note = ROOT / "data/notes/closed-loop-before-after.txt"
    graded = bn.compare(note)
    atlas = graded.comparisons[0]["atlas"]
    assert (atlas["grade"], atlas["metric"]) == ("unclear", "output_throughput")
    assert "in about 6 of 100 pairs" in " ".join(graded.to_text().split())
    plain = bn.compare(note, atlas=False)
    assert plain.comparisons[0]["atlas"] is None
