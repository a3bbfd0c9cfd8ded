"""A game of an agent, recorded for a web page: plain data, what the page shows and nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from agents.protocol import MaskedAgent
from experiments.suites import FOLDER, find_labels
from solitaire_env import Position, Rules, SolitaireEnv
from solitaire_env.games import game_title
from solitaire_env.render.marks import marks
from solitaire_env.render.table import SIZE, lay_out, rank_height

Recording = dict[str, Any]
"""JSON-able.

``title``, ``agent``, ``outcome``, ``verdict``
    Words.
``size``
    Width and height of the board; all places are in its pixels.
``decks``, ``base_rank``
    Of the rules.
``labels``, ``layouts``
    Actions in words, and the places of the board (kind, number, x, y), each once.
``frames``
    A position each, the first being the deal: ``layout``, its index; ``card``, width, height and height of the rank;
    ``cards``, text, x and y of each card to be seen; ``marks``, x, y, width, height of what the last move changed, and
    whether cards came; ``counts``, the cards of stock, waste, reserve and foundations; ``redeals``, null for no limit;
    ``label``, the index of the action that led here, or null; ``actions``, the legal ones, the likeliest first, each
    with the policy's probability; ``played``, which of these was played, null at the end; ``value``, the agent's
    estimate, or null.
"""


def record(
    agent: MaskedAgent,
    game: str,
    deal: int,
    *,
    name: str,
    deterministic: bool = True,
    max_steps: int,
    suites: Path = FOLDER,
) -> Recording:
    """Plays a deal by masks and returns everything that is to be shown.

    Args:
        agent: The player.
        game: The name of the game.
        deal: Number of the deal.
        name: What the player is called.
        deterministic: Takes the best action rather than a drawn one.
        max_steps: Actions after which the game is cut off.
        suites: Folder of the suites of deals with verdicts.
    """
    env = SolitaireEnv(game, avoid_repeats=agent.avoid_repeats)
    observation, info = env.reset(options={"deal": deal})
    drawing, frames = _Drawing(env.rules), []
    ended, label, state, starts = False, None, None, np.ones(1, np.bool_)
    before: Position | None = None
    while True:
        frame = {**drawing.frame(env.position.known("recall"), before), "label": label}
        frames.append(frame)
        mask = info["action_mask"]
        if ended or len(frames) > max_steps or not mask.any():
            frame |= {"actions": [], "played": None, "value": None}
            break
        inputs, masks = observation[None], mask[None].astype(np.bool_)
        weights = agent.action_weights(inputs, masks)[0]
        chosen, state = agent.predict(
            inputs, state=state, episode_start=starts, deterministic=deterministic, action_masks=masks
        )
        action, starts = int(chosen[0]), np.zeros(1, np.bool_)
        order = sorted(np.flatnonzero(mask).tolist(), key=lambda a: -weights[a])
        words = {a: drawing.label(env.describe(a)) for a in order}
        values = agent.state_values(inputs)
        frame |= {
            "actions": [[words[a], round(float(weights[a] / weights.sum()), 5)] for a in order],
            "played": order.index(action),
            "value": None if values is None else round(float(values[0]), 5),
        }
        label, before = words[action], env.position.known("recall")
        observation, _, ended, _, info = env.step(action)
    return {
        "title": f"{game_title(game)}, deal {deal}",
        "agent": name,
        "outcome": _outcome(info["is_success"], ended, len(frames) - 1),
        "verdict": verdict_words(game, deal, suites),
        "size": list(SIZE),
        "decks": env.rules.decks,
        "base_rank": env.rules.base_rank,
        "labels": list(drawing.labels),
        "layouts": drawing.layouts,
        "frames": frames,
    }


def verdict_words(game: str, deal: int, suites: Path = FOLDER) -> str:
    """Returns what the solver, who sees all cards, found out about a deal."""
    labels = find_labels(suites, game, [deal])
    if labels is None:
        return "not known: the deal is in no suite with verdicts"
    return {
        "won": f"can be won, in {len(labels[0].actions)} actions",
        "lost": "cannot be won, whoever plays",
        "unknown": "not known: the search ended without result",
    }[labels[0].verdict]


def _outcome(won: bool, ended: bool, actions: int) -> str:
    if won:
        return f"won in {actions} actions"
    return f"lost after {actions} actions" if ended else f"not finished after {actions} actions"


class _Drawing:
    """Lays positions out; gathers what several frames share."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self.labels: dict[str, int] = {}
        self.layouts: list[list[list[Any]]] = []

    def label(self, words: str) -> int:
        return self.labels.setdefault(words, len(self.labels))

    def frame(self, known: Position, before: Position | None) -> dict[str, Any]:
        table = lay_out(self._rules, known)
        layout = [[place.kind, place.number, rect.x, rect.y] for place, rect in table.slots.items()]
        if layout not in self.layouts:
            self.layouts.append(layout)
        changed = () if before is None else marks(table, known, before)
        return {
            "layout": self.layouts.index(layout),
            "card": [*table.card_size, rank_height(table.card_size[0])],
            "cards": [[spot.card, spot.rect.x, spot.rect.y] for spot in table.cards],
            "marks": [[*rect, int(whole)] for rect, whole in changed],
            "counts": [len(known.stock), len(known.waste), len(known.reserve), known.foundation_cards],
            "redeals": known.redeals_left,
        }
