"""What the last move changed, as rectangles on the table; like the table itself it needs no pygame."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from solitaire_env.position import Position
from solitaire_env.render.table import Place, Rect, Table


def marks(table: Table, position: Position, previous: Position) -> Iterator[tuple[Rect, bool]]:
    """Yields what is marked after a move: a rectangle, and whether cards came there or left.

    A pile that was emptied and refilled has got cards.
    """
    for place, change in _changes(position, previous).items():
        spots = table.spots(place)
        if change < 0:
            yield table.top(place), False
        elif place.kind == "pile":  # perhaps in several columns
            came = spots[-change:]
            for x in sorted({spot.rect.x for spot in came}):
                yield _around([spot.rect for spot in came if spot.rect.x == x]), True
        else:
            yield _around([spot.rect for spot in spots[-change:]]), True


def _changes(position: Position, previous: Position) -> dict[Place, int]:
    """Returns for each place that changed how many cards came, or minus how many left."""
    changes = {}
    for (place, now), (_, before) in zip(_places(position), _places(previous), strict=True):
        kept = min(len(now), len(before))
        if place.kind == "pile":  # may be emptied and refilled; elsewhere the number tells all
            kept = next((i for i in range(kept) if now[i] != before[i]), kept)
        if len(now) > kept:
            changes[place] = len(now) - kept
        elif len(before) > kept:
            changes[place] = kept - len(before)
    return changes


def _places(position: Position) -> Iterator[tuple[Place, Sequence[str]]]:
    yield Place("stock"), position.stock
    yield Place("waste"), position.waste
    yield Place("reserve"), position.reserve
    for index, pile in enumerate(position.foundations):
        yield Place("foundation", index), pile
    for index, pile in enumerate(position.tableau):
        yield Place("pile", index), pile


def _around(rects: Sequence[Rect]) -> Rect:
    left, top = min(rect.x for rect in rects), min(rect.y for rect in rects)
    width = max(rect.right for rect in rects) - left
    return Rect(left, top, width, max(rect.bottom for rect in rects) - top)
