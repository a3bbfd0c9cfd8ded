"""Intervals for shares of games won, and for the difference between two players of the same deals."""

from __future__ import annotations

import math

Z_95 = 1.959963984540054
"""The two-sided 95 % point of the standard normal distribution."""


def wilson_interval(successes: int, trials: int) -> tuple[float, float]:
    """Returns the Wilson score interval, 95 %, of a share.

    Unlike the textbook interval it stays within 0 to 1 and is of use for very small shares (Wilson 1927).

    Raises:
        ValueError: There are no trials, or not 0 to ``trials`` successes.
    """
    if trials < 1:
        raise ValueError(f"trials is {trials}: at least 1 is needed")
    if not 0 <= successes <= trials:
        raise ValueError(f"successes is {successes}: allowed are 0 to {trials}")
    share, z2 = successes / trials, Z_95**2
    centre = (share + z2 / (2 * trials)) / (1 + z2 / trials)
    spread = math.sqrt(share * (1 - share) / trials + z2 / (4 * trials**2))
    half = Z_95 * spread / (1 + z2 / trials)
    # Rounding must not move the ends of an interval that touches 0 or 1.
    low = 0.0 if successes == 0 else centre - half
    high = 1.0 if successes == trials else centre + half
    return low, high


def paired_interval(only_first: int, only_second: int, trials: int) -> tuple[float, float]:
    """Returns an interval, 95 %, of the difference of two shares that were counted on the same trials.

    The adjusted Wald interval of Bonett and Price (2012), which keeps its level for few trials too.

    Args:
        only_first: Trials in which the first succeeded and the second did not.
        only_second: The other way round.
        trials: Trials in all.

    Raises:
        ValueError: There are no trials, or fewer than those counted.
    """
    _check_paired(only_first, only_second, trials)
    first, second = (only_first + 1) / (trials + 2), (only_second + 1) / (trials + 2)
    difference = first - second
    half = Z_95 * math.sqrt((first + second - difference**2) / (trials + 2))
    return max(-1.0, difference - half), min(1.0, difference + half)


def mcnemar_p(only_first: int, only_second: int) -> float:
    """Returns McNemar's exact p-value: how often equal players would differ as much, on either side.

    Raises:
        ValueError: A number is below 0.
    """
    _check_paired(only_first, only_second, max(1, only_first + only_second))
    n, fewer = only_first + only_second, min(only_first, only_second)
    tail = sum(math.comb(n, k) for k in range(fewer + 1))
    return min(1.0, float(2 * tail / 2**n))


def _check_paired(only_first: int, only_second: int, trials: int) -> None:
    if trials < 1:
        raise ValueError(f"trials is {trials}: at least 1 is needed")
    if min(only_first, only_second) < 0 or only_first + only_second > trials:
        raise ValueError(f"{only_first} and {only_second} successes of one alone do not fit {trials} trials")
