"""The window, driven by mouse and keys through pygame's own queue of events."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pygame
import pytest

from agents.rules import RulesAgent
from solitaire_env import GAMES, Move, Position
from solitaire_env.play import bar
from solitaire_env.play.controls import Controls
from solitaire_env.play.hints import Adviser
from solitaire_env.play.session import Session
from solitaire_env.play.window import PlayWindow
from solitaire_env.render.board import draw_board
from solitaire_env.render.table import SIZE, Place
from tests.play.lines import WINNING

Point = tuple[int, int]
NOWHERE = (SIZE[0] - 3, SIZE[1] - 3)


def no_adviser() -> Adviser:
    raise ImportError("nobody is here to ask")


class Player:
    """Sits at the window and uses the mouse; sees positions, of course, only by the session."""

    def __init__(self, session: Session, adviser: Callable[[], Adviser] = no_adviser) -> None:
        self.window = PlayWindow(Controls(session, SIZE, adviser))
        self.controls = self.window.controls
        self.window.draw()
        assert self.window.step()

    @property
    def session(self) -> Session:
        return self.controls.session

    def mouse(self, kind: int, at: Point) -> None:
        more = {"rel": (0, 0), "buttons": (1, 0, 0)} if kind == pygame.MOUSEMOTION else {"button": 1}
        pygame.event.post(pygame.event.Event(kind, pos=at, **more))
        assert self.window.step()

    def click(self, at: Point) -> None:
        pygame.event.post(pygame.event.Event(pygame.MOUSEBUTTONDOWN, pos=at, button=1))
        self.mouse(pygame.MOUSEBUTTONUP, at)

    def drag(self, start: Point, end: Point, *, drop: bool = True) -> None:
        self.mouse(pygame.MOUSEBUTTONDOWN, start)
        for part in (1, 2, 3):
            self.mouse(pygame.MOUSEMOTION, tuple(a + (b - a) * part // 3 for a, b in zip(start, end, strict=True)))
        if drop:
            self.mouse(pygame.MOUSEBUTTONUP, end)

    def key(self, key: int, mod: int = 0) -> None:
        pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=key, mod=mod, unicode=""))
        assert self.window.step()

    def button(self, command: str) -> None:
        rect = bar.button_rects(SIZE[0], SIZE[1])[command]
        self.click((rect.x + rect.width // 2, rect.y + rect.height // 2))

    def card(self, place: Place, from_top: int = 1) -> Point:
        """Where a card of a place is to be seen, counted from the top; the empty place if none lies there."""
        table = self.controls.table
        spots = table.spots(place)
        rect = spots[-from_top].visible if spots else table.slots[place]
        return rect.x + rect.width // 2, rect.y + rect.height // 2

    def ends(self, move: Move) -> tuple[Point, Point]:
        """Where a move begins and ends on the table."""
        source, _, goal = move.kind.partition("_")
        start = Place(source, max(0, move.source))  # type: ignore[arg-type]
        if goal != "foundation":
            return self.card(start, move.count), self.card(Place("pile", move.target))
        decks = self.session.rules.decks
        card = self.session.position.tableau[move.source][-1] if source == "pile" else None
        card = card or getattr(self.session.position, source)[-1]
        return self.card(start), self.card(Place("foundation", "SHDC".index(card[1]) * decks))

    def picture(self) -> bytes:
        return bytes(pygame.image.tobytes(pygame.display.get_surface(), "RGB"))

    def frames(self) -> int:
        """Pixels of the frames that show where cards may go."""
        pixels = pygame.surfarray.array3d(pygame.display.get_surface())
        return int((pixels == (110, 220, 255)).all(axis=2).sum())


@pytest.fixture
def sit(no_screen: None) -> Iterator[Callable[..., Player]]:
    players: list[Player] = []

    def sit_down(session: Session, adviser: Callable[[], Adviser] = no_adviser) -> Player:
        players.append(Player(session, adviser))
        return players[-1]

    yield sit_down
    for player in players:
        player.window.close()


def first(session: Session, *kinds: str) -> tuple[int, Move]:
    return next((a, move) for a, move in session.legal_moves().items() if move.kind in kinds)


@pytest.mark.parametrize("game", GAMES)
def test_a_whole_game_is_won_by_clicks(game: str, sit: Callable[..., Player]) -> None:
    deal, actions = WINNING[game]
    player = sit(Session(game, deal=deal))
    for action in actions:
        assert not player.controls.announcement
        move = player.session.legal_moves()[action]
        if move.kind in ("deal", "redeal"):
            player.click(player.card(Place("stock")))
        elif move.kind == "stock_space":
            player.click(player.ends(move)[1])
        else:
            start, end = player.ends(move)
            player.click(start)
            assert player.controls.targets
            player.click(end)
        assert player.session.actions[-1] == action
    assert player.session.actions == actions
    assert player.session.won
    assert player.controls.announcement == "Game won"
    assert player.controls.words == f"Won in {len(actions)} moves."
    gold = pygame.surfarray.array3d(pygame.display.get_surface())[:, 200 : SIZE[1]] == (255, 190, 30)
    assert gold.all(axis=2).sum() > 5000


@pytest.mark.parametrize("game", GAMES)
def test_a_whole_game_is_won_by_dragging(game: str, sit: Callable[..., Player]) -> None:
    deal, actions = WINNING[game]
    player = sit(Session(game, deal=deal))
    player.window.draw = lambda: None  # type: ignore[method-assign]  # the pictures are looked at elsewhere
    for action in actions:
        move = player.session.legal_moves()[action]
        if move.kind == "redeal":
            player.click(player.card(Place("stock")))
        elif move.kind == "deal":
            player.drag(player.card(Place("stock")), player.card(Place("waste")))
        else:
            player.drag(*player.ends(move))
    assert player.session.actions == actions
    assert player.session.won


def test_an_illegal_drop_snaps_back_and_changes_nothing(sit: Callable[..., Player]) -> None:
    player = sit(Session("swiss", deal=7))
    player.button("redo")
    before, picture = player.session.position, player.picture()
    piles = range(player.session.rules.n_piles)
    legal = {(move.source, move.target) for move in player.session.legal_moves().values()}
    source, target = next((p, q) for p in piles for q in piles if p != q and (p, q) not in legal)
    player.drag(player.card(Place("pile", source)), player.card(Place("pile", target)), drop=False)
    assert player.picture() != picture  # the card is on its way
    assert player.controls.shown.tableau[source] == before.tableau[source][:-1]
    player.mouse(pygame.MOUSEBUTTONUP, player.card(Place("pile", target)))
    assert player.session.position == before
    assert player.controls.shown == before.known("recall")
    assert player.session.actions == ()
    assert not player.session.can_redo
    assert player.controls.words.endswith("cannot go there.")
    player.key(pygame.K_ESCAPE)
    start = player.picture()
    for start_place in (Place("pile", source), Place("stock")):
        player.drag(player.card(start_place), NOWHERE)
        assert player.session.position == before
    player.key(pygame.K_ESCAPE)
    assert player.picture() == start


def test_clicks_that_mean_nothing_change_nothing(sit: Callable[..., Player]) -> None:
    player = sit(Session("variegated_canfield", deal=7))
    before = player.session.position
    for at in (NOWHERE, player.card(Place("waste")), player.card(Place("foundation", 3)), (0, 0), (2, SIZE[1] + 2)):
        player.click(at)
        player.click(at)
    player.mouse(pygame.MOUSEBUTTONUP, player.card(Place("stock")))  # pressed elsewhere
    assert player.session.position == before
    assert player.session.actions == ()


@pytest.mark.parametrize(("game", "kinds"), [("courtyard", ("pile_pile",)), ("variegated_canfield", ("deal",))])
def test_undo_of_a_refill_and_of_a_deal_of_three(game: str, kinds: tuple[str, ...], sit: Callable[..., Player]) -> None:
    player = sit(Session(game, deal=7))
    before, table, picture = player.session.position, player.controls.table, player.picture()
    _, move = first(player.session, *kinds)
    if move.kind == "deal":
        player.click(player.card(Place("stock")))
        assert len(player.session.position.waste) == 3
    else:
        player.drag(*player.ends(move))
        assert player.session.position.stock == before.stock[:-1]
        assert player.session.position.tableau[move.source] == before.stock[-1:]
    after, after_picture = player.session.position, player.picture()
    player.button("undo")
    assert (player.session.position, player.controls.table) == (before, table)
    assert player.session.legal_moves() == Session(game, deal=7).legal_moves()
    assert not player.session.can_undo
    player.button("redo")
    assert (player.session.position, player.picture()) == (after, after_picture)
    player.key(pygame.K_z, pygame.KMOD_CTRL)
    assert player.session.position == before
    player.key(pygame.K_y, pygame.KMOD_CTRL)
    player.button("restart")
    assert player.session.position == before
    assert player.session.can_redo
    assert player.picture() != picture  # only in that redo is lit
    player.key(pygame.K_u)
    assert player.controls.words == "There is nothing to undo."


def test_the_targets_of_a_card_are_shown_and_go_with_it(sit: Callable[..., Player]) -> None:
    player = sit(Session("courtyard", deal=7))
    _, move = first(player.session, "pile_pile")
    assert player.frames() == 0
    start, _ = player.ends(move)
    player.click(start)
    assert Place("pile", move.target) in player.controls.targets
    assert player.frames() > 0
    pygame.event.post(pygame.event.Event(pygame.MOUSEBUTTONDOWN, pos=start, button=3))
    player.window.step()
    assert player.controls.grip is None
    assert player.frames() == 0


def test_a_card_without_a_target_is_not_taken(sit: Callable[..., Player]) -> None:
    player = sit(Session("swiss", deal=7))
    sources = {move.source for move in player.session.legal_moves().values()}
    still = next(pile for pile in range(9) if pile not in sources)
    player.click(player.card(Place("pile", still)))
    assert player.controls.grip is None
    assert player.controls.words.endswith("can go nowhere.")


def test_a_second_click_sends_a_card_to_its_foundation(sit: Callable[..., Player]) -> None:
    player = sit(Session("coyote", deal=7))
    action, move = first(player.session, "pile_foundation")
    for _ in range(2):
        player.click(player.card(Place("pile", move.source)))
    assert player.session.actions == (action,)


def test_any_empty_pile_and_any_foundation_will_do(sit: Callable[..., Player]) -> None:
    suits = {suit: "".join(rank + suit for rank in "A23456789TJQK") for suit in "SHDC"}
    position = (
        f"F={suits['S'][:22]}/{suits['H']}/{suits['D']}/{suits['C'][:22]} T=-/KSQS/-/KCQC S=- W=- R=- redeals=0 seen=no"
    )
    player = sit(Session("coyote", position=position))
    player.drag(player.card(Place("pile", 1)), player.card(Place("pile", 2)))
    assert player.session.position.tableau == (("QS",), ("KS",), (), ("KC", "QC"))
    player.drag(player.card(Place("pile", 0)), player.card(Place("foundation", 2)))
    assert player.session.position.tableau[0] == ()
    assert player.session.position.foundations[0][-1] == "QS"


def test_the_stocks_top_card_goes_to_an_empty_pile_by_click_or_drag(sit: Callable[..., Player]) -> None:
    """V6. The card is not seen before it lands."""
    deal, actions = WINNING["variegated_canfield"]
    session = Session("variegated_canfield", deal=deal)
    for action in actions:
        if any(move.kind == "stock_space" for move in session.legal_moves().values()):
            break
        session.play(action)
    action, move = first(session, "stock_space")
    player = sit(session)
    top, made = session.position.stock[-1], len(session.actions)
    player.drag(player.card(Place("stock")), player.card(Place("pile", move.target)), drop=False)
    assert player.controls.drag is not None
    assert player.controls.drag.cards == ("??",)
    player.mouse(pygame.MOUSEBUTTONUP, player.card(Place("pile", move.target)))
    assert session.position.tableau[move.target] == (top,)
    player.key(pygame.K_u)
    player.click(player.card(Place("pile", move.target)))
    assert session.actions[made:] == (action,)


def test_a_hint_is_shown_and_played_when_asked_for_again(sit: Callable[..., Player]) -> None:
    player = sit(Session("coyote", deal=7), lambda: RulesAgent("coyote"))
    action, _ = first(player.session, "pile_foundation")
    player.key(pygame.K_h)
    assert player.session.actions == ()
    assert player.controls.words == f"Hint: {player.session.describe(action)}"
    assert player.frames() > 0
    player.click(NOWHERE)
    assert player.frames() == 0
    player.button("hint")
    player.button("hint")
    assert player.session.actions == (action,)


def test_without_an_agent_a_hint_says_why_there_is_none(sit: Callable[..., Player]) -> None:
    player = sit(Session("coyote", deal=7))
    player.key(pygame.K_h)
    assert player.controls.words == "No hint: nobody is here to ask"


def test_the_end_without_a_win_is_said(sit: Callable[..., Player]) -> None:
    session = Session("coyote", deal=12)
    while 0 in session.legal_moves():
        session.play(0)
    while len(session.legal_moves()) > 1 or not session.stuck:
        session.play(min(session.legal_moves()))
    session.undo()
    player = sit(session)
    assert player.controls.announcement == ""
    player.key(pygame.K_r)
    assert player.controls.announcement == "No move left"
    assert player.controls.words == "No move is left: undo, restart or deal anew."
    player.button("hint")
    assert player.session.stuck


def test_a_new_deal(sit: Callable[..., Player]) -> None:
    player = sit(Session("swiss", deal=7))
    player.button("new")
    assert player.session.game == "swiss"
    assert player.session.deal != 7
    assert pygame.display.get_caption()[0] == f"Swiss, deal {player.session.deal}"


def test_the_table_is_drawn_as_by_the_environment(sit: Callable[..., Player]) -> None:
    player = sit(Session("coyote", deal=7))
    player.key(pygame.K_d)
    session = player.session
    surface = pygame.Surface(SIZE)
    draw_board(surface, session.rules, session.known, previous=session.previous)
    shown = pygame.surfarray.array3d(pygame.display.get_surface())[: SIZE[0], : SIZE[1]]
    assert (shown == pygame.surfarray.array3d(surface)).all()


def test_another_size_of_the_window(sit: Callable[..., Player]) -> None:
    player = sit(Session("coyote", deal=7))
    pygame.display.set_mode((1000, 760))
    player.key(pygame.K_ESCAPE)
    assert player.controls.table.size == (1000, 760 - bar.HEIGHT)
    player.click(player.card(Place("stock")))
    assert len(player.session.position.waste) == 1


def test_the_end_of_the_program(sit: Callable[..., Player], capsys: pytest.CaptureFixture[str]) -> None:
    player = sit(Session("coyote", deal=7))
    player.key(pygame.K_p)
    assert capsys.readouterr().out == "python -m solitaire_env show --game coyote --deal 7\n"
    pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=pygame.K_q, mod=0, unicode="q"))
    player.window.run()
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    assert not player.window.step()
    player.window.close()
    player.window.close()


def test_hidden_cards_do_not_show(sit: Callable[..., Player]) -> None:
    start = Session("swiss", deal=7).position
    turned = Position(**{**vars(start), "stock": start.stock[::-1]})
    pictures = set()
    for position in (start, turned):
        player = sit(Session("swiss", position=position))
        player.drag(player.card(Place("stock")), NOWHERE, drop=False)
        pictures.add(player.picture())
    assert len(pictures) == 1
