"""Hints: what an agent would play.

Agents live outside this package, which does not know them: whoever starts a game hands in what is here called an
adviser. Every agent of the folder ``agents`` is one.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from solitaire_env.play.session import Session


class Adviser(Protocol):
    """What gives hints: stable-baselines3's ``predict``, by masks.

    Attributes:
        avoid_repeats: Whether it is meant for environments with ``avoid_repeats=True``.
    """

    avoid_repeats: bool

    def predict(
        self,
        observation: NDArray[Any],
        *,
        deterministic: bool = False,
        action_masks: NDArray[Any] | None = None,
    ) -> tuple[Any, Any]:
        """Returns the action for one observation, and a state that is not needed."""
        ...


def ask(adviser: Adviser, session: Session) -> int | None:
    """Returns the action that an adviser would play, None where it knows none.

    An adviser that must not repeat positions knows none when every move leads to one that was there before.
    """
    observation, mask = session.view(avoid_repeats=adviser.avoid_repeats)
    if not np.any(mask):
        return None
    action, _ = adviser.predict(observation, deterministic=True, action_masks=mask)
    return int(action)
