"""Players by name, as the command lines take them."""

from __future__ import annotations

from pathlib import Path

from agents.planning import read_budget
from agents.protocol import MaskedAgent
from agents.random import RandomAgent
from agents.rules import RulesAgent
from agents.search import SearchAgent

PRETRAINED = Path(__file__).parent / "pretrained"
"""The folder of the shipped models, one a game."""


def load_agent(name: str, game: str, *, seed: int = 0) -> MaskedAgent:
    """Returns a player.

    Args:
        name: ``"random"``; ``"rules"``; ``"pretrained"`` for the shipped model of the game; ``"search"``, or with a
            budget ``"search:samples=32"`` (see ``agents.planning.read_budget``); or the path of a run's folder or
            model file.
        game: The game that it is to play.
        seed: Of its draws.

    Raises:
        FileNotFoundError: The path does not exist, or lacks a file of a run.
        ValueError: A budget cannot be read, a file there is none of ours, or its model was trained on another game.
    """
    if name == "random":
        return RandomAgent(seed=seed)
    if name == "rules":
        return RulesAgent(game, seed=seed)
    if name == "search" or name.startswith("search:"):
        return SearchAgent(game, budget=read_budget(name.partition(":")[2]), seed=seed)
    path = PRETRAINED / game if name == "pretrained" else Path(name)
    if not path.exists():
        raise FileNotFoundError(
            f"agent is {name!r}: allowed are 'random', 'rules', 'pretrained', 'search' and the path of a run or model; "
            f"no such path: {path}"
        )
    from agents.ppo import load_ppo  # brings torch, which the others can do without

    return load_ppo(path, game, seed=seed)
