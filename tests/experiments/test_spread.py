"""Many tasks on processes and on Ray: every task once, also when a worker is killed on the way."""

from __future__ import annotations

import functools
import multiprocessing
import os
import signal
from pathlib import Path

import pytest

from experiments import evaluate, label_deals
from experiments.evaluation import play
from experiments.spread import process_pool, spread


def square(x: int) -> int:
    return x * x


def square_or_die(flag: Path, x: int) -> int:
    """Dies with its process the first time that it comes to 13."""
    if x == 13 and not flag.exists():
        flag.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return x * x


def test_processes_do_every_task_once() -> None:
    assert sorted(spread(square, range(40), processes=2)) == [x * x for x in range(40)]
    assert list(spread(square, [])) == []


def test_a_killed_process_is_told_and_what_was_done_is_given_out(tmp_path: Path) -> None:
    done: list[int] = []
    with pytest.raises(ChildProcessError, match="a process was killed"):
        done.extend(spread(functools.partial(square_or_die, tmp_path / "flag"), range(100)))
    assert set(done) <= {x * x for x in range(13)}


@pytest.mark.skipif(os.name == "nt", reason="there is no signal to one process")
def test_ctrl_c_passes_by_processes_that_are_still_starting() -> None:
    """Found by CI: one that was importing said so in a traceback, before the command said that the labels are kept."""
    others = multiprocessing.active_children()
    with process_pool(2) as pool:
        futures = [pool.submit(square, x) for x in (2, 3)]
        starting = [process for process in multiprocessing.active_children() if process not in others]
        assert len(starting) == 2
        for process in starting:
            assert process.pid is not None
            os.kill(process.pid, signal.SIGINT)
        assert [future.result() for future in futures] == [4, 9]
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, [])  # the command itself hears it


class TestRay:
    """On a Ray of this machine."""

    @pytest.fixture(autouse=True)
    def _ray(self) -> None:
        pytest.importorskip("ray", reason="needs the extra ray")

    def test_a_killed_worker_costs_and_doubles_nothing(self, tmp_path: Path) -> None:
        function = functools.partial(square_or_die, tmp_path / "flag")
        results = list(spread(function, range(100), processes=2, ray="local", at_once=3))
        assert (tmp_path / "flag").exists()
        assert sorted(results) == [x * x for x in range(100)]

    def test_labels_and_games_are_those_without_it(self, tmp_path: Path) -> None:
        asked = ["--game", "coyote", "--suite", "new", "--deals", "5000:5030", "--positions", "3000"]
        assert label_deals.main([*asked, "--folder", str(tmp_path / "plain")]) == 0
        assert label_deals.main([*asked, "--folder", str(tmp_path / "ray"), "--ray", "local"]) == 0
        for name in ("new.csv", "new_solutions.csv"):
            assert (tmp_path / "plain" / "coyote" / name).read_bytes() == (
                tmp_path / "ray" / "coyote" / name
            ).read_bytes()
        arguments = evaluate.EvaluateArguments(agent="rules", deals="1000:1150", ray="local")
        spread_out = evaluate.evaluate(arguments, "")
        plain = evaluate.evaluate(evaluate.EvaluateArguments(agent="rules", deals="1000:1150"), "")
        assert spread_out == plain

    def test_no_cluster_at_the_address(self, capsys: pytest.CaptureFixture[str]) -> None:
        asked = ["--agent", "rules", "--deals", "1000:1010", "--ray", "127.0.0.1:1"]
        assert evaluate.main(asked) == 2
        assert "127.0.0.1:1" in capsys.readouterr().err

    def test_a_cluster_that_refuses_says_what_it_may_want(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """Found on a cluster: Ray makes a token once, asks for it, and shows it to the address auto alone."""

        def refuse(**_: object) -> None:
            raise ConnectionError("Failed to connect to Ray cluster at auto")

        monkeypatch.setattr("ray.init", refuse)
        assert evaluate.main(["--agent", "rules", "--deals", "1000:1010", "--ray", "auto"]) == 2
        error = capsys.readouterr().err
        assert "Failed to connect to Ray cluster at auto" in error
        assert "RAY_AUTH_MODE=token" in error


def test_without_ray_the_command_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "ray", None)
    assert evaluate.main(["--agent", "rules", "--deals", "1000:1010", "--ray", "local"]) == 2
    assert 'pip install "solitaire_env[ray]"' in capsys.readouterr().err


def test_games_are_joined_in_the_order_of_the_deals() -> None:
    from agents.rules import RulesAgent
    from experiments.evaluation import figures, join

    agent = RulesAgent("coyote")
    parts = [play(agent, "coyote", range(a, a + 5), avoid_repeats=True) for a in (1010, 1000, 1005)]
    whole = play(agent, "coyote", range(1000, 1015), avoid_repeats=True)
    assert figures(join(parts)) == figures(whole)
