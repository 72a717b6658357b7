"""Results, which show themselves in a terminal, in a notebook and in a test."""

from __future__ import annotations

import html
import json
from collections.abc import Sequence
from functools import cached_property
from typing import Any, Union

from beyondnoise import _native

#: Height of a report in a notebook, in pixels; its corner can be dragged.
HEIGHT = 560


class Report:
    """A report of the library in every form.

    ``repr(report)`` is the text that the command line prints, and a notebook shows the HTML report.
    """

    def to_json(self) -> str:
        """The JSON document: the bytes of ``--format json``."""
        raise NotImplementedError

    def to_markdown(self) -> str:
        """Markdown for a pull request: the bytes of ``--format markdown``."""
        raise NotImplementedError

    def to_html(self) -> str:
        """One HTML page that needs nothing beside itself: the bytes of ``--format html``."""
        raise NotImplementedError

    def to_text(self) -> str:
        """The text of a terminal of 80 columns, without color."""
        raise NotImplementedError

    @cached_property
    def _document(self) -> dict[str, Any]:
        document: dict[str, Any] = json.loads(self.to_json())
        return document

    def to_dict(self) -> dict[str, Any]:
        """The JSON document as a dict; fractions are fractions (0.034 is 3.4 %), undefined numbers are ``None``."""
        document: dict[str, Any] = json.loads(self.to_json())
        return document

    def __repr__(self) -> str:
        return self.to_text().rstrip("\n")

    def _repr_html_(self) -> str:
        return _framed(self.to_html())


def _framed(page: str) -> str:
    """The page inside a frame of its own: its style and script cannot reach the notebook, nor the other way round."""
    return (
        '<iframe title="beyondnoise" sandbox="allow-scripts" loading="lazy" '
        f'style="width:100%;height:{HEIGHT}px;border:0;resize:vertical;overflow:auto" '
        f'srcdoc="{html.escape(page, quote=True)}"></iframe>'
    )


class Result(Report):
    """The verdict of :func:`beyondnoise.compare` or :func:`beyondnoise.batch`.

    >>> import beyondnoise as bn
    >>> before, after = [10.11, 10.23, 10.18, 10.15], [9.12, 9.31, 9.22, 9.27]
    >>> result = bn.compare({"before": before, "after": after}, metric={"step_ms": "lower"})
    >>> result.headline, result.gate
    ('improved', 'pass')
    >>> round(result.comparisons[0]["metrics"][0]["delta"]["relative"], 3)
    -0.092
    """

    def __init__(self, judged: _native.Judged) -> None:
        self._judged = judged

    @property
    def headline(self) -> str:
        """``improved``, ``regressed``, ``trade_off``, ``slightly_improved``, ``slightly_regressed``, ``no_change``,
        ``within_noise``, ``no_verdict`` or ``not_comparable``; of several comparisons that of the worst."""
        return self._judged.headline

    @property
    def summary(self) -> str:
        """One sentence."""
        return self._judged.summary

    @property
    def gate(self) -> str:
        """``pass``; ``fail`` if a deciding or guard metric is worse beyond the tolerance; ``none`` without a verdict."""
        return self._judged.gate

    @property
    def gate_reason(self) -> str:
        """Why the gate does not simply pass; empty where it does."""
        return self._judged.gate_reason

    @property
    def decision(self) -> str:
        """``promote`` if the change is shown to be better beyond the margin and nothing is worse; ``reject`` if something is
        worse, or if an improvement beyond the margin is excluded; ``more_data`` where neither is shown."""
        return self._judged.decision

    @property
    def decision_reason(self) -> str:
        """Why, in words."""
        return self._judged.decision_reason

    @property
    def comparisons(self) -> list[dict[str, Any]]:
        """Each baseline with a candidate, the worst first, as in the JSON document."""
        comparisons: list[dict[str, Any]] = self._document["comparisons"]
        return comparisons

    def to_json(self) -> str:
        return self._judged.to_json()

    def to_markdown(self) -> str:
        return self._judged.to_markdown()

    def to_html(self) -> str:
        return self._judged.to_html()

    def to_csv(self) -> str:
        """A line per comparison and metric: the bytes of ``--format csv``."""
        return self._judged.to_csv()

    def to_svg(self) -> str:
        """The plot of the intervals: the bytes of ``--format svg``."""
        return self._judged.to_svg()

    def to_text(
        self,
        *,
        width: int = 80,
        color: bool = False,
        verbose: bool = False,
        quiet: bool = False,
        plot: bool = False,
    ) -> str:
        """The text of a terminal, ``width`` columns wide: everything with ``verbose``, one line with ``quiet``, the
        intervals drawn below the table with ``plot``."""
        return self._judged.to_text(width, color, verbose, quiet, plot)

    def frame(self) -> _native.Frame:
        """The table of :meth:`to_csv`: a row per comparison and metric, numbers as numbers.

        Every library that knows the Arrow PyCapsule interface takes it: ``polars.DataFrame(result.frame())``,
        ``pyarrow.table(result.frame())``; ``frame().rows()`` is a list of dicts.
        """
        return self._judged.frame()

    def assert_not_worse(self, tolerance: str | float = "2%") -> None:
        """Raises :class:`AssertionError` with the report unless nothing is worse by more than `tolerance`.

        `tolerance` is a percentage (``"2%"``) or a fraction (``0.02``) of the baseline; metrics that have a tolerance
        of their own in the policy keep it. It is an error too if nothing could be judged: too few runs, or inputs that
        cannot be compared.

        >>> import beyondnoise as bn
        >>> runs = {"main": [10.11, 10.23, 10.18, 10.15], "pr": [10.61, 10.58, 10.70, 10.66]}
        >>> result = bn.compare(runs, metric={"step_ms": "lower"})
        >>> result.assert_not_worse("10%")
        >>> try:
        ...     result.assert_not_worse("2%")
        ... except AssertionError as error:
        ...     print(str(error).splitlines()[0])
        pr: step_ms is worse by 4.6 %, 2.0 % is tolerated
        """
        gate, reason = self._judged.gate_with(tolerance)
        if gate == "pass":
            return
        failed = reason if gate == "fail" else f"no verdict: {reason}"
        raise AssertionError(f"{failed}\n\n{self!r}")

    def assert_improved(self) -> None:
        """Raises :class:`AssertionError` with the report unless the change is shown to be better beyond the margin.

        It passes exactly where :attr:`decision` is ``promote``: ``beyondnoise compare --require improved`` ends with 0 there.

        >>> import beyondnoise as bn
        >>> runs = {"main": [10.61, 10.58, 10.70, 10.66], "pr": [10.11, 10.23, 10.18, 10.15]}
        >>> bn.compare(runs, metric={"step_ms": "lower"}).assert_improved()
        >>> try:
        ...     bn.compare(runs, base="pr", metric={"step_ms": "lower"}).assert_improved()
        ... except AssertionError as error:
        ...     print(str(error).splitlines()[0])
        reject: step_ms is worse by 4.6 %, 2.0 % is tolerated
        """
        if self.decision != "promote":
            word = self.decision.replace("_", " ")
            raise AssertionError(f"{word}: {self.decision_reason}\n\n{self!r}")


class Shown(Report):
    """The report of :func:`beyondnoise.noise`, :func:`beyondnoise.plan` or :func:`beyondnoise.history`."""

    def __init__(self, shown: _native.Shown) -> None:
        self._shown = shown

    def to_json(self) -> str:
        return self._shown.json

    def to_markdown(self) -> str:
        return self._shown.markdown

    def to_html(self) -> str:
        return self._shown.html

    def to_text(self) -> str:
        return self._shown.text


class Noise(Shown):
    """How much repeated runs of one build differ."""

    @property
    def repeats(self) -> list[dict[str, Any]]:
        """The repeated runs of each build and workload with their noise by metric, as in the JSON document."""
        repeats: list[dict[str, Any]] = self._document["repeats"]
        return repeats


class Plan(Shown):
    """How many runs of each variant find a change."""

    @property
    def runs(self) -> Union[int, None]:
        """Runs of each variant that the first workload needs; ``None`` beyond 100,000."""
        plans: list[dict[str, Any]] = self.plans
        runs: Union[int, None] = plans[0]["runs"] if plans else None
        return runs

    @property
    def order(self) -> Union[str, None]:
        """The order to make the runs in: ``"A B B A"``."""
        order: Union[str, None] = self.plans[0]["order"] if self.plans else None
        return order

    @property
    def plans(self) -> list[dict[str, Any]]:
        """A plan per workload, as in the JSON document."""
        plans: list[dict[str, Any]] = self._document["plans"]
        return plans


class History(Shown):
    """What changed over many nights, since when, and how sure that is.

    >>> import beyondnoise as bn
    >>> nights = [
    ...     {"date": f"2026-03-{day:02}", "step_ms": (10.0 if day < 18 else 11.0) + 0.01 * (7 * day % 5)} for day in range(1, 31)
    ... ]
    >>> report = bn.history(nights, metric={"step_ms": "lower"})
    >>> report.gate
    'fail'
    >>> report.changes[0]["date"]
    '2026-03-18'
    """

    @property
    def summary(self) -> str:
        """One sentence."""
        summary: str = self._document["summary"]
        return summary

    @property
    def gate(self) -> str:
        """``pass``; ``fail`` if a change for the worse is still in force; ``none`` where there are too few nights."""
        gate: str = self._document["gate"]
        return gate

    @property
    def gate_reason(self) -> str:
        """Why the gate does not simply pass; empty where it does."""
        reason: str = self._document["gate_reason"]
        return reason

    @property
    def changes(self) -> list[dict[str, Any]]:
        """The changes of all series: each as in the JSON document, with its ``cell``, its ``metric`` and the name of the
        first night after it as ``date``."""
        nights: list[dict[str, Any]] = self._document["nights"]
        return [
            {"cell": one["cell"], "metric": one["metric"], "date": nights[change["night"]]["name"], **change}
            for one in self._document["series"]
            for change in one["changes"]
        ]

    @property
    def events(self) -> list[dict[str, Any]]:
        """Nights on which several cells changed together, as in the JSON document."""
        events: list[dict[str, Any]] = self._document["events"]
        return events


class Runs:
    """Runs that were read: ``len(runs)`` of them.

    >>> import beyondnoise as bn
    >>> runs = bn.read([{"build": "a", "step_ms": 10.1}, {"build": "b", "step_ms": 9.4}], variant="build")
    >>> len(runs), runs.variants
    (2, ['a', 'b'])
    >>> runs.rows()[0]["metric"], runs.rows()[0]["value"]
    ('step_ms', 10.1)
    """

    def __init__(self, runs: _native.Runs) -> None:
        self._runs = runs

    @property
    def variants(self) -> list[str]:
        """The labels of the variants."""
        return self._runs.variants

    def __len__(self) -> int:
        return len(self._runs)

    def to_json(self) -> str:
        """What was read, and from where: the bytes of ``beyondnoise show --format json``."""
        return self._runs.to_json()

    def to_dict(self) -> dict[str, Any]:
        """The same as a dict."""
        document: dict[str, Any] = json.loads(self.to_json())
        return document

    def frame(self) -> _native.Frame:
        """The table that ``beyondnoise convert`` writes: a row per run and metric."""
        return self._runs.frame()

    def rows(self) -> list[dict[str, Union[str, float, None]]]:
        """The same as a list of dicts."""
        return self.frame().rows()

    def __repr__(self) -> str:
        return f"{len(self)} runs of {', '.join(self.variants)}"


def as_list(names: str | Sequence[str] | None) -> list[str]:
    """One name or several."""
    if names is None:
        return []
    return [names] if isinstance(names, str) else list(names)
