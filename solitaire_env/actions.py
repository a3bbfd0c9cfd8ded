"""The actions of a game: which index means what, in numbers and in words.

Every legal move that changes the position has exactly one index, in every position. The indices of a game follow each
other in this order; a kind that the rules exclude takes none:

| kind | indices | meaning |
| --- | --- | --- |
| ``deal`` | 1 | deal from the stock or, when it is empty, turn the waste over |
| ``waste_foundation`` | 1 | the waste's top card to its foundation |
| ``reserve_foundation`` | 1 | the reserve's top card to its foundation |
| ``pile_foundation`` | piles | a pile's top card to its foundation |
| ``waste_pile`` | piles | the waste's top card to a pile |
| ``reserve_pile`` | piles | the reserve's top card to a pile |
| ``foundation_pile`` | foundations * piles | a foundation's top card back to a pile |
| ``stock_space`` | 1 | the stock's top card, unseen, to the first empty pile |
| ``pile_pile`` | piles * (piles-1) * slots | cards from a pile to another that holds cards |
| ``pile_space`` | piles * slots | cards from a pile to the first empty pile |

Of several empty piles only the first is a target (G8). A *slot* tells apart the suffixes of one pile that fit one
target: slot 0 is the shortest of them that may move. Where runs do not turn the corner a target that holds a card fits
one suffix at most, so that there is one slot; in Swiss there are four.
"""

from __future__ import annotations

from typing import NamedTuple

from solitaire_env.cards import SUITS
from solitaire_env.layout import (
    ACTION_TABLE,
    DEAL,
    KINDS,
    N_ACTIONS,
    PILE_PILE,
    PILE_SPACE,
    STOCK_SPACE,
    compile_rules,
)
from solitaire_env.rules import Rules


class Action(NamedTuple):
    """What an action index means, whatever the position.

    Attributes:
        kind: One of ``solitaire_env.layout.KINDS``.
        source: The pile or foundation that gives the cards, -1 where the kind says it.
        target: The pile that takes them, -1 where the kind says it.
        slot: Which of the fitting suffixes moves, the shortest being 0.
    """

    kind: str
    source: int = -1
    target: int = -1
    slot: int = 0


class Move(NamedTuple):
    """What an action does in one position.

    Attributes:
        kind: As of the action, or ``"redeal"``.
        source: The pile or foundation that gives the cards, or -1.
        target: The pile that takes the cards, an empty one included, or -1.
        count: Cards moved by the player's hand: 0 for a deal or redeal; refills are not counted.
    """

    kind: str
    source: int
    target: int
    count: int  # type: ignore[assignment]  # hides tuple.count, which a move has no use for


class ActionTable:
    """The action space of a game: ``n`` indices and their meaning."""

    def __init__(self, rules: Rules) -> None:
        spec = compile_rules(rules)
        self.n = int(spec[N_ACTIONS])
        rows = spec[ACTION_TABLE:].reshape(self.n, 4).tolist()
        self._rules = rules
        self._actions = [Action(KINDS[kind], source, target, slot) for kind, source, target, slot in rows]
        self._indices = {action: index for index, action in enumerate(self._actions)}

    def decode(self, index: int) -> Action:
        """Returns the meaning of an action index.

        Raises:
            ValueError: There is no such index.
        """
        if not 0 <= index < self.n:
            raise ValueError(f"action is {index!r}: allowed are 0 to {self.n - 1}")
        return self._actions[index]

    def encode(self, action: Action) -> int:
        """Returns the index of an action.

        Raises:
            ValueError: This game has no such action.
        """
        try:
            return self._indices[action]
        except KeyError:
            raise ValueError(f"{action!r} is no action of this game") from None

    def describe(self, index: int, *, slot_named: bool = True) -> str:
        """Returns an action in words, such as ``"pile 2 to pile 0"``; piles are counted from 0.

        Args:
            index: The action.
            slot_named: Says which of the fitting suffixes moves; whoever names the cards can do without.
        """
        kind, source, target, slot = self.decode(index)
        if kind == KINDS[DEAL]:
            return "deal, or turn the waste over"
        if kind == KINDS[STOCK_SPACE]:
            return "the stock's top card to the empty pile"
        place, _, goal = kind.partition("_")
        words = (
            f"{place} {self._suit(source) if place == 'foundation' else source}"
            if source >= 0
            else f"the {place}'s top"
        )
        words += {"foundation": " to the foundation", "space": " to the empty pile"}.get(goal, f" to pile {target}")
        if slot_named and kind in (KINDS[PILE_PILE], KINDS[PILE_SPACE]):
            words += f", fitting suffix {slot} from the top"
        return words

    def _suit(self, foundation: int) -> str:
        return f"{foundation} ({SUITS[foundation // self._rules.decks]})"
