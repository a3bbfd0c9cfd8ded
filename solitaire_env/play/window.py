"""The window that a game is played in: events of mouse and keys in, pictures out. Needs pygame."""

from __future__ import annotations

import pygame

from solitaire_env.play import bar
from solitaire_env.play.controls import Controls
from solitaire_env.play.pointing import Grip
from solitaire_env.render.board import draw_board, draw_card, draw_frame
from solitaire_env.render.shapes import Colour
from solitaire_env.render.table import SIZE, Rect, Table

KEYS = {
    pygame.K_u: "undo",
    pygame.K_r: "redo",
    pygame.K_h: "hint",
    pygame.K_s: "restart",
    pygame.K_n: "new",
    pygame.K_d: "deal",
    pygame.K_SPACE: "deal",
    pygame.K_ESCAPE: "drop",
}
"""What the keys do; P prints the command that shows the position again, Q ends."""

WITH_CONTROL = {pygame.K_z: "undo", pygame.K_y: "redo"}

_TAKEN: Colour = (255, 255, 255)
_TARGET: Colour = (110, 220, 255)
_PICTURES_A_SECOND = 60


class PlayWindow:
    """The one window of a program; pygame is started and, by ``close``, shut down.

    Args:
        controls: The game; their table's size is kept to the window's.
    """

    def __init__(self, controls: Controls) -> None:
        self.controls = controls
        pygame.display.init()
        pygame.display.set_mode((SIZE[0], SIZE[1] + bar.HEIGHT), pygame.RESIZABLE)
        self._title = ""

    def run(self) -> None:
        """Plays until the player ends."""
        clock = pygame.time.Clock()
        self.draw()
        while self.step():
            clock.tick(_PICTURES_A_SECOND)

    def step(self) -> bool:
        """Takes in what has happened and, if anything has, draws; returns False when the player ends."""
        stale = False
        for event in pygame.event.get():
            if event.type == pygame.QUIT or not self._take(event):
                return False
            stale |= event.type != pygame.MOUSEMOTION or self.controls.drag is not None
        if stale:
            self.draw()
        return True

    def draw(self) -> pygame.Surface:
        """Draws everything; returns the picture, which the next call draws over."""
        controls, surface = self.controls, pygame.display.get_surface()
        if surface is None:
            raise RuntimeError("the window is gone: pygame's display was shut down")
        width, height = surface.get_size()
        controls.size = (width, max(1, height - bar.HEIGHT))
        if controls.session.title != self._title:
            self._title = controls.session.title
            pygame.display.set_caption(self._title)
        table = controls.table
        draw_board(
            surface.subsurface((0, 0, *controls.size)),
            controls.session.rules,
            controls.shown,
            previous=controls.session.previous if controls.grip is None and controls.hint is None else None,
            message=controls.announcement,
        )
        self._draw_aids(surface, table)
        if controls.drag is not None and controls.drag.under_way:
            rect = controls.drag.rect
            step = round(table.card_size[1] * 0.22)
            for depth, card in enumerate(controls.drag.cards):
                draw_card(surface, card, Rect(rect.x, rect.y + depth * step, rect.width, rect.height))
        bar.draw_bar(surface, controls.size[1], controls.words, self._usable())
        pygame.display.flip()
        return surface

    def close(self) -> None:
        """Closes the window; more than once does no harm."""
        pygame.quit()

    def _draw_aids(self, surface: pygame.Surface, table: Table) -> None:
        """Frames what is taken, where it may go, and what is hinted at."""
        controls = self.controls
        if controls.grip is not None and controls.drag is None:
            draw_frame(surface, table, _around(table, controls.grip), colour=_TAKEN)
        for place in controls.targets:
            draw_frame(surface, table, table.top(place), whole=False, colour=_TARGET)
        if controls.hinted is not None:
            grip, place = controls.hinted
            if grip is not None:
                draw_frame(surface, table, _around(table, grip), colour=_TAKEN)
            draw_frame(surface, table, table.top(place), whole=False, colour=_TARGET)

    def _usable(self) -> set[str]:
        session = self.controls.session
        usable = {"new"}
        if session.can_undo:
            usable |= {"undo", "restart"}
        if session.can_redo:
            usable.add("redo")
        if not self.controls.announcement:
            usable.add("hint")
        return usable

    def _take(self, event: pygame.event.Event) -> bool:
        """Does what an event asks for; returns False when it asks to end."""
        controls = self.controls
        if event.type == pygame.MOUSEBUTTONDOWN and event.button == pygame.BUTTON_LEFT:
            command = self._button_at(event.pos)
            if command is not None:
                controls.command(command)
            else:
                controls.press(event.pos)
        elif event.type == pygame.MOUSEBUTTONDOWN and event.button == pygame.BUTTON_RIGHT:
            controls.command("drop")
        elif event.type == pygame.MOUSEMOTION:
            controls.move(event.pos)
        elif event.type == pygame.MOUSEBUTTONUP and event.button == pygame.BUTTON_LEFT:
            controls.release(event.pos)
        elif event.type == pygame.KEYDOWN:
            return self._take_key(event)
        return True

    def _take_key(self, event: pygame.event.Event) -> bool:
        command = (WITH_CONTROL if event.mod & (pygame.KMOD_CTRL | pygame.KMOD_META) else KEYS).get(event.key)
        if command is not None:
            self.controls.command(command)
        elif event.key == pygame.K_p:
            print(self.controls.session.command)  # noqa: T201  # asked for, to be copied from the terminal
        return bool(event.key != pygame.K_q)

    def _button_at(self, at: tuple[int, int]) -> str | None:
        width, top = self.controls.size
        rects = bar.button_rects(width, top)
        return next((command for command, rect in rects.items() if rect.holds(*at)), None)


def _around(table: Table, grip: Grip) -> Rect:
    """Returns what goes around the cards of a grip; of a pile in several columns around those of the last."""
    spots = table.spots(grip.place)[-grip.count :]
    column = [spot.rect for spot in spots if spot.rect.x == spots[-1].rect.x]
    return Rect(column[0].x, column[0].y, column[0].width, column[-1].bottom - column[0].y)
