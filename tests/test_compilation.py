"""Compiled code goes when the package's source is newer, and compiling is told of once."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from solitaire_env.compilation import _Notice, drop_stale_code, jit


@pytest.mark.parametrize("source_is_newer", [False, True])
def test_any_newer_source_makes_all_compiled_code_stale(tmp_path: Path, source_is_newer: bool) -> None:
    (tmp_path / "inner" / "__pycache__").mkdir(parents=True)
    compiled = tmp_path / "inner" / "__pycache__" / "kernel.f-1.py311.nbi"
    source = tmp_path / "layout.py"
    for path, time in ((compiled, 100), (source, 200 if source_is_newer else 50)):
        path.touch()
        os.utime(path, (time, time))
    drop_stale_code(tmp_path, tmp_path)
    assert compiled.exists() != source_is_newer
    assert source.exists()


def test_a_change_of_the_package_makes_code_compiled_elsewhere_stale(tmp_path: Path) -> None:
    """Numba built the package's functions into it, and does not see that they have changed."""
    source, compiled = tmp_path / "features.py", tmp_path / "__pycache__" / "features.f-1.py311.nbi"
    compiled.parent.mkdir()
    source.write_text("def f():\n    return 1\n")
    namespace: dict[str, Any] = {}
    exec(compile(source.read_text(), str(source), "exec"), namespace)
    for path in (source, compiled):
        path.touch()
        os.utime(path, (100, 100))  # older than any file of the package
    jit(namespace["f"])
    assert not compiled.exists()


def test_compiling_is_told_once_and_only_for_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    def event_of(module: str) -> SimpleNamespace:
        return SimpleNamespace(data={"dispatcher": SimpleNamespace(py_func=SimpleNamespace(__module__=module))})

    notice = _Notice()
    notice.on_start(event_of("somebody.elses"))
    assert capsys.readouterr().err == ""
    notice.on_start(event_of("solitaire_env.engine"))
    notice.on_start(event_of("solitaire_env.kernel"))
    assert capsys.readouterr().err.count("\n") == 1
