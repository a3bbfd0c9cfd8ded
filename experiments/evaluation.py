"""Playing numbered deals with an agent, and the figures that come of it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray
from tqdm import tqdm

from agents.protocol import Agent
from experiments.statistics import mcnemar_p, paired_interval, wilson_interval
from experiments.suites import FOLDER, find_labels
from solitaire_env import ENV_IDS, GAMES, Rules, observation_table
from solitaire_env.cards import CARDS_PER_DECK
from solitaire_env.observation import row_width
from solitaire_env.vector_env import SolitaireVectorEnv

GAMES_AT_ONCE = 256


@dataclasses.dataclass(frozen=True)
class Games:
    """How games ended, in the order of the deals.

    Attributes:
        deals: Numbers of the deals.
        won: Bool: all cards on the foundations.
        foundation_cards: Cards on the foundations at the end.
        lengths: Actions played.
        truncated: Bool: the step limit ended the game.
        illegal_actions: Illegal actions in all of them together.
    """

    deals: Sequence[int]
    won: NDArray[np.bool_]
    foundation_cards: NDArray[np.int64]
    lengths: NDArray[np.int64]
    truncated: NDArray[np.bool_]
    illegal_actions: int


def play(
    agent: Agent,
    game: str,
    deals: Sequence[int],
    *,
    avoid_repeats: bool,
    deterministic: bool = True,
    max_episode_steps: int | None = None,
    games_at_once: int = GAMES_AT_ONCE,
    label: str | None = None,
) -> Games:
    """Plays each deal once, from its start to its end or the step limit, always by masks.

    A game that ends gives its place to the next deal. The results do not depend on ``games_at_once``, as long as the
    agent decides for each game alone.

    Args:
        agent: The player.
        game: The game's name.
        deals: Numbers of the deals.
        avoid_repeats: Whether moves into positions already seen are masked.
        deterministic: Takes the best action rather than a drawn one.
        max_episode_steps: Step limit; by default that of the game's id.
        games_at_once: Games side by side.
        label: Shows a progress bar of that name.
    """
    size = min(games_at_once, len(deals))
    envs = SolitaireVectorEnv(
        game,
        size,
        avoid_repeats=avoid_repeats,
        max_episode_steps=max_episode_steps or step_limit(game),
        autoreset_mode=AutoresetMode.DISABLED,
    )
    on_foundation = foundation_entries(GAMES[game])
    won, truncated = np.zeros(len(deals), np.bool_), np.zeros(len(deals), np.bool_)
    cards, lengths = np.zeros(len(deals), np.int64), np.zeros(len(deals), np.int64)
    playing = np.arange(size)  # index of each place's deal; from len(deals) on: idle, see below
    waiting = size
    elapsed = np.zeros(size, np.int64)
    state, starts = None, np.ones(size, np.bool_)
    observations, _ = envs.reset(options={"deal": [deals[i] for i in playing.tolist()]})
    illegal = 0
    with tqdm(total=len(deals), desc=label, unit=" games", disable=label is None) as bar:
        while (playing < len(deals)).any():
            actions, state = agent.predict(
                observations,
                state=state,
                episode_start=starts,
                deterministic=deterministic,
                action_masks=envs.action_masks(),
            )
            observations, _, terminations, truncations, infos = envs.step(actions)
            illegal += int(infos["illegal_action"][playing < len(deals)].sum())
            elapsed += 1
            starts = terminations | truncations
            if not starts.any():
                continue
            ended = starts & (playing < len(deals))
            of = playing[ended]
            won[of] = infos["is_success"][ended]
            truncated[of] = truncations[ended] & ~terminations[ended]
            cards[of] = observations[ended][:, on_foundation].sum(axis=1)
            lengths[of] = elapsed[ended]
            if len(of):
                bar.set_postfix_str(f"{won.sum() / (bar.n + len(of)):.1%} won", refresh=False)
                bar.update(len(of))
            elapsed[starts] = 0
            # A place for which no deal is left plays some deal again, uncounted.
            playing[starts] = waiting + np.arange(starts.sum())
            waiting += int(starts.sum())
            again = [deals[i % len(deals)] for i in playing.tolist()]
            observations, _ = envs.reset(options={"reset_mask": starts, "deal": again})
    envs.close()
    return Games(deals, won, cards, lengths, truncated, illegal)


def join(parts: Iterable[Games]) -> Games:
    """Returns the games of several calls of ``play``, for ranges of deals, in the order of the deals."""
    ordered = sorted(parts, key=lambda part: part.deals[0])
    return Games(
        [deal for part in ordered for deal in part.deals],
        np.concatenate([part.won for part in ordered]),
        np.concatenate([part.foundation_cards for part in ordered]),
        np.concatenate([part.lengths for part in ordered]),
        np.concatenate([part.truncated for part in ordered]),
        sum(part.illegal_actions for part in ordered),
    )


def suite_verdicts(game: str, deals: Sequence[int], folder: Path = FOLDER) -> list[str] | None:
    """Returns whether the solver wins each deal: "won", "lost" or "unknown"; None if no suite has the deals."""
    labels = find_labels(folder, game, deals)
    return None if labels is None else [label.verdict for label in labels]


def of_solvable(
    game: str, deals: Sequence[int], won: NDArray[np.bool_], folder: Path = FOLDER
) -> dict[str, Any] | None:
    """Returns how many of the deals that can be won were won; None if the deals are in no suite that has verdicts.

    Deals of which the solver does not know whether they can be won are left out of the share, and counted.

    Raises:
        RuntimeError: A deal was won that the suite calls lost.
    """
    verdicts = suite_verdicts(game, deals, folder)
    if verdicts is None:
        return None
    by_verdict = {name: np.array([x == name for x in verdicts]) for name in ("won", "lost", "unknown")}
    if (by_verdict["lost"] & won).any():
        raise RuntimeError(f"{game}: deals of {deals[0]} to {deals[-1]} are won that {folder} calls lost")
    solvable, wins = int(by_verdict["won"].sum()), int((by_verdict["won"] & won).sum())
    return {
        "deals": solvable,
        "undecided": int(by_verdict["unknown"].sum()),
        "won": wins,
        "share": wins / solvable if solvable else None,
        "ci95": list(wilson_interval(wins, solvable)) if solvable else None,
    }


def paired(first: NDArray[np.bool_], second: NDArray[np.bool_]) -> dict[str, Any]:
    """Returns how two players did on the same deals: who won which, the difference, and how sure it is."""
    only_first, only_second = int((first & ~second).sum()), int((second & ~first).sum())
    return {
        "both": int((first & second).sum()),
        "only_this": only_first,
        "only_other": only_second,
        "neither": int((~first & ~second).sum()),
        "difference": (only_first - only_second) / len(first),
        "ci95": list(paired_interval(only_first, only_second, len(first))),
        "mcnemar_p": mcnemar_p(only_first, only_second),
    }


def figures(games: Games) -> dict[str, Any]:
    """Returns what is said about games: JSON-able, the same to the last digit for the same games.

    Raises:
        RuntimeError: An illegal action was played: the figures would not be those of the game.
    """
    if games.illegal_actions:
        raise RuntimeError(f"{games.illegal_actions} illegal actions: the agent ignores the masks")
    wins = int(games.won.sum())
    won_lengths = games.lengths[games.won]
    return {
        "win_rate": wins / len(games.won),
        "ci95": list(wilson_interval(wins, len(games.won))),
        "games": len(games.won),
        "wins": wins,
        "mean_foundation": float(games.foundation_cards.mean()),
        "mean_length": float(games.lengths.mean()),
        "won_length_p95": float(np.percentile(won_lengths, 95)) if wins else None,
        "won_length_max": int(won_lengths.max()) if wins else None,
        "truncated": int(games.truncated.sum()),
        "illegal_actions": games.illegal_actions,
        "deals_won": [int(deal) for deal in np.array(games.deals)[games.won]],
    }


def step_limit(game: str) -> int:
    """Returns the step limit that a game is registered with."""
    limit = gym.spec(ENV_IDS[game]).max_episode_steps
    if limit is None:
        raise ValueError(f"{ENV_IDS[game]} is registered without a step limit")
    return limit


def foundation_entries(rules: Rules) -> NDArray[np.int64]:
    """Returns the entries of an observation that add up to the number of foundation cards."""
    column = next(column for column in observation_table(rules) if column.name == "foundation")
    firsts = np.arange(CARDS_PER_DECK) * row_width(rules) + column.start
    return (firsts[:, None] + np.arange(column.width)).ravel()


def summary_table(rows: dict[str, tuple[dict[str, Any], bool]]) -> str:
    """Returns a table for people: for each player its figures and whether repeats were masked."""
    lines = ["                 games won   95 % interval     foundation cards   actions   repeats"]
    for name, (of, avoid_repeats) in rows.items():
        low, high = of["ci95"]
        interval = f"{low:.1%} to {high:.1%}"
        lines.append(
            f"{name:15} {of['win_rate']:>10.1%}   {interval:16}  {of['mean_foundation']:>16.1f} "
            f"{of['mean_length']:>9.1f}   {'masked' if avoid_repeats else 'allowed'}"
        )
    return "\n".join(lines)
