"""Arrays to hand out: as good as fresh ones, without the cost of new memory for each step."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

_POOL_SIZE = 4
_UNUSED = 2  # references to an array that nobody else holds: the pool's, and the one that getrefcount itself takes


class ArrayPool:
    """Arrays of one shape, each given out again only when nobody holds it or a view of it any more.

    An array that the caller keeps is thus never written to again, as if every one were new. New memory for each step
    would have to be mapped page by page, which takes longer than many a step.
    """

    def __init__(self, shape: tuple[int, ...], dtype: DTypeLike) -> None:
        self._shape, self._dtype = shape, dtype
        self._arrays: list[NDArray[Any]] = []

    def take(self) -> NDArray[Any]:
        """Returns an array with any content."""
        for i in range(len(self._arrays)):
            if sys.getrefcount(self._arrays[i]) == _UNUSED:
                return self._arrays[i]
        array = np.empty(self._shape, self._dtype)
        if len(self._arrays) < _POOL_SIZE:
            self._arrays.append(array)
        return array

    def __getstate__(self) -> dict[str, Any]:
        """Leaves the arrays out of a copy, which gives out its own."""
        return {**self.__dict__, "_arrays": []}


class TwoBuffers:
    """Two arrays in turn, whether they are still held or not."""

    def __init__(self, shape: tuple[int, ...], dtype: DTypeLike) -> None:
        self._arrays = [np.empty(shape, dtype), np.empty(shape, dtype)]

    def take(self) -> NDArray[Any]:
        """Returns the array that was not returned last."""
        self._arrays.reverse()
        return self._arrays[0]
