"""A player trained by MaskablePPO, as ``experiments.train`` leaves it in a run's folder, or as it is shipped.

A run's model file is a pickle and runs what code it names when it is loaded: load only what you trust. Of a shipped
model there are only the weights, numbers without code, and the config says what network they belong to.
"""

from __future__ import annotations

import io
import json
import pickle
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

from agents.networks import policy_arguments, policy_class
from agents.protocol import MaskedAgent
from solitaire_env import GAMES, ActionTable
from solitaire_env.observation import observation_size

MODEL_FILE = "model.zip"
WEIGHTS_FILE = "weights.pt"
CONFIG_FILE = "config.json"


class PPOAgent(MaskedAgent):
    """Plays a policy.

    The policy runs in double precision: in single precision the last bits of a matrix product depend on the size of the
    batch, which now and then is enough to change a decision.
    """

    def __init__(self, policy: MaskableActorCriticPolicy, *, avoid_repeats: bool, seed: int = 0) -> None:
        super().__init__(avoid_repeats=avoid_repeats, seed=seed)
        # A policy that has just been trained cannot be deep-copied: it holds on to the graph of its last update.
        buffer = io.BytesIO()
        policy.save(buffer)  # type: ignore[arg-type]  # streams are not in its annotation
        buffer.seek(0)
        self._policy: Any = type(policy).load(buffer, device="cpu").double()  # type: ignore[arg-type]
        self._policy.set_training_mode(False)

    def action_weights(self, observations: NDArray[Any], masks: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Returns the policy's probabilities."""
        policy = self._policy
        inputs = torch.as_tensor(observations, device=policy.device).double()
        with torch.no_grad():
            latent = policy.mlp_extractor.forward_actor(policy.pi_features_extractor(inputs))
            logits = policy.action_net(latent).cpu().numpy()
        logits = np.where(masks, logits, -np.inf)
        weights: NDArray[np.float64] = np.exp(logits - logits.max(axis=1, keepdims=True))
        return weights

    def state_values(self, observations: NDArray[Any]) -> NDArray[np.float64]:
        """Returns the critic's estimates, in discounted reward."""
        policy = self._policy
        inputs = torch.as_tensor(observations, device=policy.device).double()
        with torch.no_grad():
            latent = policy.mlp_extractor.forward_critic(policy.vf_features_extractor(inputs))
            values: NDArray[np.float64] = policy.value_net(latent).cpu().numpy()[:, 0]
        return values


def load_ppo(path: Path, game: str, *, seed: int = 0) -> PPOAgent:
    """Loads the player of a run, or a shipped one. A run's model file is a pickle: load only what you trust.

    Args:
        path: A run's folder, the model file in it, or the folder of a shipped model.
        game: The game that it is to play.
        seed: Of its draws.

    Raises:
        FileNotFoundError: The folder, its model or its config is not there.
        ValueError: A file is none of ours, or the model was trained on another game.
    """
    policy, config = load_policy(path, game)
    return PPOAgent(policy, avoid_repeats=config["avoid_repeats"], seed=seed)


def load_policy(path: Path, game: str) -> tuple[MaskableActorCriticPolicy, dict[str, Any]]:
    """Loads a policy and the config beside it, as of ``load_ppo``.

    Raises:
        FileNotFoundError: The folder, its model or its config is not there.
        ValueError: A file is none of ours, or the model was trained on another game.
    """
    if not path.exists():
        raise FileNotFoundError(f"{path}: no such run folder or model file")
    folder = path if path.is_dir() else path.parent
    config = read_config(folder)
    weights_only = (folder / WEIGHTS_FILE).exists() if path.is_dir() else path.name == WEIGHTS_FILE
    file = path if not path.is_dir() else folder / (WEIGHTS_FILE if weights_only else MODEL_FILE)
    if config["game"] != game:
        raise ValueError(f"{file} was trained on {config['game']}, not on {game}")
    if weights_only:
        return _policy_of_weights(file, game, config), config
    return load_model(file, game).policy, config


def _policy_of_weights(file: Path, game: str, config: dict[str, Any]) -> MaskableActorCriticPolicy:
    rules = GAMES[game]
    settings = config.get("hyperparameters", {}).get("policy", {})
    try:
        policy = policy_class(settings["network"])(
            spaces.Box(0, 1, (observation_size(rules),), np.uint8),
            spaces.Discrete(ActionTable(rules).n),
            lambda _: 0.0,
            **policy_arguments(game, **settings),
        )
        policy.load_state_dict(torch.load(file, map_location="cpu", weights_only=True))
    except (KeyError, TypeError, ValueError, RuntimeError, pickle.UnpicklingError, EOFError) as error:
        raise ValueError(f"{file} are no weights of the network in its config: {error!r}") from error
    return policy


def save_weights(policy: MaskableActorCriticPolicy, file: Path) -> None:
    """Saves a policy's weights alone, whole or not at all."""
    beside = file.with_name(file.name + ".part")
    torch.save(policy.state_dict(), beside)
    beside.replace(file)


def read_config(run: Path) -> dict[str, Any]:
    """Reads what a run was trained with.

    Raises:
        FileNotFoundError: There is no config.
        ValueError: It is no config of a run.
    """
    file = run / CONFIG_FILE
    if not file.is_file():
        raise FileNotFoundError(f"{file}: no such file; a model needs the config of its run beside it")
    try:
        config = json.loads(file.read_text())
    except ValueError as error:
        raise ValueError(f"{file} is not JSON: {error}") from error
    if not isinstance(config, dict):
        raise ValueError(f"{file} is no config of a run: it holds {config!r}")
    for key, kind in (("game", str), ("avoid_repeats", bool)):
        if not isinstance(config.get(key), kind):
            raise ValueError(f"{file} is no config of a run: {key!r} is {config.get(key)!r}")
    return config


def load_model(file: Path, game: str) -> MaskablePPO:
    """Loads a MaskablePPO model and checks that it fits a game.

    Args:
        file: The model file.
        game: The game that it must fit.

    Raises:
        FileNotFoundError: There is no such file.
        ValueError: It is no MaskablePPO model, or one for other observations or actions.
    """
    if not file.is_file():
        raise FileNotFoundError(f"{file}: no such model file")
    try:
        model = MaskablePPO.load(file, device="cpu")
    except (
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        RuntimeError,
        AssertionError,
        zipfile.BadZipFile,
        pickle.UnpicklingError,
    ) as error:
        raise ValueError(f"{file} is no MaskablePPO model: {error!r}") from error
    if not isinstance(model.policy, MaskableActorCriticPolicy):
        raise ValueError(f"{file} is no MaskablePPO model: its policy takes no masks")
    rules = GAMES[game]
    found = (model.observation_space.shape, int(getattr(model.action_space, "n", 0)))
    wanted = ((observation_size(rules),), ActionTable(rules).n)
    if found != wanted:
        raise ValueError(
            f"{file} does not fit {game}: it takes observations and actions of the sizes {found}, not {wanted}"
        )
    return model
