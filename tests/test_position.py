"""Positions in and out: what is refused, and why; the order of foundations; text that cannot be read."""

from __future__ import annotations

import dataclasses

import pytest

from solitaire_env import COURTYARD, COYOTE, SWISS, Position, Rules, SolitaireEnv

FULL = "/".join("".join(rank + suit for rank in "A23456789TJQK") for suit in "SHDC")
NINE_EMPTY = "/".join("-" * 9)


def dealt(game: str, deal: int = 1) -> Position:
    env = SolitaireEnv(game)
    env.reset(options={"deal": deal})
    return env.position


@pytest.mark.parametrize(
    ("rules", "text", "reason"),
    [
        (COYOTE, f"F={FULL[:-2]} T=-/-/-/- S=- W=- R=- redeals=0", "missing: KC"),
        (COYOTE, f"F={FULL} T=KC/-/-/- S=- W=- R=- redeals=0", "too many: KC"),
        (COYOTE, f"F={FULL[:-2]} T=KD/-/-/- S=- W=- R=- redeals=0", "missing: KC; too many: KD"),
        (COYOTE, f"F={FULL} T=-/-/- S=- W=- R=- redeals=0", "3 piles"),
        (COYOTE, f"F={FULL}/- T=-/-/-/- S=- W=- R=- redeals=0", "5 foundations"),
        (COYOTE, f"F={FULL} T=-/-/-/- S=- W=- R=- redeals=2", "redeals_left is 2"),
        (COYOTE, f"F={FULL} T=-/-/-/- S=- W=- R=- redeals=unlimited", "redeals_left is None"),
        (COYOTE, f"F={FULL} T=-/-/-/- S=- W=- R=- redeals=1 seen=yes", "stock_seen"),
        (COYOTE, f"F={FULL[:-4]}KCQC T=-/-/-/- S=- W=- R=- redeals=0", "does not build up"),
        (COYOTE, f"F={FULL[:-4]} T=-/-/-/- S=- W=- R=QCKC redeals=0", "reserve holds 2"),
        (SWISS, f"F={FULL} T={NINE_EMPTY} S=- W=- R=- redeals=0", "does not build up in suit from 2"),
        (COYOTE.replace(redeals=None), f"F={FULL} T=-/-/-/- S=- W=- R=- redeals=1", "unlimited"),
    ],
)
def test_invalid_positions_are_refused_with_the_reason(rules: Rules, text: str, reason: str) -> None:
    env = SolitaireEnv(rules)
    with pytest.raises(ValueError, match=reason):
        env.reset(options={"position": text})


def test_two_foundations_of_a_suit_in_one_deck_are_refused() -> None:
    position = dataclasses.replace(dealt("swiss"), foundations=(("2S",), (), (), ()))
    with pytest.raises(ValueError, match="too many: 2S"):
        position.to_state(SWISS)
    split = Position.from_text(f"F=AS/2S/{FULL[27:53]}/{FULL[54:]} T=-/-/-/- S=- W=- R=- redeals=0")
    with pytest.raises(ValueError, match="missing"):
        split.to_state(COYOTE)


def test_pile_with_too_many_cards_out_of_order_is_refused() -> None:
    deal = dealt("courtyard")
    pile = deal.stock[:40]
    position = dataclasses.replace(deal, stock=deal.stock[40:], tableau=(deal.tableau[0] + pile, *deal.tableau[1:]))
    with pytest.raises(ValueError, match=r"pile 0 has .* cards beneath its run: at most 12"):
        position.to_state(COURTYARD)


def test_foundations_are_taken_in_any_order() -> None:
    deal = dealt("courtyard")
    position = dataclasses.replace(
        deal,
        foundations=((), ("AC",), (), ("AS",), (), ("AS", "2S"), (), ()),
        stock=(),
        waste=(),
    )
    cards = [c for pile in (*deal.tableau, deal.stock) for c in pile]
    for card in ("AC", "AS", "AS", "2S"):
        cards.remove(card)
    position = dataclasses.replace(position, tableau=tuple((c,) for c in cards[:12]), stock=tuple(cards[12:]))
    env = SolitaireEnv("courtyard")
    env.reset(options={"position": position})
    assert env.position.foundations == (("AS", "2S"), ("AS",), (), (), (), (), ("AC",), ())


def test_redeals_used_mean_that_the_stock_was_seen() -> None:
    """K2: a player who has turned the waste over knows the stock, whether the position says so or not."""
    deal = dealt("coyote")
    env = SolitaireEnv("coyote")
    env.reset(options={"position": dataclasses.replace(deal, redeals_left=0)})
    assert env.position.stock_seen
    assert not deal.stock_seen


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "lacks F="),
        ("F=- T=- S=- W=- R=- redeals=-1", "redeals='-1'"),
        ("F=- T=- S=- W=- R=- redeals=²", "redeals="),
        ("F=- T=- S=- W=- R=- redeals=0 seen=maybe", "seen='maybe'"),
        ("F=- F=- T=- S=- W=- R=- redeals=0", "cannot read 'F=-'"),
        ("F=- T=- S=- W=- R=- redeals=0 X=1", "cannot read 'X=1'"),
        ("F=- T=- S=AS2 W=- R=- redeals=0", "two letters a card"),
        ("F=- T=- S= W=- R=- redeals=0", "two letters a card"),
        ("F=- T=- S=1S W=- R=- redeals=0", "unknown card '1S'"),
        ("F=- T=- S=?? W=- R=- redeals=0", "unknown card"),
    ],
)
def test_text_that_cannot_be_read_is_shown(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        Position.from_text(text)


def test_position_is_frozen_and_hashable() -> None:
    position = dealt("variegated_canfield")
    with pytest.raises(dataclasses.FrozenInstanceError):
        position.stock = ()  # type: ignore[misc]
    assert len({position, dealt("variegated_canfield")}) == 1
    assert position.foundation_cards == 8
