"""Intervals for shares of games won."""

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
