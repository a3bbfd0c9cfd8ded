"""Hyperparameters as data: one TOML file a game, checked when read."""

from __future__ import annotations

import dataclasses
import tomllib
import typing
from pathlib import Path
from typing import Any, Literal, TypeVar

from solitaire_env.settings import Reward

T = TypeVar("T")

CONFIGS = Path(__file__).parent / "configs"
"""The folder of the games' own files, ``<game>.toml``."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class EnvironmentSettings:
    """What is learned on.

    Attributes:
        num_envs: Games side by side.
        avoid_repeats: Masks moves into positions already seen in the episode.
        reward: ``"progress"`` or ``"win"``, see ``SolitaireEnv``.
        max_episode_steps: Step limit while learning: a game that was lost long ago teaches nothing more.
    """

    num_envs: int
    avoid_repeats: bool
    reward: Reward
    max_episode_steps: int


@dataclasses.dataclass(frozen=True, kw_only=True)
class PPOSettings:
    """The arguments of MaskablePPO by their names there, but for the schedule of the learning rate.

    Attributes:
        n_steps: Steps that each game is played between two updates.
        batch_size: Steps in a minibatch.
        n_epochs: Passes over the collected steps in an update.
        gamma: Discount a step.
        gae_lambda: Of the generalised advantage estimate.
        clip_range: Of the probability ratio.
        ent_coef: Weight of the entropy bonus.
        vf_coef: Weight of the value loss.
        max_grad_norm: Longest gradient.
        learning_rate: At the start; it falls in a straight line to
        final_learning_rate: at the end.
        value_updates: Updates at the start in which the value alone is learned, when the policy is one that was learned
            before.
    """

    n_steps: int
    batch_size: int
    n_epochs: int
    gamma: float
    gae_lambda: float
    clip_range: float
    ent_coef: float
    vf_coef: float
    max_grad_norm: float
    learning_rate: float
    final_learning_rate: float
    value_updates: int


_WIDTHS = {"piles": 3, "cards": 5}


@dataclasses.dataclass(frozen=True, kw_only=True)
class PolicySettings:
    """The networks.

    Attributes:
        network: ``"piles"``, that of ``agents.policies``; ``"cards"``, that of ``agents.card_policy``; or ``"layers"``,
            ordinary ones on the plain observation.
        net_arch: Of ``"layers"`` the widths of the hidden layers, the same for policy and value, which share none; of
            the others the numbers that ``agents.networks.WIDTHS`` names.
        activation: ``"tanh"`` or ``"relu"``.
    """

    network: Literal["piles", "cards", "layers"]
    net_arch: tuple[int, ...]
    activation: Literal["tanh", "relu"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class ImitationSettings:
    """Learning from the solver's lines, before PPO.

    Attributes:
        positions: Positions learned from in all; when there are fewer, the lines are gone through again.
        batch_size: Positions in a minibatch.
        learning_rate: At the start; it falls along a half cosine to nothing.
        lines_at_once: Lines whose positions are shuffled together.
    """

    positions: int
    batch_size: int
    learning_rate: float
    lines_at_once: int


@dataclasses.dataclass(frozen=True, kw_only=True)
class Hyperparameters:
    """All that a run of training is set by, but for its seed.

    Attributes:
        steps: Steps of PPO in all, over all games.
        environment: What is learned on.
        imitation: How the solver's lines are learned from, where they are.
        ppo: How PPO learns.
        policy: The networks.
    """

    steps: int
    environment: EnvironmentSettings
    imitation: ImitationSettings
    ppo: PPOSettings
    policy: PolicySettings

    @property
    def rollout_steps(self) -> int:
        """Steps that are collected for one update."""
        return self.environment.num_envs * self.ppo.n_steps


def read_hyperparameters(file: Path) -> Hyperparameters:
    """Reads a TOML file.

    Raises:
        FileNotFoundError: There is no such file.
        ValueError: It is not TOML, or an entry is missing, unknown or not allowed; the message names it.
    """
    if not file.is_file():
        raise FileNotFoundError(f"{file}: no such file of hyperparameters")
    try:
        data = tomllib.loads(file.read_text())
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{file} is not TOML: {error}") from error
    return hyperparameters_of(data, str(file))


def hyperparameters_of(data: dict[str, Any], source: str) -> Hyperparameters:
    """Builds hyperparameters from plain data, as TOML and JSON give it.

    Args:
        data: The data.
        source: Where it comes from, for messages.

    Raises:
        ValueError: An entry is missing, unknown or not allowed; the message names it.
    """
    read = _build(Hyperparameters, data, source)
    if read.rollout_steps % read.ppo.batch_size:
        raise ValueError(
            f"{source}: ppo.batch_size is {read.ppo.batch_size}: it must divide "
            f"num_envs * n_steps, {read.rollout_steps}, or the last minibatch of a pass is a small one"
        )
    network, widths = read.policy.network, list(read.policy.net_arch)
    if network in _WIDTHS and len(widths) != _WIDTHS[network]:
        raise ValueError(f"{source}: policy.net_arch is {widths}: {network!r} takes {_WIDTHS[network]} numbers")
    return read


def _build(kind: type[T], data: Any, source: str, prefix: str = "") -> T:
    hints = typing.get_type_hints(kind)
    if not isinstance(data, dict):
        raise ValueError(f"{source}: {prefix.rstrip('.')} is {data!r}: allowed is a table")
    for name in sorted(data.keys() ^ hints.keys()):
        state = "is unknown" if name in data else "is missing"
        raise ValueError(f"{source}: {prefix}{name} {state}")
    values = {}
    for name, hint in hints.items():
        if dataclasses.is_dataclass(hint):
            values[name] = _build(typing.cast("type[Any]", hint), data[name], source, f"{name}.")
        else:
            values[name] = _check(hint, data[name], f"{source}: {prefix}{name}")
    return kind(**values)


def _check(hint: Any, value: Any, name: str) -> Any:
    """Returns a value in the type of its field; numbers are 0 or more, whole numbers 1 or more."""
    whole = isinstance(value, int) and not isinstance(value, bool)
    if typing.get_origin(hint) is Literal:
        allowed = typing.get_args(hint)
        if value in allowed:
            return value
        raise ValueError(f"{name} is {value!r}: allowed are {', '.join(map(repr, allowed))}")
    if hint is bool:
        if isinstance(value, bool):
            return value
        raise ValueError(f"{name} is {value!r}: allowed are true and false")
    if hint is int:
        if whole and value >= 1:
            return value
        raise ValueError(f"{name} is {value!r}: allowed are whole numbers from 1 up")
    if hint is float:
        if (whole or isinstance(value, float)) and 0 <= value < float("inf"):
            return float(value)
        raise ValueError(f"{name} is {value!r}: allowed are numbers from 0 up")
    if isinstance(value, (list, tuple)) and value:
        return tuple(_check(int, item, f"{name}[{i}]") for i, item in enumerate(value))
    raise ValueError(f"{name} is {value!r}: allowed is a list of whole numbers from 1 up")
