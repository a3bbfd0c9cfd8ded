"""How the kernel is compiled: on the first call, once for all games, kept on disk, and said so when it takes a while.

Numba keeps compiled functions beside their source and compiles anew when the file that holds a function changes; a
change in a file that the function draws on goes unseen. Here any change in the package makes all compiled code stale,
that of other folders which use the package's functions as well; there any change in the same folder does so too.
"""

from __future__ import annotations

import contextlib
import functools
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, cast

import numba
from numba.core import event

P = ParamSpec("P")
R = TypeVar("R")

# Without numba's reference counts (_nrt), for the kernels allocate nothing: with them, each call and each view of a row
# pays for several locked increments, which take longer than the rules do.
_OPTIONS: dict[str, Any] = {"cache": True, "error_model": "numpy", "_nrt": False}


def jit(function: Callable[P, R]) -> Callable[P, R]:
    """Decorates a compiled function. It must not allocate."""
    return _compiled(function, _OPTIONS)


def jit_inline(function: Callable[P, R]) -> Callable[P, R]:
    """Decorates a compiled function that is built into its callers. It must not allocate.

    For what every step calls: a call passes each array as seven numbers, which for small functions takes longer than
    their work. It is no use for rare or large ones with several callers, for they are compiled again in each.
    """
    return _compiled(function, _OPTIONS | {"forceinline": True})


def jit_nogil(function: Callable[P, R]) -> Callable[P, R]:
    """Decorates a compiled function that several threads may run at once. It must not allocate."""
    return _compiled(function, _OPTIONS | {"nogil": True})


def _compiled(function: Callable[P, R], options: dict[str, Any]) -> Callable[P, R]:
    _drop_stale_code_beside(Path(cast("Any", function).__code__.co_filename))
    return cast("Callable[P, R]", numba.njit(**options)(function))


_PACKAGE = Path(__file__).parent


class _Notice(event.Listener):
    """Says once, on stderr, that compiling takes its time."""

    told = False

    def on_start(self, event: event.Event) -> None:
        function = event.data["dispatcher"].py_func
        if not self.told and function.__module__.startswith("solitaire_env"):
            self.told = True
            sys.stderr.write("solitaire_env: compiling, once after installation, for some 20 seconds ...\n")

    def on_end(self, event: event.Event) -> None:
        pass


def drop_stale_code(compiled_in: Path, *sources: Path) -> None:
    """Removes what numba has compiled in a folder and below it if a file in any folder of ``sources`` is newer."""
    newest = max((path.stat().st_mtime_ns for folder in sources for path in folder.rglob("*.py")), default=0)
    compiled = list(compiled_in.rglob("__pycache__/*.nbi"))
    if any(path.stat().st_mtime_ns < newest for path in compiled):
        for path in compiled:
            path.unlink(missing_ok=True)


@functools.cache
def _drop_stale_code_beside(file: Path) -> None:
    """Does so for the folder of a file outside the package, before anything compiled there is loaded."""
    if file.is_file() and not file.is_relative_to(_PACKAGE):
        with contextlib.suppress(OSError):
            drop_stale_code(file.parent, file.parent, _PACKAGE)


with contextlib.suppress(OSError):  # somebody else's read-only installation: its files change together
    drop_stale_code(_PACKAGE, _PACKAGE)
event.register("numba:compile", _Notice())  # type: ignore[no-untyped-call]
