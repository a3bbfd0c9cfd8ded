"""What pointing at the table means: from places and cards that are clicked or dragged to moves.

Needs no pygame; ``solitaire_env.render.table`` tells what lies at a pixel.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from solitaire_env.actions import Move
from solitaire_env.cards import RANKS, SUITS
from solitaire_env.position import Position
from solitaire_env.render.table import Place
from solitaire_env.rules import Rules


class Grip(NamedTuple):
    """Cards that the player has taken hold of.

    Attributes:
        place: Where they lie.
        count: How many from the top.
    """

    place: Place
    count: int  # type: ignore[assignment]  # hides tuple.count, which a grip has no use for


def grip_at(position: Position, place: Place, depth: int) -> Grip | None:
    """Returns what is taken hold of at a card: in a pile it and what lies on it, elsewhere the top card.

    Args:
        position: The position.
        place: Where the card lies.
        depth: Its index there, the deepest being 0, as ``Table.at`` gives it; -1 where no card lies.

    Returns:
        None where no card lies.
    """
    if depth < 0:
        return None
    return Grip(place, len(cards_at(position, place)) - depth if place.kind == "pile" else 1)


def targets(rules: Rules, position: Position, legal: Mapping[int, Move], grip: Grip) -> dict[Place, int]:
    """Returns where cards may go, and for each place the action that puts them there."""
    found = {}
    for action, move in legal.items():
        taken, place = places_of(rules, position, move)
        if taken == grip:
            found[place] = action
    return found


def aimed_at(position: Position, targets: Mapping[Place, int], place: Place) -> int | None:
    """Returns the action that is meant when cards are put on a place, None for none.

    Any empty pile is as good as the first one, and any foundation as the one that takes the card.
    """
    if place in targets:
        return targets[place]
    for target, action in targets.items():
        if place.kind == target.kind == "foundation":
            return action
        if place.kind == target.kind == "pile" and not (
            position.tableau[place.number] or position.tableau[target.number]
        ):
            return action
    return None


def dealing(legal: Mapping[int, Move]) -> int | None:
    """Returns the action of clicking the stock: to deal, or to turn the waste over; None when neither is allowed."""
    return next((action for action, move in legal.items() if move.kind in ("deal", "redeal")), None)


def places_of(rules: Rules, position: Position, move: Move) -> tuple[Grip | None, Place]:
    """Returns which cards a move takes, None for a redeal, and where it puts them; a deal takes one as if by hand."""
    if move.kind == "redeal":
        return None, Place("stock")
    if move.kind == "deal":
        return Grip(Place("stock"), 1), Place("waste")
    source, _, goal = move.kind.partition("_")
    place = Place(source, max(move.source, 0))  # type: ignore[arg-type]  # a kind begins with a kind of place
    if goal != "foundation":
        return Grip(place, move.count), Place("pile", move.target)
    card = cards_at(position, place)[-1]
    first, height = SUITS.index(card[1]) * rules.decks, (RANKS.index(card[0]) - RANKS.index(rules.base_rank)) % 13
    taking = (f for f in range(first, first + rules.decks) if len(position.foundations[f]) == height)
    return Grip(place, move.count), Place("foundation", next(taking))


def cards_at(position: Position, place: Place) -> tuple[str, ...]:
    """Returns the cards that lie at a place, the top card last."""
    if place.kind == "pile":
        return position.tableau[place.number]
    if place.kind == "foundation":
        return position.foundations[place.number]
    return {"stock": position.stock, "waste": position.waste, "reserve": position.reserve}[place.kind]
