"""Draws the pictures of the README: ``python -m experiments.pictures`` writes them to ``docs/images``.

Each game has four: its start, the middle of a won game, piles as long as the rules let them become, and the win. One
more shows the window that the games are played in.
"""

from __future__ import annotations

import dataclasses
import io
import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import numpy as np
import pygame
from PIL import Image

from experiments.command_line import Argument, parse
from solitaire_env import GAMES, Position, Rules, SolitaireEnv
from solitaire_env.cards import CARDS_PER_DECK, RANKS_PER_SUIT, card_rank, card_text
from solitaire_env.layout import may_lie_on
from solitaire_env.play.controls import Controls
from solitaire_env.play.hints import Adviser
from solitaire_env.play.session import Session
from solitaire_env.play.window import PlayWindow
from solitaire_env.position import foundation_pile
from solitaire_env.render.table import SIZE, Rect
from solitaire_env.solver import solve

MOMENTS = ("start", "middle", "longest", "won")
FIRST_DEAL = 5_000
_COLOURS = 128
_WASTE = 3


@dataclasses.dataclass(frozen=True)
class PictureArguments:
    """The command line of ``experiments.pictures``."""

    out: Annotated[Path, Argument("folder that the pictures are written to", "FOLDER")] = Path("docs/images")


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit status."""
    arguments = parse(PictureArguments, argv, "python -m experiments.pictures", __doc__ or "")
    if not arguments.out.is_dir():
        print(f"error: out is {str(arguments.out)!r}: no such folder", file=sys.stderr)
        return 2
    for game in GAMES:
        for moment, picture in draw_game(game, *easy_win(GAMES[game])):
            write_picture(picture, arguments.out / (f"{game}.png" if moment == "middle" else f"{game}_{moment}.png"))
    write_picture(draw_window("swiss", *easy_win(GAMES["swiss"])), arguments.out / "play.png")
    return 0


def draw_game(game: str, deal: int, line: Sequence[int]) -> Iterator[tuple[str, Image.Image]]:
    """Yields the moments of a game and their pictures.

    Args:
        game: The name of the game.
        deal: Number of the deal that is won.
        line: The actions that win it.
    """
    env = SolitaireEnv(game, render_mode="rgb_array")
    for moment, steps in (("start", 0), ("middle", len(line) // 2), ("won", len(line))):
        env.reset(options={"deal": deal})
        for action in line[:steps]:
            env.step(action)
        yield moment, _picture(env)
    env.reset(options={"position": longest_piles(env.rules)})
    yield "longest", _picture(env)
    env.close()


def draw_window(game: str, deal: int, line: Sequence[int]) -> Image.Image:
    """Returns the window in the middle of a game, with a card taken and the places marked that it may go to.

    Args:
        game: The name of the game.
        deal: Number of the deal that is played.
        line: The actions that win it.
    """
    session = Session(game, deal=deal)
    session.play_all(line[: len(line) // 3])
    controls = Controls(session, SIZE, no_adviser)
    window = PlayWindow(controls)
    cards = [spot for spot in controls.table.cards if spot.place.kind == "pile"]
    chosen = max(cards, key=lambda spot: _choices(controls, spot.visible))
    _click(controls, chosen.visible)
    surface = window.draw()
    picture = Image.frombytes("RGB", surface.get_size(), pygame.image.tobytes(surface, "RGB"))
    window.close()
    return picture


def no_adviser() -> Adviser:
    """Gives nobody who gives hints.

    Raises:
        ImportError: Always.
    """
    raise ImportError("nobody gives hints here")


def _click(controls: Controls, rect: Rect) -> None:
    controls.let_go()
    controls.press((rect.x + 2, rect.y + 2))
    controls.release((rect.x + 2, rect.y + 2))


def _choices(controls: Controls, rect: Rect) -> int:
    _click(controls, rect)
    return len(controls.targets)


def easy_win(rules: Rules) -> tuple[int, tuple[int, ...]]:
    """Returns the first deal from ``FIRST_DEAL`` on that is won without much search, and its winning actions."""
    deal = FIRST_DEAL
    while True:
        solution = solve(deal, rules, max_positions=100_000)
        if solution.status == "won":
            return deal, solution.actions
        deal += 1


def longest_piles(rules: Rules) -> Position:
    """Returns a position whose piles are as long as runs can become, the highest pile of the deal first.

    Cards that no run takes fill the reserve, then the waste, then the stock.
    """
    foundations = tuple(
        foundation_pile(rules, index // rules.decks, int(rules.foundations == "dealt"))
        for index in range(rules.n_foundations)
    )
    left = Counter({card_text(code): rules.decks for code in range(CARDS_PER_DECK)})
    left.subtract(card for pile in foundations for card in pile)
    tableau: list[tuple[str, ...]] = [()] * rules.n_piles
    for index in sorted(range(rules.n_piles), key=lambda pile: -rules.pile_heights[pile]):
        tableau[index] = _longest_run(rules, left)
        left.subtract(tableau[index])
    others = list(left.elements())
    reserve, others = others[: rules.reserve], others[rules.reserve :]
    return Position(
        foundations=foundations,
        tableau=tuple(tableau),
        stock=tuple(others[_WASTE:]),
        waste=tuple(others[:_WASTE]),
        reserve=tuple(reserve),
        redeals_left=rules.redeals,
    )


def write_picture(picture: Image.Image, file: Path) -> None:
    """Writes a small PNG, of few colours, whole or not at all."""
    drawn = io.BytesIO()
    picture.quantize(_COLOURS, dither=Image.Dither.NONE).save(drawn, format="png", optimize=True)
    beside = file.with_name(file.name + ".part")
    beside.write_bytes(drawn.getvalue())
    beside.replace(file)


def _longest_run(rules: Rules, cards: Counter[str]) -> tuple[str, ...]:
    """Returns a run that begins with the highest card there is and goes on as long as cards that fit are left."""
    left = Counter(cards)
    run: list[int] = []
    while True:
        fitting = [code for code in range(CARDS_PER_DECK) if left[card_text(code)] > 0]
        if run:
            fitting = [code for code in fitting if may_lie_on(rules, code, run[-1])]
        if not fitting:
            return tuple(map(card_text, run))
        # Downward if possible, else round the corner, which leads up to the king.
        down = (card_rank(run[-1]) - 1) % RANKS_PER_SUIT if run else RANKS_PER_SUIT - 1
        run.append(min(fitting, key=lambda code: (card_rank(code) != down, -card_rank(code), code)))
        left[card_text(run[-1])] -= 1


def _picture(env: SolitaireEnv) -> Image.Image:
    pixels = env.render()
    return Image.fromarray(np.asarray(pixels, np.uint8))


if __name__ == "__main__":
    os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
    sys.exit(main())
