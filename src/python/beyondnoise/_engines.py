"""Engines that reduce logs: which one an object is, its answer as a table, and its errors in our words."""

from __future__ import annotations

from importlib.util import find_spec
from types import ModuleType
from typing import Any

from beyondnoise._errors import usage
from beyondnoise._inputs import ArrowTable

#: What engines call an error, by its class or in its message, and what to do then; the first that fits counts.
_REMEDIES = (
    (("CatalogException", "TABLE_OR_VIEW_NOT_FOUND"), "name a table that the engine has, or give the path of a file"),
    (("BinderException", "UNRESOLVED_COLUMN"), "give the columns that the log has, or a file with some of its rows as sample"),
    (("OutOfMemory",), "give the engine more memory, or a folder in which it may keep what does not fit"),
    (("ParserException", "PARSE_SYNTAX_ERROR"), "use a newer version of the engine, or give its dialect"),
    (("ConnectionException", "UNAVAILABLE"), "connect again"),
    (("IOException", "PATH_NOT_FOUND"), "give a path that the engine sees too, and may read"),
)


def engine_of(engine: object) -> str:
    """``duckdb`` or ``pyspark``; neither is imported."""
    of = engine.__name__ if isinstance(engine, ModuleType) else type(engine).__module__
    package = of.partition(".")[0].lstrip("_")
    if package in ("duckdb", "pyspark") and hasattr(engine, "sql"):
        return package
    raise usage(
        "a connection of DuckDB or a session of Spark",
        repr(engine)[:100],
        "run the text of bn.reduce_sql in your engine, and give its result to compare",
    )


def run_in(engine: Any, package: str, script: str) -> ArrowTable:
    """What the last statement of a script gives."""
    *before, select = [part.strip().rstrip(";") for part in script.split(";\n") if part.strip()]
    try:
        for statement in before:
            engine.sql(statement)
        reduced = engine.sql(select)
        table: ArrowTable
        if package == "duckdb":
            table = reduced.to_arrow_table() if find_spec("pyarrow") else reduced.df()
        else:
            table = reduced.toArrow() if hasattr(reduced, "toArrow") else reduced.toPandas()
    except Exception as error:
        said = " ".join(str(error).split())
        known = f"{type(error).__name__} {said}"
        fitting = (remedy for words, remedy in _REMEDIES if any(word in known for word in words))
        other = "read what it says: the engine may be too old, or a file is damaged or has other columns"
        raise usage(f"{package} to run the script", f"an error: {said[:500]}", next(fitting, other)) from error
    return table
