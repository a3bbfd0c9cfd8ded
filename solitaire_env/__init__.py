"""Four patience games as Gymnasium environments: Coyote, Swiss, Courtyard and Variegated Canfield.

Importing the package registers the ids ``Solitaire/Coyote-v0``, ``Solitaire/Swiss-v0``, ``Solitaire/Courtyard-v0`` and
``Solitaire/VariegatedCanfield-v0`` with ``gymnasium.make``.
"""

from solitaire_env.actions import Action, ActionTable, Move
from solitaire_env.env import SolitaireEnv
from solitaire_env.games import COURTYARD, COYOTE, GAMES, SWISS, VARIEGATED_CANFIELD
from solitaire_env.observation import Column, decode, encode, observation_table
from solitaire_env.position import Position
from solitaire_env.registration import ENV_IDS, register_envs
from solitaire_env.rules import Rules
from solitaire_env.vector_env import SolitaireVectorEnv

__version__ = "0.1.0"

__all__ = [
    "COURTYARD",
    "COYOTE",
    "ENV_IDS",
    "GAMES",
    "SWISS",
    "VARIEGATED_CANFIELD",
    "Action",
    "ActionTable",
    "Column",
    "Move",
    "Position",
    "Rules",
    "SolitaireEnv",
    "SolitaireVectorEnv",
    "decode",
    "encode",
    "observation_table",
]

register_envs()
