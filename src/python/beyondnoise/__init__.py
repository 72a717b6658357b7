"""Says whether a benchmark change exceeds run-to-run noise.

>>> import beyondnoise as bn
>>> before, after = [10.11, 10.23, 10.18, 10.15], [9.12, 9.31, 9.22, 9.27]
>>> bn.compare({"before": before, "after": after}, metric={"step_ms": "lower"}).headline
'improved'

:func:`compare` judges variants, :func:`batch` every cell of an export; :func:`noise` and :func:`plan` say how noisy a
build is and how many runs find a change, :func:`history` what changed over many nights; :func:`read` gives the runs alone, :func:`formats` lists what can be read.

The numbers are those of the command line, bit for bit, and so are the options: every flag that a policy file may set is
a keyword argument, named as the flag (``base="main"``, ``tolerance="3%"``, ``on_no_verdict="pass"``), columns without
``-column`` (``variant="build"``, ``run="round"``). Shares are fractions (``0.02``) or percentages (``"2%"``). The nearest
``beyondnoise.toml`` counts as it does there; ``config=False`` leaves it aside.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, Union

from beyondnoise import _native
from beyondnoise._errors import Error, usage
from beyondnoise._inputs import ArrowTable, Data, Logs, Metric, Path, input_of, logs_of, metrics_of
from beyondnoise._results import History, Noise, Plan, Report, Result, Runs, as_list

if TYPE_CHECKING:
    from collections.abc import Sequence

    from typing_extensions import Unpack

    from beyondnoise._settings import (
        BatchSettings,
        CompareSettings,
        HistorySettings,
        NoiseSettings,
        PlanSettings,
        ReadSettings,
    )

    Names = Union[str, Sequence[str]]
    Config = Union[Path, Mapping[str, Any], Literal[False], None]

__all__ = [
    "ArrowTable",
    "Data",
    "Error",
    "History",
    "Noise",
    "Plan",
    "Report",
    "Result",
    "Runs",
    "batch",
    "compare",
    "formats",
    "history",
    "noise",
    "plan",
    "read",
    "reduce",
    "reduce_sql",
]

__version__: str = _native.__version__


def compare(
    data: Data,
    *,
    metric: Metric | None = None,
    paired: bool = False,
    look: str | None = None,
    pool: Names | None = None,
    across_setting: Names | None = None,
    unit: Literal["run", "iteration"] = "run",
    lenient: bool = False,
    config: Config = None,
    **settings: Unpack[CompareSettings],
) -> Result:
    """Judges which metrics of the variants moved beyond noise.

    `data` is one of

    - a path or several: files, folders, globs, ``"NAME=PATH"``, ``pathlib.Path``, as on the command line
    - a frame of pandas, polars, pyarrow, DuckDB or any library with the Arrow PyCapsule interface: a row per run, with
      a column that names its variant, or a row per run and metric
    - ``{variant: values}``: a number per run, which `metric` names; or its runs as dicts; or a path; or a frame
    - a list of dicts, each a run

    `metric` names the metrics to judge: ``"step_ms"``, several, or each with the direction that is better,
    ``{"step_ms": "lower"}``. Directions of serving metrics are known; those of other names must be given.

    `paired` compares pair by pair, by the pair column or by runs that alternate in time. `look` is which of several
    planned looks this is (``"2/3"``). `pool` names columns in which repeats may differ, `across_setting` settings in which
    the variants differ on purpose. With ``unit="iteration"`` the repeats are iterations of one process. `lenient` skips
    what cannot be read, and lists it. `config` is a policy file, or its content as a dict; the other keyword arguments
    are in :class:`beyondnoise._settings.CompareSettings`.

    Raises :class:`Error` if something cannot be read or compared, and :class:`TypeError` for an unknown argument.

    >>> import beyondnoise as bn
    >>> runs = [
    ...     {"build": build, "step_ms": time}
    ...     for build, times in {"v1": [10.11, 10.23, 10.18], "v2": [10.12, 10.21, 10.19]}.items()
    ...     for time in times
    ... ]
    >>> result = bn.compare(runs, variant="build", base="v1", metric={"step_ms": "lower"})
    >>> result.headline
    'within_noise'
    """
    options = _options("compare", settings, metric, pool, across_setting, unit, lenient, config)
    return Result(_native.judge("compare", input_of(data, metric), options, paired, look))


def batch(
    data: Data,
    *,
    metric: Metric | None = None,
    paired: bool = False,
    pool: Names | None = None,
    across_setting: Names | None = None,
    unit: Literal["run", "iteration"] = "run",
    lenient: bool = False,
    config: Config = None,
    **settings: Unpack[BatchSettings],
) -> Result:
    """Judges every cell of an export, all together as one list: false alarms among all changes found are limited.

    ``by`` names the columns whose values name a cell. The other arguments and errors are those of :func:`compare`; the
    intervals are Welch's unless ``method`` says otherwise.

    >>> import beyondnoise as bn
    >>> rows = [
    ...     {"build": build, "model": model, "tok_s": 100.0 * factor + noise}
    ...     for build, factor in {"main": 1.0, "pr": 1.1}.items()
    ...     for model in ["8B", "70B"]
    ...     for noise in [0.1, 0.5, -0.4, 0.2]
    ... ]
    >>> result = bn.batch(rows, by=["model"], variant="build", base="main", metric={"tok_s": "higher"})
    >>> [(row["model"], row["verdict"]) for row in result.frame().rows()]
    [('8B', 'better'), ('70B', 'better')]
    """
    options = _options("batch", settings, metric, pool, across_setting, unit, lenient, config)
    return Result(_native.judge("batch", input_of(data, metric), options, paired, None))


def noise(
    data: Data,
    *,
    metric: Metric | None = None,
    pool: Names | None = None,
    across_setting: Names | None = None,
    unit: Literal["run", "iteration"] = "run",
    lenient: bool = False,
    config: Config = None,
    **settings: Unpack[NoiseSettings],
) -> Noise:
    """How much repeated runs of one build differ, and the smallest change that they can show.

    Arguments and errors are those of :func:`compare`.

    >>> import beyondnoise as bn
    >>> report = bn.noise({"main": [10.11, 10.23, 10.18, 10.15, 10.20]}, metric={"step_ms": "lower"})
    >>> print(report.to_text().splitlines()[0].partition(":")[0])
    beyondnoise noise
    """
    options = _options("noise", settings, metric, pool, across_setting, unit, lenient, config)
    return Noise(_native.noise(input_of(data, metric), options))


def plan(
    data: Data | None = None,
    *,
    effect: str | float | Sequence[str | float] | None = None,
    cv: str | float | None = None,
    runs: int | None = None,
    power: str | float = 0.8,
    looks: int = 1,
    cost: str | None = None,
    prior_df: float = 0.0,
    metric: Metric | None = None,
    pool: Names | None = None,
    across_setting: Names | None = None,
    unit: Literal["run", "iteration"] = "run",
    lenient: bool = False,
    config: Config = None,
    **settings: Unpack[PlanSettings],
) -> Plan:
    """How many runs of each variant find a change of `effect`, and the order to make them in.

    The noise is that of repeated runs in `data`, or `cv` itself. With `runs` the answer is the change that so many runs
    find. Shares are fractions (``0.03``) or percentages (``"3%"``); `power` is the probability of finding the change,
    `looks` the number of planned looks, `cost` that of one run (``"7min"``), `prior_df` the degrees of freedom of a noise
    prior. The other arguments and errors are those of :func:`compare`.

    >>> import beyondnoise as bn
    >>> plan = bn.plan(effect="3%", cv="1.6%")
    >>> plan.runs
    6
    >>> plan.order
    'B A A B B A A B B A A B'
    """
    options = _options("plan", settings, metric, pool, across_setting, unit, lenient, config)
    empty = _native.Input.paths([])
    effects: list[str | float] = []
    if effect is not None:
        effects += [effect] if isinstance(effect, (str, float, int)) else effect
    return Plan(
        _native.plan(
            empty if data is None else input_of(data, metric),
            options,
            effect=effects,
            cv=cv,
            runs=runs,
            power=power,
            looks=looks,
            cost=cost,
            prior_df=prior_df,
        )
    )


def history(
    data: Data,
    *,
    since: str | None = None,
    cell: Mapping[str, object] | None = None,
    metric: Metric | None = None,
    pool: Names | None = None,
    across_setting: Names | None = None,
    unit: Literal["run", "iteration"] = "run",
    lenient: bool = False,
    config: Config = None,
    **settings: Unpack[HistorySettings],
) -> History:
    """What changed over many nights, since when, and how sure that is.

    `data` is a frame or a table with a column of dates or commits, a folder with one folder or file per night, or a file of
    github-action-benchmark or Bencher. `since` leaves out what changed before that night: its name, a build or a date. `cell`
    looks only at the cells with these settings: ``{"model": "llama"}``. The other arguments and errors are those of
    :func:`compare`.

    >>> import beyondnoise as bn
    >>> nights = [{"date": f"2026-03-{day:02}", "step_ms": 10.0 + 0.01 * (7 * day % 5)} for day in range(1, 31)]
    >>> bn.history(nights, metric={"step_ms": "lower"}).gate
    'pass'
    """
    options = _options("history verdict", settings, metric, pool, across_setting, unit, lenient, config)
    cells = [(name, str(value)) for name, value in (cell or {}).items()]
    return History(_native.history(input_of(data, metric), options, since, cells))


def read(
    data: Data,
    *,
    metric: Metric | None = None,
    pool: Names | None = None,
    across_setting: Names | None = None,
    unit: Literal["run", "iteration"] = "run",
    lenient: bool = False,
    config: Config = None,
    **settings: Unpack[ReadSettings],
) -> Runs:
    """Reads runs without judging them. Arguments and errors are those of :func:`compare`."""
    options = _options("read", settings, metric, pool, across_setting, unit, lenient, config)
    return Runs(_native.read(input_of(data, metric), options))


def formats() -> list[dict[str, Any]]:
    """The formats that can be read, in the order in which they are asked: ``name``, ``recognised_by``, ``one_run`` and
    ``metrics`` of each.

    >>> import beyondnoise as bn
    >>> "pytest-benchmark json" in [known["name"] for known in bn.formats()]
    True
    """
    known: list[dict[str, Any]] = json.loads(_native.formats())["formats"]
    return known


def reduce_sql(
    logs: Logs,
    *,
    dialect: str,
    sample: Path | None = None,
    columns: Names | None = None,
    by: Names | None = None,
    variant: Names | None = None,
    run: Names | None = None,
    pair: str | None = None,
    config: Config = None,
) -> str:
    """The SQL with which an engine reduces logs of requests to their runs: a row per run and metric, exact.

    `logs` are files, folders or patterns with a row for each request, or a dict from variant to one or several of these;
    with `sample` (a file with some of the rows) or `columns` (the names of the columns that count) also tables of the engine
    and addresses such as ``s3://logs/*.parquet``. `dialect` is duckdb, spark, clickhouse, datafusion, bigquery, snowflake or
    postgres. `by`, `variant`, `run` and `pair` name columns, as in :func:`batch` and :func:`compare`.

    Returns statements, each ended by a semicolon and a line break; the last is the SELECT. Latencies are in milliseconds,
    durations in seconds. Raises :class:`Error` where no column holds a quantity of a request.

    >>> import beyondnoise as bn
    >>> sql = bn.reduce_sql("logs", dialect="postgres", columns=["variant", "run", "start_time", "ttft_ms", "success"])
    >>> sql.startswith("WITH bn_log AS (") and sql.count(";") == 1
    True
    """
    places = logs_of(logs)
    if sample is not None and columns is not None:
        raise usage("sample or columns", "both", "leave out one of them")
    named: dict[str, Any] = {"by": by, "variant": variant, "run": run, "pair": pair}
    given = {name: value for name, value in named.items() if value is not None}
    options = _options("reduce", given, None, None, None, "run", False, config)
    chosen = None if sample is None else os.fspath(sample)
    return _native.reduce_sql(dialect, places, chosen, as_list(columns), options)


def reduce(
    engine: Any,
    logs: Logs,
    *,
    dialect: str | None = None,
    sample: Path | None = None,
    columns: Names | None = None,
    by: Names | None = None,
    variant: Names | None = None,
    run: Names | None = None,
    pair: str | None = None,
    config: Config = None,
) -> ArrowTable:
    """Logs of requests, reduced to their runs by an engine: a table for :func:`compare`, :func:`batch` and :func:`noise`.

    `engine` is a connection of DuckDB (or the module ``duckdb``) or a session of Spark (also Spark Connect). The dialect
    follows from it. The other arguments are those of :func:`reduce_sql`; paths are those that the engine sees.

    Returns a table of Arrow, or of pandas where pyarrow is missing. Raises :class:`Error` for another engine, and with what
    the engine says where it cannot run the script.

    >>> import beyondnoise as bn
    >>> try:
    ...     bn.reduce(None, "logs")
    ... except bn.Error as error:
    ...     print(error.expected)
    a connection of DuckDB or a session of Spark
    """
    from beyondnoise._engines import engine_of, run_in

    package = engine_of(engine)
    script = reduce_sql(
        logs,
        dialect=dialect or {"pyspark": "spark"}.get(package, package),
        sample=sample,
        columns=columns,
        by=by,
        variant=variant,
        run=run,
        pair=pair,
        config=config,
    )
    return run_in(engine, package, script)


def _options(
    command: str,
    settings: Mapping[str, Any],
    metric: Metric | None,
    pool: Names | None,
    across_setting: Names | None,
    unit: str,
    lenient: bool,
    config: Config,
) -> _native.Options:
    named = [name if better is None else f"{name}:{better}" for name, better in metrics_of(metric)]
    if unit not in ("run", "iteration"):
        message = f"unit: expected run or iteration, found {unit}; write unit=\"run\""
        raise Error(message, expected="run or iteration", found=unit, remedy='write unit="run"')
    try:
        return _native.Options(
            command,
            dict(settings),
            named,
            as_list(pool),
            as_list(across_setting),
            unit == "iteration",
            lenient,
            dict(config) if isinstance(config, Mapping) else config,
        )
    except TypeError as error:
        raise _with_meant(error, command, settings) from None


def _with_meant(error: TypeError, command: str, settings: Mapping[str, Any]) -> TypeError:
    """The error for an unknown argument with the known one that was probably meant."""
    import difflib

    known = [name for name, *_ in _native.settings(command)]
    known += ["metric", "pool", "across_setting", "unit", "lenient", "config"]
    unknown = [name for name in settings if f"'{name}'" in str(error)]
    meant = difflib.get_close_matches(unknown[0], known, 1) if unknown else []
    return TypeError(f"{error}; did you mean {meant[0]}?") if meant else error
