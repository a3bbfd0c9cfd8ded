"""The web page of a recorded game: one file, with style, program and data in it."""

from __future__ import annotations

import html
import json
from pathlib import Path

from experiments.replay.recording import Recording

_PARTS = Path(__file__).parent


def write_page(recording: Recording, file: Path) -> None:
    """Writes the page, whole or not at all.

    Args:
        recording: The game, as of ``experiments.replay.recording.record``.
        file: The HTML file, written over.
    """
    beside = file.with_name(file.name + ".part")
    beside.write_text(page(recording), encoding="utf-8")
    beside.replace(file)


def page(recording: Recording) -> str:
    """Returns the page of a recorded game."""
    # No text of the data may end the element that it stands in: a "<" is written as JSON allows.
    data = json.dumps(recording, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")
    parts = {
        "title": html.escape(f"{recording['title']}, played by {recording['agent']}"),
        "style": (_PARTS / "page.css").read_text(encoding="utf-8"),
        "data": data,
        "program": (_PARTS / "page.js").read_text(encoding="utf-8"),
    }
    text = (_PARTS / "page.html").read_text(encoding="utf-8")
    head, *pieces = text.split("<!--=")
    for piece in pieces:
        name, _, rest = piece.partition("-->")
        head += parts[name] + rest
    return head
