"""Intervals against published and independently calculated values."""

from __future__ import annotations

import math

import numpy as np
import pytest

from experiments.statistics import Z_95, mcnemar_p, paired_interval, wilson_interval


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [
        # Newcombe 1998, table I, method 3.
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0000, 0.1611),
        (1, 29, 0.0061, 0.1718),
        # Ten of twenty, by hand: (0.5 +- 0.2008) within 1 / (1 + 3.8415 / 20).
        (10, 20, 0.2993, 0.7007),
    ],
)
def test_known_intervals(successes: int, trials: int, low: float, high: float) -> None:
    assert wilson_interval(successes, trials) == pytest.approx((low, high), abs=5e-5)


@pytest.mark.parametrize("trials", [1, 7, 1000])
def test_ends_and_symmetry(trials: int) -> None:
    assert wilson_interval(0, trials)[0] == 0.0
    assert wilson_interval(trials, trials)[1] == 1.0
    for successes in range(0, trials + 1, max(1, trials // 10)):
        low, high = wilson_interval(successes, trials)
        assert 0 <= low <= successes / trials <= high <= 1
        assert wilson_interval(trials - successes, trials) == pytest.approx((1 - high, 1 - low))


@pytest.mark.parametrize(("successes", "trials"), [(0, 0), (-1, 5), (6, 5)])
def test_refuses_impossible_counts(successes: int, trials: int) -> None:
    with pytest.raises(ValueError, match=r"is -?[0-9]+:"):
        wilson_interval(successes, trials)


def test_mcnemar_is_the_exact_two_sided_binomial() -> None:
    assert mcnemar_p(0, 0) == 1
    assert mcnemar_p(1, 9) == pytest.approx(2 * (1 + 10) / 2**10)
    assert mcnemar_p(9, 1) == mcnemar_p(1, 9)
    assert mcnemar_p(5, 5) == 1


def test_paired_interval_by_hand() -> None:
    """Bonett and Price (2012): both counts and the trials grow by one, one and two."""
    low, high = paired_interval(9, 4, 98)
    half = Z_95 * math.sqrt((0.10 + 0.05 - 0.05**2) / 100)
    assert (low, high) == (pytest.approx(0.05 - half), pytest.approx(0.05 + half))
    assert paired_interval(4, 9, 98) == (pytest.approx(-high), pytest.approx(-low))


def test_paired_interval_keeps_its_level() -> None:
    generator = np.random.default_rng(0)
    counts = generator.multinomial(200, [0.08, 0.03, 0.89], 4000)
    inside = [low <= 0.05 <= high for low, high in (paired_interval(int(a), int(b), 200) for a, b, _ in counts)]
    assert 0.93 < np.mean(inside) < 0.98


@pytest.mark.parametrize("wrong", [(1, 1, 0), (-1, 1, 5), (3, 3, 5)])
def test_paired_counts_must_fit(wrong: tuple[int, int, int]) -> None:
    with pytest.raises(ValueError, match="trial"):
        paired_interval(*wrong)
