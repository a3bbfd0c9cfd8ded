"""Coaching: verdicts are the solver's, mistakes become rarer, and an interrupted run goes on."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("sb3_contrib", reason="needs the extra train")
import torch
from sb3_contrib import MaskablePPO

from agents.card_policy import CardPolicy
from agents.loading import PRETRAINED
from agents.ppo import load_model, load_policy
from experiments import coach, train
from experiments.lessons import GAMES_AT_ONCE, Lessons, Task, load_lessons, play_coached, save_lessons
from experiments.symmetry import suit_exchanges
from solitaire_env import GAMES, SolitaireEnv
from solitaire_env.observation import decode, observation_size
from solitaire_env.solver import solve
from tests.experiments.test_imitate import SMALL


def shipped(game: str, deals: range) -> Task:
    policy = io.BytesIO()
    load_policy(PRETRAINED / game, game)[0].save(policy)  # type: ignore[arg-type]
    return Task(game, "piles", policy.getvalue(), deals, (0, 0, 0), (16, 128))


def test_verdicts_are_the_solvers() -> None:
    task = shipped("coyote", range(2_000_000, 2_000_024))
    coached = play_coached(task)
    lessons = coached.lessons
    assert all(np.array_equal(a, b) for a, b in zip(lessons, play_coached(task).lessons, strict=True))
    assert 20 <= coached.games <= 24
    assert coached.mistakes > 0
    assert not (lessons.verdicts[~lessons.masks]).any(), "only what is legal is judged"
    rules = GAMES["coyote"]
    observations = np.unpackbits(lessons.observations, axis=1, count=observation_size(rules))
    agree = []
    for i in np.flatnonzero(~lessons.hidden)[:25]:
        env, position = SolitaireEnv("coyote"), decode(rules, observations[i])
        if "??" in position.to_text():
            continue  # the one card that is missing, which a player can name
        for action in np.flatnonzero(lessons.verdicts[i]):
            env.reset(options={"position": position})
            env.step(action)
            won, good = solve(env.position, rules).status == "won", lessons.verdicts[i, action] > 0
            assert won or not good
            agree.append(won == good)
    assert sum(agree) > max(10, 0.9 * len(agree)), (
        "some lose only because a position was seen, or were searched too little"
    )
    mistakes = (lessons.verdicts < 0).any(axis=1)
    assert (lessons.weights[mistakes] == 1).all()
    assert (lessons.weights >= 1).all()


def test_lessons_are_kept(tmp_path: Path) -> None:
    coached = play_coached(shipped("swiss", range(2_000_000, 2_000_004)))
    save_lessons(tmp_path / "000.npz", coached)
    again = load_lessons(tmp_path / "000.npz")
    assert again[1:] == coached[1:]
    for before, after in zip(coached.lessons, again.lessons, strict=True):
        assert before.dtype == after.dtype
        assert np.array_equal(before, after)


def test_the_loss_tells_mistakes_from_good_moves(asked: list[str], tmp_path: Path) -> None:
    run = tmp_path / "runs" / "start"
    model = load_model(run / "model.zip", "coyote")
    rules = GAMES["coyote"]
    n, actions = 2, 35
    masks = np.zeros((n, actions), np.bool_)
    masks[:, :2] = True
    observations = np.zeros((n, -(-846 // 8)), np.uint8)

    def loss(verdicts: tuple[int, int], hidden: bool, floor: float = 1e-4) -> float:
        of = np.zeros((n, actions), np.int8)
        of[:, :2] = verdicts
        with torch.no_grad():
            value = model.policy.predict_values(torch.zeros(n, 846)).numpy()[:, 0]
        lessons = Lessons(observations, masks, of, np.full(n, hidden), value.astype(np.float32), np.ones(n, np.float32))
        return float(coach.loss_of(model, rules, suit_exchanges(rules)[0], lessons, floor).detach())

    for hidden in (False, True):
        assert loss((1, 1), hidden) < 0.01
        assert loss((-1, -1), hidden) > 0.99
        assert 0.01 < loss((1, -1), hidden) < loss((-1, -1), hidden)
    assert loss((-1, -1), False) > 2 * loss((-1, -1), False, floor=0.05), "what is hopeless is given up"
    assert loss((1, 0), False) > loss((1, 0), True) > 0, "where cards are hidden, what was not judged costs little"


@pytest.fixture
def asked(tmp_path: Path) -> list[str]:
    (tmp_path / "small.toml").write_text(SMALL)
    both = f"--config {tmp_path}/small.toml --runs {tmp_path}/runs --deals 1000:1004"
    assert train.main([*both.split(), "--name", "start", "--steps", "512"]) == 0
    return (
        f"{both} --start {tmp_path}/runs/start --name coached --rounds 3 --games {GAMES_AT_ONCE} --passes 20 "
        "--batch-size 64 --learning-rate 2e-3 --processes 1"
    ).split()


def rows(run: Path) -> list[dict[str, float]]:
    with (run / "coaching.csv").open(newline="") as stream:
        return [{key: float(value) for key, value in row.items()} for row in csv.DictReader(stream)]


def test_mistakes_become_rarer_and_an_interrupted_run_goes_on(
    asked: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, learn, calls = tmp_path / "runs" / "coached", coach.learn_round, []

    def interrupt(model: MaskablePPO, *others: object) -> float:
        calls.append(None)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return learn(model, *others)  # type: ignore[arg-type]

    monkeypatch.setattr(coach, "learn_round", interrupt)
    assert coach.main(asked) == 130
    kept = rows(run)
    assert len(kept) == 1
    assert load_model(run / "model.zip", "coyote").num_timesteps == kept[0]["learned"]
    assert coach.main(["--resume", str(run)]) == 0
    progress = rows(run)
    assert progress[:1] == kept
    assert len(progress) == 3
    assert progress[2]["mistakes"] < 0.9 * progress[0]["mistakes"]
    assert coach.main(["--resume", str(run)]) == 2, "it is finished"


def test_a_network_of_cards_begins_from_piles_and_earlier_lessons(
    asked: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    runs, learn, learned_from = tmp_path / "runs", coach.learn_round, []

    def watched(model: MaskablePPO, game: str, memory: Lessons, *others: object) -> float:
        learned_from.append(len(memory.weights))
        return learn(model, game, memory, *others)  # type: ignore[arg-type]

    monkeypatch.setattr(coach, "learn_round", watched)
    once = [*asked, "--rounds", "1", "--passes", "1"]
    assert coach.main(once) == 0
    again = [*once, "--name", "again", "--cards", "8,1", "--lessons", str(runs / "coached")]
    assert coach.main(again) == 0
    assert learned_from[1] == 2 * learned_from[0], "the same policy plays the same deals"
    policy, config = load_policy(runs / "again", "coyote")
    assert type(policy) is CardPolicy
    assert config["hyperparameters"]["policy"]["network"] == "cards"
    capsys.readouterr()
    wrong = [*once, "--name", "wrong", "--start", str(runs / "again")]
    assert coach.main(wrong) == 2, "a network of piles cannot begin from one of cards"
    assert "its game and networks are" in capsys.readouterr().err
    of_swiss = ["--game", "swiss", "--start", str(PRETRAINED / "swiss"), "--runs", str(runs), "--name", "wrong"]
    assert coach.main([*of_swiss, "--lessons", str(runs / "coached")]) == 2
    assert "they are of another game" in capsys.readouterr().err
    assert not (runs / "wrong").exists()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("--games 100", "games is 100: allowed are multiples of 64"),
        ("--widths 16,x", "widths is '16,x'"),
        ("--learning-rate 0", "learning_rate is 0.0: allowed are numbers between 0 and 1"),
        ("--rounds 0", "rounds is 0"),
        ("--start runs/nowhere", "nowhere"),
        ("", "start is not given"),
        ("--cards 32", "cards is '32': allowed are two numbers"),
        ("--floor 1", "floor is 1.0"),
        ("--lessons runs/nowhere", "nowhere"),
    ],
)
def test_bad_arguments(wrong: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    start = [] if "start" in wrong or not wrong else ["--start", str(PRETRAINED / "coyote")]
    assert coach.main([*start, *wrong.split(), "--runs", str(tmp_path / "runs")]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "runs").exists()
