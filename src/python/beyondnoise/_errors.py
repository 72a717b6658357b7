"""The exception that every function raises."""

from __future__ import annotations

from typing import Any


class Error(ValueError):
    """Something that was given cannot be read, compared or understood.

    ``str(error)`` is the whole message; its parts are attributes, each ``None`` where it does not apply:

    - ``path``: the file, or ``frame`` for a table in memory
    - ``place``: line, row, object or column in it
    - ``expected`` and ``found``
    - ``remedy``: what to do

    >>> import beyondnoise as bn
    >>> try:
    ...     bn.compare({"before": [10.1, 10.2], "after": [9.1, 9.3]})
    ... except bn.Error as error:
    ...     print(error.remedy)
    name it with its direction: metric={"step_ms": "lower"}
    """

    path: str | None
    place: str | None
    expected: str | None
    found: str | None
    remedy: str | None

    def __init__(
        self,
        message: str,
        *,
        path: str | None = None,
        place: str | None = None,
        expected: str | None = None,
        found: str | None = None,
        remedy: str | None = None,
    ) -> None:
        super().__init__(message)
        self.path = path
        self.place = place
        self.expected = expected
        self.found = found
        self.remedy = remedy

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (str(self), dict(self.__dict__))


def _again(message: str, parts: dict[str, Any]) -> Error:
    return Error(message, **parts)


def usage(expected: str, found: str, remedy: str) -> Error:
    """An error of a call, in the words that all errors have."""
    message = f"expected {expected}, found {found}; {remedy}"
    return Error(message, expected=expected, found=found, remedy=remedy)
