"""Some seconds of what ``python -m tests.fuzz`` does for hours, and the findings of those hours."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from solitaire_env import SolitaireEnv, SolitaireVectorEnv
from tests.fuzz import Table

LIMITS = settings(
    max_examples=15,
    stateful_step_count=30,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)


def test_nothing_but_documented_errors() -> None:
    run_state_machine_as_test(Table, settings=LIMITS)  # type: ignore[no-untyped-call]


@pytest.mark.parametrize("options", [False, 0, "", [], ["deal"], 7])
def test_reset_options_that_are_no_mapping_are_refused(options: Any) -> None:
    """Found by fuzzing: an empty list or a False passed for no options, others were no clear error."""
    for env in (SolitaireEnv(), SolitaireVectorEnv("coyote", 2)):
        with pytest.raises(ValueError, match=r"options is .*: allowed are None and a mapping"):
            env.reset(options=options)


@pytest.mark.parametrize("value", [1.5, b"ab", {3: 4, 5: 6}, np.float32(1), np.zeros((2, 2)), object()])
def test_a_vector_reset_names_an_option_that_is_neither_one_value_nor_a_list(value: Any) -> None:
    """Found by fuzzing: two bytes were taken for two deals, and a float was "not iterable"."""
    envs = SolitaireVectorEnv("coyote", 2)
    with pytest.raises(ValueError, match="deal is "):
        envs.reset(options={"deal": value})
    with pytest.raises(ValueError, match="position is "):
        envs.reset(options={"position": value})


@pytest.mark.parametrize("seed", [1.5, "3", b"ab", object()])
def test_a_vector_seed_that_is_neither_one_number_nor_a_list_is_refused(seed: Any) -> None:
    with pytest.raises(ValueError, match=r"seed is .*: allowed are None, a whole number and a list"):
        SolitaireVectorEnv("coyote", 2).reset(seed=seed)


def test_a_vector_reset_that_refuses_a_seed_changes_none() -> None:
    """Found by fuzzing: the seeds before the refused one in a list had taken hold."""
    envs, untouched = SolitaireVectorEnv("coyote", 2), SolitaireVectorEnv("coyote", 2)
    for each in (envs, untouched):
        each.reset(seed=5)
    with pytest.raises(Exception, match="Seed must be greater or equal to zero"):
        envs.reset(seed=[3, -1])
    assert envs.np_random_seed == untouched.np_random_seed
    assert (envs.reset()[1]["deal"] == untouched.reset()[1]["deal"]).all()


@pytest.mark.parametrize("actions", [[[], 0], [[1, 2], 0], [None, 0], ["a", 0], 3, [0, 0, 0], [0.0, 0.0]])
def test_actions_that_are_no_numbers_of_the_right_shape_are_shown(actions: Any) -> None:
    """Found by fuzzing: a list of lists was refused by NumPy, in its own words."""
    envs = SolitaireVectorEnv("coyote", 2)
    envs.reset(seed=0)
    with pytest.raises(ValueError, match=r"actions are .*: allowed are whole numbers of the shape \(2,\)"):
        envs.step(actions)
