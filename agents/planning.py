"""How the search player decides: what to do until the next card is drawn, or until the game is won.

While cards are hidden, all that can be reached before the next draw is explored, and each draw found there is judged
twice: by the mean evaluation after it, over random cards, which costs next to nothing; and, for the best of these, by
playing the game out from there with random stocks. The first verdict stands unless the second is clear enough to
overrule it. Once no card is hidden the solver has the word.
"""

from __future__ import annotations

import dataclasses
import time

import numpy as np
from numpy.typing import NDArray

from agents.knowledge import Knowledge
from solitaire_env import Rules
from solitaire_env.dealing import new_deal
from solitaire_env.layout import DEAL, FIRST_ACTION, Spec, compile_rules
from solitaire_env.solver import solve
from solitaire_env.solver.evaluation import weights_for
from solitaire_env.solver.facts import facts_of
from solitaire_env.solver.layer import DRAWS, WINNER, explore, new_layer, rank_draws
from solitaire_env.solver.moves import line_from_root
from solitaire_env.solver.playout import Playouts, new_playouts, try_draws


@dataclasses.dataclass(frozen=True)
class Budget:
    """How much the search player thinks.

    Attributes:
        samples: Random stocks with which each draw compared is played out; 0 decides by the evaluation alone.
        candidates: Draws compared.
        width: Positions expanded before a draw.
        looks: Random draws over which an evaluation is averaged.
        playout_width: Positions expanded before a draw in a playout.
        end_width: Width of the search at the end of a playout.
        clearness: By how many standard errors a draw must be better than the one that the evaluation prefers.
        progress: What all cards on the foundations count, beside 1 for a win, in a playout that is not won.
        positions: Positions that the solver visits once no card is hidden.
        milliseconds: Time for the playouts of a decision; ``None`` is unlimited. With a limit the decisions depend on
            the machine.
    """

    samples: int = 0
    candidates: int = 4
    width: int = 200
    looks: int = 8
    playout_width: int = 20
    end_width: int = 16
    clearness: float = 1.0
    progress: float = 0.5
    positions: int = 600_000
    milliseconds: float | None = None

    def __post_init__(self) -> None:
        lowest = {"samples": 0, "candidates": 2, "width": 64, "playout_width": 16}
        for name in ("samples", "candidates", "width", "looks", "playout_width", "end_width", "positions"):
            value, low = getattr(self, name), lowest.get(name, 1)
            if not isinstance(value, int) or value < low:
                raise ValueError(f"{name} is {value!r}: allowed are whole numbers from {low} up")
        for name in ("clearness", "progress"):
            if not getattr(self, name) >= 0:
                raise ValueError(f"{name} is {getattr(self, name)!r}: allowed are numbers from 0 up")
        if self.milliseconds is not None and not self.milliseconds > 0:
            raise ValueError(f"milliseconds is {self.milliseconds!r}: allowed are None and numbers above 0")


def read_budget(text: str) -> Budget:
    """Reads a budget from text, such as ``"samples=32,clearness=1.5"``; what is not named is as by default.

    Raises:
        ValueError: A part is no field with a number, or the number is not allowed.
    """
    values: dict[str, int | float] = {}
    names = [field.name for field in dataclasses.fields(Budget)]
    for part in text.split(",") if text else []:
        name, _, value = part.partition("=")
        try:
            values[name] = int(value) if value.isdecimal() else float(value)
        except ValueError:
            values.pop(name, None)
        if name not in names or name not in values:
            raise ValueError(f"cannot read {part!r} in a budget: each part is NAME=NUMBER, of {', '.join(names)}")
    return Budget(**values)  # type: ignore[arg-type]  # wrong kinds are refused there


_ROUND = 8  # random stocks between two looks at the figures


class Planner:
    """Decides for one game; keeps the memory that the searches work in."""

    def __init__(self, rules: Rules, budget: Budget) -> None:
        self.rules = rules
        self.budget = budget
        self._spec: Spec = compile_rules(rules)
        self._facts = facts_of(rules)
        self._weights = weights_for(rules)
        self._layer = new_layer(self._spec, budget.width)
        self._generator = np.zeros(1, np.uint64)
        self._playouts: Playouts | None = None
        if budget.samples:
            deal = new_deal(self._spec, 0)
            self._playouts = new_playouts(self._spec, self._facts, deal, budget.playout_width, budget.end_width)

    def plan(self, knowledge: Knowledge, seed: int) -> list[int] | None:
        """Returns actions up to the next draw, or to the win; ``None`` where nothing better than any play is known.

        Args:
            knowledge: What the player knows. The order of hidden cards in it is as good as another seed.
            seed: Of the random stocks, 0 to 2**64 - 1.
        """
        if not knowledge.hidden:
            return list(solve(knowledge.position, self.rules, max_positions=self.budget.positions).actions) or None
        state = knowledge.position.to_state(self.rules)
        layer = self._layer
        explore(self._spec, self._facts, layer, state, self._weights, self.budget.width)
        winner = int(layer.counters[WINNER])
        if winner >= 0:
            return line_from_root(layer.parents, layer.actions, winner)
        self._generator[0] = seed
        draw = int(rank_draws(self._spec, layer, self._weights, self.budget.looks, self._generator))
        if draw < 0:
            return None
        if self._playouts is not None:
            draw = self._compare(self._playouts, self._candidates(draw), np.uint64(seed))
        node = int(layer.draw_nodes[draw])
        return [*line_from_root(layer.parents, layer.actions, node), int(layer.draw_actions[draw])]

    def _candidates(self, best: int) -> NDArray[np.int32]:
        """Returns the draws to compare: the best one first, then the next best, deals and other draws among them."""
        count = int(self._layer.counters[DRAWS])
        order = np.argsort(-self._layer.draw_scores[:count], kind="stable").astype(np.int32)
        deals = self._layer.draw_actions[order] == self._spec[FIRST_ACTION + DEAL]
        some = self.budget.candidates
        chosen = [best, *order[:some], *order[deals][: some // 2], *order[~deals][: some // 2]]
        return np.array(list(dict.fromkeys(chosen)), np.int32)

    def _compare(self, playouts: Playouts, draws: NDArray[np.int32], seed: np.uint64) -> int:
        """Returns the draw with the best playouts, the first one if none is clearly better.

        Half of the rivals are dropped after half of the samples, and the comparison ends early where all are worse.
        """
        budget = self.budget
        end = None if budget.milliseconds is None else time.perf_counter() + budget.milliseconds / 1000
        values = np.zeros((len(draws), budget.samples), np.float32)
        done = 0
        while done < budget.samples and len(draws) > 1 and (end is None or time.perf_counter() < end):
            last = min(done + _ROUND, budget.samples)
            try_draws(
                self._spec,
                self._facts,
                self._layer,
                draws,
                done,
                last,
                seed,
                playouts,
                self._weights,
                budget.playout_width,
                budget.end_width,
                2,
                values,
            )
            values[:, done:last] = np.where(values[:, done:last] > 0, 1, budget.progress * (1 + values[:, done:last]))
            done = last
            gains = values[1:, :done] - values[0, :done]
            means, errors = gains.mean(axis=1), gains.std(axis=1) / np.sqrt(done)
            hopeful = np.flatnonzero(means + 2 * errors > 0)
            if 2 * done >= budget.samples:
                hopeful = hopeful[np.argsort(-means[hopeful], kind="stable")][: max(1, len(draws) // 2)]
            kept = [0, *(hopeful + 1)]
            draws, values = draws[kept], values[kept]
        if len(draws) == 1 or done == 0:
            return int(draws[0])
        gains = values[1:, :done] - values[0, :done]
        means = gains.mean(axis=1)
        best = int(means.argmax())
        error = gains[best].std() / np.sqrt(done)
        return int(draws[1 + best] if means[best] > budget.clearness * error else draws[0])
