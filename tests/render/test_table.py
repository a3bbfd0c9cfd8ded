from __future__ import annotations

import dataclasses
import itertools

import pytest
from hypothesis import given, settings

from solitaire_env import GAMES, Position, Rules, SolitaireEnv
from solitaire_env.position import UNKNOWN
from solitaire_env.render.table import (
    SIZE,
    Place,
    Rect,
    Table,
    index_size,
    lay_out,
    rank_height,
)
from tests.render.scenes import FREE_RULES, scene, scenes

LEGIBLE = 9  # pixels that the letters of a rank are high at least, in a picture of 800 x 600


def overlap(a: Rect, b: Rect) -> bool:
    return a.x < b.right and b.x < a.right and a.y < b.bottom and b.y < a.bottom


def check(table: Table, rules: Rules, position: Position) -> None:
    """Nothing is cut off, and of every card rank and suit are to be seen."""
    width, height = table.size
    places = [*table.slots.values(), *(spot.rect for spot in table.cards)]
    assert all(r.x >= 0 and r.y >= 0 and r.right <= width and r.bottom <= height for r in places)
    assert all(a.x != b.x or a.y != b.y for a, b in itertools.combinations(table.slots.values(), 2))

    index_width, index_height = index_size(table.card_size[0])
    for number, spot in enumerate(table.cards):
        assert spot.rect[2:] == table.card_size
        assert spot.visible[:2] == spot.rect[:2]
        assert spot.visible.width >= index_width
        assert spot.visible.height >= index_height
        assert not any(overlap(spot.visible, later.rect) for later in table.cards[number + 1 :])

    for index, pile in enumerate(position.tableau):
        spots = table.spots(Place("pile", index))
        assert [(spot.depth, spot.card) for spot in spots] == list(enumerate(pile))
    assert tuple(spot.card for spot in table.spots(Place("reserve"))) == position.reserve
    assert [spot.card for spot in table.spots(Place("waste"))][-1:] == list(position.waste[-1:])
    assert len(table.spots(Place("stock"))) == bool(rules.stock_size and position.stock)


@settings(max_examples=300, deadline=None)
@given(scenes())
def test_nothing_is_cut_off_and_every_card_is_legible(drawn: tuple[Rules, Position]) -> None:
    rules, position = drawn
    table = lay_out(rules, position)
    check(table, rules, position)
    assert rank_height(table.card_size[0]) >= LEGIBLE


@settings(max_examples=50, deadline=None)
@given(scenes())
def test_other_sizes_of_the_picture(drawn: tuple[Rules, Position]) -> None:
    for size in ((1920, 1080), (640, 480), (600, 800)):
        check(lay_out(*drawn, size), *drawn)


@pytest.mark.parametrize("game", GAMES)
def test_the_longest_pile_of_each_game(game: str) -> None:
    rules = GAMES[game]
    longest = rules.deck_size if game == "swiss" else max(rules.pile_heights) + 24
    position = scene(rules, [0, longest])
    table = lay_out(rules, position)
    check(table, rules, position)
    assert rank_height(table.card_size[0]) >= LEGIBLE


@pytest.mark.parametrize("game", GAMES)
def test_a_pile_of_a_whole_suit_takes_one_column_and_leaves_the_cards_as_they_are(game: str) -> None:
    rules = GAMES[game]
    start = lay_out(rules, scene(rules, rules.pile_heights, reserve=rules.reserve))
    table = lay_out(rules, scene(rules, [0, 13, 13], reserve=rules.reserve))
    assert table.card_size == start.card_size
    assert table.slots == start.slots
    assert len({spot.rect.x for spot in table.spots(Place("pile", 1))}) == 1


def test_cards_keep_their_size_through_a_game() -> None:
    env = SolitaireEnv("swiss")
    env.reset(options={"deal": 7})
    sizes = set()
    for _ in range(60):
        env.step(max(env.legal_moves()))
        sizes.add(lay_out(env.rules, env.position).card_size)
    assert len(sizes) == 1


def test_places_of_a_game_with_everything() -> None:
    rules = GAMES["variegated_canfield"]
    slots = lay_out(rules, scene(rules)).slots
    kinds = [place.kind for place in slots]
    counts = {kind: kinds.count(kind) for kind in kinds}
    assert counts == {"foundation": 8, "stock": 1, "waste": 1, "reserve": 1, "pile": 5}


def test_a_game_without_reserve_and_stock_has_no_place_for_them() -> None:
    rules = Rules(decks=1, pile_heights=(13,) * 4, **FREE_RULES)
    table = lay_out(rules, scene(rules, rules.pile_heights))
    assert {place.kind for place in table.slots} == {"foundation", "pile"}


def test_what_lies_at_a_pixel() -> None:
    rules = GAMES["coyote"]
    table = lay_out(rules, scene(rules, [0, 3], waste=2))
    deepest, _, top = table.spots(Place("pile", 1))
    assert table.at(*deepest.rect[:2]) == (Place("pile", 1), 0)
    assert table.at(top.rect.right - 1, top.rect.bottom - 1) == (Place("pile", 1), 2)
    assert table.at(*table.slots[Place("pile", 0)][:2]) == (Place("pile", 0), -1)
    assert table.at(*table.slots[Place("reserve")][:2]) == (Place("reserve"), -1)
    below, above = table.spots(Place("waste"))
    assert table.at(*below.rect[:2]) == (Place("waste"), 0)
    assert table.at(below.rect.right - 1, below.rect.y) == (Place("waste"), 1)
    assert table.at(above.rect.right, above.rect.y) is None
    assert table.at(-1, -1) is None
    assert table.at(SIZE[0], 0) is None


@pytest.mark.parametrize(("dealt", "shown"), [(1, 3), (3, 3), (4, 4)])
def test_the_waste_shows_as_many_cards_as_a_deal_gives(dealt: int, shown: int) -> None:
    rules = GAMES["swiss"].replace(cards_per_deal=dealt)
    position = scene(rules, waste=9)
    spots = lay_out(rules, position).spots(Place("waste"))
    assert tuple(spot.card for spot in spots) == position.waste[-shown:]
    assert [spot.depth for spot in spots] == list(range(9 - shown, 9))


def test_waste_cards_that_the_player_does_not_know_are_not_laid_out() -> None:
    rules = GAMES["swiss"]
    position = scene(rules, waste=9)
    spots = lay_out(rules, position.known("table")).spots(Place("waste"))
    assert [(spot.card, spot.depth) for spot in spots] == [(position.waste[-1], 8)]


def test_the_stock_is_face_down() -> None:
    rules = GAMES["swiss"]
    position = dataclasses.replace(scene(rules), stock_seen=True).known("open")
    assert [spot.card for spot in lay_out(rules, position).spots(Place("stock"))] == [UNKNOWN]
