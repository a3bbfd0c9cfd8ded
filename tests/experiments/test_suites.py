"""The suites: labels made, resumed and searched again; files that cannot be trusted; every solution that is kept."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

from experiments import label_deals, verify_suites
from experiments.label_deals import LabelArguments, label
from experiments.suites import (
    FOLDER,
    OPTIONS,
    SUITES,
    Label,
    decode_actions,
    encode_actions,
    overrides_of,
    read_suite,
    solutions_file,
    suite_file,
    suite_rules,
    suites_of,
    write_suite,
)
from solitaire_env import GAMES, SolitaireEnv
from solitaire_env.dealing import FIRST_TRAINING_DEAL
from solitaire_env.solver import solve

POSITIONS = 20_000
IN_TREE = [(game, suite) for game in GAMES for suite in suites_of(game) if suite_file(FOLDER, game, suite).exists()]


def arguments(folder: Path, **others: object) -> LabelArguments:
    plain = LabelArguments("coyote", deals="1000:1006", positions=POSITIONS, processes=1, folder=folder)
    return dataclasses.replace(plain, **others)


@pytest.fixture(scope="module")
def labelled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Label]]:
    folder = tmp_path_factory.mktemp("seeds")
    return folder, label(arguments(folder))


def test_labels_are_those_of_the_solver(labelled: tuple[Path, list[Label]]) -> None:
    folder, labels = labelled
    for deal, x in zip(range(1000, 1006), labels, strict=True):
        solution = solve(deal, GAMES["coyote"], max_positions=POSITIONS)
        assert x == Label(deal, solution.status, solution.positions, solution.actions)
    assert read_suite(folder, "coyote", "test") == labels
    assert sorted(path.name for path in (folder / "coyote").iterdir()) == ["test.csv", "test_solutions.csv"]


@pytest.mark.parametrize("cut", [0, 10])
def test_resumes_where_it_was_interrupted(labelled: tuple[Path, list[Label]], tmp_path: Path, cut: int) -> None:
    """What the journal has is not searched again, but for a line that the interruption cut short."""
    _, labels = labelled
    kept = [labels[0]._replace(positions=7), labels[1]]  # a mark by which the first is known again
    lines = [json.dumps({"positions": POSITIONS, "memory": 2**30}), *map(json.dumps, kept)]
    journal = tmp_path / "coyote" / "test.journal"
    journal.parent.mkdir()
    text = "\n".join(lines)
    journal.write_text(text[:-cut] if cut else text + "\n")
    resumed = label(arguments(tmp_path))
    assert resumed == [kept[0], *labels[1:]]
    assert not journal.exists()


def test_journal_of_other_limits(tmp_path: Path) -> None:
    journal = tmp_path / "coyote" / "test.journal"
    journal.parent.mkdir()
    journal.write_text('{"positions": 1, "memory": 2}\n')
    with pytest.raises(ValueError, match="was begun with"):
        label(arguments(tmp_path))
    assert journal.exists()


def test_undecided_deals_are_searched_again(labelled: tuple[Path, list[Label]], tmp_path: Path) -> None:
    _, labels = labelled
    before = [x if i % 2 else Label(x.deal, "unknown", 5, ()) for i, x in enumerate(labels)]
    before[1] = before[1]._replace(positions=7)  # decided: kept as it is
    write_suite(tmp_path, "coyote", "test", before)
    after = label(arguments(tmp_path, again=True))
    assert after == [labels[0], before[1], *labels[2:]]
    assert read_suite(tmp_path, "coyote", "test") == after


def test_suite_under_an_option(tmp_path: Path) -> None:
    folder = tmp_path
    labels = label(arguments(folder, suite="redeals_0", deals="0:3"))
    rules = suite_rules("coyote", "redeals_0")
    assert rules.redeals == 0
    assert labels == [
        Label(deal, found.status, found.positions, found.actions)
        for deal in range(3)
        for found in [solve(deal, rules, max_positions=POSITIONS)]
    ]


@pytest.mark.parametrize(
    ("others", "message"),
    [
        ({"game": "klondike"}, "game is 'klondike'"),
        ({"suite": "mine", "deals": None}, "suite is 'mine'"),
        ({"positions": 0}, "positions is 0"),
        ({"processes": 0}, "processes is 0"),
        ({"deals": "5"}, "deals is '5'"),
    ],
)
def test_arguments_that_are_not_allowed(tmp_path: Path, others: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        label(arguments(tmp_path, **others))


def test_command_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["--game", "swiss", "--deals", "5:6", "--positions", "100", "--processes", "1", "--folder", str(tmp_path)]
    assert label_deals.main(asked) == 0
    assert "swiss, test: 0 won, 0 lost, 1 unknown" in capsys.readouterr().out
    assert label_deals.main([*asked, "--positions", "-1"]) == 2
    assert "positions is -1" in capsys.readouterr().err
    assert verify_suites.main(["--game", "swiss", "--suite", "test", "--folder", str(tmp_path)]) == 1
    assert "its deals are not 0 to 999" in capsys.readouterr().err
    assert verify_suites.main(["--game", "klondike"]) == 1
    assert verify_suites.main(["--game", "swiss", "--suite", "mine"]) == 1
    assert "suite is 'mine'" in capsys.readouterr().err


@pytest.mark.parametrize("game", GAMES)
def test_solution_as_text(game: str) -> None:
    rules = GAMES[game]
    actions = solve(next(d for d in range(9) if solve(d, rules).status == "won"), rules).actions
    assert decode_actions(rules, encode_actions(rules, actions)) == actions


def damage(text: str, kind: str) -> str:
    lines = text.splitlines()
    if kind == "header":
        lines[0] = "deal,result"
    elif kind == "row":
        lines[1] = "1000,won"
    elif kind == "verdict":
        lines[1] = lines[1].replace("won", "win")
    elif kind == "length":
        lines[1] = "1000,won,1,5"
    elif kind == "missing":
        del lines[1]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("header", "does not begin with deal,verdict,length,positions"),
        ("row", "line 2: '1000,won' is no row"),
        ("verdict", "deal 1000: the verdict 'win'"),
        ("length", "deal 1000: the verdict 'won'"),
        ("missing", r"solutions of deals that the suite has not got: \[1000\]"),
    ],
)
def test_damaged_suite(labelled: tuple[Path, list[Label]], tmp_path: Path, kind: str, message: str) -> None:
    _, labels = labelled
    assert labels[0].verdict == "won"
    write_suite(tmp_path, "coyote", "test", labels)
    file = suite_file(tmp_path, "coyote", "test")
    file.write_text(damage(file.read_text(), kind))
    with pytest.raises(ValueError, match=message):
        read_suite(tmp_path, "coyote", "test")


def test_damaged_solution(labelled: tuple[Path, list[Label]], tmp_path: Path) -> None:
    _, labels = labelled
    write_suite(tmp_path, "coyote", "test", labels)
    file = solutions_file(tmp_path, "coyote", "test")
    file.write_text(file.read_text().replace("1000,", "1000,*"))
    with pytest.raises(ValueError, match=r"test_solutions.csv, line 2"):
        read_suite(tmp_path, "coyote", "test")


def test_solution_that_does_not_win() -> None:
    """The replay finds what is wrong with each of three solutions spoilt in three ways."""
    env = SolitaireEnv("coyote")
    won = solve(1000, GAMES["coyote"]).actions
    verify_suites.replay(env, Label(1000, "won", 1, won))
    with pytest.raises(ValueError, match=f"deal 1000: its solution of {len(won) - 1} actions ends|does not win"):
        verify_suites.replay(env, Label(1000, "won", 1, won[:-1]))
    with pytest.raises(ValueError, match="ends after"):
        verify_suites.replay(env, Label(1000, "won", 1, (*won, won[0])))
    with pytest.raises(ValueError, match="is not legal"):
        verify_suites.replay(env, Label(1000, "won", 1, (won[-1], *won)))


def test_suites_keep_off_the_training_deals() -> None:
    for game in GAMES:
        for deals in suites_of(game).values():
            assert deals.stop <= FIRST_TRAINING_DEAL


def test_option_of_the_games_own_rules_is_no_suite() -> None:
    assert "redeals_1" not in suites_of("coyote")
    assert "redeals_0" not in suites_of("swiss")
    assert set(SUITES) < set(suites_of("swiss"))
    for game, options in OPTIONS.items():
        assert {suite_rules(game, name) for name in options} & {GAMES[game]} == {GAMES[game]}


@pytest.mark.parametrize(("game", "suite"), IN_TREE)
def test_suites_in_the_tree_replay(game: str, suite: str) -> None:
    """Each file is whole; of the solutions, those of every tenth deal that is won are played here."""
    labels = read_suite(FOLDER, game, suite)
    assert [x.deal for x in labels] == list(suites_of(game)[suite])
    env = SolitaireEnv(game, rules=overrides_of(game, suite))
    won = [x for x in labels if x.verdict == "won"]
    assert suite not in SUITES or len(won) > len(labels) // 2  # under some options hardly any deal is won
    for x in won[::10]:
        verify_suites.replay(env, x)


def test_test_suites_are_in_the_tree() -> None:
    assert {(game, "test") for game in GAMES} <= set(IN_TREE)


FREER = {
    "coyote": [
        ("redeals_0", "test"),
        ("test", "redeals_2"),
        ("redeals_2", "redeals_unlimited"),
        ("test", "any_suffix"),
        ("test", "foundation_returns"),
    ],
    "swiss": [
        ("test", "redeals_1"),
        ("redeals_1", "redeals_2"),
        ("redeals_2", "redeals_unlimited"),
        ("corner_ring", "test"),
        ("corner_ace_high", "test"),
        ("no_foundation_returns", "test"),
    ],
    "courtyard": [
        ("test", "redeals_1"),
        ("redeals_1", "redeals_2"),
        ("redeals_2", "redeals_unlimited"),
        ("test", "spaces_any"),
    ],
    "variegated_canfield": [
        ("redeals_0", "redeals_1"),
        ("redeals_1", "test"),
        ("test", "redeals_unlimited"),
        ("whole_piles", "test"),
        ("no_stock_to_space", "test"),
    ],
}
"""By game: pairs of suites, the second under rules that allow all that the first's allow, and more."""


@pytest.mark.parametrize(("game", "strict", "free"), [(game, *pair) for game in FREER for pair in FREER[game]])
def test_freer_rules_never_lose_a_deal_that_is_won(game: str, strict: str, free: str) -> None:
    won = {x.deal for x in read_suite(FOLDER, game, strict) if x.verdict == "won"}
    lost = {x.deal for x in read_suite(FOLDER, game, free) if x.verdict == "lost"}
    assert not won & lost
