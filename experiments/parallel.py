"""Playing numbered deals in several processes, for players that think long."""

from __future__ import annotations

import dataclasses
import multiprocessing
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from agents.loading import load_agent
from agents.protocol import AgentState, MaskedAgent
from experiments.evaluation import Games, play

_DEALS_A_TASK = 4


@dataclasses.dataclass(frozen=True)
class Cost:
    """What thinking cost, in seconds of one core.

    Attributes:
        seconds: Of all games together.
        longest: Of the longest move.
    """

    seconds: float
    longest: float


def play_in_processes(
    name: str,
    game: str,
    deals: Sequence[int],
    *,
    processes: int,
    seed: int = 0,
    avoid_repeats: bool,
    deterministic: bool = True,
    max_episode_steps: int | None = None,
    label: str | None = None,
) -> tuple[Games, Cost]:
    """Plays as ``evaluation.play`` does, with the same results for any number of processes, and measures the cost.

    Args:
        name: The player, as of ``load_agent``.
        game: The game's name.
        deals: Numbers of the deals.
        processes: Processes that play side by side, one game each.
        seed: Of the player.
        avoid_repeats: As of ``play``.
        deterministic: As of ``play``.
        max_episode_steps: As of ``play``.
        label: As of ``play``.
    """
    options = {
        "avoid_repeats": avoid_repeats,
        "deterministic": deterministic,
        "max_episode_steps": max_episode_steps,
        "games_at_once": 1,
    }
    tasks = [
        (name, game, seed, deals[first : first + _DEALS_A_TASK], options)
        for first in range(0, len(deals), _DEALS_A_TASK)
    ]
    parts: list[tuple[Games, Cost]] = []
    # Fresh processes: what a parent has open is none of theirs.
    with (
        multiprocessing.get_context("spawn").Pool(processes) as pool,
        tqdm(total=len(deals), desc=label, unit=" games", disable=label is None) as bar,
    ):
        won = 0
        for part in pool.imap(_play_part, tasks):
            parts.append(part)
            won += int(part[0].won.sum())
            bar.set_postfix_str(f"{won / (bar.n + len(part[0].deals)):.1%} won", refresh=False)
            bar.update(len(part[0].deals))
        pool.close()
        pool.join()
    games = [games for games, _ in parts]
    together = Games(
        deals=deals,
        won=np.concatenate([x.won for x in games]),
        foundation_cards=np.concatenate([x.foundation_cards for x in games]),
        lengths=np.concatenate([x.lengths for x in games]),
        truncated=np.concatenate([x.truncated for x in games]),
        illegal_actions=sum(x.illegal_actions for x in games),
    )
    return together, Cost(sum(cost.seconds for _, cost in parts), max(cost.longest for _, cost in parts))


class _Timed:
    """A player whose thinking is timed."""

    def __init__(self, agent: MaskedAgent) -> None:
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


_players: dict[tuple[str, str, int], MaskedAgent] = {}
"""Of this process: a player is loaded once, and its kernels are compiled, before it is timed."""


def _play_part(task: tuple[str, str, int, Sequence[int], dict[str, Any]]) -> tuple[Games, Cost]:
    name, game, seed, deals, options = task
    key = name, game, seed
    if key not in _players:
        _players[key] = load_agent(name, game, seed=seed)
        play(_players[key], game, deals[:1], **options)
    timed = _Timed(_players[key])
    games = play(timed, game, deals, **options)
    return games, Cost(timed.seconds, timed.longest)
