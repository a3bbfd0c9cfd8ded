"""A game forth and back, without any window."""

from __future__ import annotations

import random

import numpy as np
import pytest

from solitaire_env import GAMES, SolitaireEnv
from solitaire_env.play.hints import ask
from solitaire_env.play.session import Session
from tests.play.lines import WINNING

SUITED = {suit: "".join(rank + suit for rank in "A23456789TJQK") for suit in "SHDC"}
NINE_AND_EIGHT = (
    f"F={SUITED['S'][:12]}/{SUITED['H'][:22]}/{SUITED['D']}/{SUITED['C']} "
    "T=9S8S/-/7SKH/QHTSQSJSKS S=- W=- R=- redeals=0 seen=no"
)
"""Once the eight is in the empty pile nothing moves but the eight, back onto the nine."""


@pytest.mark.parametrize("game", GAMES)
def test_undo_and_redo_restore_everything(game: str) -> None:
    """Position, what is known, legal moves and observation; refills, deals of three and redeals included."""
    session = Session(game, deal=7)
    rng = random.Random(1)

    def all_of_it() -> tuple[object, ...]:
        view = session.view(avoid_repeats=False)
        return (session.position, session.known, session.legal_moves(), view.observation.tobytes(), session.actions)

    on_the_way = [all_of_it()]
    for _ in range(150):
        legal = list(session.legal_moves())
        if not legal:
            break
        session.play(rng.choice(legal))
        on_the_way.append(all_of_it())
    for before in on_the_way[-2::-1]:
        assert session.undo()
        assert all_of_it() == before
    assert not session.undo()
    for after in on_the_way[1:]:
        assert session.redo()
        assert all_of_it() == after
    assert not session.redo()
    assert session.restart()
    assert all_of_it() == on_the_way[0]
    assert not session.restart()


def test_the_refills_deals_of_three_and_redeals_that_undo_must_restore_do_occur() -> None:
    courtyard, variegated = Session("courtyard", deal=7), Session("variegated_canfield", deal=7)
    move = next(a for a, move in courtyard.legal_moves().items() if move.kind == "pile_pile")
    before = courtyard.position
    courtyard.play(move)
    assert len(courtyard.position.stock) == len(before.stock) - 1  # the pile was filled from it
    courtyard.undo()
    assert courtyard.position == before

    before = variegated.position
    for passed in range(1, 27):
        variegated.play(0)
        assert len(variegated.position.waste) == 3 * passed
    end_of_pass = variegated.position
    variegated.play(0)
    assert variegated.position.redeals_left == 1
    assert variegated.known.stock == variegated.position.stock
    variegated.undo()
    assert variegated.position == end_of_pass
    assert variegated.known.redeals_left == 2
    for _ in range(26):
        variegated.undo()
    assert variegated.position == before


def test_a_new_move_forgets_what_was_taken_back() -> None:
    session = Session("coyote", deal=7)
    session.play_all([0, 0, 0])
    session.undo()
    session.undo()
    other = next(action for action in session.legal_moves() if action != 0)
    session.play(other)
    assert session.actions == (0, other)
    assert not session.can_redo


def test_an_illegal_action_changes_nothing_and_the_message_says_what_is_legal() -> None:
    session = Session("coyote", deal=7)
    session.play(0)
    before = (session.position, session.actions)
    illegal = next(action for action in range(35) if action not in session.legal_moves())
    with pytest.raises(ValueError, match=rf"action is {illegal}: legal here are 0, "):
        session.play(illegal)
    assert (session.position, session.actions) == before
    with pytest.raises(ValueError, match=rf"action number 2: action is {illegal}"):
        session.play_all([0, illegal])


@pytest.mark.parametrize("game", GAMES)
def test_a_won_game_is_won_and_no_longer_so_after_undo(game: str) -> None:
    deal, actions = WINNING[game]
    session = Session(game, deal=deal)
    session.play_all(actions)
    assert (session.won, session.stuck) == (True, False)
    session.undo()
    assert (session.won, session.stuck) == (False, False)
    session.redo()
    assert session.won


def test_stuck() -> None:
    session = Session("coyote", deal=12)
    while 0 in session.legal_moves():
        session.play(0)
    for _ in range(300):
        if not session.legal_moves():
            break
        session.play(min(session.legal_moves()))
    assert (session.stuck, session.won) == (True, False)
    session.undo()
    assert not session.stuck


def test_a_session_without_deal_draws_one_that_no_evaluation_uses() -> None:
    first, second = Session("swiss"), Session("swiss")
    assert first.deal is not None
    assert second.deal is not None
    assert min(first.deal, second.deal) >= 1_000_000
    assert first.deal != second.deal


def test_the_view_without_repeats_is_that_of_an_environment_without_repeats() -> None:
    env = SolitaireEnv("swiss", avoid_repeats=True)
    env.reset(options={"deal": 3})
    session = Session("swiss", deal=3)
    rng = random.Random(5)
    for _ in range(60):
        view = session.view(avoid_repeats=True)
        np.testing.assert_array_equal(view.mask, env.action_masks())
        if not view.mask.any():
            break
        action = rng.choice(np.flatnonzero(view.mask).tolist())
        observation = env.step(action)[0]
        session.play(action)
        np.testing.assert_array_equal(session.view(avoid_repeats=False).observation, observation)
    assert (view.mask != session.view(avoid_repeats=False).mask).any()


def test_hints_lead_through_a_game_as_the_agent_plays_it() -> None:
    agents = pytest.importorskip("agents.rules")
    agent = agents.RulesAgent("coyote")
    env = SolitaireEnv("coyote", avoid_repeats=True)
    observation, info = env.reset(options={"deal": 3})
    session = Session("coyote", deal=3)
    for _ in range(80):
        action = int(agent.predict(observation, deterministic=True, action_masks=info["action_mask"])[0])
        assert ask(agent, session) == action
        session.play(action)
        observation, _, ended, _, info = env.step(action)
        if ended:
            break


def test_there_is_no_hint_where_every_move_leads_back() -> None:
    class Reader:
        avoid_repeats = True

        def predict(self, *_: object, **__: object) -> tuple[int, None]:
            raise AssertionError("not to be asked")

    session = Session("coyote", position=NINE_AND_EIGHT)
    session.play(next(a for a, move in session.legal_moves().items() if move.kind == "pile_space" and move.source == 0))
    [back] = session.legal_moves().values()
    assert back[:3] == ("pile_pile", 1, 0)
    assert ask(Reader(), session) is None


def test_the_command_shows_the_position_again() -> None:
    session = Session("coyote", deal=7)
    session.play_all([0, 0])
    assert session.command == "python -m solitaire_env show --game coyote --deal 7 --actions 0,0"
    other = Session("coyote", position=session.position.to_text())
    assert other.command == f"python -m solitaire_env show --game coyote --position '{session.position.to_text()}'"
    with pytest.raises(ValueError, match="exclude each other"):
        Session("coyote", deal=1, position=session.position)
