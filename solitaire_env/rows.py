"""Many games side by side: the arrays that hold them, and a step of all in one compiled call.

``Rows`` is what the Gymnasium vector environment and the stable-baselines3 adapter share; it knows neither's
conventions.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solitaire_env.engine import AVOID_REPEATS, advance_rows, begin_rows
from solitaire_env.layout import STATE_SIZE, State
from solitaire_env.observation import INDEX_SIZE
from solitaire_env.pile_sets import make_pile_sets
from solitaire_env.repeats import COUNT, WORDS
from solitaire_env.settings import NO_DEAL, Settings
from solitaire_env.stacks import LOG_SIZE

_MEMORY_AT_FIRST = 62  # positions; the rows of memory double when one is nearly full


class Rows:
    """The games of a vector environment, one a row.

    ``observations`` and ``masks`` hold the present values and are never handed out: a step writes copies of them into
    arrays that the caller names.

    Attributes:
        deals: int64, the deal of each row.
        next_deals: int64, the deal that each row goes on with when it begins anew by itself.
        elapsed: int64, steps since the deal.
        ended: bool, rows whose episode is over: ``advance`` begins their next deal instead of playing.
        restarted: bool, rows that began a deal in the last ``advance``.
        illegal: bool, rows whose last action was not legal and changed nothing.
        won: bool, rows whose game is won.
        rewards: float64, of the last ``advance``.
        terminated: bool, of the last ``advance``.
        truncated: bool, of the last ``advance``.
    """

    def __init__(self, settings: Settings, size: int, max_episode_steps: int | None, num_threads: int) -> None:
        n_actions, n_observation = settings.actions.n, settings.observation_space.shape[0]
        self._settings = settings
        self._limit = max_episode_steps or 0
        self.size = size
        self.states = np.zeros((size, settings.spec[STATE_SIZE]), np.int8)
        self._pile_sets = make_pile_sets(settings.spec, size)
        self.masks = np.zeros((size, n_actions), np.int8)
        self.observations = np.zeros((size, n_observation), np.uint8)
        self._indices = np.zeros((size, INDEX_SIZE), np.int16)
        self._remembers = bool(settings.options[AVOID_REPEATS])
        self._memories = np.zeros((size, WORDS + _MEMORY_AT_FIRST if self._remembers else 1), np.uint64)
        self._room = _MEMORY_AT_FIRST - 1  # steps for which every row surely has room
        self.deals = np.full(size, NO_DEAL, np.int64)
        self.next_deals = np.zeros(size, np.int64)
        self.elapsed = np.zeros(size, np.int64)
        self.ended = np.zeros(size, np.bool_)
        self.restarted = np.zeros(size, np.bool_)
        self.illegal = np.zeros(size, np.bool_)
        self.won = np.zeros(size, np.bool_)
        self.rewards = np.zeros(size, np.float64)
        self.terminated = np.zeros(size, np.bool_)
        self.truncated = np.zeros(size, np.bool_)
        cuts = np.linspace(0, size, min(num_threads, size) + 1).astype(int).tolist()
        self._parts = list(pairwise(cuts))
        self._logs = [np.zeros(LOG_SIZE, np.int16) for _ in self._parts]
        self._pool: ThreadPoolExecutor | None = None

    def begin(self, rows: NDArray[np.int64], observations: NDArray[np.uint8], masks: NDArray[np.int8]) -> None:
        """Begins the deals that ``deals`` names in the given rows, and writes those rows of the two arrays."""
        begin_rows(
            rows,
            self._settings.spec,
            self._settings.options,
            self.deals,
            self.states,
            self._pile_sets,
            self.masks,
            self._indices,
            self.observations,
            self._memories,
            observations,
            masks,
            self.illegal,
            self.won,
        )
        self.elapsed[rows] = 0
        self.ended[rows] = False
        self.terminated[rows] = False
        self.truncated[rows] = False

    def place(self, row: int, state: State) -> None:
        """Lays out a state in a row; ``begin`` starts from it."""
        self.states[row] = state
        self.deals[row] = NO_DEAL

    def advance(self, actions: NDArray[np.int64], observations: NDArray[np.uint8], masks: NDArray[np.int8]) -> int:
        """Plays an action in each row, or begins the next deal in a row that has ended; writes the two arrays whole.

        Returns:
            Number of rows that began a deal.
        """
        self._make_room()
        if len(self._parts) == 1:
            return self._advance_part(0, actions, observations, masks)
        if self._pool is None:
            self._pool = ThreadPoolExecutor(len(self._parts), thread_name_prefix="solitaire_env")
        parts = range(len(self._parts))
        return sum(self._pool.map(lambda part: self._advance_part(part, actions, observations, masks), parts))

    def close(self) -> None:
        """Ends the threads; the rows stay usable."""
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None

    def __getstate__(self) -> dict[str, Any]:
        """Leaves the threads out of a copy."""
        return {**self.__dict__, "_pool": None}

    def _advance_part(
        self, part: int, actions: NDArray[np.int64], observations: NDArray[np.uint8], masks: NDArray[np.int8]
    ) -> int:
        first, last = self._parts[part]
        return advance_rows(
            first,
            last,
            self._settings.spec,
            self._settings.options,
            self._settings.penalty,
            self._limit,
            actions,
            self.states,
            self._pile_sets,
            self.masks,
            self._indices,
            self.observations,
            self._memories,
            self._logs[part],
            self.deals,
            self.next_deals,
            self.elapsed,
            self.ended,
            self.restarted,
            self.illegal,
            self.rewards,
            self.won,
            self.terminated,
            self.truncated,
            observations,
            masks,
        )

    def _make_room(self) -> None:
        """Sees to it that every row can remember one more position."""
        if not self._remembers:
            return
        if self._room == 0:
            fullest, capacity = int(self._memories[:, COUNT].max()), self._memories.shape[1] - WORDS
            if fullest == capacity:
                self._memories = np.concatenate([self._memories, np.zeros_like(self._memories)], axis=1)
                capacity = self._memories.shape[1] - WORDS
            self._room = capacity - fullest
        self._room -= 1
