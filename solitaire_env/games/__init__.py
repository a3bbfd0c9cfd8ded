"""The four games, one ``Rules`` value a file; the docstring of each file is the game's page."""

from solitaire_env.games.courtyard import COURTYARD
from solitaire_env.games.coyote import COYOTE
from solitaire_env.games.swiss import SWISS
from solitaire_env.games.variegated_canfield import VARIEGATED_CANFIELD
from solitaire_env.rules import Rules

GAMES: dict[str, Rules] = {
    "coyote": COYOTE,
    "swiss": SWISS,
    "courtyard": COURTYARD,
    "variegated_canfield": VARIEGATED_CANFIELD,
}
"""The games by the names that ``SolitaireEnv`` and the command lines take."""


def game_title(game: str) -> str:
    """Returns a game's name as it is printed: ``"Variegated Canfield"``."""
    return game.replace("_", " ").title()


__all__ = ["COURTYARD", "COYOTE", "GAMES", "SWISS", "VARIEGATED_CANFIELD", "game_title"]
