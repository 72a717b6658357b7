"""The pytest plugin: the runs of a test against a stored baseline.

::

    def test_step_time(beyondnoise):
        beyondnoise.baseline("step", [time_one_step() for _ in range(5)], better="lower")

``pytest --beyondnoise-update`` stores the values; later calls judge against them and fail if they are worse beyond the
tolerance. The values lie in a folder ``.beyondnoise`` beside the test, a JSON file each, to be kept with the test.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal, Union

import pytest

from beyondnoise import Error, Result, compare

#: Folder of the baselines, beside the tests.
FOLDER = ".beyondnoise"

SCHEMA = "beyondnoise-baseline/1"

#: Key under which a report of pytest carries the verdicts.
_VERDICTS = "beyondnoise"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the option ``--beyondnoise-update``."""
    group = parser.getgroup("beyondnoise")
    group.addoption(
        "--beyondnoise-update",
        action="store_true",
        help="store the values of this run as the baselines of later ones",
    )


class Baselines:
    """What the fixture ``beyondnoise`` gives: the baselines of one test."""

    def __init__(self, request: pytest.FixtureRequest) -> None:
        self._node = request.node
        self._update = bool(request.config.getoption("--beyondnoise-update"))

    def baseline(
        self,
        name: str,
        values: Iterable[float],
        *,
        better: Literal["lower", "higher"] = "lower",
        tolerance: str | float = "2%",
        **settings: Any,
    ) -> Result | None:
        """Judges `values`, a number per run, against those that are stored for `name` and this test.

        The test fails if they are worse by more than `tolerance`, if nothing could be judged, or if nothing is stored
        yet. With ``--beyondnoise-update`` the values are stored instead, and the result is ``None``. Other keyword
        arguments are those of :func:`beyondnoise.compare`.

        A value must be that of a whole run: repeats inside one process show less noise than later processes have.
        """
        numbers = [float(value) for value in values]
        path = self._path(name)
        if self._update:
            _store(path, self._node.nodeid, name, numbers, better)
            self._say(name, f"stored {len(numbers)} values")
            return None
        stored = _stored(path)
        if stored is None:
            pytest.fail(f"no baseline {name} in {path}; store it with --beyondnoise-update", pytrace=False)
        runs = {"baseline": stored, "now": numbers}
        result = compare(runs, base="baseline", metric={name: better}, **settings)
        self._say(name, result.to_text(quiet=True).strip().removeprefix("beyondnoise: "))
        try:
            result.assert_not_worse(tolerance)
        except AssertionError as error:
            pytest.fail(str(error), pytrace=False)
        return result

    def _path(self, name: str) -> Path:
        test = Path(str(self._node.path))
        own = self._node.nodeid.partition("::")[2]
        file = re.sub(r"[^\w.+-]+", "-", f"{test.stem}-{own}-{name}").strip("-")
        return test.parent / FOLDER / f"{file}.json"

    def _say(self, name: str, verdict: str) -> None:
        self._node.user_properties.append((_VERDICTS, f"{self._node.nodeid} {name}: {verdict}"))


def _store(path: Path, test: str, name: str, values: list[float], better: str) -> None:
    document = {"schema": SCHEMA, "test": test, "name": name, "better": better, "values": values}
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def _stored(path: Path) -> list[float] | None:
    if not path.is_file():
        return None
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        if document["schema"] != SCHEMA:
            raise ValueError(document["schema"])
        return [float(value) for value in document["values"]]
    except (KeyError, TypeError, ValueError) as error:
        remedy = "store it again with --beyondnoise-update"
        message = f"{path}: expected a stored baseline, found something else: {error}; {remedy}"
        raise Error(message, path=str(path), expected="a stored baseline", remedy=remedy) from None


@pytest.fixture
def beyondnoise(request: pytest.FixtureRequest) -> Baselines:
    """Judges the runs of a test against a stored baseline: ``beyondnoise.baseline("step", values)``."""
    return Baselines(request)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Lists the verdict on every baseline."""
    lines: list[Union[str, Any]] = []
    for reports in terminalreporter.stats.values():
        for report in reports:
            if getattr(report, "when", None) == "call":
                lines += [value for key, value in report.user_properties if key == _VERDICTS]
    if lines:
        terminalreporter.section("beyondnoise")
        for line in lines:
            terminalreporter.write_line(line)
