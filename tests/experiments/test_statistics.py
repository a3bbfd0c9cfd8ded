"""Wilson intervals against published and independently calculated values."""

from __future__ import annotations

import pytest

from experiments.statistics import wilson_interval


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
