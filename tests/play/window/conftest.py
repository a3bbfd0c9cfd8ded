"""No test of the window needs a screen."""

from __future__ import annotations

import pytest

pytest.importorskip("pygame", reason="the window needs pygame-ce: the extra `render`")


@pytest.fixture(autouse=True)
def no_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setenv("SDL_AUDIODRIVER", "dummy")
