"""The page of index tables is what the code says."""

from __future__ import annotations

from experiments.document_spaces import FILE, document


def test_page_is_up_to_date() -> None:
    assert document() == FILE.read_text(encoding="utf-8"), "run python -m experiments.document_spaces"
