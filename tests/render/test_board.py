from __future__ import annotations

import dataclasses

import numpy as np
import pygame
import pytest
from numpy.typing import NDArray

from solitaire_env import GAMES, Position, Rules
from solitaire_env.cards import CARDS_PER_DECK, card_text
from solitaire_env.position import UNKNOWN
from solitaire_env.render.board import draw_board
from solitaire_env.render.faces import card_picture
from solitaire_env.render.felt import MARK
from solitaire_env.render.marks import marks
from solitaire_env.render.table import SIZE, Place, Rect, index_size, lay_out
from tests.render.scenes import scene, won

SWISS = GAMES["swiss"]


def picture(
    rules: Rules,
    position: Position,
    *,
    previous: Position | None = None,
    message: str = "",
    size: tuple[int, int] = SIZE,
) -> NDArray[np.uint8]:
    surface = pygame.Surface(size)
    draw_board(surface, rules, position, previous=previous, message=message)
    return pygame.surfarray.array3d(surface)


def moved_to(position: Position, **piles: tuple[str, ...]) -> Position:
    """The position with some piles, named like ``pile2``, exchanged."""
    tableau = list(position.tableau)
    for name, cards in piles.items():
        tableau[int(name.removeprefix("pile"))] = cards
    return dataclasses.replace(position, tableau=tuple(tableau))


def test_all_faces_differ() -> None:
    cards = [*map(card_text, range(CARDS_PER_DECK)), UNKNOWN]
    faces = {pygame.image.tobytes(card_picture(card, (57, 80)), "RGBA") for card in cards}
    assert len(faces) == len(cards)


@pytest.mark.parametrize("width", [40, 57, 81])
@pytest.mark.parametrize(("one", "other"), ["SC", "HD", "SH", "CD", "SD", "CH"])
def test_suits_differ_in_shape_not_only_in_colour(width: int, one: str, other: str) -> None:
    """In the corner that is always to be seen, whatever the colour of the ink."""

    def ink(card: str) -> NDArray[np.bool_]:
        face = card_picture(card, (width, round(width * 1.4)))
        corner = face.subsurface((1, 1, *index_size(width)))
        return pygame.surfarray.array3d(corner)[..., 1] < 150

    first, second = ink("7" + one), ink("7" + other)
    suit = np.logical_or(first, second)[width // 4 :].sum()
    assert (first != second).sum() > 0.15 * suit


def test_a_picture_depends_on_nothing_but_its_arguments() -> None:
    position = scene(SWISS, SWISS.pile_heights, waste=4)
    first = picture(SWISS, position)
    picture(GAMES["courtyard"], scene(GAMES["courtyard"]))
    assert np.array_equal(picture(SWISS, position), first)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("size", [(800, 600), (1920, 1080), (320, 240), (64, 48)])
def test_every_game_in_every_size(game: str, size: tuple[int, int]) -> None:
    rules = GAMES[game]
    position = scene(rules, rules.pile_heights, reserve=rules.reserve, waste=5)
    drawn = picture(rules, position, size=size)
    assert drawn.shape == (*size, 3)
    assert len(np.unique(drawn.reshape(-1, 3), axis=0)) > 20


def test_stock_cards_do_not_show() -> None:
    position = scene(SWISS, SWISS.pile_heights, waste=4)
    other = dataclasses.replace(position, stock=position.stock[::-1])
    assert np.array_equal(picture(SWISS, position), picture(SWISS, other))


def test_buried_waste_shows_only_to_those_who_remember_it() -> None:
    position = scene(SWISS, SWISS.pile_heights, waste=4)
    *buried, top = position.waste
    other = dataclasses.replace(position, waste=(*reversed(buried), top))
    drawn = [picture(SWISS, p.known("table")) for p in (position, other)]
    assert np.array_equal(*drawn)
    drawn = [picture(SWISS, p.known("recall")) for p in (position, other)]
    assert not np.array_equal(*drawn)


def test_the_number_of_stock_cards_and_redeals_shows() -> None:
    position = scene(SWISS, waste=4)
    fewer = dataclasses.replace(position, stock=position.stock[1:])
    none = dataclasses.replace(position, stock=())
    drawn = [picture(SWISS, p) for p in (position, fewer, none)]
    for redeals in (1, 2, 13, None):
        drawn.append(picture(SWISS, dataclasses.replace(position, redeals_left=redeals)))
        drawn.append(picture(SWISS, dataclasses.replace(none, redeals_left=redeals)))
    assert len({image.tobytes() for image in drawn}) == len(drawn)


def test_a_message_shows_on_a_full_and_on_an_empty_table() -> None:
    for position in (scene(SWISS, SWISS.pile_heights), won(SWISS)):
        shown = picture(SWISS, position, message="Game won")
        assert np.any((shown != picture(SWISS, position)).any(axis=2))


def test_a_message_covers_no_card() -> None:
    position = scene(SWISS, SWISS.pile_heights)
    changed = (picture(SWISS, position, message="No move left") != picture(SWISS, position)).any(axis=2)
    for spot in lay_out(SWISS, position).cards:
        x, y, width, height = spot.rect
        assert not changed[x : x + width, y : y + height].any()


def test_the_last_move_is_marked() -> None:
    before = scene(SWISS, [2, 3])
    first, second = before.tableau[:2]
    after = moved_to(before, pile0=first[:1], pile1=(*second, first[1]))
    shown = picture(SWISS, after, previous=before)
    assert not (picture(SWISS, after) == MARK).all(axis=2).any()
    framed = (shown == MARK).all(axis=2)
    top = lay_out(SWISS, after).spots(Place("pile", 1))[-1].rect
    middle = top.x + top.width // 2
    assert framed[middle, top.y - 3 : top.y].any()
    assert framed[middle, top.bottom : top.bottom + 3].any()
    left = lay_out(SWISS, after).spots(Place("pile", 0))[-1].rect
    assert framed[left.x : left.x + 20, left.y - 3].any()
    assert not framed[left.x + left.width // 2, left.y - 3 : left.y].any()


def changes(rules: Rules, after: Position, before: Position) -> set[tuple[Rect, bool]]:
    return set(marks(lay_out(rules, after), after, before))


def test_marks_of_a_run() -> None:
    before = scene(SWISS, [3, 1])
    run, single = before.tableau[:2]
    after = moved_to(before, pile0=(), pile1=single + run)
    table = lay_out(SWISS, after)
    first, last = (table.spots(Place("pile", 1))[i].rect for i in (1, -1))
    around = Rect(first.x, first.y, first.width, last.bottom - first.y)
    empty = table.slots[Place("pile", 0)]
    assert changes(SWISS, after, before) == {(around, True), (empty, False)}


def test_marks_of_a_deal_of_three_and_of_a_redeal() -> None:
    rules = GAMES["variegated_canfield"]
    before = scene(rules, waste=2)
    after = dataclasses.replace(before, stock=before.stock[:-3], waste=before.waste + before.stock[:-4:-1])
    table = lay_out(rules, after)
    stock, waste = table.slots[Place("stock")], table.spots(Place("waste"))
    around = Rect(waste[0].rect.x, waste[0].rect.y, waste[2].rect.right - waste[0].rect.x, stock.height)
    assert changes(rules, after.known("table"), before.known("table")) == {
        (stock, False),
        (waste[0].rect, True),  # squared: the top card lies where else the first one does
    }
    assert changes(rules, after, before) == {(stock, False), (around, True)}

    before = dataclasses.replace(before, stock=(), waste=before.stock)
    after = dataclasses.replace(before, stock=before.waste[::-1], waste=())
    assert changes(rules, after, before) == {(stock, True), (table.slots[Place("waste")], False)}


def test_marks_of_a_card_to_the_second_foundation_of_its_suit() -> None:
    rules = GAMES["courtyard"]
    before = dataclasses.replace(scene(rules), foundations=(("AS", "2S"), ("AS",), *((),) * 6))
    before = moved_to(before, pile4=("KD", "2S"))
    after = dataclasses.replace(before, foundations=(("AS", "2S"), ("AS", "2S"), *((),) * 6))
    after = moved_to(after, pile4=("KD",))
    slots = lay_out(rules, after).slots
    assert changes(rules, after, before) == {
        (slots[Place("foundation", 1)], True),
        (slots[Place("pile", 4)], False),
    }


def test_marks_of_a_refilled_pile() -> None:
    rules = GAMES["courtyard"]
    before = scene(rules, [1, 1])
    (first,), (second,) = before.tableau[:2]
    after = dataclasses.replace(before, stock=before.stock[:-1])
    after = moved_to(after, pile0=(before.stock[-1],), pile1=(second, first))
    table = lay_out(rules, after)
    assert changes(rules, after, before) == {
        (table.slots[Place("stock")], False),
        (table.slots[Place("pile", 0)], True),
        (table.spots(Place("pile", 1))[-1].rect, True),
    }


def test_marks_of_a_pile_in_several_columns() -> None:
    before = scene(SWISS, [30, 1])
    pile, _ = before.tableau[:2]
    start = moved_to(before, pile0=pile[:2])
    table = lay_out(SWISS, before)
    columns = {spot.rect.x for spot in table.spots(Place("pile", 0))}
    framed = changes(SWISS, before, start)
    assert len(columns) > 1
    assert {rect.x for rect, whole in framed if whole} == columns
