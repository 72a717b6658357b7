"""The executable beside the installed module, and the data of the repository."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

ROOT = Path(__file__).resolve().parents[3]

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def _executable() -> str:
    beside = Path(sys.executable).parent / "beyondnoise"
    found = os.environ.get("BEYONDNOISE") or (str(beside) if beside.is_file() else shutil.which("beyondnoise"))
    assert found, "the executable of the wheel"
    return found


@pytest.fixture(scope="session")
def run() -> Run:
    """Calls the executable in the folder of the repository; its standard output is text."""
    executable = _executable()

    def call(*arguments: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
        words = [executable, *arguments]
        environment = {**os.environ, "NO_COLOR": "1"}
        environment.pop("COLUMNS", None)
        return subprocess.run(words, cwd=cwd, env=environment, capture_output=True, encoding="utf-8", check=False)

    return call


@pytest.fixture
def root(monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the repository, in which paths are the same for both."""
    monkeypatch.chdir(ROOT)
    return ROOT
