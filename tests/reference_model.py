"""The slow second reading of the rules: plain Python, written from the rules' clauses alone.

Nothing here knows the package under test. Cards are strings (``"TD"``), piles are tuples with the
top card last, and obviousness goes before speed everywhere. The ids in the comments (G1, C4, ...)
are the clauses that a line stands for.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

RANKS = "A23456789TJQK"
SUITS = "SHDC"
RED = "HD"

Pile = tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Options:
    """One game of the family: everything in which the four games and their options differ."""

    decks: int
    pile_heights: tuple[int, ...]
    reserve: int
    foundations: str
    base_rank: str
    build: str
    corner: str
    moves: str
    spaces: str
    refill: str
    stock_to_space: bool
    cards_per_deal: int
    redeals: int | None
    foundation_returns: bool

    def __post_init__(self) -> None:
        """Accepts the lists that a JSON form has in place of tuples."""
        object.__setattr__(self, "pile_heights", tuple(self.pile_heights))


@dataclass(frozen=True)
class RefPosition:
    """All of a position. The last card of a pile is its top; the stock's last is drawn next."""

    foundations: tuple[Pile, ...]
    tableau: tuple[Pile, ...]
    stock: Pile
    waste: Pile
    reserve: Pile
    redeals_left: int | None
    stock_seen: bool = False


class Move(NamedTuple):
    """A move in a certain position; -1 where there is no source or target."""

    kind: str
    source: int
    target: int
    count: int  # type: ignore[assignment]  # hides tuple.count, which nobody needs here


# ---------------------------------------------------------------- the cards and the deal


def full_deck(options: Options) -> list[str]:
    """Every card, as many times as there are decks."""
    return [rank + suit for suit in SUITS for rank in RANKS] * options.decks


def foundation_cards(options: Options, suit: str) -> list[str]:
    """The thirteen cards of a full foundation, from its base up (C2, S2, Y2, V2, G9)."""
    start = RANKS.index(options.base_rank)
    return [RANKS[(start + i) % 13] + suit for i in range(13)]


def initial(options: Options, deck_order: Sequence[str]) -> RefPosition:
    """Lays out a shuffled deck, without the base cards if these are dealt beforehand (C1, V1)."""
    cards = list(deck_order)
    reserve = tuple(cards[: options.reserve])
    del cards[: options.reserve]
    tableau = []
    for height in options.pile_heights:
        tableau.append(tuple(cards[:height]))
        del cards[:height]
    foundations: list[Pile] = []
    for suit in SUITS:
        for _ in range(options.decks):
            dealt = options.foundations == "dealt"
            foundations.append((options.base_rank + suit,) if dealt else ())
    return RefPosition(
        foundations=tuple(foundations),
        tableau=tuple(tableau),
        stock=tuple(reversed(cards)),  # drawn in the order of the deck
        waste=(),  # G6
        reserve=reserve,
        redeals_left=options.redeals,
    )


# ---------------------------------------------------------------- what may lie where


def may_lie_on(options: Options, card: str, beneath: str) -> bool:
    """Whether a card may be put on another one in a tableau pile."""
    same_suit = card[1] == beneath[1]
    other_colour = (card[1] in RED) != (beneath[1] in RED)
    suits_fit = same_suit if options.build == "suit" else other_colour  # C3, Y3; S3, V3

    # S4: the pairs (upper rank, lower rank) that the corner allows.
    ordinary = [(RANKS[i], RANKS[i + 1]) for i in range(12)]  # A on 2, 2 on 3, ... Q on K
    if options.corner == "none":  # C3, Y3, V3
        pairs = ordinary
    elif options.corner == "ring":
        pairs = [*ordinary, ("K", "A")]
    elif options.corner == "both":
        pairs = [*ordinary, ("K", "A"), ("A", "K")]
    else:  # "ace_high": the ace is the highest card and goes on nothing
        pairs = [*ordinary[1:], ("K", "A")]
    return suits_fit and (card[0], beneath[0]) in pairs


def run_length(options: Options, pile: Pile) -> int:
    """How many cards the longest run at the top of a pile has."""
    length = min(len(pile), 1)
    while length < len(pile) and may_lie_on(options, pile[-length], pile[-length - 1]):
        length += 1
    return length


def movable_counts(options: Options, pile: Pile) -> list[int]:
    """The numbers of cards that may be lifted together from a pile (C4, S5, Y4, V4)."""
    longest = run_length(options, pile)
    if longest == 0:
        return []
    if options.moves == "any_suffix":
        return list(range(1, longest + 1))
    if options.moves == "top_or_run" and longest > 1:
        return [1, longest]
    if options.moves == "top_or_pile" and longest == len(pile) > 1:
        return [1, longest]
    return [1]


def foundation_for(options: Options, foundations: Sequence[Sequence[str]], card: str) -> int | None:
    """The first foundation on which a card fits (G9), None if there is none."""
    ladder = foundation_cards(options, card[1])
    first = SUITS.index(card[1]) * options.decks
    for index in range(first, first + options.decks):
        height = len(foundations[index])
        if height < 13 and ladder[height] == card:
            return index
    return None


def first_space(position: RefPosition) -> int | None:
    """The one empty pile that is offered as a target (G8), None if there is none."""
    return position.tableau.index(()) if () in position.tableau else None


def targets(options: Options, position: RefPosition, card: str) -> list[int]:
    """The piles to which a card, or a run of which it is the deepest card, may go."""
    found = [i for i, p in enumerate(position.tableau) if p and may_lie_on(options, card, p[-1])]
    space = first_space(position)
    # C5, S6, Y6, V6
    let_in = options.spaces == "any" or (options.spaces == "ace" and card[0] == "A")
    if space is not None and let_in:
        found.append(space)
    return found


# ---------------------------------------------------------------- legal moves


def candidates(options: Options, position: RefPosition) -> Iterator[Move]:
    """Every move that the clauses name, the null moves of G8 among them."""
    if position.stock:
        yield Move("deal", -1, -1, 0)  # G3
    elif position.waste and position.redeals_left != 0:
        yield Move("redeal", -1, -1, 0)  # G4, C7, S8, Y7, V7

    # G2, C6: the tops of the waste and the reserve.
    for name, cards in (("waste", position.waste), ("reserve", position.reserve)):
        if cards:
            if foundation_for(options, position.foundations, cards[-1]) is not None:
                yield Move(f"{name}_foundation", -1, -1, 1)
            for target in targets(options, position, cards[-1]):
                yield Move(f"{name}_pile", -1, target, 1)

    for source, pile in enumerate(position.tableau):
        # G2: single top cards only.
        if pile and foundation_for(options, position.foundations, pile[-1]) is not None:
            yield Move("pile_foundation", source, -1, 1)
        for count in movable_counts(options, pile):
            for target in targets(options, position, pile[-count]):
                if target != source:
                    kind = "pile_pile" if position.tableau[target] else "pile_space"
                    yield Move(kind, source, target, count)

    # S7, C8, Y7, V7
    if options.foundation_returns:
        for source, cards in enumerate(position.foundations):
            # G9: of two equal ones the last stands for both.
            if cards and cards not in position.foundations[source + 1 :]:
                for target in targets(options, position, cards[-1]):
                    yield Move("foundation_pile", source, target, 1)

    # V6: whatever card it turns out to be.
    space = first_space(position)
    if options.stock_to_space and position.stock and space is not None:
        yield Move("stock_space", -1, space, 1)


def legal_moves(options: Options, position: RefPosition) -> list[Move]:
    """Every legal action: the candidates that change the position (G8). None after a win (G7)."""
    if is_won(position):
        return []
    before = canonical(position)
    return [move for move in candidates(options, position) if canonical(play(options, position, move)) != before]


# ---------------------------------------------------------------- playing a move


def play(options: Options, position: RefPosition, move: Move) -> RefPosition:
    """The position after a move, with the refill that belongs to it (G5)."""
    foundations = [list(cards) for cards in position.foundations]
    tableau = [list(cards) for cards in position.tableau]
    stock = list(position.stock)
    waste = list(position.waste)
    reserve = list(position.reserve)

    if move.kind == "deal":
        # V7: one after the other, so the third lies on top; the last deal gives what is left.
        waste += [stock.pop() for _ in range(min(options.cards_per_deal, len(stock)))]
        return replace(position, stock=tuple(stock), waste=tuple(waste))
    if move.kind == "redeal":
        # G4: turned over as a block, the waste's bottom card comes first again.
        left = None if position.redeals_left is None else position.redeals_left - 1
        again = tuple(reversed(waste))
        return replace(position, stock=again, waste=(), redeals_left=left, stock_seen=True)

    if move.kind.startswith("waste_"):
        taken_from = waste
    elif move.kind.startswith("reserve_"):
        taken_from = reserve
    elif move.kind.startswith("stock_"):
        taken_from = stock
    elif move.kind.startswith("pile_"):
        taken_from = tableau[move.source]
    else:
        taken_from = foundations[move.source]
    lifted = taken_from[len(taken_from) - move.count :]
    del taken_from[len(taken_from) - move.count :]
    if move.kind.endswith("_foundation"):
        target = foundation_for(options, foundations, lifted[0])
        assert target is not None, f"{lifted[0]} fits no foundation"
        foundations[target].extend(lifted)
    else:
        tableau[move.target].extend(lifted)

    # Y5, V5: the pile that this move emptied is filled at once.
    if move.kind.startswith("pile_") and not tableau[move.source]:
        fillers = {
            "none": [],
            "stock": [stock],
            "reserve": [reserve],
            "waste_then_stock": [waste, stock],
        }[options.refill]
        for filler in fillers:
            if filler and not tableau[move.source]:
                tableau[move.source].append(filler.pop())

    # G9: two equal foundations are one thing; the longer is written first.
    for first in range(0, len(foundations), options.decks):
        foundations[first : first + options.decks] = sorted(
            foundations[first : first + options.decks], key=len, reverse=True
        )
    return replace(
        position,
        foundations=tuple(tuple(cards) for cards in foundations),
        tableau=tuple(tuple(cards) for cards in tableau),
        stock=tuple(stock),
        waste=tuple(waste),
        reserve=tuple(reserve),
    )


# ---------------------------------------------------------------- end, identity, knowledge


def is_won(position: RefPosition) -> bool:
    """Every card on the foundations (G7)."""
    elsewhere = [*position.tableau, position.stock, position.waste, position.reserve]
    return not any(elsewhere)


def outcome(options: Options, position: RefPosition) -> str:
    """``"won"``, tested first, ``"lost"`` without a legal action, or ``"playing"`` (G7)."""
    if is_won(position):
        return "won"
    return "playing" if legal_moves(options, position) else "lost"


def canonical(position: RefPosition) -> Hashable:
    """Equal for positions that differ only in the order of piles or of equal foundations (G8)."""
    return (
        tuple(sorted(position.foundations)),
        tuple(sorted(position.tableau)),
        position.stock,
        position.waste,
        position.reserve,
        position.redeals_left,
    )


def known(options: Options, position: RefPosition, level: str) -> Hashable:
    """What the player knows: equal for two positions that he cannot tell apart (K1 to K4).

    Piles keep their order: where a pile lies is to be seen. The options are public, and so is
    whether and how often the waste has been turned over.
    """
    redeals = (position.redeals_left, position.stock_seen)
    in_sight = (position.foundations, position.tableau, position.reserve, redeals)
    waste: Hashable = position.waste
    stock: Hashable = position.stock
    if level == "table":  # K1: the waste is squared, the stock lies face down
        waste = (position.waste[-1:], len(position.waste))
        stock = len(position.stock)
    elif level == "recall":  # K2: the stock is known once it has been through the waste
        stock = position.stock if position.stock_seen else len(position.stock)
    elif level != "open":  # K3
        raise ValueError(f"no such level: {level!r}")
    return (options, in_sight, waste, stock)
