"""``SolitaireEnv``: one game as a Gymnasium environment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, SupportsInt

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from solitaire_env.actions import Move
from solitaire_env.dealing import deal_cards
from solitaire_env.engine import ILLEGAL, LEVEL, advance, begin
from solitaire_env.kernel import LOST, PLAYING, WON
from solitaire_env.layout import STATE_SIZE
from solitaire_env.moves import concrete_move, describe_move
from solitaire_env.observation import INDEX_SIZE, LEVELS, Level, observation_size
from solitaire_env.pile_sets import make_pile_sets
from solitaire_env.position import Position, as_position
from solitaire_env.render.text import board_text
from solitaire_env.render.view import PICTURE_MODES, View
from solitaire_env.repeats import COUNT, WORDS
from solitaire_env.rules import Rules
from solitaire_env.settings import NO_DEAL, Reward, check_deal, draw_deal, read_reset_options, read_settings
from solitaire_env.stacks import LOG_SIZE

_MESSAGES = {PLAYING: "", WON: "Game won", LOST: "No move left"}


class SolitaireEnv(gym.Env[NDArray[np.uint8], np.int64]):
    """A game of patience for one player, who sees what a person at the table would.

    ## Description
    ``game`` is one of ``"coyote"``, ``"swiss"``, ``"courtyard"`` and ``"variegated_canfield"``, or a ``Rules`` value.
    The aim is to bring every card to the foundations. The games' rules are in ``solitaire_env.games`` and
    ``seeds/<game>/rules.md``.

    ## Action Space
    ``Discrete(n)``: deal, and one index for each way that cards may go from one place to another; the table of indices
    is in ``solitaire_env.actions``. ``info["action_mask"]`` (int8, ``(n,)``, 1 = legal) and ``action_masks()`` (bool)
    tell what is legal now. ``describe(action)`` says an action in words.

    ## Observation Space
    ``Box(0, 1, (m,), uint8)``: zeros and ones, a row of marks for each card and a few numbers; the meaning of every
    slice is in ``solitaire_env.observation``. Two positions that differ in what the player knows never look the same.

    ## Rewards
    ``"progress"``: the change in the number of foundation cards over the size of the deck, plus 1 for the win; a card
    taken back costs what it earned. ``"win"``: 1 for the win, else 0. An illegal action costs ``illegal_penalty`` in
    both.

    ## Starting State
    A random deal numbered 1,000,000 or more; those below are kept for evaluation. ``reset(options={"deal": 7})`` plays
    a numbered deal, ``reset(options={"position": position})`` starts from a ``Position`` or its text.

    ## Episode End
    Terminates when the game is won, or lost: no legal action is left. Truncation is left to ``TimeLimit``, which
    ``gymnasium.make`` adds. An illegal action leaves everything as it is and sets ``info["illegal_action"]``.

    ## Information
    ``action_mask``; ``deal``, the number of the deal, -1 when started from a position; ``illegal_action``;
    ``is_success``, whether the game is won.

    ## Arguments
    See ``__init__``.

    ## Version History
    * v0: first version.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi", *PICTURE_MODES], "render_fps": 4}

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
            observation: What the player knows: ``"table"``, what lies face up; ``"recall"``, also the order of waste
                and stock as far as it has been seen; ``"open"``, everything.
            reward: ``"progress"`` or ``"win"``.
            illegal_penalty: What an illegal action costs, 0 or more.
            avoid_repeats: Masks moves into positions already seen in the episode (the order of piles does not count);
                the game is lost when nothing else is left.
            render_mode: ``None``, ``"ansi"``, ``"rgb_array"`` or ``"human"``; the last two need the
                extra ``render``.

        Raises:
            ValueError: An argument is not allowed; the message names it.
            DependencyNotInstalled: The render mode needs pygame-ce, which is not installed.
        """
        self._settings = read_settings(game, rules, observation, reward, illegal_penalty, avoid_repeats)
        self.rules = self._settings.rules
        self.action_space = self._settings.action_space
        self.observation_space = self._settings.observation_space  # type: ignore[assignment]
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise ValueError(f"render_mode is {render_mode!r}: allowed are None and {self.metadata['render_modes']}")
        self.render_mode = render_mode
        fps = self.metadata["render_fps"]
        self._view = View(render_mode, fps) if render_mode in PICTURE_MODES else None
        self._previous: Position | None = None  # before the last move; kept only for pictures

        self._deal = NO_DEAL
        self._outcome = PLAYING
        self._state = np.zeros(self._settings.spec[STATE_SIZE], np.int8)
        self._pile_sets = make_pile_sets(self._settings.spec)
        self._mask = np.zeros(self._settings.actions.n, np.int8)
        self._index = np.zeros(INDEX_SIZE, np.int16)
        self._observation = np.zeros(observation_size(self.rules), np.uint8)
        self._remembers = bool(avoid_repeats)
        self._memory = np.zeros(WORDS + 62, np.uint64)
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
        deal, position = read_reset_options(options)  # whatever is refused is refused before anything changes
        state = None if position is None else as_position(position).to_state(self.rules)
        number = None if deal is None else check_deal(deal)
        super().reset(seed=seed)
        if state is not None:
            self._state, self._deal = state, NO_DEAL
        else:
            self._deal = draw_deal(self.np_random) if number is None else number
            deal_cards(self._settings.spec, self._state, self._deal)
        spec, choice = self._settings.spec, self._settings.options
        self._outcome = begin(
            spec,
            choice,
            self._state,
            self._pile_sets,
            self._mask,
            self._index,
            self._observation,
            self._memory,
        )
        self._previous = None
        if self.render_mode == "human":
            self.render()
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
        if self._remembers and self._memory[COUNT] + WORDS >= len(self._memory):
            self._memory = np.concatenate([self._memory, np.zeros_like(self._memory)])
        before = None if self._view is None else self.position
        outcome, reward = advance(
            self._settings.spec,
            self._settings.options,
            self._settings.penalty,
            self._state,
            self._pile_sets,
            index,
            self._mask,
            self._index,
            self._observation,
            self._memory,
            self._log,
        )
        illegal = outcome >= ILLEGAL
        self._outcome = outcome - ILLEGAL if illegal else outcome
        if not illegal:
            self._previous = before
        if self.render_mode == "human":
            self.render()
        return self._observation.copy(), reward, self._outcome != PLAYING, False, self._info(illegal)

    def action_masks(self) -> NDArray[np.bool_]:
        """Returns what is legal now: bool, ``(n,)``; the name that sb3-contrib asks for."""
        return self._mask.astype(np.bool_)

    def describe(self, action: SupportsInt) -> str:
        """Returns an action in words; for a legal one with the cards that it moves now."""
        index = self._check_action(action)
        table = self._settings.actions
        if not self._mask[index]:
            return table.describe(index)
        return describe_move(table, self.position, index, concrete_move(self.rules, table, self._state, index))

    def legal_moves(self) -> dict[int, Move]:
        """Returns the legal actions of the present position with what each does in it."""
        table = self._settings.actions
        legal = np.flatnonzero(self._mask).tolist()
        return {index: concrete_move(self.rules, table, self._state, index) for index in legal}

    @property
    def position(self) -> Position:
        """The present position, hidden cards included."""
        return Position.from_state(self.rules, self._state)

    def render(self) -> str | NDArray[np.uint8] | None:
        """Shows the board as a player of the env's ``observation`` level sees it.

        Returns:
            Mode ``"ansi"``: text. ``"rgb_array"``: a new picture, uint8 ``(600, 800, 3)``.
            ``"human"``: None, the picture is in the window; ``reset`` and ``step`` show it by
            themselves. None without a render mode.
        """
        level = LEVELS[self._settings.options[LEVEL]]
        position = self.position.known(level)
        if self.render_mode == "ansi":
            return board_text(self.rules, position)
        if self._view is None:
            return None
        previous = None if self._previous is None else self._previous.known(level)
        return self._view.show(self.rules, position, previous, _MESSAGES[self._outcome])

    def close(self) -> None:
        """Closes the window of mode ``"human"``; more than once does no harm."""
        if self._view is not None:
            self._view.close()

    def _check_action(self, action: SupportsInt) -> int:
        if isinstance(action, int | np.integer) or (isinstance(action, np.ndarray) and action.shape == ()):
            index = int(action)
            if 0 <= index < self._settings.actions.n:
                return index
        raise ValueError(f"action is {action!r}: allowed are whole numbers from 0 to {self._settings.actions.n - 1}")

    def _info(self, illegal: bool) -> dict[str, Any]:
        return {
            "action_mask": self._mask.copy(),
            "deal": self._deal,
            "illegal_action": illegal,
            "is_success": self._outcome == WON,
        }
