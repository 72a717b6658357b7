"""Writes `beyondnoise/_settings.py` from the table of settings in the library: `python src/python/tests/settings.py`."""

from __future__ import annotations

import textwrap
from pathlib import Path

from beyondnoise import _native

PATH = Path(__file__).resolve().parents[1] / "beyondnoise" / "_settings.py"

HEAD = '''"""The keyword arguments that a policy file may set too, by function.

Written by `src/python/tests/settings.py` from the table of settings: change that, not this file.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Literal, TypedDict, Union
'''

KINDS = {
    "PERCENT": "Union[str, float]",
    "CONFIDENCE": "Union[str, float]",
    "RESAMPLES": "int",
    "SEED": "int",
    "N": "int",
    "BOOL": "bool",
    "DIR": 'Union[str, "os.PathLike[str]"]',
}


def kind(name: str, words: list[str], several: bool) -> str:
    """The type of a setting."""
    if words:
        return f"Literal[{', '.join(repr(word) for word in words)}]".replace("'", '"')
    return "Union[str, Sequence[str]]" if several else KINDS.get(name, "str")


def text() -> str:
    """The file as it should be."""
    out = HEAD
    for command in ["compare", "batch", "noise", "plan", "history verdict", "read"]:
        function = command.split()[0]
        out += f'\n\nclass {function.capitalize()}Settings(TypedDict, total=False):\n    """Settings of `{function}`."""\n'
        for name, value, words, several, meaning in _native.settings(command):
            out += f"\n    {name}: {kind(value, words, several)}\n"
            lines = textwrap.wrap(meaning, 112)
            out += '    """' + "\n    ".join(lines) + '."""\n'
    return out


if __name__ == "__main__":
    PATH.write_text(text(), encoding="utf-8")
