"""What a call is given: paths, frames, lists and dicts, sorted for the library."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol, Union, cast

from beyondnoise import _native
from beyondnoise._errors import usage


class ArrowTable(Protocol):
    """A table of pandas, polars, pyarrow, DuckDB or any other library with the Arrow PyCapsule interface."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


Path = Union[str, "os.PathLike[str]"]
Rows = Sequence[Mapping[str, Any]]
Data = Union[
    Path,
    Sequence[Path],
    ArrowTable,
    Rows,
    Mapping[str, Union[Path, Sequence[float], Rows, ArrowTable]],
]
Logs = Union[Path, Sequence[Path], Mapping[str, Union[Path, Sequence[Path]]]]
Metric = Union[str, Sequence[str], Mapping[str, Union[str, None]]]

#: Columns that pandas makes of an index without a name.
_INDEX = "__index_level_"


def input_of(data: Data, metric: Metric | None) -> _native.Input:
    """All that `data` holds."""
    if isinstance(data, (str, os.PathLike)):
        return _native.Input.paths([os.fspath(data)])
    if _is_table(data):
        return _native.Input.tables([(None, "frame", _table(data))])
    if isinstance(data, Mapping):
        return _of_variants(data, metric)
    if isinstance(data, Iterable):
        items: list[Any] = list(data)
        if items and all(isinstance(item, (str, os.PathLike)) for item in items):
            return _native.Input.paths([os.fspath(item) for item in items])
        if items and all(isinstance(item, Mapping) for item in items):
            return _native.Input.tables([(None, "rows", _columns(items))])
        if items and all(_is_table(item) for item in items):
            return _native.Input.tables([
                (None, f"frame {place}", _table(item)) for place, item in enumerate(items, 1)
            ])
    raise usage(
        "paths, a frame, rows as dicts, or a dict of variants",
        _described(data),
        'give a path, a frame, or {"before": [...], "after": [...]}',
    )


def _of_variants(variants: Mapping[str, Any], metric: Metric | None) -> _native.Input:
    if not variants:
        raise usage("two variants or more", "an empty dict", 'give {"before": [...], "after": [...]}')
    if all(isinstance(value, (str, os.PathLike)) for value in variants.values()):
        return _native.Input.paths([_named(name, value) for name, value in variants.items()])
    if all(_is_table(value) for value in variants.values()):
        return _native.Input.tables([
            (str(name), str(name), _table(value)) for name, value in variants.items()
        ])
    rows: list[Mapping[str, Any]] = []
    for variant, values in variants.items():
        rows.extend(_rows_of(str(variant), values, metric))
    return _native.Input.tables([(None, "values", _columns(rows))])


def _named(name: str, path: Path) -> str:
    if not name or "=" in name or "/" in name or "\\" in name:
        raise usage("the name of a variant without / and =", repr(name), "give it another name")
    return f"{name}={os.fspath(path)}"


def logs_of(logs: Logs) -> list[str]:
    """Logs with a row for each request as the command line takes them."""
    if isinstance(logs, Mapping):
        places = [_named(name, path) for name, several in logs.items() for path in _paths(several)]
    else:
        places = [os.fspath(path) for path in _paths(logs)]
    if not places:
        raise usage("a log or more", _described(logs), 'give a path, or {"before": "logs/main", "after": "logs/pr"}')
    return places


def _paths(paths: Any) -> list[Path]:
    """One path or several."""
    alone = _is_table(paths) or isinstance(paths, (str, os.PathLike)) or not isinstance(paths, Iterable)
    items: list[Any] = [paths] if alone else [*cast(Any, paths)]
    for item in items:
        if not isinstance(item, (str, os.PathLike)):
            raise usage("logs by their paths, or tables of the engine by their names", _described(item), "give paths or names")
    return items


def _rows_of(variant: str, values: Any, metric: Metric | None) -> list[Mapping[str, Any]]:
    """The runs of a variant as rows."""
    for method in ("tolist", "to_list", "to_pylist"):
        if hasattr(values, method):
            values = getattr(values, method)()
    found = _described(values)
    if isinstance(values, (str, Mapping)) or not isinstance(values, Iterable):
        remedy = f'give a list: {{"{variant}": [10.1, 10.3, 10.2]}}'
        raise usage(f"the runs of {variant} as a list", found, remedy)
    runs: list[Any] = [*cast(Any, values)]
    if runs and all(isinstance(run, Mapping) for run in runs):
        return [{"variant": variant, **run} for run in runs]
    name = _one_name(metric)
    # Each is a run: of a table with many rows and no such column, rows may be requests.
    return [{"variant": variant, "run": place, name: run} for place, run in enumerate(runs, 1)]


def _one_name(metric: Metric | None) -> str:
    names = [name for name, _ in metrics_of(metric)]
    if names == ["variant"]:
        raise usage("another name for the metric", "variant", 'name it otherwise: metric={"step_ms": "lower"}')
    if len(names) == 1:
        return names[0]
    found = "none" if not names else ", ".join(names)
    raise usage(
        "the metric that the numbers are of",
        found,
        'name it with its direction: metric={"step_ms": "lower"}',
    )


def metrics_of(metric: Metric | None) -> list[tuple[str, str | None]]:
    """Each metric with its direction, if it is given."""
    if metric is None:
        return []
    if isinstance(metric, Mapping):
        return list(metric.items())
    names = [metric] if isinstance(metric, str) else list(metric)
    return [_split(name) for name in names]


def _split(name: str) -> tuple[str, str | None]:
    head, colon, tail = name.rpartition(":")
    return (head, tail) if colon and tail in ("lower", "higher") else (name, None)


def _is_table(data: object) -> bool:
    """Whether it has columns; a series or an array has the interface too."""
    named = ("columns", "column_names", "schema")
    return hasattr(data, "__arrow_c_stream__") and any(hasattr(data, name) for name in named)


def _table(data: Any) -> Any:
    """The frame, or its columns where it is one of pandas that needs pyarrow for its interface."""
    pandas = sys.modules.get("pandas")
    if pandas is None or not isinstance(data, pandas.DataFrame):
        return data
    unnamed = [name for name in data.columns if str(name).startswith(_INDEX)]
    data = data.drop(columns=unnamed) if unnamed else data
    named = [name for name in data.index.names if name is not None]
    data = data.reset_index() if named else data.reset_index(drop=True)
    try:
        import pyarrow  # type: ignore[import-not-found,import-untyped,unused-ignore]  # noqa: F401
    except ImportError:
        missing = data.isna()
        return [
            (str(name), [None if gap else value for value, gap in zip(data[name].tolist(), missing[name].tolist())])
            for name in data.columns
        ]
    return data


def _columns(rows: Sequence[Mapping[str, Any]]) -> list[tuple[str, list[Any]]]:
    """The columns of rows, in the order in which they appear."""
    names: dict[str, None] = {}
    for row in rows:
        names.update(dict.fromkeys(str(name) for name in row))
    return [(name, [row.get(name) for row in rows]) for name in names]


def _described(data: Any) -> str:
    # A frame compares its cells.
    empty = type(data) in (list, dict, tuple) and not data
    return f"an empty {type(data).__name__}" if empty else type(data).__name__
