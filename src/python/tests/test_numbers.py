"""The numbers of the module are those of the executable, bit for bit."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pandas
import polars
import pyarrow
import pytest
from conftest import ROOT, Run

import beyondnoise as bn

SLOW = bool(os.environ.get("BEYONDNOISE_SLOW"))
DESIGNS = 1000 if SLOW else 50


def paths() -> list[str]:
    """Every file and folder below the data that the documentation and the tests of the program use."""
    data = ROOT / "data"
    found = ["data/serving", "data/export.csv", "data/sweep.csv"]
    found += sorted(f"data/notes/{path.name}" for path in (data / "notes").iterdir())
    for folder in sorted((data / "formats").iterdir()):
        if folder.is_dir():
            found.append(f"data/formats/{folder.name}")
            found += sorted(f"data/formats/{folder.name}/{path.name}" for path in folder.iterdir())
    return found


def without_flags(message: str) -> str:
    """A message of the executable as the module has it: flags are keyword arguments."""
    message = message.strip().removeprefix("beyondnoise: ")
    words = message.split("--")
    out = words[0]
    for word in words[1:]:
        name = word[: len(word) - len(word.lstrip("abcdefghijklmnopqrstuvwxyz-"))]
        out += name.removesuffix("-column").replace("-", "_") + word[len(name) :]
    return out


@pytest.mark.parametrize("path", paths())
def test_a_path_is_judged_as_on_the_command_line(path: str, run: Run, root: Path) -> None:
    assert root == ROOT
    expected = run("compare", path, "--format", "json", "--seed", "7")
    try:
        result = bn.compare(path, seed=7)
    except bn.Error as error:
        assert expected.returncode == 2, expected.stderr
        assert str(error) == without_flags(expected.stderr)
        return
    assert expected.returncode == 0, expected.stderr
    assert result.to_json() == expected.stdout
    if SLOW or path.startswith(("data/serving", "data/notes", "data/sweep")):
        for form, text in [
            ("markdown", result.to_markdown()),
            ("html", result.to_html()),
            ("csv", result.to_csv()),
            ("svg", result.to_svg()),
            ("text", result.to_text()),
        ]:
            assert text == run("compare", path, "--format", form, "--seed", "7").stdout, form


def test_every_command_gives_its_own_document(run: Run, root: Path) -> None:
    assert root == ROOT
    by = ["model", "concurrency"]
    batch = bn.batch("data/export.csv", by=by, base="v1")
    arguments = ["batch", "data/export.csv", "--by", ",".join(by), "--base", "v1"]
    assert batch.to_json() == run(*arguments, "--format", "json").stdout
    assert batch.to_text() == run(*arguments).stdout
    assert batch.to_text(verbose=True) == run(*arguments, "-v").stdout
    noise = bn.noise("data/serving", metric="output_throughput")
    arguments = ["noise", "data/serving", "--metric", "output_throughput"]
    assert noise.to_json() == run(*arguments, "--format", "json").stdout
    assert noise.to_text() == run(*arguments).stdout
    plan = bn.plan("data/serving", effect=["3%", 0.05], looks=2, cost="7min")
    arguments = ["plan", "data/serving", "--effect", "3%,5%", "--looks", "2", "--cost", "7min"]
    assert plan.to_json() == run(*arguments, "--format", "json").stdout
    assert plan.to_markdown() == run(*arguments, "--format", "markdown").stdout
    assert bn.plan(runs=5, cv=0.016).to_json() == run("plan", "--runs", "5", "--cv", "1.6%", "--format", "json").stdout
    history = bn.history("data/nights.csv", since="2026-04-01", cell={"model": "small"}, metric="mean_ttft_ms")
    arguments = ["history", "verdict", "data/nights.csv", "--since", "2026-04-01", "--cell", "model=small"]
    arguments += ["--metric", "mean_ttft_ms"]
    assert history.to_json() == run(*arguments, "--format", "json").stdout
    assert history.to_text() == run(*arguments).stdout
    assert bn.read("data/serving").to_json() == run("show", "data/serving", "--format", "json").stdout
    assert bn.formats() == json.loads(run("formats", "--format", "json").stdout)["formats"]


def test_settings_are_those_of_the_flags(run: Run, root: Path) -> None:
    assert root == ROOT
    sides = {"x": "data/serving/before", "y": Path("data/serving/after")}
    result = bn.compare(
        sides,
        base="x",
        confidence=0.9,
        method="welch",
        across="median",
        tolerance="3%",
        guard=["p99_ttft_ms"],
        metric={"mean_ttft_ms": None, "request_throughput": "higher"},
        noise="own",
        config=False,
    )
    words = "x=data/serving/before y=data/serving/after --base x --confidence 90% --method welch --across median"
    words += " --tolerance 3% --guard p99_ttft_ms --metric mean_ttft_ms --metric request_throughput:higher --noise own"
    expected = run("compare", *words.split(), "--no-config", "--format", "json")
    assert expected.returncode == 0, expected.stderr
    assert result.to_json() == expected.stdout


def test_a_policy_is_a_file_or_a_dict(run: Run, root: Path, tmp_path: Path) -> None:
    assert root == ROOT
    file = tmp_path / "policy.toml"
    text = 'tolerance = "7 %"\ndeciding = ["mean_ttft_ms"]\n[checks]\nnoisy_warn = 0.5\n'
    file.write_text(text, encoding="utf-8")
    expected = run("compare", "data/serving", "--config", str(file), "--format", "json").stdout
    assert bn.compare("data/serving", config=file).to_json() == expected
    policy = {"tolerance": 0.07, "deciding": ["mean_ttft_ms"], "checks": {"noisy_warn": 0.5}}
    assert bn.compare("data/serving", config=policy).to_json() == expected


def tables() -> Iterator[tuple[str, list[dict[str, Any]], dict[str, Any]]]:
    """Random designs: a name, rows, and keyword arguments."""
    for number in range(DESIGNS):
        rng = random.Random(number)
        variants = ["main", "pr", "特"][: rng.choice([2, 2, 3])]
        long = rng.random() < 0.3
        models = ["8B", "70B"][: rng.choice([1, 2])]
        loads = [8, 64][: rng.choice([1, 2])]
        rows: list[dict[str, Any]] = []
        for model in models:
            for load in loads:
                for variant in variants:
                    for repeat in range(rng.choice([1, 3, 3, 5, 8])):
                        base = 100 * (1 + 0.05 * variants.index(variant)) * len(model)
                        values = {
                            "step_ms": rng.gauss(base, base * rng.choice([0.003, 0.02])),
                            "output_throughput": round(rng.gauss(1000 / load, 3), 2),
                        }
                        head = {"build": variant, "model": model, "concurrency": load, "round": repeat + 1}
                        if rng.random() < 0.05:
                            values["step_ms"] = None  # type: ignore[assignment]
                        if long:
                            some = [(name, value) for name, value in values.items() if value is not None]
                            rows += [{**head, "metric": name, "value": value} for name, value in some]
                        else:
                            rows.append({**head, **values})
        options: dict[str, Any] = {
            "variant": "build",
            "run": "round",
            "base": "main",
            "seed": number,
            "metric": {"step_ms": "lower", "output_throughput": "higher"},
        }
        yield f"{number}", rows, options


@pytest.mark.parametrize(("name", "rows", "options"), list(tables()), ids=lambda value: value if isinstance(value, str) else "")
def test_a_frame_is_judged_as_the_same_table_in_a_file(
    name: str, rows: list[dict[str, Any]], options: dict[str, Any], run: Run, tmp_path: Path
) -> None:
    frame = polars.DataFrame(rows, infer_schema_length=None)
    # Without an ending: it is recognised by its content, and called as the frame is.
    frame.write_parquet(tmp_path / "frame")
    words = ["compare", "frame", "--variant-column", "build", "--run-column", "round", "--base", "main"]
    words += ["--seed", name, "--metric", "step_ms:lower", "--metric", "output_throughput:higher", "--format", "json"]
    expected = run(*words, cwd=tmp_path)
    number = int(name)
    kinds = {
        "polars": lambda: frame,
        "pyarrow": lambda: pyarrow.Table.from_pylist(rows),
        "pandas": lambda: pandas.DataFrame(rows),
        "duckdb": lambda: duckdb.from_arrow(frame),
        "rows": lambda: rows,
    }
    # All of the first ones; later each in its turn.
    wanted = list(kinds) if number < 20 else [list(kinds)[number % len(kinds)]]
    for kind in wanted:
        try:
            found = bn.compare(kinds[kind](), **options).to_json()
        except bn.Error as error:
            assert expected.returncode == 2, (kind, str(error))
            assert as_frame(str(error)) == as_frame(without_flags(expected.stderr)), kind
            continue
        assert expected.returncode == 0, (kind, expected.stderr)
        assert as_frame(found) == as_frame(expected.stdout), kind
    if number % 10 == 0:
        frame.write_csv(tmp_path / "runs.csv")
        csv = run(*["runs.csv" if word == "frame" else word for word in words], cwd=tmp_path)
        assert csv.returncode == expected.returncode
        if csv.returncode == 0:
            numbers = json.loads(bn.compare(frame, **options).to_json())
            assert numbers_of(numbers) == numbers_of(json.loads(csv.stdout))


def as_frame(text: str) -> str:
    """A report with the names that a frame has for its input and its format."""
    text = text.replace('"parquet table"', '"frame"')
    # The tables of `read_as` are a list of paths.
    for was in ['"path": "rows"', '        "rows"', "rows, row", "rows (row"]:
        text = text.replace(was, was.replace("rows", "frame", 1))
    return text


def numbers_of(document: dict[str, Any]) -> list[Any]:
    """All that was judged, without where it was read."""
    kept = []
    for comparison in document["comparisons"]:
        row = {key: comparison[key] for key in ("headline", "gate", "workload", "cell", "metrics", "summary")}
        kept.append(row)
    return kept


def test_a_batch_of_a_frame_is_that_of_the_file(run: Run, root: Path) -> None:
    options: dict[str, Any] = {"by": ["model", "concurrency"], "base": "v1"}
    expected = json.loads(run("batch", "data/export.csv", "--by", "model,concurrency", "--base", "v1", "--format", "json").stdout)
    for frame in [polars.read_csv(root / "data/export.csv"), pandas.read_csv(root / "data/export.csv")]:
        found = bn.batch(frame, **options).to_dict()
        assert numbers_of(found) == numbers_of(expected)
        assert found["batch"] == expected["batch"]


def test_frames_of_parquet_files_with_every_kind_of_column(run: Run, root: Path) -> None:
    assert root == ROOT
    for path in sorted(Path("data/formats/parquet").glob("*.parquet")):
        expected = run("show", str(path), "--format", "json")
        frame = polars.read_parquet(path)
        if expected.returncode == 2:
            with pytest.raises(bn.Error):
                bn.read(frame)
            continue
        known = json.loads(expected.stdout)
        found = bn.read(frame).to_dict()
        values = [
            [run["metrics"] for group in document["groups"] for variant in group["variants"] for run in variant["runs"]]
            for document in (known, found)
        ]
        assert values[0] == values[1], path


def test_dicts_lists_and_frames_by_variant_agree() -> None:
    runs = {"before": [10.11, 10.23, 10.18, 10.15], "after": [9.12, 9.31, 9.22, 9.27]}
    metric = {"step_ms": "lower"}
    rows = [{"variant": name, "step_ms": value} for name, values in runs.items() for value in values]
    forms: list[Any] = [
        runs,
        {name: [{"step_ms": value} for value in values] for name, values in runs.items()},
        rows,
        polars.DataFrame(rows),
        pandas.DataFrame(rows),
        {name: pandas.Series(values) for name, values in runs.items()},
        {name: polars.DataFrame({"step_ms": values}) for name, values in runs.items()},
        {name: tuple(values) for name, values in runs.items()},
    ]
    expected = numbers_of(bn.compare(runs, metric=metric).to_dict())
    for form in forms:
        assert numbers_of(bn.compare(form, metric=metric).to_dict()) == expected


def test_every_number_is_a_run() -> None:
    many = {"main": [101 + 0.001 * run for run in range(150)], "pr": [109 + 0.001 * run for run in range(150)]}
    for name in ["ttft_ms", "step_ms", "run", "concurrency", "batch size", "量"]:
        [comparison] = bn.compare(many, base="main", metric={name: "lower"}).comparisons
        assert comparison["baseline"]["runs"] == comparison["candidate"]["runs"] == 150, name
        assert [row["verdict"] for row in comparison["metrics"]] == ["worse"]
    with pytest.raises(bn.Error, match="another name"):
        bn.compare(many, base="main", metric={"variant": "lower"})


def test_a_result_gives_its_table_to_every_library() -> None:
    runs = {"before": [10.11, 10.23, 10.18], "after": [9.12, 9.31, 9.22]}
    frame = bn.compare(runs, metric={"step_ms": "lower"}).frame()
    rows = frame.rows()
    assert len(frame) == len(rows) == 1
    assert rows[0]["metric"] == "step_ms" and rows[0]["verdict"] == "better"
    assert polars.DataFrame(frame).to_dicts() == rows
    assert pyarrow.table(frame).to_pylist() == rows
    assert pyarrow.table(frame).column_names == frame.columns
    assert duckdb.sql("select relative from frame").fetchall() == [(rows[0]["relative"],)]


def logs_of_requests(folder: Path) -> dict[str, Path]:
    """A log of 4 runs of 50 requests for each of two variants."""
    draw = random.Random(1)
    logs: dict[str, Path] = {}
    for variant, size in (("before", 100.0), ("after", 80.0)):
        lines = ["request_id,run,start_time,ttft_ms,e2e_ms,output_tokens,success"]
        for number in range(4):
            for request in range(50):
                ttft = draw.lognormvariate(0, 0.2) * size
                start = 1.7e9 + 100 * number + request / 5
                lines.append(f"{request},{number},{start},{ttft:.3f},{ttft * 9:.3f},{draw.randint(10, 200)},true")
        logs[variant] = folder / f"{variant}.csv"
        logs[variant].write_text("\n".join(lines) + "\n", encoding="utf-8")
    return logs


def test_a_log_that_an_engine_reduces_is_judged_as_its_rows(run: Run, tmp_path: Path) -> None:
    logs = logs_of_requests(tmp_path)
    raw = bn.compare(logs, base="before")
    other = bn.compare(bn.reduce(duckdb.connect(), logs), base="before")
    assert raw.headline == other.headline == "improved"
    ends = [
        [(row["metric"], *map(float, row["delta"]["relative_ci"])) for row in json.loads(one.to_json())["comparisons"][0]["metrics"]]
        for one in (raw, other)
    ]
    for one, two in zip(*ends):
        assert one[0] == two[0] and one[1:] == pytest.approx(two[1:], rel=1e-9)
    named = [f"{variant}={path}" for variant, path in logs.items()]
    assert bn.reduce_sql(logs, dialect="duckdb") + "\n" == run("reduce", "--dialect", "duckdb", *named).stdout


def test_a_log_of_several_files_is_one_variant(run: Run, tmp_path: Path) -> None:
    logs = logs_of_requests(tmp_path)
    parts: dict[str, list[Path]] = {}
    for variant, whole in logs.items():
        header, *lines = whole.read_text(encoding="utf-8").splitlines()
        parts[variant] = [tmp_path / f"{variant}-{half}.csv" for half in (1, 2)]
        for path, half in zip(parts[variant], (lines[:100], lines[100:])):
            path.write_text("\n".join([header, *half]) + "\n", encoding="utf-8")
    named = [f"{variant}={path}" for variant, paths in parts.items() for path in paths]
    assert bn.reduce_sql(parts, dialect="spark") + "\n" == run("reduce", "--dialect", "spark", *named).stdout
    assert bn.reduce_sql(named, dialect="spark") == bn.reduce_sql(parts, dialect="spark")
    values = [
        [(row["variant"], row["metric"], row["value"]) for row in bn.read(bn.reduce(duckdb, of)).rows()]
        for of in (logs, parts)
    ]
    assert values[0] and values[1] == values[0]


def test_tables_of_an_engine_have_the_names_that_they_are_given(tmp_path: Path) -> None:
    logs = logs_of_requests(tmp_path)
    connection = duckdb.connect()
    connection.sql("create schema logs")
    for variant, path in logs.items():
        connection.sql(f"create table logs.{variant} as select * from '{path}'")
    columns = ["request_id", "run", "start_time", "ttft_ms", "e2e_ms", "output_tokens", "success"]
    for tables in ({"v1.2": "logs.before", "v1.3": "logs.after"}, ["v1.2=logs.before", "v1.3=logs.after"]):
        reduced = bn.reduce(connection, tables, columns=columns)
        assert bn.compare(reduced, base="v1.2").headline == "improved"
    sampled = bn.reduce(connection, {"v1.2": "logs.before", "v1.3": "logs.after"}, sample=logs["before"])
    assert bn.compare(sampled, base="v1.2").headline == "improved"


def test_what_an_engine_says_is_the_error(tmp_path: Path) -> None:
    logs = logs_of_requests(tmp_path)
    closed = duckdb.connect()
    closed.close()
    damaged = tmp_path / "damaged.parquet"
    damaged.write_bytes(b"PAR1 and then nothing")
    columns = ["run", "start_time", "ttft_ms"]
    cases: list[tuple[Any, Any, dict[str, Any], str, str]] = [
        (duckdb.connect(), "nowhere", {"columns": columns}, "Table with name nowhere", "name a table that the engine has"),
        (duckdb.connect(), logs, {"columns": [*columns, "itl_ms"]}, "itl_ms", "give the columns that the log has"),
        (duckdb.connect(), f"{tmp_path}/no/a.csv", {"columns": columns}, "No files found", "give a path that the engine sees"),
        (duckdb.connect(), logs, {"dialect": "clickhouse"}, "Parser Error", "use a newer version of the engine, or give its"),
        (duckdb.connect(), f"{tmp_path}/*.parquet", {"columns": columns}, "No magic bytes", "read what it says"),
        (closed, logs, {}, "closed", "connect again"),
    ]
    for engine, log, options, found, remedy in cases:
        with pytest.raises(bn.Error) as caught:
            bn.reduce(engine, log, **options)
        error = caught.value
        assert error.expected == "duckdb to run the script"
        assert error.found and found in error.found, error.found
        assert error.remedy and error.remedy.startswith(remedy), error.found
        assert isinstance(error.__cause__, Exception)


class Session:
    """What a session of Spark answers, without one."""

    def __init__(self, answer: Any) -> None:
        self.said: list[str] = []
        self.answer = answer

    def sql(self, statement: str) -> Any:
        self.said.append(statement)
        return self.answer


@pytest.mark.parametrize("module", ["pyspark.sql.session", "pyspark.sql.connect.session"])
def test_a_session_of_spark_runs_the_statements_in_their_order(module: str, tmp_path: Path) -> None:
    logs = logs_of_requests(tmp_path)
    old = type("Old", (), {"toPandas": lambda _: "pandas"})()
    new = type("New", (), {"toPandas": lambda _: "pandas", "toArrow": lambda _: "arrow"})()
    for answer, table in ((old, "pandas"), (new, "arrow")):
        session: Any = type("SparkSession", (Session,), {"__module__": module})(answer)
        given: Any = bn.reduce(session, logs)
        assert given == table
        statements = bn.reduce_sql(logs, dialect="spark").rstrip().removesuffix(";").split(";\n")
        assert session.said == [statement.strip() for statement in statements]
        assert session.said[-1].startswith("WITH bn_log AS (")


def test_logs_that_are_none_are_refused(tmp_path: Path) -> None:
    logs = logs_of_requests(tmp_path)
    both: dict[str, Any] = {"sample": logs["before"], "columns": ["ttft_ms"]}
    cases: list[tuple[Any, dict[str, Any], str]] = [
        ([], {}, "an empty list"),
        ({}, {}, "an empty dict"),
        (3, {}, "int"),
        ({"a": [1.0, 2.0]}, {}, "float"),
        (polars.DataFrame({"ttft_ms": [1.0]}), {}, "DataFrame"),
        ({"feature/x": logs["before"]}, {}, "'feature/x'"),
        (logs, both, "both"),
        (logs, {"dialect": "oracle"}, "oracle"),
    ]
    for log, options, found in cases:
        with pytest.raises(bn.Error) as caught:
            bn.reduce_sql(log, **{"dialect": "duckdb", **options})
        assert caught.value.found == found
    with pytest.raises(bn.Error, match="a connection of DuckDB or a session of Spark"):
        bn.reduce(polars, logs)
