"""Playing numbered deals side by side: in processes of this machine, or on a Ray cluster."""

from __future__ import annotations

import dataclasses
import os
import sys
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from agents.loading import load_agent
from agents.protocol import Agent, AgentState
from experiments.evaluation import GAMES_AT_ONCE, Games, join, play
from experiments.spread import spread

_MOST_DEALS = 64  # of a task: enough of them to make loading the agent worth while
_TASKS_A_PROCESS = 8  # so that all processes end at about the same time
_CORES = os.cpu_count() or 1  # of a local Ray


@dataclasses.dataclass(frozen=True)
class Cost:
    """What thinking cost, in seconds of one core.

    Attributes:
        seconds: Of all games together.
        longest: Of the longest call of ``predict``.
    """

    seconds: float
    longest: float

    def milliseconds_a_move(self, games: Games) -> float:
        """Returns what an action of the games cost on average."""
        return 1000 * self.seconds / float(games.lengths.sum())


class _Task(NamedTuple):
    name: str
    game: str
    seed: int
    deals: Sequence[int]
    options: dict[str, Any]


def play_in_processes(
    name: str,
    game: str,
    deals: Sequence[int],
    *,
    processes: int = 1,
    ray: str | None = None,
    seed: int = 0,
    avoid_repeats: bool,
    deterministic: bool = True,
    max_episode_steps: int | None = None,
    games_at_once: int = GAMES_AT_ONCE,
    label: str | None = None,
) -> tuple[Games, Cost]:
    """Plays as ``evaluation.play`` does, with the same results for any number of processes, and measures the cost.

    Args:
        name: The player, as of ``load_agent``.
        game: The game's name.
        deals: Numbers of the deals, ascending.
        processes: Processes that play side by side; with one, and without Ray, nothing is started.
        ray: ``"local"`` or the address of a Ray cluster; None does without Ray.
        seed: Of the player.
        avoid_repeats: As of ``play``.
        deterministic: As of ``play``.
        max_episode_steps: As of ``play``.
        games_at_once: As of ``play``, in each process.
        label: As of ``play``.
    """
    options = {
        "avoid_repeats": avoid_repeats,
        "deterministic": deterministic,
        "max_episode_steps": max_episode_steps,
        "games_at_once": games_at_once,
    }
    if processes == 1 and ray is None:
        return _play_part(_Task(name, game, seed, deals, {**options, "label": label}))
    size = min(_MOST_DEALS, -(-len(deals) // (processes * _TASKS_A_PROCESS)))
    tasks = [_Task(name, game, seed, deals[i : i + size], options) for i in range(0, len(deals), size)]
    parts: list[Games] = []
    costs: list[Cost] = []
    won = 0
    with tqdm(total=len(deals), desc=label, unit=" games", disable=label is None) as bar:
        for games, cost in spread(_play_part, tasks, processes=processes if ray is None else _CORES, ray=ray):
            parts.append(games)
            costs.append(cost)
            won += int(games.won.sum())
            bar.set_postfix_str(f"{won / (bar.n + len(games.deals)):.1%} won", refresh=False)
            bar.update(len(games.deals))
    return join(parts), Cost(sum(cost.seconds for cost in costs), max(cost.longest for cost in costs))


class _Timed:
    """A player whose thinking is timed."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self.seconds = 0.0
        self.longest = 0.0

    def predict(
        self,
        observation: NDArray[Any],
        state: AgentState = None,
        episode_start: NDArray[np.bool_] | None = None,
        deterministic: bool = False,
        action_masks: NDArray[Any] | None = None,
    ) -> tuple[NDArray[Any], AgentState]:
        begun = time.process_time()
        answer = self._agent.predict(observation, state, episode_start, deterministic, action_masks)
        spent = time.process_time() - begun
        self.seconds += spent
        self.longest = max(self.longest, spent)
        return answer


_players: dict[tuple[str, str, int], Agent] = {}
"""Of this process: a player is loaded once, and its kernels are compiled, before it is timed."""


def _play_part(task: _Task) -> tuple[Games, Cost]:
    key = task.name, task.game, task.seed
    if key not in _players:
        _players[key] = load_agent(task.name, task.game, seed=task.seed)
        if "torch" in sys.modules:  # loaded with a policy, which is too small for threads to help
            sys.modules["torch"].set_num_threads(1)
        play(_players[key], task.game, task.deals[:1], **{**task.options, "label": None})
    timed = _Timed(_players[key])
    games = play(timed, task.game, task.deals, **task.options)
    return games, Cost(timed.seconds, timed.longest)
