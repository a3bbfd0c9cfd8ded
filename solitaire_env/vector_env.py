"""``SolitaireVectorEnv``: many games in one compiled step, what ``gymnasium.make_vec`` gives for the four ids."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from solitaire_env.engine import first_outside
from solitaire_env.observation import Level
from solitaire_env.outputs import ArrayPool, TwoBuffers
from solitaire_env.position import Position, as_position
from solitaire_env.render.text import board_text
from solitaire_env.rows import Rows
from solitaire_env.rules import Rules
from solitaire_env.settings import Reward, check_deal, check_options, draw_deals, read_reset_options, read_settings

_DRAWN_AT_ONCE = 8  # deals; a draw one by one took a tenth of a step

Observations = NDArray[np.uint8]
Infos = dict[str, Any]


class SolitaireVectorEnv(VectorEnv[Observations, NDArray[np.int64], NDArray[Any]]):
    """Equal games side by side, each exactly as a ``SolitaireEnv`` under ``TimeLimit`` would play it.

    Observations are uint8 ``(num_envs, m)``, rewards float64, flags bool; every info is an array with one entry an env
    and a ``_key`` array that tells which envs have it: ``action_mask`` int8 ``(num_envs, n)``, ``deal`` int64,
    ``illegal_action`` and ``is_success`` bool, and in mode SAME_STEP ``final_obs`` and ``final_info``. The arguments
    that the single environment has too mean the same; reset options, seeds and autoreset modes are Gymnasium's.

    Env ``i`` of ``reset(seed=s)`` plays the deals that a single environment plays after ``reset(seed=s + i)``.
    """

    def __init__(
        self,
        game: str | Rules = "coyote",
        num_envs: int = 1,
        *,
        rules: Mapping[str, Any] | None = None,
        observation: Level = "recall",
        reward: Reward = "progress",
        illegal_penalty: float = 0.01,
        avoid_repeats: bool = False,
        max_episode_steps: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        num_threads: int = 1,
        render_mode: str | None = None,
    ) -> None:
        """Makes the environments; nothing is dealt before the first ``reset``.

        Args:
            game: See ``SolitaireEnv``, as for the next five.
            num_envs: Number of games.
            rules: As of the single environment.
            observation: As of the single environment.
            reward: As of the single environment.
            illegal_penalty: As of the single environment.
            avoid_repeats: As of the single environment.
            max_episode_steps: Truncates an episode after that many steps; ``None`` never. ``make_vec`` fills it in.
            autoreset_mode: How an env whose episode has ended goes on.
            copy: Never writes to an array again that somebody still holds, or a view of it. Without it observations and
                masks are two buffers in turn: an array is overwritten by the second step (or reset) after the one that
                returned it, held or not.
            num_threads: Threads for a step; the results are the same for any number.
            render_mode: ``None`` or ``"ansi"``.

        Raises:
            ValueError: An argument is not allowed; the message names it.
        """
        settings = read_settings(game, rules, observation, reward, illegal_penalty, avoid_repeats)
        for name, value in (("num_envs", num_envs), ("num_threads", num_threads)):
            if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or value < 1:
                raise ValueError(f"{name} is {value!r}: allowed are whole numbers from 1 up")
        if max_episode_steps is not None and (not isinstance(max_episode_steps, int) or max_episode_steps < 1):
            raise ValueError(
                f"max_episode_steps is {max_episode_steps!r}: allowed are None and whole numbers from 1 up"
            )
        if render_mode not in (None, "ansi"):
            raise ValueError(f"render_mode is {render_mode!r}: allowed are None and 'ansi'")
        self.rules = settings.rules
        self.num_envs = int(num_envs)
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {"render_modes": ["ansi"], "render_fps": 4, "autoreset_mode": self.autoreset_mode}
        self.render_mode = render_mode
        self.single_action_space = settings.action_space
        self.action_space = batch_space(settings.action_space, self.num_envs)
        self.single_observation_space = settings.observation_space
        self.observation_space = batch_space(settings.observation_space, self.num_envs)

        self._n_actions = settings.actions.n
        self._rows = Rows(settings, self.num_envs, max_episode_steps, int(num_threads))
        self._generators: list[np.random.Generator | None] = [None] * self.num_envs
        self._seeds: list[int | None] = [None] * self.num_envs
        self._drawn: list[list[int]] = [[] for _ in range(self.num_envs)]  # deals to come, the next one last
        self._all = np.arange(self.num_envs)
        self._everyone = np.ones(self.num_envs, np.bool_)
        kind = ArrayPool if copy else TwoBuffers
        self._observations = kind(self._rows.observations.shape, np.uint8)
        self._masks = kind(self._rows.masks.shape, np.int8)

    # ---- episodes ----------------------------------------------------------------------------------------------------

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Observations, Infos]:
        """Starts new episodes.

        Args:
            seed: One seed, of which env ``i`` gets ``seed + i``, or a list of one an env (``None`` leaves an env's
                own).
            options: ``{"reset_mask": bool array}`` resets only these envs. ``{"deal": number}`` or ``{"position":
                Position or text}`` as of the single environment, for all envs alike, or a list of one an env.

        Returns:
            Observations of all envs, and the infos of those reset.

        Raises:
            ValueError: A seed list, mask or option does not fit; nothing has changed then.
            TypeError: The reset mask is no bool array.
        """
        seeds = self._read_seeds(seed)
        options = dict(check_options(options))
        picked = None
        if "reset_mask" in options:
            picked = self._read_mask(options.pop("reset_mask"))
        rows = self._all if picked is None else np.flatnonzero(picked)
        deal, position = read_reset_options(options)
        deals = None if deal is None else [check_deal(d) for d in self._one_each("deal", deal)]
        states = None
        if position is not None:
            positions = self._one_each("position", position)
            states = [as_position(positions[i]).to_state(self.rules) for i in rows]

        fresh = [i for i in rows.tolist() if seeds[i] is not None or self._generators[i] is None]
        generators = [seeding.np_random(seeds[i]) for i in fresh]  # refuses a seed before anything changes
        for i, (generator, used) in zip(fresh, generators, strict=True):
            self._generators[i], self._seeds[i] = generator, used
            self._drawn[i] = []
            self._draw_next_deal(i)
        if states is not None:
            for i, state in zip(rows.tolist(), states, strict=True):
                self._rows.place(i, state)
        elif deals is not None:
            self._rows.deals[rows] = np.array(deals)[rows]
        else:
            self._rows.deals[rows] = self._rows.next_deals[rows]
            for i in rows.tolist():
                self._draw_next_deal(i)
        observations, masks = self._observations.take(), self._masks.take()
        if picked is not None:
            observations[:], masks[:] = self._rows.observations, 0
        self._rows.begin(rows, observations, masks)
        return observations, self._infos(masks, picked)

    def step(
        self, actions: ArrayLike
    ) -> tuple[Observations, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], Infos]:
        """Plays an action in every env.

        Args:
            actions: Whole numbers ``(num_envs,)``; what stands for an env that is about to reset itself is ignored.

        Returns:
            Observations, rewards, terminated, truncated and infos, batched.

        Raises:
            ValueError: An action is outside the action space, or there is not one for each env; nothing has changed
                then.
            RuntimeError: In mode DISABLED, an env whose episode has ended was not reset.
        """
        observations, masks = self._play(actions)
        rows = self._rows
        rewards, terminated, truncated = rows.rewards.copy(), rows.terminated.copy(), rows.truncated.copy()
        finals: Infos = {}
        if self.autoreset_mode == AutoresetMode.SAME_STEP and rows.ended.any():
            ended = rows.ended.copy()
            finals = self._finals(ended, observations, masks)
            self._begin_next(np.flatnonzero(ended), observations, masks)
        infos = self._infos(masks, None)
        return observations, rewards, terminated, truncated, {**finals, **infos} if finals else infos

    def action_masks(self) -> NDArray[np.bool_]:
        """Returns what is legal now: bool, ``(num_envs, n)``."""
        return self._rows.masks.astype(np.bool_)

    def positions(self) -> list[Position]:
        """Returns the present position of every env, hidden cards included."""
        return [Position.from_state(self.rules, state) for state in self._rows.states]

    def render(self) -> tuple[str, ...] | None:
        """Returns the boards as text in mode ``"ansi"``, None without a render mode."""
        if self.render_mode is None:
            return None
        return tuple(board_text(self.rules, position) for position in self.positions())

    def close_extras(self, **kwargs: Any) -> None:  # noqa: ARG002  # the base class's signature
        """Ends the threads."""
        self._rows.close()

    @property  # type: ignore[misc]  # read-only and one an env, as of SyncVectorEnv
    def np_random(self) -> tuple[np.random.Generator, ...]:  # type: ignore[override]
        """The generators of the envs; each is ahead by some deals, which its env plays next."""
        return tuple(self._generator(i) for i in range(self.num_envs))

    @property
    def np_random_seed(self) -> tuple[int | None, ...]:  # type: ignore[override]  # as of SyncVectorEnv
        """The seeds of the envs' generators."""
        return tuple(self._seeds)

    # ---- parts -------------------------------------------------------------------------------------------------------

    def _play(self, actions: ArrayLike) -> tuple[Observations, NDArray[np.int8]]:
        """Plays an action in every env, or begins the next deal of one that waits for it; see ``step``.

        Returns:
            Observations and masks. The rest is in the rows, where envs whose episode ends now stay as they are.
        """
        chosen = self._read_actions(actions)
        rows = self._rows
        if self.autoreset_mode == AutoresetMode.DISABLED and rows.ended.any():
            raise RuntimeError(
                f"envs {np.flatnonzero(rows.ended).tolist()} have ended and were not reset: "
                "in autoreset mode DISABLED call reset(options={'reset_mask': ended}) before the next step"
            )
        observations, masks = self._observations.take(), self._masks.take()
        if rows.advance(chosen, observations, masks):
            for i in np.flatnonzero(rows.restarted).tolist():
                self._draw_next_deal(i)
        return observations, masks

    def _begin_next(self, envs: NDArray[np.int64], observations: Observations, masks: NDArray[np.int8]) -> None:
        """Begins the next deals of some envs, in the arrays too."""
        rows = self._rows
        rows.deals[envs] = rows.next_deals[envs]
        for i in envs.tolist():
            self._draw_next_deal(i)
        rows.begin(envs, observations, masks)

    def _generator(self, env: int) -> np.random.Generator:
        generator = self._generators[env]
        if generator is None:
            generator, self._seeds[env] = seeding.np_random()
            self._generators[env] = generator
        return generator

    def _draw_next_deal(self, env: int) -> None:
        drawn = self._drawn[env]
        if not drawn:
            drawn.extend(reversed(draw_deals(self._generator(env), _DRAWN_AT_ONCE)))
        self._rows.next_deals[env] = drawn.pop()

    def _infos(self, masks: NDArray[np.int8], picked: NDArray[np.bool_] | None) -> Infos:
        """Returns the infos of the envs that ``picked`` picks (None: all); ``masks`` is 0 for the others."""
        rows = self._rows
        deals, illegal, won = rows.deals.copy(), rows.illegal.copy(), rows.won.copy()
        if picked is not None:
            for values in (deals, illegal, won):
                values[~picked] = 0
        has = self._everyone if picked is None else picked
        return {
            "action_mask": masks,
            "deal": deals,
            "illegal_action": illegal,
            "is_success": won,
            "_action_mask": has.copy(),
            "_deal": has.copy(),
            "_illegal_action": has.copy(),
            "_is_success": has.copy(),
        }

    def _finals(
        self,
        ended: NDArray[np.bool_],
        observations: Observations,
        masks: NDArray[np.int8],
    ) -> Infos:
        """Returns the last observations and infos of the envs that have just ended, as Gymnasium batches them."""
        final_obs = np.full(self.num_envs, None, dtype=object)
        for i in np.flatnonzero(ended).tolist():
            final_obs[i] = observations[i].copy()
        final_info = self._infos(np.where(ended[:, None], masks, np.int8(0)), ended)
        return {
            "final_obs": final_obs,
            "_final_obs": ended.copy(),
            "final_info": final_info,
            "_final_info": ended.copy(),
        }

    def _read_seeds(self, seed: int | Sequence[int | None] | None) -> list[int | None]:
        if seed is None:
            return [None] * self.num_envs
        if isinstance(seed, (int, np.integer)):
            return [int(seed) + i for i in range(self.num_envs)]
        seeds = _listed(seed)
        if seeds is None:
            raise ValueError(f"seed is {seed!r}: allowed are None, a whole number and a list of one an env")
        if len(seeds) != self.num_envs:
            raise ValueError(f"seed is a list of {len(seeds)}: allowed are one an env, {self.num_envs}")
        return seeds

    def _read_mask(self, mask: object) -> NDArray[np.bool_]:
        name = "options['reset_mask']"
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
            raise TypeError(f"{name} is {mask!r}: allowed is a NumPy array of dtype bool")
        if mask.shape != (self.num_envs,):
            raise ValueError(f"{name} has the shape {mask.shape}: allowed is {(self.num_envs,)}")
        if not mask.any():
            raise ValueError(f"{name} is False throughout: at least one env must be picked")
        return mask

    def _one_each(self, name: str, value: Any) -> list[Any]:
        """Returns an option's value for every env; a single value serves for all."""
        values = _listed(value)
        if values is None:
            return [value] * self.num_envs
        if len(values) != self.num_envs:
            raise ValueError(
                f"reset option {name!r} has {len(values)} values: allowed are one, or one an env, {self.num_envs}"
            )
        return values

    def _read_actions(self, actions: ArrayLike) -> NDArray[np.int64]:
        try:
            chosen = np.asarray(actions)
        except ValueError:  # lists in it, of several lengths
            chosen = np.empty(0)
        if chosen.shape != (self.num_envs,) or chosen.dtype.kind not in "iu":
            raise ValueError(f"actions are {actions!r}: allowed are whole numbers of the shape {(self.num_envs,)}")
        chosen = np.ascontiguousarray(chosen, np.int64)
        refused = first_outside(chosen, self._n_actions)
        if refused >= 0:
            raise ValueError(f"action is {chosen[refused]}: allowed are 0 to {self._n_actions - 1}")
        return chosen


def _listed(value: object) -> list[Any] | None:
    """Returns the items of a list, tuple, range or array; None for a single value."""
    if isinstance(value, list | tuple | range) or (isinstance(value, np.ndarray) and value.ndim == 1):
        return list(value)
    return None
