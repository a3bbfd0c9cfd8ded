"""The page of shares is what the suites say."""

from __future__ import annotations

from pathlib import Path

from experiments.document_winnability import FILE, document
from experiments.suites import Label, write_suite


def test_page_is_up_to_date() -> None:
    assert document() == FILE.read_text(encoding="utf-8"), "run python -m experiments.document_winnability"


def test_shares(tmp_path: Path) -> None:
    labels = [Label(deal, "won", 10, (0,) * (deal + 1)) for deal in range(3)]
    write_suite(tmp_path, "swiss", "test", [*labels, Label(3, "unknown", 2_500_000, ())])
    write_suite(tmp_path, "swiss", "redeals_1", [Label(deal, "won", 10, (0,)) for deal in range(4)])
    page = document(tmp_path)
    assert (
        "| Swiss, test | 0 to 3 | 75.0% (30.1 to 95.4) | 0.0% (0.0 to 49.0) | 25.0% (4.6 to 69.9) | 2.5 M | 2 (3) |"
        in page
    )
    assert '| `{"redeals": 1}` | 100.0% (51.0 to 100.0) | 0.0% (0.0 to 49.0) | 0.0% (0.0 to 49.0) | 0.0 M |' in page
