"""How the kernel is compiled: on the first call, once for all games, kept on disk, and said so when it takes a while.

Numba keeps compiled functions beside their source and compiles anew when the file that holds a function changes; a
change in a file that the function draws on goes unseen. Here any change in the package makes all compiled code stale.
"""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path

import numba
from numba.core import event

jit = numba.njit(cache=True, _nrt=False)
"""The decorator of a compiled function."""

jit_nogil = numba.njit(cache=True, nogil=True, _nrt=False)
"""The decorator of a compiled function that several threads may run at once."""

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


def drop_stale_code(package: Path = _PACKAGE) -> None:
    """Removes what numba has compiled for the package if any of its source files is newer."""
    newest = max(path.stat().st_mtime_ns for path in package.rglob("*.py"))
    compiled = list(package.rglob("__pycache__/*.nbi"))
    if any(path.stat().st_mtime_ns < newest for path in compiled):
        for path in compiled:
            path.unlink(missing_ok=True)


with contextlib.suppress(OSError):  # somebody else's read-only installation: its files change together
    drop_stale_code()
event.register("numba:compile", _Notice())  # type: ignore[no-untyped-call]
