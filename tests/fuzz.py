"""Anything at all, handed to the environments: ``python -m tests.fuzz --minutes 60`` (``make fuzz MINUTES=60``).

A hypothesis state machine plays random rules by random calls, good and bad. After every call the single environment, a
vector environment beside it and the reference model must agree; what is refused must be refused by the documented error
and must leave everything as it was. ``test_fuzz.py`` runs the same for some seconds.
"""

from __future__ import annotations

import argparse
import copy
import pickle
import random
import sys
import time
from collections import Counter
from collections.abc import Sequence
from typing import Any

import gymnasium as gym
import hypothesis
import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from solitaire_env import ActionTable, Position, Rules, SolitaireEnv, SolitaireVectorEnv, decode
from solitaire_env.observation import LEVELS
from solitaire_env.rules import override
from solitaire_env.solver import solve
from tests import reference_model as model
from tests.fuzz_inputs import any_rules, exchange_cards, garble, junk, move_cards

CALLS: Counter[str] = Counter()
"""How often each rule of the machine has run."""


class Table(RuleBasedStateMachine):
    """One game on three tables: the single environment, a vector environment and the reference model."""

    @initialize(
        rules=any_rules(),
        level=st.sampled_from(LEVELS),
        repeats=st.booleans(),
        mode=st.sampled_from([None, None, None, "ansi", "rgb_array"]),
        deal=st.integers(0, 2**63 - 2),
    )
    def sit_down(self, rules: Rules, level: Any, repeats: bool, mode: str | None, deal: int) -> None:
        self.rules, self.level, self.repeats = rules, level, repeats
        self.options = model.Options(**rules.to_dict())
        self.env = SolitaireEnv(rules, observation=level, avoid_repeats=repeats, render_mode=mode)
        self.vector = SolitaireVectorEnv(rules, 2, observation=level, avoid_repeats=repeats, autoreset_mode="Disabled")
        self.n = ActionTable(rules).n
        assert self.env.action_space.n == self.n
        self._reset({"deal": deal})

    # ---- starting ----------------------------------------------------------------------------------------------------

    @rule(deal=st.one_of(st.integers(0, 20), st.integers(0, 2**63 - 2)))
    def reset_to_a_deal(self, deal: int) -> None:
        CALLS["reset_to_a_deal"] += 1
        self._reset({"deal": deal})

    @rule(seed=st.one_of(st.integers(0, 2**32 - 1), st.integers(0, 2**130)))
    def reset_by_a_seed(self, seed: int) -> None:
        CALLS["reset_by_a_seed"] += 1
        self._reset(None, seed)
        assert self.info["deal"] >= 1_000_000

    @rule(data=st.data())
    def reset_to_an_edited_text(self, data: st.DataObject) -> None:
        CALLS["reset_to_an_edited_text"] += 1
        text = self.env.position.to_text()
        for _ in range(data.draw(st.integers(1, 3))):
            text = data.draw(st.sampled_from([move_cards, exchange_cards, garble]))(text, data)
        try:
            state = Position.from_text(text).to_state(self.rules)
        except ValueError:
            self._refused({"position": text})
            return
        again = Position.from_state(self.rules, state)
        assert Position.from_text(again.to_text()) == again
        CALLS["positions by text"] += 1
        self._reset({"position": text})
        assert self.env.position == again

    @rule(value=junk, key=st.sampled_from(["deal", "position", "seed", ""]))
    def reset_to_junk(self, value: Any, key: str) -> None:
        CALLS["reset_to_junk"] += 1
        if key == "deal" and isinstance(value, int | np.integer) and not isinstance(value, bool) and value >= 0:
            return
        if key in ("deal", "position") and value is None:
            return
        self._refused({key: value})

    @rule(value=junk.filter(lambda x: x is not None and not isinstance(x, dict)))
    def reset_with_options_that_are_none(self, value: Any) -> None:
        CALLS["reset_with_options_that_are_none"] += 1
        self._refused(value)

    @rule(value=junk.filter(lambda x: x is not None))
    def reset_by_junk_for_a_seed(self, value: Any) -> None:
        CALLS["reset_by_junk_for_a_seed"] += 1
        if isinstance(value, int | np.integer) and value >= 0:
            return
        before = self._all()
        for reset, seed in ((self.env.reset, value), (self.vector.reset, value), (self.vector.reset, [3, value])):
            with pytest.raises((ValueError, TypeError, gym.error.Error)):
                reset(seed=seed)
            self._unchanged(before)

    # ---- playing -----------------------------------------------------------------------------------------------------

    @rule(choice=st.integers(0, 10_000))
    def play_a_legal_action(self, choice: int) -> None:
        legal = np.flatnonzero(self.info["action_mask"])
        if self.over or not len(legal):
            return
        CALLS["play_a_legal_action"] += 1
        action = int(legal[choice % len(legal)])
        move = self.env.legal_moves()[action]
        assert self.env.describe(action)
        before = model.RefPosition(**vars(self.env.position))
        after = model.play(self.options, before, model.Move(*move))
        reward, terminated, illegal = self._step(action)
        assert not illegal
        assert vars(self.env.position) == vars(after)
        won = model.is_won(after)
        gained = sum(map(len, after.foundations)) - sum(map(len, before.foundations))
        assert abs(reward - gained / self.rules.deck_size - won) < 1e-9
        assert self.info["is_success"] == won
        if not self.repeats:
            assert terminated == (model.outcome(self.options, after) != "playing")

    @rule(choices=st.lists(st.integers(0, 10_000), min_size=5, max_size=40))
    def play_on(self, choices: list[int]) -> None:
        for choice in choices:
            self.play_a_legal_action(choice)

    @rule(choice=st.integers(0, 10_000))
    def play_an_illegal_action(self, choice: int) -> None:
        illegal = np.flatnonzero(self.info["action_mask"] == 0)
        if self.over or not len(illegal):
            return
        CALLS["play_an_illegal_action"] += 1
        action = int(illegal[choice % len(illegal)])
        assert self.env.describe(action)
        before = self.env.position
        reward, terminated, was_illegal = self._step(action)
        assert was_illegal
        assert not terminated
        assert reward == -0.01
        assert self.env.position == before

    @rule(action=junk)
    def play_junk(self, action: Any) -> None:
        CALLS["play_junk"] += 1
        if isinstance(action, np.bool_):
            return  # among whole numbers NumPy makes one of it
        if isinstance(action, int | np.integer | np.ndarray) and np.shape(action) == () and 0 <= int(action) < self.n:
            return
        before = self._all()
        for attempt in (self.env.step, self.env.describe, lambda x: self.vector.step([x, 0])):
            with pytest.raises(ValueError, match="action"):
                attempt(action)  # type: ignore[operator]
        self._unchanged(before)

    @rule()
    def go_on_with_a_copy(self) -> None:
        CALLS["go_on_with_a_copy"] += 1
        if self.env.render_mode != "rgb_array":
            self.env = copy.deepcopy(pickle.loads(pickle.dumps(self.env)))

    @rule()
    def render(self) -> None:
        CALLS["render"] += 1
        shown = self.env.render()
        if self.env.render_mode == "rgb_array":
            assert isinstance(shown, np.ndarray)
            assert shown.shape == (600, 800, 3)

    # ---- beside the game ---------------------------------------------------------------------------------------------

    @rule(fields=st.dictionaries(st.one_of(st.sampled_from(sorted(Rules.__annotations__)), st.text(max_size=5)), junk))
    def change_the_rules_to_junk(self, fields: dict[str, Any]) -> None:
        CALLS["change_the_rules_to_junk"] += 1
        try:
            changed = override(self.rules, fields)
        except ValueError:
            assert fields
        else:
            assert Rules(**changed.to_dict()) == changed
            assert hash(changed) == hash(changed.replace())
            SolitaireEnv(changed).reset(options={"deal": 1})

    @rule(name=st.sampled_from(["observation", "reward", "illegal_penalty", "avoid_repeats", "game", "render_mode"]))
    def make_from_junk(self, name: str) -> None:
        CALLS["make_from_junk"] += 1
        for value in (b"", -1, "x", 2**70, (), float("nan")):
            if name == "illegal_penalty" and value == 2**70:
                continue
            with pytest.raises(ValueError, match=name):
                SolitaireEnv(**{name: value})

    @rule(budget=st.integers(1, 3_000))
    def solve(self, budget: int) -> None:
        CALLS["solve"] += 1
        if self.over:
            return
        start = self.env.position
        solution = solve(start, self.rules, max_positions=budget, max_memory=2**24)
        if solution.status == "won":
            CALLS["won by the solver"] += 1
            env = SolitaireEnv(self.rules)
            env.reset(options={"position": start})
            ends = []
            for action in solution.actions:
                _, _, terminated, _, info = env.step(action)
                assert not info["illegal_action"]
                ends.append(terminated)
            assert ends == [False] * (len(ends) - 1) + [True]
            assert info["is_success"]
        else:
            assert solution.actions == ()

    # ---- what must always hold ---------------------------------------------------------------------------------------

    @invariant()
    def everybody_agrees(self) -> None:
        if not hasattr(self, "info"):
            return
        position = self.env.position
        seen = model.RefPosition(**vars(position))
        piles = [*position.foundations, *position.tableau, position.stock, position.waste, position.reserve]
        assert Counter(card for pile in piles for card in pile) == Counter(model.full_deck(self.options))
        mask = self.info["action_mask"]
        assert self.env.observation_space.contains(self.observation)
        assert decode(self.rules, self.observation) == position.known(self.level)
        assert Position.from_text(position.to_text()) == position
        assert self.vector.positions()[0] == position
        assert (self.vector.action_masks()[0] == mask).all()
        assert (self.env.action_masks() == mask).all()
        moves = sorted(map(tuple, self.env.legal_moves().values()))
        expected = sorted(map(tuple, model.legal_moves(self.options, seen)))
        assert len(set(moves)) == len(moves)
        if self.repeats:
            assert set(moves) <= set(expected)
        else:
            assert moves == expected
        assert self.over == (model.is_won(seen) or not moves)

    def teardown(self) -> None:
        if hasattr(self, "env"):
            self.env.close()
            self.vector.close()

    # ---- parts -------------------------------------------------------------------------------------------------------

    def _reset(self, options: dict[str, Any] | None, seed: int | None = None) -> None:
        self.observation, self.info = self.env.reset(seed=seed, options=options)
        seeds = None if seed is None else [seed, 7]
        observations, infos = self.vector.reset(seed=seeds, options=options)
        assert (observations[0] == self.observation).all()
        assert (infos["action_mask"][0] == self.info["action_mask"]).all()
        assert infos["deal"][0] == self.info["deal"]
        self.over = not self.info["action_mask"].any()

    def _step(self, action: int) -> tuple[float, bool, bool]:
        """Plays on both tables; the second game of the vector environment plays the same action, legal or not."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        if self.vector._rows.ended[1]:
            self.vector.reset(options={"reset_mask": np.array([False, True])})
        observations, rewards, ended, _, infos = self.vector.step(np.array([action, action]))
        assert not truncated
        assert (observations[0] == observation).all()
        assert rewards[0] == reward
        assert ended[0] == terminated
        for key in ("illegal_action", "is_success", "deal"):
            assert infos[key][0] == info[key]
        self.observation, self.info, self.over = observation, info, terminated
        return reward, terminated, info["illegal_action"]

    def _refused(self, options: Any) -> None:
        before = self._all()
        for reset in (self.env.reset, self.vector.reset):
            with pytest.raises(ValueError, match=r"\w"):
                reset(options=options)
        self._unchanged(before)

    def _all(self) -> tuple[Any, ...]:
        seeds = self.env.np_random.bit_generator.state, self.vector.np_random_seed
        return self.env.position, self.env.action_masks().tolist(), self.vector.positions(), seeds

    def _unchanged(self, before: tuple[Any, ...]) -> None:
        assert self._all() == before


def fuzz(minutes: float, first_seed: int, examples: int, steps: int) -> None:
    """Runs the machine again and again, each time by the next seed, and tells every few minutes how far it is."""
    limits = settings(
        max_examples=examples,
        stateful_step_count=steps,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate, Phase.shrink],
        print_blob=True,
    )
    start, rounds = time.monotonic(), 0
    while time.monotonic() - start < 60 * minutes:
        run_state_machine_as_test(hypothesis.seed(first_seed + rounds)(Table), settings=limits)
        rounds += 1
        spent, of_a_core = (time.monotonic() - start) / 60, time.process_time() / 60
        counts = ", ".join(f"{count} {name}" for name, count in sorted(CALLS.items()))
        seeds = f"seeds {first_seed} to {first_seed + rounds - 1}"
        print(
            f"{spent:.1f} minutes, {of_a_core:.1f} of a core, {seeds}, {rounds * examples} games: {counts}", flush=True
        )


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command; an unexpected error ends it with the calls that led there."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--seed", type=int, help="of the first games; drawn and told without")
    parser.add_argument("--examples", type=int, default=200, help="games between two reports")
    parser.add_argument("--steps", type=int, default=50, help="calls a game")
    arguments = parser.parse_args(argv)
    first_seed = random.SystemRandom().randrange(10**6) if arguments.seed is None else arguments.seed
    print(f"seed {first_seed}", flush=True)
    fuzz(arguments.minutes, first_seed, arguments.examples, arguments.steps)
    return 0


if __name__ == "__main__":
    sys.exit(main())
