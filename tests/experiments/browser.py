"""A headless Chromium for tests, from the system's packages (Debian: ``chromium``)."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

REQUIRED = "SOLITAIRE_REQUIRE_CHROMIUM"
"""Set to 1, as ``.ci/run`` does, it makes a missing browser a failure; else tests that need one are skipped."""

NAMES = ("chromium", "chromium-browser", "google-chrome")


def _missing(what: str) -> None:
    reason = f"no {what}; the page is tested in a real browser (on Debian: apt-get install chromium)"
    if os.environ.get(REQUIRED) == "1":
        pytest.fail(reason)
    pytest.skip(reason)


@contextmanager
def chromium() -> Iterator[Any]:
    """Gives a playwright ``Browser``, or skips the test with a reason."""
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        _missing("Chromium")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        _missing("playwright, of the extra `test`")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program)
        yield browser
        browser.close()
