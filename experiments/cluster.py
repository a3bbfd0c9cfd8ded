"""Ray: connecting to a cluster, or starting one on this machine."""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCAL = "local"
"""Stands for a Ray of this machine's own cores, started for the command and ended with it."""

_TOKEN = (
    "A cluster that is there may ask for Ray's token (~/.ray/auth_token), which is shown to an address other than "
    "'auto' only when the environment says RAY_AUTH_MODE=token"
)


@contextlib.contextmanager
def cluster(address: str, cores: int | None = None) -> Iterator[None]:
    """Connects to Ray for the time of a ``with`` block.

    A cluster is sent the code of this checkout, without ``runs/`` and ``.venv``; the packages that the code needs, and
    ``ray`` in the same version, must be installed on every node.

    Args:
        address: ``"local"``, or the address of a running cluster as ``ray.init`` takes it, such as ``"auto"`` on one of
            its nodes.
        cores: Of a local Ray: how many tasks and actors run side by side; by default as many as the machine has.

    Raises:
        ValueError: Ray is not installed.
        ConnectionError: There is no cluster at the address, or it asks for a token that was not shown.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # read on import
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # silences a notice of a coming change
    try:
        import ray
    except ImportError as error:
        raise ValueError('ray is not installed, run `pip install "solitaire_env[ray]"`') from error
    if address == LOCAL:
        ray.init(address=LOCAL, num_cpus=cores, include_dashboard=False, log_to_driver=True, logging_level="warning")
    else:
        _check_reachable(address)
        left_out = ["runs", ".venv", ".git", "docs", "build", "dist", "experiments/results"]
        code = {"working_dir": str(ROOT), "excludes": left_out}
        try:
            ray.init(address=address, runtime_env=code, logging_level="warning")
        except ConnectionError as error:
            raise ConnectionError(f"{error}. {_TOKEN}") from error
    try:
        yield
    finally:
        ray.shutdown()


def _check_reachable(address: str) -> None:
    """Refuses an address at which nobody answers, at once: Ray itself goes on trying for minutes."""
    host, colon, port = address.rpartition("://")[2].rpartition(":")
    if colon and port.isdecimal():
        try:
            socket.create_connection((host, int(port)), timeout=10).close()
        except OSError as error:
            raise ConnectionError(f"there is no Ray at {address}: {error}") from error
