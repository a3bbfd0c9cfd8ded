"""What a player sees, as one flat array of zeros and ones, and how to read it back.

An observation is a table of 52 rows, one for each card (``suit * 13 + rank``, see cards.py), followed by a few
numbers. The columns of a row, each present only where the game can use it (``observation_table`` gives the exact
places):

| column | width | 1 means |
| --- | --- | --- |
| ``pile_0`` ... | one a pile | a copy of the card is on that pile |
| ``foundation`` | decks | one copy (two copies) of the card on the foundations |
| ``top`` | 1 | a copy is the top card of a pile |
| ``waste_top`` | 1 | the card is the top of the waste |
| ``reserve_top`` | 1, if it may hold several | the card is the top of the reserve |
| ``reserve`` | decks, with a reserve | one copy (two copies) in the reserve |
| ``waste`` | decks | one copy (two copies) known to be in the waste |
| ``stock`` | decks, if it can be seen | one copy (two copies) known to be in the stock |
| ``height`` | decks * bits | 1 + height from the bottom of its place, binary, the lowest bit first (see below) |

After the rows: the sizes of stock and waste (binary, lowest bit first), the redeals left (that many ones), and whether
the waste has been turned over. A card without a mark in its row is one that the player has not seen, or does not
remember. Heights are counted from the bottom because they stay as they are while cards come and go on top; those of two
copies come in the order piles, reserve, waste, stock.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solitaire_env.cards import CARDS_PER_DECK, RANKS_PER_SUIT, SUITS, card_text
from solitaire_env.compilation import jit, jit_inline
from solitaire_env.layout import (
    AT_GLOBALS,
    CODE_BITS,
    COLUMN_CODE,
    COLUMN_FOUNDATION,
    COLUMN_RESERVE,
    COLUMN_RESERVE_TOP,
    COLUMN_STOCK,
    COLUMN_TOP,
    COLUMN_WASTE,
    COLUMN_WASTE_TOP,
    DECKS,
    FOUNDATION,
    N_OBSERVATION,
    PILES,
    REDEAL_BITS,
    REDEALS,
    REDEALS_LEFT,
    RESERVE,
    ROW_WIDTH,
    SIZES,
    STOCK,
    STOCK_SEEN,
    WASTE,
    Spec,
    State,
    compile_rules,
)
from solitaire_env.position import UNKNOWN, Position, foundation_pile
from solitaire_env.rules import Rules
from solitaire_env.stacks import LOG_ENTRY, Log, address

Level = Literal["table", "recall", "open"]
LEVELS: tuple[Level, ...] = ("table", "recall", "open")
"""What a player knows (K1, K2, K3); a level's index here is what the compiled functions take."""
TABLE, RECALL, OPEN = range(3)

Bits = NDArray[Any]  # uint8, 0 and 1
CardIndex = NDArray[Any]  # int16
# The card index: for each card code the keys of its two copies (one, with one deck), the lower key first.
INDEX_SIZE = 2 * CARDS_PER_DECK
_KEY = 1 << 7  # a key is location * 128 + height
_ON_FOUNDATION = FOUNDATION * _KEY


@jit
def observe(spec: Spec, level: int, state: State, index: CardIndex, observation: Bits) -> None:
    """Writes the whole observation of a state, and the card index that ``observe_changes`` goes on from."""
    index[:] = _ON_FOUNDATION  # the highest key: what is found in no stack is on a foundation
    for pile in range(spec[PILES]):
        _index_stack(spec, state, pile, index)
    _index_stack(spec, state, RESERVE, index)
    _index_stack(spec, state, WASTE, index)
    _index_stack(spec, state, STOCK, index)
    for card in range(CARDS_PER_DECK):
        _write_row(spec, level, state, index, card, observation)
    _write_globals(spec, state, observation)


@jit_inline
def observe_changes(spec: Spec, level: int, state: State, log: Log, index: CardIndex, observation: Bits) -> None:
    """Brings an observation and its card index up to date with the action that ``log`` tells of."""
    entries = log[0]
    if entries < 0:
        observe(spec, level, state, index, observation)
        return
    talon_changed = False
    for at in range(1, 1 + entries * LOG_ENTRY, LOG_ENTRY):
        source, target = np.int64(log[np.uint64(at)]), np.int64(log[np.uint64(at + 2)])
        talon_changed |= (source == WASTE) | (source == STOCK) | (target == WASTE)
        old, new = source * _KEY + log[np.uint64(at + 1)], target * _KEY + log[np.uint64(at + 3)]
        for i in range(log[np.uint64(at + 4)]):
            card = _logged_card(spec, state, log, at, i)
            first = np.uint64(2 * card)
            if spec[DECKS] == 1:
                index[first] = new + i
                continue
            second = np.uint64(2 * card + 1)
            kept = np.int64(index[second] if index[first] == old + i else index[first])
            index[first], index[second] = min(kept, new + i), max(kept, new + i)
    for at in range(1, 1 + entries * LOG_ENTRY, LOG_ENTRY):
        for i in range(log[np.uint64(at + 4)]):
            _write_row(spec, level, state, index, _logged_card(spec, state, log, at, i), observation)
        source, height = np.int64(log[np.uint64(at)]), np.int64(log[np.uint64(at + 1)])
        _write_neighbour(spec, level, state, index, source, height - 1, observation)
        target, height = np.int64(log[np.uint64(at + 2)]), np.int64(log[np.uint64(at + 3)])
        _write_neighbour(spec, level, state, index, target, height - 1, observation)
    if talon_changed:
        _write_globals(spec, state, observation)


@jit
def _index_stack(spec: Spec, state: State, location: int, index: CardIndex) -> None:
    for height in range(state[SIZES + location]):
        first = 2 * state[address(spec, location, height)]
        copy = 0 if index[first] == _ON_FOUNDATION else 1
        index[first + copy] = location * _KEY + height


@jit
def _logged_card(spec: Spec, state: State, log: Log, at: int, i: int) -> int:
    if log[at + 4] == 1:
        return np.int64(log[np.uint64(at + 5)])
    return np.int64(state[np.uint64(address(spec, log[at + 2], log[at + 3] + i))])


@jit_inline
def _write_neighbour(
    spec: Spec, level: int, state: State, index: CardIndex, location: int, height: int, observation: Bits
) -> None:
    """Writes the row of a card that has become, or ceased to be, the top of a pile, the reserve or the waste."""
    if height < 0 or location >= STOCK or height >= state[np.uint64(SIZES + location)]:
        return
    card = np.int64(state[np.uint64(address(spec, location, height))])
    if level == TABLE:
        _write_row(spec, level, state, index, card, observation)
        return
    place, top, _ = _seen_place(level, state, index[np.uint64(2 * card)])
    place2, top2, _ = _seen_place(level, state, index[np.uint64(2 * card + 1)])
    _write_tops(spec, observation, np.uint64(card * spec[ROW_WIDTH]), place, top, place2, top2)


@jit_inline
def _write_row(spec: Spec, level: int, state: State, index: CardIndex, card: int, observation: Bits) -> None:
    # Where a card lies is as good as random, so the row is computed without branches on it; and indices are unsigned,
    # which spares the compiled code a test for negative ones. Both together make this several times as fast.
    place, top, code = _seen_place(level, state, index[np.uint64(2 * card)])
    place2, top2, code2 = -1, False, 0
    decks = spec[DECKS]
    if decks == 2:
        place2, top2, code2 = _seen_place(level, state, index[np.uint64(2 * card + 1)])
    at = np.uint64(card * spec[ROW_WIDTH])
    for pile in range(np.uint64(spec[PILES])):
        observation[at + pile] = (place == np.int64(pile)) | (place2 == np.int64(pile))
    _write_tops(spec, observation, at, place, top, place2, top2)
    _write_count(observation, at, decks, spec[COLUMN_FOUNDATION], place == FOUNDATION, place2 == FOUNDATION)
    _write_count(observation, at, decks, spec[COLUMN_RESERVE], place == RESERVE, place2 == RESERVE)
    _write_count(observation, at, decks, spec[COLUMN_WASTE], place == WASTE, place2 == WASTE)
    _write_count(observation, at, decks, spec[COLUMN_STOCK], place == STOCK, place2 == STOCK)
    at += np.uint64(spec[COLUMN_CODE])
    _write_bits(spec, observation, at, code if code > 0 else code2)
    if decks == 2:
        _write_bits(spec, observation, at + np.uint64(spec[CODE_BITS]), code2 if code > 0 else 0)


@jit
def _write_tops(spec: Spec, observation: Bits, at: int, place: int, top: bool, place2: int, top2: bool) -> None:
    on_pile, on_pile2 = (place >= 0) & (place < RESERVE), (place2 >= 0) & (place2 < RESERVE)
    observation[at + np.uint64(spec[COLUMN_TOP])] = (on_pile & top) | (on_pile2 & top2)
    observation[at + np.uint64(spec[COLUMN_WASTE_TOP])] = ((place == WASTE) & top) | ((place2 == WASTE) & top2)
    if spec[COLUMN_RESERVE_TOP] >= 0:
        in_reserve = ((place == RESERVE) & top) | ((place2 == RESERVE) & top2)
        observation[at + np.uint64(spec[COLUMN_RESERVE_TOP])] = in_reserve


@jit
def _seen_place(level: int, state: State, key: int) -> tuple[int, bool, int]:
    """Where the player knows a copy to be: its location or -1, whether it is the top there, and 1 + its height or 0."""
    location = np.int64(key) >> 7
    height = np.int64(key) & 127
    top = (location < FOUNDATION) & (height + 1 == state[np.uint64(SIZES + location)])
    stock_known = (level == OPEN) | ((level == RECALL) & (state[STOCK_SEEN] != 0))  # K2, K4
    seen = ((location != WASTE) | (level != TABLE) | top) & ((location != STOCK) | stock_known)  # K1
    place = location if seen else -1
    return place, top & seen, height + 1 if seen & (location < FOUNDATION) else 0


@jit
def _write_count(observation: Bits, at: int, decks: int, column: int, one: bool, other: bool) -> None:
    """Writes how many of the two copies are somewhere as that many ones; nothing if the game has no such column."""
    if column < 0:
        return
    at += np.uint64(column)
    observation[at] = one | other
    if decks == 2:
        observation[at + np.uint64(1)] = one & other


@jit
def _write_globals(spec: Spec, state: State, observation: Bits) -> None:
    at = np.uint64(spec[AT_GLOBALS])
    bits = np.uint64(spec[CODE_BITS])
    _write_bits(spec, observation, at, np.int64(state[SIZES + STOCK]))
    _write_bits(spec, observation, at + bits, np.int64(state[SIZES + WASTE]))
    at += bits + bits
    for i in range(spec[REDEAL_BITS]):
        observation[at + np.uint64(i)] = state[REDEALS_LEFT] > i
    if spec[REDEALS] != 0:
        observation[at + np.uint64(spec[REDEAL_BITS])] = state[STOCK_SEEN]


@jit
def _write_bits(spec: Spec, observation: Bits, at: int, number: int) -> None:
    for bit in range(spec[CODE_BITS]):
        observation[at + np.uint64(bit)] = (number >> bit) & 1


# ---- the readable side -----------------------------------------------------------------------------------------------


class Column(NamedTuple):
    """One part of an observation.

    Attributes:
        name: The column's name, as in this module's docstring.
        start: First index: within each card's row for columns of the table, else in the whole observation.
        width: Number of entries.
        per_card: Whether it is a column of the table, of which every card's row has one.
    """

    name: str
    start: int
    width: int
    per_card: bool


def row_width(rules: Rules) -> int:
    """Returns the number of entries in one card's row: entry ``i`` of a card is at ``card * row_width + i``."""
    return int(compile_rules(rules)[ROW_WIDTH])


def observation_table(rules: Rules) -> list[Column]:
    """Returns what every slice of an observation means: a card row's columns, then the numbers after the rows."""
    spec = compile_rules(rules)
    bits = int(spec[CODE_BITS])
    columns = [Column(f"pile_{pile}", pile, 1, True) for pile in range(rules.n_piles)]
    for name, index, width in (
        ("foundation", COLUMN_FOUNDATION, rules.decks),
        ("top", COLUMN_TOP, 1),
        ("waste_top", COLUMN_WASTE_TOP, 1),
        ("reserve_top", COLUMN_RESERVE_TOP, 1),
        ("reserve", COLUMN_RESERVE, rules.decks),
        ("waste", COLUMN_WASTE, rules.decks),
        ("stock", COLUMN_STOCK, rules.decks),
        ("height", COLUMN_CODE, rules.decks * bits),
    ):
        if spec[index] >= 0:
            columns.append(Column(name, int(spec[index]), width, True))
    at = int(spec[AT_GLOBALS])
    redeal_bits = int(spec[REDEAL_BITS])
    for name, width in (
        ("stock_size", bits),
        ("waste_size", bits),
        ("redeals_left", redeal_bits),
        ("stock_seen", int(rules.redeals != 0)),
    ):
        if width:
            columns.append(Column(name, at, width, False))
        at += width
    return columns


def observation_size(rules: Rules) -> int:
    """Returns the length of an observation."""
    return int(compile_rules(rules)[N_OBSERVATION])


def encode(rules: Rules, position: Position, level: Level = "recall") -> NDArray[np.uint8]:
    """Returns the observation of a position at a knowledge level: uint8, ``(observation_size(rules),)``.

    Raises:
        ValueError: The position is none of this game.
    """
    observation = np.zeros(observation_size(rules), np.uint8)
    index = np.zeros(INDEX_SIZE, np.int16)
    observe(compile_rules(rules), LEVELS.index(level), position.to_state(rules), index, observation)
    return observation


def decode(rules: Rules, observation: ArrayLike) -> Position:
    """Returns the position that an observation shows; cards that it does not show are written ``"??"``.

    For every position and level, ``decode(rules, encode(rules, position, level)) == position.known(level)``: different
    knowledge never has the same observation. Redeals left are read as unlimited where the rules say so.

    Args:
        rules: The rules of the game.
        observation: An observation of shape ``(observation_size(rules),)``, of any numeric dtype.
    """
    values = np.asarray(observation).astype(np.int64)
    columns = {column.name: column for column in observation_table(rules)}
    rows = values[: CARDS_PER_DECK * row_width(rules)].reshape(CARDS_PER_DECK, -1)

    def cells(card: int, name: str) -> NDArray[np.int64]:
        column = columns.get(name)
        return rows[card, column.start : column.start + column.width] if column else np.zeros(0, np.int64)

    def number(name: str) -> int:
        column = columns[name]
        return _number(values[column.start : column.start + column.width])

    bits = columns["stock_size"].width
    stacks: dict[int, dict[int, str]] = {location: {} for location in (*range(rules.n_piles), RESERVE, WASTE, STOCK)}
    for card in range(CARDS_PER_DECK):
        heights = [_number(code) - 1 for code in cells(card, "height").reshape(rules.decks, bits) if code.any()]
        places = [pile for pile in range(rules.n_piles) if rows[card, pile]]
        for name, location in (("reserve", RESERVE), ("waste", WASTE), ("stock", STOCK)):
            places += [location] * int(cells(card, name).sum())
        if len(places) < len(heights):  # without a column for the stock the card is there; else its twin is on its pile
            places.append(places[0] if "stock" in columns else STOCK)
        for location, height in zip(places, heights, strict=True):
            stacks[location][height] = card_text(card)

    def cards(location: int, size: int) -> tuple[str, ...]:
        return tuple(stacks[location].get(height, UNKNOWN) for height in range(size))

    piled = rows[:, columns["foundation"].start :][:, : rules.decks].reshape(len(SUITS), RANKS_PER_SUIT, rules.decks)
    return Position(
        foundations=tuple(
            foundation_pile(rules, suit, int(piled[suit, :, copy].sum()))
            for suit in range(len(SUITS))
            for copy in range(rules.decks)
        ),
        tableau=tuple(cards(pile, len(stacks[pile])) for pile in range(rules.n_piles)),
        stock=cards(STOCK, number("stock_size")),
        waste=cards(WASTE, number("waste_size")),
        reserve=cards(RESERVE, len(stacks[RESERVE])),
        redeals_left=None
        if rules.redeals is None
        else int(values[columns["redeals_left"].start :][: rules.redeals].sum())
        if rules.redeals
        else 0,
        stock_seen="stock_seen" in columns and bool(number("stock_seen")),
    )


def _number(bits: NDArray[np.int64]) -> int:
    return sum(int(bit) << i for i, bit in enumerate(bits))
