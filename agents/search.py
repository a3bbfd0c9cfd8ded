"""A player that thinks: it weighs what it does not know, and plays the solver's line once it knows all."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.knowledge import Knowledge, read_observation
from agents.planning import Budget, Planner
from agents.protocol import AgentState, MaskedAgent, check_masks
from agents.rules import RulesAgent
from solitaire_env import GAMES
from solitaire_env.kernel import apply_action
from solitaire_env.layout import compile_rules
from solitaire_env.observation import INDEX_SIZE, LEVELS, observation_size, observe
from solitaire_env.stacks import LOG_SIZE

Step = tuple[bytes, int]
"""A step of a plan: what is observed before it, and the action."""


class SearchAgent(MaskedAgent):
    """Plans to the next draw, or to the win, and follows the plan as long as it sees what it foresaw.

    It knows what an observation of the level ``"recall"`` tells and nothing else: where the stock has not been seen,
    its cards are dealt by lot, from the seed and the observation, in every trial. Given observations of the level
    ``"open"``, it plays the solver's line from the start. When there is nothing left to hope for, or a step of a plan
    is masked, it plays as the rule player does.

    The same seed and the same observations give the same actions, whatever is played side by side, unless the budget
    limits the milliseconds. Plans never return to an earlier position, so that it makes no difference to them whether
    repeats are masked; where the rule player takes over, it does.
    """

    def __init__(self, game: str, *, budget: Budget | None = None, seed: int = 0) -> None:
        super().__init__(avoid_repeats=True, seed=seed)
        self.budget = budget or Budget()
        self._rules = GAMES[game]
        self._planner = Planner(self._rules, self.budget)
        self._resort = RulesAgent(game)

    def action_weights(self, observations: NDArray[Any], masks: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Returns 1 for the first action of a plan made afresh, 0 for all others."""
        weights = np.zeros(masks.shape)
        for i, (observation, mask) in enumerate(zip(observations, masks, strict=True)):
            weights[i, self._choose(observation, mask, ())[0]] = 1
        return weights

    def predict(
        self,
        observation: NDArray[Any],
        state: AgentState = None,
        episode_start: NDArray[np.bool_] | None = None,
        deterministic: bool = False,  # noqa: ARG002
        action_masks: NDArray[Any] | None = None,
    ) -> tuple[NDArray[np.int64], AgentState]:
        """Chooses actions, as of ``Agent``; ``deterministic`` makes no difference.

        Raises:
            ValueError: The masks are unusable, or the observations show less than those of the level ``"recall"``.
        """
        observations = np.atleast_2d(observation)
        masks = check_masks(observations, action_masks)
        plans = np.empty(len(observations), dtype=object)
        actions = np.empty(len(observations), np.int64)
        for i in range(len(observations)):
            fresh = state is None or (episode_start is not None and episode_start[i])
            plan = () if fresh or state is None else state[0][i]
            actions[i], plans[i] = self._choose(observations[i], masks[i], plan)
        return (actions[0] if observation.ndim == 1 else actions), (plans,)

    def _choose(
        self, observation: NDArray[Any], mask: NDArray[np.bool_], plan: tuple[Step, ...] | None
    ) -> tuple[int, tuple[Step, ...] | None]:
        """Returns an action and the plan that is left, ``None`` once there is nothing to hope for."""
        if plan == () or (plan is not None and plan[0][0] != _bytes(observation)):
            plan = self._plan(observation)
        if plan is None:
            weights = self._resort.action_weights(observation[None], mask[None])
            return int(weights[0].argmax()), None
        if not mask[plan[0][1]]:
            weights = self._resort.action_weights(observation[None], mask[None])
            return int(weights[0].argmax()), ()
        return plan[0][1], plan[1:]

    def _plan(self, observation: NDArray[Any]) -> tuple[Step, ...] | None:
        knowledge = read_observation(self._rules, observation)
        name = hashlib.blake2b(self._seed.to_bytes(8, "little") + _bytes(observation), digest_size=8).digest()
        actions = self._planner.plan(knowledge, int.from_bytes(name, "little"))
        return None if actions is None else self._foresee(knowledge, actions)

    def _foresee(self, knowledge: Knowledge, actions: list[int]) -> tuple[Step, ...]:
        """Returns the actions, each with what will be observed before it."""
        spec = compile_rules(self._rules)
        state = knowledge.position.to_state(self._rules)
        index, log = np.zeros(INDEX_SIZE, np.int16), np.zeros(LOG_SIZE, np.int16)
        steps = []
        for action in actions:
            seen = np.zeros(observation_size(self._rules), np.uint8)
            observe(spec, LEVELS.index(knowledge.level), state, index, seen)
            steps.append((seen.tobytes(), action))
            apply_action(spec, state, action, log)
        return tuple(steps)


def _bytes(observation: NDArray[Any]) -> bytes:
    return observation.astype(np.uint8).tobytes()
