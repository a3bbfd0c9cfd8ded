"""SIGKILL in the middle of training and of labelling, then the same again: nothing is lost or counted twice."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from experiments import label_deals
from experiments.runs import Progress, append_progress, forget_progress_after, read_progress
from experiments.suites import Label, read_suite

ROOT = Path(__file__).resolve().parent.parent.parent


def kill_when(command: list[str], ready: Callable[[], bool]) -> None:
    """Starts a command in a session of its own and kills all of it as soon as something is there."""
    process = subprocess.Popen(
        [sys.executable, "-m", *command],
        cwd=ROOT,
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        while not ready():
            assert process.poll() is None, "it ended before it could be killed"
            time.sleep(0.01)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def lines(file: Path) -> int:
    return file.read_text().count("\n") if file.exists() else 0


def test_labelling_killed_and_begun_again(tmp_path: Path) -> None:
    def command(folder: str) -> list[str]:
        asked = "--game coyote --suite killed --deals 5000:5060 --positions 20000 --processes 1"
        return [*asked.split(), "--folder", str(tmp_path / folder)]

    journal = tmp_path / "killed" / "coyote" / "killed.journal"
    kill_when(["experiments.label_deals", *command("killed")], lambda: lines(journal) > 5)
    done = lines(journal) - 1
    assert 0 < done < 60
    assert not journal.with_suffix(".csv").exists()
    assert label_deals.main(command("killed")) == 0
    assert label_deals.main(command("whole")) == 0
    labels = read_suite(tmp_path / "killed", "coyote", "killed")
    assert [x.deal for x in labels] == list(range(5000, 5060))
    for name in ("killed.csv", "killed_solutions.csv"):
        killed, whole = (tmp_path / folder / "coyote" / name for folder in ("killed", "whole"))
        assert killed.read_bytes() == whole.read_bytes()
    assert not journal.exists()


def test_labelling_ended_by_ctrl_c_says_how_to_go_on(tmp_path: Path) -> None:
    asked = ["--game", "coyote", "--suite", "cut", "--deals", "5000:9000", "--positions", "20000", "--processes", "2"]
    journal = tmp_path / "coyote" / "cut.journal"
    process = subprocess.Popen(
        [sys.executable, "-m", "experiments.label_deals", *asked, "--folder", str(tmp_path)],
        cwd=ROOT,
        start_new_session=True,
        # Tests that were started in the background of a shell have Ctrl-C ignored, and hand that on.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    while lines(journal) < 5:
        assert process.poll() is None, "it ended before it could be interrupted"
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does, to the command and its processes
    _, said = process.communicate()
    assert process.returncode == 130
    assert "the same command goes on from there" in said
    assert "Traceback" not in said
    assert lines(journal) >= 5


LIMITS = {"positions": 5, "memory": 7}


@pytest.mark.parametrize("cut", [1, 2, 9])
def test_journal_whose_last_line_was_cut_short(tmp_path: Path, cut: int) -> None:
    """The label of a line without its end is searched again: to go on writing there would spoil two."""
    file = tmp_path / "x.journal"
    labels = [Label(3, "won", 10, (1, 2)), Label(4, "lost", 20, ()), Label(5, "unknown", 30, ())]
    journal = label_deals.Journal(file, LIMITS)
    for x in labels:
        journal.add(x)
    file.write_text(file.read_text()[:-cut])
    again = label_deals.Journal(file, LIMITS)
    assert again.labels == labels[:2]
    again.add(labels[2])
    assert label_deals.Journal(file, LIMITS).labels == labels


@pytest.mark.parametrize("line", ["", "{}", "[1, 2]", '[3, "perhaps", 10, []]', '["3", "won", 10, []]', "\x00" * 8])
def test_journal_with_a_foreign_line(tmp_path: Path, line: str) -> None:
    file = tmp_path / "x.journal"
    label_deals.Journal(file, LIMITS).add(Label(3, "won", 10, (1, 2)))
    with file.open("a") as stream:
        stream.write(f'{line}\n[4, "lost", 5, []]\n')
    with pytest.raises(ValueError, match=r"x\.journal, line 3, is no label"):
        label_deals.Journal(file, LIMITS)


def test_file_that_is_no_journal(tmp_path: Path) -> None:
    file = tmp_path / "x.journal"
    file.write_text("deal,verdict\n3,won\n")
    with pytest.raises(ValueError, match=r"x\.journal was begun with deal,verdict"):
        label_deals.Journal(file, LIMITS)


def test_progress_cut_short_and_foreign(tmp_path: Path) -> None:
    rows = [Progress(100 * i, 1, 1, 30, 90) for i in range(1, 4)]
    for row in rows:
        append_progress(tmp_path, row)
    file = tmp_path / "progress.csv"
    whole = file.read_text()
    file.write_text(whole[:-3])
    assert read_progress(tmp_path) == rows[:2]
    forget_progress_after(tmp_path, 250)
    append_progress(tmp_path, rows[2])
    assert read_progress(tmp_path) == rows
    file.write_text(whole.replace("200", "2x0"))
    with pytest.raises(ValueError, match=r"progress\.csv, line 3, is no progress of a run"):
        read_progress(tmp_path)


def test_training_killed_and_resumed(tmp_path: Path) -> None:
    pytest.importorskip("sb3_contrib", reason="needs the extra train")
    from agents.ppo import load_model
    from experiments.train import main
    from tests.experiments.test_train import SMALL

    (tmp_path / "small.toml").write_text(SMALL.replace("steps = 2048", "steps = 51200"))
    run = tmp_path / "runs" / "killed"
    command = (
        f"--config {tmp_path}/small.toml --runs {tmp_path}/runs --name killed --deals 1000:1010 --checkpoint-every 1024"
    ).split()
    kill_when(["experiments.train", *command], lambda: lines(run / "progress.csv") > 4)
    saved = load_model(run / "model.zip", "coyote").num_timesteps
    trained = read_progress(run)[-1].steps
    assert 0 < saved <= trained < 51_200
    assert trained - saved <= 2048, "a checkpoint each 1,024 steps loses no more than what came after it"
    assert main(["--resume", str(run)]) == 0
    assert load_model(run / "model.zip", "coyote").num_timesteps == 51_200
    assert [row.steps for row in read_progress(run)] == list(range(512, 51_201, 512))
    assert (run / "eval.json").exists()
