"""What people write, for the checkers of types; nothing of it is run."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Union

import beyondnoise as bn


def judged(frame: bn.ArrowTable, path: Path) -> bn.Result:
    """Every kind of data."""
    results: list[bn.Result] = [
        bn.compare("runs"),
        bn.compare(path, base="main", method="welch", tolerance="3%", confidence=0.9, require="improved"),
        bn.compare(["main=a.json", "pr=b.json"]),
        bn.compare([path, path]),
        bn.compare({"main": path, "pr": "b.json"}),
        bn.compare({"main": [1.0, 2.0], "pr": [1, 2]}, metric={"step_ms": "lower"}),
        bn.compare([{"build": "main", "step_ms": 10.1}], variant="build", run=["machine", "round"]),
        bn.compare(frame, variant="build", noise="own", on_no_verdict="pass", config={"tolerance": "3 %"}),
        bn.batch(frame, by=["model"], base="previous", order_by="version", config=False),
    ]
    reduced: bn.ArrowTable = bn.reduce(object(), {"main": [path, "b.parquet"], "pr": path}, by="model", config=False)
    results.append(bn.compare(reduced, base="main"))
    sql: str = bn.reduce_sql(["main=logs.a", path], dialect="postgres", columns=["run", "ttft_ms"], pair="round")
    results.append(bn.compare(bn.reduce(object(), sql, dialect="spark", sample=path, variant=["build"], run="round")))
    results[0].assert_not_worse("2%")
    results[0].assert_not_worse(0.02)
    results[0].assert_improved()
    return results[0]


def shown(result: bn.Result) -> list[Union[str, float, None]]:
    """Every kind of result."""
    document: dict[str, Any] = result.to_dict()
    texts: list[str] = [result.headline, result.to_markdown(), result.to_text(width=100, plot=True), str(document)]
    plan = bn.plan(effect=["3%", 0.05], cv=0.016)
    runs: Union[int, None] = plan.runs
    history = bn.history("nights.csv", since="2026-03-01", cell={"model": "llama", "tp": 8}, guard="p99_ttft_ms")
    texts += [history.gate, history.summary, *(change["date"] for change in history.changes)]
    names: list[str] = [known["name"] for known in bn.formats()]
    return [*texts, *names, runs, *(row["relative"] for row in result.frame().rows())]
