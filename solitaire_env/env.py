"""``SolitaireEnv``: one game as a Gymnasium environment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, SupportsInt, get_args

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from solitaire_env.actions import ActionTable, Move
from solitaire_env.dealing import DEAL_LIMIT, FIRST_TRAINING_DEAL, deal_cards
from solitaire_env.engine import ILLEGAL, advance, begin
from solitaire_env.games import GAMES
from solitaire_env.kernel import LOG_SIZE, PLAYING, WON, first_space, moved_cards
from solitaire_env.layout import KINDS, SIZES, STATE_SIZE, STOCK, compile_rules
from solitaire_env.observation import INDEX_SIZE, LEVELS, Level, observation_size
from solitaire_env.position import Position, as_position
from solitaire_env.render.text import board_text
from solitaire_env.repeats import COUNT, WORDS
from solitaire_env.rules import Rules, override

Reward = Literal["progress", "win"]

_NO_DEAL = -1


class SolitaireEnv(gym.Env[NDArray[np.uint8], np.int64]):
    """A game of patience for one player, who sees what a person at the table would.

    ## Description
    ``game`` is one of ``"coyote"``, ``"swiss"``, ``"courtyard"`` and ``"variegated_canfield"``, or a ``Rules`` value. The aim
    is to bring every card to the foundations. The games' rules are in ``solitaire_env.games`` and ``seeds/<game>/rules.md``.

    ## Action Space
    ``Discrete(n)``: deal, and one index for each way that cards may go from one place to another; the table of indices is in
    ``solitaire_env.actions``. ``info["action_mask"]`` (int8, ``(n,)``, 1 = legal) and ``action_masks()`` (bool) tell what is
    legal now. ``describe(action)`` says an action in words.

    ## Observation Space
    ``Box(0, 1, (m,), uint8)``: zeros and ones, a row of marks for each card and a few numbers; the meaning of every slice is in
    ``solitaire_env.observation``. Two positions that differ in what the player knows never look the same.

    ## Rewards
    ``"progress"``: the change in the number of foundation cards over the size of the deck, plus 1 for the win; a card taken
    back costs what it earned. ``"win"``: 1 for the win, else 0. An illegal action costs ``illegal_penalty`` in both.

    ## Starting State
    A random deal numbered 1,000,000 or more; those below are kept for evaluation. ``reset(options={"deal": 7})`` plays a numbered
    deal, ``reset(options={"position": position})`` starts from a ``Position`` or its text.

    ## Episode End
    Terminates when the game is won, or lost: no legal action is left. Truncation is left to ``TimeLimit``, which
    ``gymnasium.make`` adds. An illegal action leaves everything as it is and sets ``info["illegal_action"]``.

    ## Information
    ``action_mask``; ``deal``, the number of the deal, -1 when started from a position; ``illegal_action``; ``is_success``,
    whether the game is won.

    ## Arguments
    See ``__init__``.

    ## Version History
    * v0: first version.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 4}

    def __init__(
        self,
        game: str | Rules = "coyote",
        *,
        rules: Mapping[str, Any] | None = None,
        observation: Level = "recall",
        reward: Reward = "progress",
        illegal_penalty: float = 0.01,
        avoid_repeats: bool = False,
        render_mode: str | None = None,
    ) -> None:
        """Makes an environment; nothing is dealt before the first ``reset``.

        Args:
            game: The name of a game, or its rules.
            rules: Fields of ``Rules`` to override, as JSON-able values.
            observation: What the player knows: ``"table"``, what lies face up; ``"recall"``, also the order of waste and
                stock as far as it has been seen; ``"open"``, everything.
            reward: ``"progress"`` or ``"win"``.
            illegal_penalty: What an illegal action costs, 0 or more.
            avoid_repeats: Masks moves into positions already seen in the episode (the order of piles does not count); the
                game is lost when nothing else is left.
            render_mode: ``None`` or ``"ansi"``.

        Raises:
            ValueError: An argument is not allowed; the message names it.
        """
        self.rules = override(game_rules(game), rules)
        if observation not in LEVELS:
            raise ValueError(f"observation is {observation!r}: allowed are {', '.join(map(repr, LEVELS))}")
        if reward not in get_args(Reward):
            raise ValueError(f"reward is {reward!r}: allowed are {', '.join(map(repr, get_args(Reward)))}")
        if not 0 <= illegal_penalty < float("inf"):
            raise ValueError(f"illegal_penalty is {illegal_penalty!r}: allowed are finite numbers from 0 up")
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise ValueError(f"render_mode is {render_mode!r}: allowed are None and {self.metadata['render_modes']}")
        self.render_mode = render_mode
        self._reward = reward
        self._illegal_penalty = float(illegal_penalty)
        self._actions = ActionTable(self.rules)
        self._compiled = compile_rules(self.rules)
        self._options = np.array([LEVELS.index(observation), bool(avoid_repeats)], np.int64)
        self.action_space = spaces.Discrete(self._actions.n)
        self.observation_space = spaces.Box(0, 1, (observation_size(self.rules),), np.uint8)

        self._deal = _NO_DEAL
        self._outcome = PLAYING
        self._state = np.zeros(self._compiled[STATE_SIZE], np.int8)
        self._mask = np.zeros(self._actions.n, np.int8)
        self._index = np.zeros(INDEX_SIZE, np.int16)
        self._observation = np.zeros(self.observation_space.shape, np.uint8)
        self._memory = np.zeros(WORDS + 64, np.uint64)
        self._log = np.zeros(LOG_SIZE, np.int16)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.uint8], dict[str, Any]]:
        """Starts a game.

        Args:
            seed: Seeds the draw of deals, as in every Gymnasium environment.
            options: ``{"deal": number}`` or ``{"position": Position or text}``; no deal is drawn then.

        Returns:
            The observation (uint8) and the info.

        Raises:
            ValueError: An option is unknown or its value not allowed; the game in progress stays as it was.
        """
        super().reset(seed=seed)
        deal, position = read_reset_options(options)
        if position is not None:
            self._state[:] = position.to_state(self.rules)
        else:
            if deal is None:
                deal = draw_deal(self.np_random)
            deal_cards(self._compiled, self._state, deal)
        self._deal = _NO_DEAL if deal is None else deal
        self._outcome = begin(
            self._compiled, self._options, self._state, self._mask, self._index, self._observation, self._memory
        )
        return self._observation.copy(), self._info(illegal=False)

    def step(self, action: SupportsInt) -> tuple[NDArray[np.uint8], float, bool, bool, dict[str, Any]]:
        """Plays an action.

        Args:
            action: An index of the action space.

        Returns:
            Observation, reward, terminated, truncated (always False here) and info.

        Raises:
            ValueError: The action is outside the action space.
        """
        index = self._check_action(action)
        if self._memory[COUNT] + WORDS >= len(self._memory):
            self._memory = np.concatenate([self._memory, np.zeros_like(self._memory)])
        outcome, gained = advance(
            self._compiled,
            self._options,
            self._state,
            index,
            self._mask,
            self._index,
            self._observation,
            self._memory,
            self._log,
        )
        illegal = outcome >= ILLEGAL
        self._outcome = outcome - ILLEGAL if illegal else outcome
        won = self._outcome == WON
        if illegal:
            reward = -self._illegal_penalty
        elif self._reward == "progress":
            reward = gained / self.rules.deck_size + won
        else:
            reward = float(won)
        return self._observation.copy(), reward, self._outcome != PLAYING, False, self._info(illegal)

    def action_masks(self) -> NDArray[np.bool_]:
        """Returns what is legal now: bool, ``(n,)``; the name that sb3-contrib asks for."""
        return self._mask.astype(np.bool_)

    def describe(self, action: SupportsInt) -> str:
        """Returns an action in words; for a legal one with the cards that it moves now."""
        index = self._check_action(action)
        words = self._actions.describe(index)
        move = self._move(index) if self._mask[index] else None
        if move is None or move.kind == "deal":
            return words
        if move.kind == "redeal":
            return "turn the waste over"
        return f"{words}: {self._moved_text(move)}"

    def legal_moves(self) -> dict[int, Move]:
        """Returns the legal actions of the present position with what each does in it."""
        return {int(index): self._move(int(index)) for index in np.flatnonzero(self._mask)}

    @property
    def position(self) -> Position:
        """The present position, hidden cards included."""
        return Position.from_state(self.rules, self._state)

    def render(self) -> str | None:  # type: ignore[override]  # Gymnasium's type has no plain None for ansi
        """Returns the board as text in mode ``"ansi"``, None without a render mode."""
        return board_text(self.rules, self.position) if self.render_mode == "ansi" else None

    def _check_action(self, action: SupportsInt) -> int:
        if isinstance(action, (int, np.integer)) or (isinstance(action, np.ndarray) and action.shape == ()):
            index = int(action)
            if 0 <= index < self._actions.n:
                return index
        raise ValueError(f"action is {action!r}: allowed are whole numbers from 0 to {self._actions.n - 1}")

    def _info(self, illegal: bool) -> dict[str, Any]:
        return {
            "action_mask": self._mask.copy(),
            "deal": self._deal,
            "illegal_action": illegal,
            "is_success": self._outcome == WON,
        }

    def _move(self, index: int) -> Move:
        kind, source, target, _ = self._actions.decode(index)
        count = 1
        if kind == "deal":
            kind, count = ("deal" if self._state[SIZES + STOCK] else "redeal"), 0
        elif kind in ("pile_pile", "pile_space"):
            count = int(moved_cards(self._compiled, self._state, index))
        if kind in ("pile_space", "stock_space"):
            target = int(first_space(self._compiled, self._state))
        return Move(kind, source, target, count)

    def _moved_text(self, move: Move) -> str:
        position = self.position
        place = move.kind.partition("_")[0]
        if place == "stock":
            return "unseen"
        piles = {"waste": position.waste, "reserve": position.reserve}
        if place in piles:
            return piles[place][-1]
        stack = (position.tableau if place == "pile" else position.foundations)[move.source]
        return " ".join(stack[-move.count :])


def game_rules(game: str | Rules) -> Rules:
    """Returns the rules of a game given by name or as rules.

    Raises:
        ValueError: The name is unknown.
    """
    if isinstance(game, Rules):
        return game
    if game not in GAMES:
        raise ValueError(f"game is {game!r}: allowed are {', '.join(map(repr, GAMES))}, and a Rules value")
    return GAMES[game]


def draw_deal(generator: np.random.Generator) -> int:
    """Draws the number of a deal for training, never one that is kept for evaluation."""
    return int(generator.integers(FIRST_TRAINING_DEAL, DEAL_LIMIT))


def read_reset_options(options: Mapping[str, Any] | None) -> tuple[int | None, Position | None]:
    """Returns the deal number or the position that reset options ask for, or neither.

    Raises:
        ValueError: An option is unknown or its value not allowed, or both are given.
    """
    options = options or {}
    for key in options:
        if key not in ("deal", "position"):
            raise ValueError(f"unknown reset option {key!r}: allowed are 'deal' and 'position'")
    if len(options) > 1:
        raise ValueError("reset options 'deal' and 'position' exclude each other")
    if "position" in options:
        return None, as_position(options["position"])
    if "deal" not in options:
        return None, None
    return check_deal(options["deal"]), None


def check_deal(deal: object) -> int:
    """Returns a deal number as an int.

    Raises:
        ValueError: It is no whole number from 0 to 2**63 - 2.
    """
    if isinstance(deal, bool) or not isinstance(deal, (int, np.integer)) or not 0 <= deal < DEAL_LIMIT:
        raise ValueError(f"deal is {deal!r}: allowed are whole numbers from 0 to {DEAL_LIMIT - 1}")
    return int(deal)
