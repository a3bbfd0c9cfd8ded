"""The solver: whether a deal can be won when all cards are known.

``solve`` is all there is to call; ``solitaire_env.solver.search`` says how it works.
"""

from solitaire_env.solver.search import Solution, solve

__all__ = ["Solution", "solve"]
