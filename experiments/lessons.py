"""Games of a policy with a coach beside it, who knows all cards and tells which moves give the game away."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from agents.networks import policy_class
from agents.ppo import PPOAgent
from experiments.runs import write_whole
from solitaire_env import GAMES, SolitaireVectorEnv
from solitaire_env.dealing import new_deal
from solitaire_env.kernel import apply_action
from solitaire_env.layout import State, compile_rules
from solitaire_env.registration import MAX_EPISODE_STEPS
from solitaire_env.solver.narrow import NarrowSearch
from solitaire_env.solver.playout import is_hidden
from solitaire_env.stacks import LOG_SIZE

GAMES_AT_ONCE = 64

DOUBTFUL = 0.03
"""Moves that the policy plays with at least this probability are judged."""

_FURTHER_WIDTH = 512  # of the search that tells whether a deal is worth playing
_KEPT = 3  # positions without a mistake kept for each one with a mistake, of either kind


class Lessons(NamedTuple):
    """Positions in which moves have been judged.

    Attributes:
        observations: uint8, ``(n, ceil(m / 8))``: observations, eight entries a byte.
        masks: Bool, ``(n, actions)``.
        verdicts: int8, ``(n, actions)``: 1 for moves after which the coach still wins, -1 for those after which he
            does not, 0 for moves that he did not look at.
        hidden: Bool, ``(n,)``: the player did not know all cards.
        values: float32, ``(n,)``: what the policy's critic thought of the position.
        weights: float32, ``(n,)``: for how many positions of the games a position stands.
    """

    observations: NDArray[np.uint8]
    masks: NDArray[np.bool_]
    verdicts: NDArray[np.int8]
    hidden: NDArray[np.bool_]
    values: NDArray[np.float32]
    weights: NDArray[np.float32]

    def pick(self, chosen: NDArray[np.int64]) -> Lessons:
        """Returns those of the given indices."""
        parts: list[Any] = [array[chosen] for array in self]
        return Lessons(*parts)


class Coached(NamedTuple):
    """What comes of some games.

    Attributes:
        lessons: The positions that are kept.
        games: Games that the coach thought could be won from the deal; the others are not played.
        mistakes: Probabilities of the moves that give a game away, added up over all positions of all games.
    """

    lessons: Lessons
    games: int
    mistakes: float


class Task(NamedTuple):
    """Games to be played.

    Attributes:
        game: The game's name.
        network: As of ``PolicySettings``.
        policy: The policy, as it saves itself.
        deals: Numbers of the deals.
        seed: Of the draws.
        widths: Of the coach's searches.
    """

    game: str
    network: str
    policy: bytes
    deals: Sequence[int]
    seed: tuple[int, ...]
    widths: tuple[int, ...]


def play_coached(task: Task) -> Coached:
    """Plays games, half of them by the best action, half drawn; the coach judges each move that comes into question.

    A move that would give the game away is not played: the likeliest other one is, so that a game goes on to its win
    and shows more than one mistake.
    """
    torch.set_num_threads(1)
    agent = PPOAgent(policy_class(task.network).load(io.BytesIO(task.policy)), avoid_repeats=True)  # type: ignore[arg-type]
    generator = np.random.default_rng(task.seed)
    table = _Table(task)
    envs = SolitaireVectorEnv(
        task.game, len(task.deals), avoid_repeats=True, max_episode_steps=MAX_EPISODE_STEPS[task.game]
    )
    observations, infos = envs.reset(options={"deal": list(task.deals)})
    drawn = generator.random(len(task.deals)) < 0.5
    kept: list[_Judged] = []
    for _ in range(MAX_EPISODE_STEPS[task.game]):
        playing = table.playing()
        if not playing:
            break
        masks = infos["action_mask"].astype(np.bool_)
        weights = agent.action_weights(observations[playing], masks[playing])
        values = agent.state_values(observations[playing])
        actions = masks.argmax(axis=1)  # what stands for games that are over is of no consequence
        for i, probabilities, value in zip(playing, weights / weights.sum(axis=1, keepdims=True), values, strict=True):
            best = probabilities.argmax()
            chosen = int(generator.choice(len(probabilities), p=probabilities) if drawn[i] else best)
            judged = table.play(i, probabilities, chosen, masks[i])
            if judged is None:
                continue
            actions[i] = judged.action
            kept.append(judged._replace(observation=observations[i].copy(), mask=masks[i], value=float(value)))
        observations, _, _, _, infos = envs.step(actions)
    envs.close()
    mistakes = sum(float(x.mistakes) for x in kept)
    return Coached(_choose(kept, observations.shape[1], masks.shape[1], generator), table.games, mistakes)


class _Judged(NamedTuple):
    """A position of a game, the verdicts on its moves, and what was played."""

    action: int
    verdicts: NDArray[np.int8]
    hidden: bool
    mistakes: float
    doubtful: bool
    observation: NDArray[np.uint8] = np.zeros(0, np.uint8)
    mask: NDArray[np.bool_] = np.zeros(0, np.bool_)
    value: float = 0.0


class _Table:
    """Games side by side, as the coach sees them: all cards, and a way to win."""

    def __init__(self, task: Task) -> None:
        self._rules = GAMES[task.game]
        self._spec = compile_rules(self._rules)
        self._search = NarrowSearch(self._rules)
        self._widths = task.widths
        self._states = [new_deal(self._spec, deal) for deal in task.deals]
        further = (*task.widths, _FURTHER_WIDTH)
        self._lines = [self._search.win(state, further) for state in self._states]
        self._seen = [[self._search.key(state)] for state in self._states]
        self._log = np.zeros(LOG_SIZE, np.int16)
        self.games = sum(line is not None for line in self._lines)

    def playing(self) -> list[int]:
        """Returns which games are not over."""
        return [i for i, line in enumerate(self._lines) if line]

    def play(self, i: int, probabilities: NDArray[np.float64], chosen: int, mask: NDArray[np.bool_]) -> _Judged | None:
        """Judges the moves of a game that come into question, and plays the chosen one or a better one.

        Returns:
            The position and the verdicts; None if the coach finds that there is no win any more: the game is over.
        """
        line = self._lines[i]
        if line and not mask[line[0]]:  # it leads through a position that was seen
            line = self._search.win(self._states[i], self._widths, self._seen[i])
        if not line or not mask[line[0]]:
            self._lines[i] = None
            return None
        likely = set(np.flatnonzero(probabilities >= DOUBTFUL).tolist()) | {chosen}
        doubtful = likely != {line[0]}
        wins = {action: self._win_after(i, action, line) for action in sorted(likely | {line[0]})}
        verdicts = np.zeros(len(mask), np.int8)
        for action, win in wins.items():
            verdicts[action] = 1 if win is not None else -1
        mistakes = float(probabilities[verdicts < 0].sum())
        if wins[chosen] is None:
            chosen = max((a for a in wins if wins[a] is not None), key=lambda a: float(probabilities[a]))
        judged = _Judged(chosen, verdicts, bool(is_hidden(self._states[i])), mistakes, doubtful)
        apply_action(self._spec, self._states[i], chosen, self._log)
        self._seen[i].append(self._search.key(self._states[i]))
        self._lines[i] = wins[chosen]
        return judged

    def _win_after(self, i: int, action: int, line: list[int]) -> list[int] | None:
        if action == line[0]:
            return line[1:]
        child: State = self._states[i].copy()
        apply_action(self._spec, child, action, self._log)
        return self._search.win(child, self._widths, self._seen[i])


def _choose(judged: list[_Judged], entries: int, actions: int, generator: np.random.Generator) -> Lessons:
    """Returns all positions with a mistake, and some of the others, which weigh the more for it."""
    kinds: list[list[_Judged]] = [
        [x for x in judged if x.mistakes > 0],
        [x for x in judged if x.mistakes == 0 and x.doubtful],
        [x for x in judged if x.mistakes == 0 and not x.doubtful],
    ]
    chosen: list[_Judged] = []
    weights: list[float] = []
    for kind, positions in enumerate(kinds):
        count = len(positions) if kind == 0 else min(len(positions), _KEPT * max(1, len(kinds[0])))
        chosen += [positions[j] for j in generator.choice(len(positions), count, replace=False)] if count else []
        weights += [len(positions) / count] * count if count else []
    return Lessons(
        np.packbits(np.array([x.observation for x in chosen], np.uint8).reshape(-1, entries), axis=1),
        np.array([x.mask for x in chosen], np.bool_).reshape(-1, actions),
        np.array([x.verdicts for x in chosen], np.int8).reshape(-1, actions),
        np.array([x.hidden for x in chosen], np.bool_),
        np.array([x.value for x in chosen], np.float32),
        np.array(weights, np.float32),
    )


def join(parts: Sequence[Lessons]) -> Lessons:
    """Returns the lessons of several blocks of games in one."""
    return Lessons(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


def save_lessons(file: Path, coached: Coached) -> None:
    """Saves lessons, whole or not at all."""
    content = io.BytesIO()
    np.savez_compressed(content, games=coached.games, mistakes=coached.mistakes, **coached.lessons._asdict())
    write_whole(file, content.getvalue())


def load_lessons(file: Path) -> Coached:
    """Loads what ``save_lessons`` saved."""
    with np.load(file) as data:
        lessons = Lessons(*(data[name] for name in Lessons._fields))
        return Coached(lessons, int(data["games"]), float(data["mistakes"]))
