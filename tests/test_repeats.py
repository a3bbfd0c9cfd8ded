"""``avoid_repeats`` against a list of every position of the episode, kept in plain Python."""

from __future__ import annotations

import copy
import random

import pytest

from solitaire_env import SWISS, SolitaireEnv, SolitaireVectorEnv
from solitaire_env.cards import RANKS
from tests.variants import VARIANTS, variant_rules


@pytest.mark.parametrize("name", VARIANTS)
def test_masked_are_exactly_the_moves_into_seen_positions(name: str) -> None:
    env = SolitaireEnv(variant_rules(name), avoid_repeats=True)
    free = SolitaireEnv(env.rules)
    masked = 0
    for deal in range(5):
        env.reset(options={"deal": deal})
        free.reset(options={"deal": deal})
        rng = random.Random(deal)
        seen = {env.position.canonical()}
        for _ in range(120):
            expected = set()
            for action in free.legal_moves():
                tried = copy.deepcopy(free)
                tried.step(action)
                if tried.position.canonical() not in seen:
                    expected.add(action)
            masked += len(free.legal_moves()) - len(expected)
            assert set(env.legal_moves()) == expected
            if not expected:
                break
            # Moves within the tableau first: they are the ones that lead back.
            moves = env.legal_moves()
            tableau = [a for a, move in moves.items() if move.kind != "deal"]
            action = rng.choice(tableau or list(moves))
            *_, terminated, _, info = env.step(action)
            free.step(action)
            assert terminated == (not env.legal_moves()) or info["is_success"]
            seen.add(env.position.canonical())
            if terminated:
                break
    assert masked > 0, "the play should come upon moves that lead back"


def test_episode_ends_when_only_repeats_are_left() -> None:
    """The queen may go from one king to the other and back for ever; without repeats the game is over."""
    to_ten = "".join(rank + "S" for rank in RANKS[:10])
    others = "/".join("".join(rank + suit for rank in RANKS) for suit in "HHDDCC")
    text = f"F={to_ten}/{to_ten}/{others} T=JSKSQS/JSQSKS{'/-' * 10} S=- W=- R=- redeals=0"
    for repeats in (False, True):
        env = SolitaireEnv("courtyard", avoid_repeats=repeats)
        env.reset(options={"position": text})
        (action,) = env.legal_moves()
        _, reward, terminated, _, info = env.step(action)
        assert reward == 0
        assert terminated == repeats
        assert info["action_mask"].any() != repeats
        assert not info["is_success"]


def test_memory_grows_without_limit() -> None:
    """More positions of one tide than the memory has room for at first, in the single and in the vector env."""
    rules = SWISS.replace(spaces="any")
    full = "/".join("".join(rank + suit for rank in RANKS[1:] + "A") for suit in "HDC")
    text = f"F={''.join(rank + 'S' for rank in RANKS[1:])}/{full} T=AS{'/-' * 8} S=- W=- R=- redeals=0"
    env = SolitaireEnv(rules, avoid_repeats=True)
    many = SolitaireVectorEnv(rules, 2, avoid_repeats=True)
    room = len(env._memory)
    env.reset(options={"position": text})
    many.reset(options={"position": text})
    rng = random.Random(0)
    seen = {env.position.canonical()}
    for _ in range(400):
        legal = [action for action, move in env.legal_moves().items() if move.kind != "pile_foundation"]
        if not legal:
            break
        action = rng.choice(legal)
        env.step(action)
        _, _, _, _, infos = many.step([action, action])
        assert (infos["action_mask"] == env._mask).all()
        assert env.position.canonical() not in seen
        seen.add(env.position.canonical())
    assert len(seen) > 2 * room
    assert len(env._memory) > len(seen)
