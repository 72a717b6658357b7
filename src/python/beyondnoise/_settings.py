"""The keyword arguments that a policy file may set too, by function.

Written by `src/python/tests/settings.py` from the table of settings: change that, not this file.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Literal, TypedDict, Union


class CompareSettings(TypedDict, total=False):
    """Settings of `compare`."""

    base: str
    """Label of the baseline, or `previous` for the variant before (default: a label such as main, before or 优化前)."""

    confidence: Union[str, float]
    """Coverage of the intervals, as a fraction (0.95) or a percentage (95%)."""

    method: Literal["calibrated", "percentile", "bca", "welch"]
    """How intervals are made (default: calibrated; for a batch: welch)."""

    across: str
    """Statistic over the runs of a variant: mean, median, hodges-lehmann or a quantile such as p99."""

    resamples: int
    """Resamples to draw where there are too many to enumerate (beyond 6 + 6 runs)."""

    seed: int
    """Seed of the random numbers."""

    noise: Literal["auto", "batch", "own", "variants"]
    """Sources of the noise estimate besides the compared runs."""

    atlas: bool
    """Whether the published noise of other benchmarks grades one run each, and is used for two."""

    history: Union[str, "os.PathLike[str]"]
    """Folder of earlier runs, from which noise is estimated too; `history add` fills it."""

    guard: Union[str, Sequence[str]]
    """A metric that does not decide and must not become worse."""

    control: str
    """A metric, or a cell such as bench=reference, that the change cannot affect: changes are relative to it where
    that narrows their intervals."""

    slo: Union[str, Sequence[str]]
    """A limit of the service: the report of a sweep says how much throughput meets all limits, and judges its change."""

    tolerance: Union[str, float]
    """Largest worsening that the gate accepts, in percent of the baseline."""

    require: Literal["not_worse", "improved"]
    """Result that the gate requires; --require needs no --gate."""

    on_no_verdict: Literal["unknown", "pass", "fail"]
    """Answer of the gate where something is not judged: too few runs, or missing on one side."""

    on_not_comparable: Literal["unknown", "pass", "fail"]
    """Answer of the gate where workloads, tools or units differ, or requests failed."""

    variant: Union[str, Sequence[str]]
    """Columns, tags or settings whose values together name the variant."""

    run: Union[str, Sequence[str]]
    """Columns that name the run, from the outer level of repeats to the inner: machine,start."""

    pair: str
    """Column of a table that names the pair of a run; the flag means --paired, too."""

    along: str
    """Column or setting in which the loads of a sweep differ (default: max_concurrency, else request_rate)."""

    order_by: str
    """Column or setting that puts the variants in order, for --base previous (default: start times, else names)."""


class BatchSettings(TypedDict, total=False):
    """Settings of `batch`."""

    confidence: Union[str, float]
    """Coverage of the intervals, as a fraction (0.95) or a percentage (95%)."""

    method: Literal["calibrated", "percentile", "bca", "welch"]
    """How intervals are made (default: calibrated; for a batch: welch)."""

    across: str
    """Statistic over the runs of a variant: mean, median, hodges-lehmann or a quantile such as p99."""

    resamples: int
    """Resamples to draw where there are too many to enumerate (beyond 6 + 6 runs)."""

    seed: int
    """Seed of the random numbers."""

    noise: Literal["auto", "batch", "own", "variants"]
    """Sources of the noise estimate besides the compared runs."""

    atlas: bool
    """Whether the published noise of other benchmarks grades one run each, and is used for two."""

    history: Union[str, "os.PathLike[str]"]
    """Folder of earlier runs, from which noise is estimated too; `history add` fills it."""

    guard: Union[str, Sequence[str]]
    """A metric that does not decide and must not become worse."""

    control: str
    """A metric, or a cell such as bench=reference, that the change cannot affect: changes are relative to it where
    that narrows their intervals."""

    tolerance: Union[str, float]
    """Largest worsening that the gate accepts, in percent of the baseline."""

    require: Literal["not_worse", "improved"]
    """Result that the gate requires; --require needs no --gate."""

    on_no_verdict: Literal["unknown", "pass", "fail"]
    """Answer of the gate where something is not judged: too few runs, or missing on one side."""

    on_not_comparable: Literal["unknown", "pass", "fail"]
    """Answer of the gate where workloads, tools or units differ, or requests failed."""

    variant: Union[str, Sequence[str]]
    """Columns, tags or settings whose values together name the variant."""

    run: Union[str, Sequence[str]]
    """Columns that name the run, from the outer level of repeats to the inner: machine,start."""

    pair: str
    """Column of a table that names the pair of a run; the flag means --paired, too."""

    by: Union[str, Sequence[str]]
    """Columns, or settings such as `model`, whose values together name a cell (default: every workload is a cell)."""

    base: str
    """Label of the baseline, or `previous` for the variant before."""

    order_by: str
    """Column or setting that puts the variants in order, for --base previous (default: start times, else names)."""


class NoiseSettings(TypedDict, total=False):
    """Settings of `noise`."""

    confidence: Union[str, float]
    """Coverage of the intervals, as a fraction (0.95) or a percentage (95%)."""

    seed: int
    """Seed of the random numbers."""

    variant: Union[str, Sequence[str]]
    """Columns, tags or settings whose values together name the variant."""

    run: Union[str, Sequence[str]]
    """Columns that name the run, from the outer level of repeats to the inner: machine,start."""

    pair: str
    """Column of a table that names the pair of a run; the flag means --paired, too."""


class PlanSettings(TypedDict, total=False):
    """Settings of `plan`."""

    confidence: Union[str, float]
    """Coverage of the intervals, as a fraction (0.95) or a percentage (95%)."""

    variant: Union[str, Sequence[str]]
    """Columns, tags or settings whose values together name the variant."""

    run: Union[str, Sequence[str]]
    """Columns that name the run, from the outer level of repeats to the inner: machine,start."""

    pair: str
    """Column of a table that names the pair of a run; the flag means --paired, too."""


class HistorySettings(TypedDict, total=False):
    """Settings of `history`."""

    confidence: Union[str, float]
    """Coverage of the intervals, as a fraction (0.95) or a percentage (95%)."""

    guard: Union[str, Sequence[str]]
    """A metric that does not decide and must not become worse."""

    tolerance: Union[str, float]
    """Largest worsening that the gate accepts, in percent of the baseline."""

    on_no_verdict: Literal["unknown", "pass", "fail"]
    """Answer of the gate where something is not judged: too few runs, or missing on one side."""

    variant: Union[str, Sequence[str]]
    """Columns, tags or settings whose values together name the variant."""

    run: Union[str, Sequence[str]]
    """Columns that name the run, from the outer level of repeats to the inner: machine,start."""

    pair: str
    """Column of a table that names the pair of a run; the flag means --paired, too."""


class ReadSettings(TypedDict, total=False):
    """Settings of `read`."""

    variant: Union[str, Sequence[str]]
    """Columns, tags or settings whose values together name the variant."""

    run: Union[str, Sequence[str]]
    """Columns that name the run, from the outer level of repeats to the inner: machine,start."""

    pair: str
    """Column of a table that names the pair of a run; the flag means --paired, too."""
