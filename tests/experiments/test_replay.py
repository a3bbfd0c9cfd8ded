"""Recorded games, and their page in a real browser."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from agents.protocol import MaskedAgent
from agents.random import RandomAgent
from agents.rules import RulesAgent
from experiments.replay.__main__ import main
from experiments.replay.page import page, write_page
from experiments.replay.recording import Recording, record, verdict_words
from experiments.suites import Label, write_suite
from solitaire_env import GAMES, SolitaireEnv
from tests.experiments.browser import REQUIRED, chromium
from tests.play.lines import WINNING


class Follower(MaskedAgent):
    """Plays a known line, with an opinion on everything else, and judges positions by an easy rule."""

    def __init__(self, actions: tuple[int, ...]) -> None:
        super().__init__(avoid_repeats=False)
        self._actions = list(actions)
        self._next = -1
        self.asked = 0

    def action_weights(self, _: NDArray[Any], masks: NDArray[np.bool_]) -> NDArray[np.float64]:
        if self.asked % 2 == 0:  # asked for the weights, then by predict
            self._next = self._actions.pop(0)
        self.asked += 1
        weights = masks * np.linspace(1, 2, masks.shape[1])
        weights[0, self._next] = 3 * masks.shape[1]
        return weights

    def state_values(self, observations: NDArray[Any]) -> NDArray[np.float64]:
        return np.full(len(observations), 1 / (1 + len(self._actions)))


def won_game(game: str) -> Recording:
    deal, actions = WINNING[game]
    return record(Follower(actions), game, deal, name="<follower> & co", max_steps=1000)


@pytest.mark.parametrize("game", GAMES)
def test_a_recording_tells_the_whole_game(game: str) -> None:
    deal, actions = WINNING[game]
    recording = won_game(game)
    assert recording["outcome"] == f"won in {len(actions)} actions"
    assert len(recording["frames"]) == len(actions) + 1
    json.dumps(recording)

    env = SolitaireEnv(game)
    env.reset(options={"deal": deal})
    for step, (action, frame) in enumerate(zip((*actions, None), recording["frames"], strict=True)):
        position, legal = env.position, env.legal_moves()
        assert frame["counts"] == [
            len(position.stock),
            len(position.waste),
            len(position.reserve),
            position.foundation_cards,
        ]
        assert len(frame["actions"]) == len(legal)
        shown = [card for card, _, _ in frame["cards"]]
        assert sorted(card for pile in position.tableau for card in pile) == sorted(
            shown[len(shown) - sum(map(len, position.tableau)) :]
        )
        if action is None:
            assert (frame["played"], frame["value"]) == (None, None)
            break
        words = {recording["labels"][label]: share for label, share in frame["actions"]}
        assert set(words) == {env.describe(a) for a in legal}
        assert sum(words.values()) == pytest.approx(1, abs=1e-3)
        assert list(words.values()) == sorted(words.values(), reverse=True)
        assert recording["labels"][frame["actions"][frame["played"]][0]] == env.describe(action)
        assert frame["value"] == round(1 / (len(actions) - step), 5)
        assert recording["labels"][recording["frames"][step + 1]["label"]] == env.describe(action)
        env.step(action)


def test_the_recording_is_of_the_game_that_an_evaluation_plays() -> None:
    recording = record(RulesAgent("coyote"), "coyote", 3, name="rules", max_steps=400)
    env = SolitaireEnv("coyote", avoid_repeats=True)
    _, info = env.reset(options={"deal": 3})
    agent, ended = RulesAgent("coyote"), False
    for frame in recording["frames"][:-1]:
        assert not ended
        assert len(frame["actions"]) == info["action_mask"].sum()
        action = int(
            agent.predict(np.zeros((1, 846)), deterministic=True, action_masks=info["action_mask"][None])[0][0]
        )
        label, share = frame["actions"][frame["played"]]
        assert (recording["labels"][label], share) == (env.describe(action), 1)
        assert frame["value"] is None
        _, _, ended, _, info = env.step(action)
    assert ended


def test_no_card_that_the_player_does_not_know_is_recorded() -> None:
    """Exchanging unseen cards changes nothing until they are dealt."""
    recording = record(RandomAgent(), "swiss", 7, name="random", max_steps=0)
    assert recording["outcome"] == "not finished after 0 actions"
    [frame] = recording["frames"]
    env = SolitaireEnv("swiss")
    env.reset(options={"deal": 7})
    assert len(frame["cards"]) == 25 + 1
    assert [card for card, _, _ in frame["cards"]].count("??") == 1
    text = json.dumps(recording)
    assert not [card for card in env.position.stock if f'"{card}"' in text]


def test_the_solvers_verdict(tmp_path: Path) -> None:
    labels = [Label(0, "won", 9, (1, 2, 3)), Label(1, "lost", 9, ()), Label(2, "unknown", 9, ())]
    write_suite(tmp_path, "swiss", "test", labels)
    write_suite(tmp_path, "swiss", "validation", [Label(1000, "won", 9, (1, 2))])
    assert verdict_words("swiss", 0, tmp_path) == "can be won, in 3 actions"
    assert verdict_words("swiss", 1, tmp_path) == "cannot be won, whoever plays"
    assert verdict_words("swiss", 2, tmp_path) == "not known: the search ended without result"
    assert verdict_words("swiss", 1000, tmp_path) == "can be won, in 2 actions"
    for game, deal in (("swiss", 3), ("swiss", 5000), ("coyote", 0)):
        assert verdict_words(game, deal, tmp_path) == "not known: the deal is in no suite with verdicts"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--game", "whist", "--deal", "1"], "game is 'whist': allowed are coyote"),
        (["--game", "swiss", "--deal", "-1"], "deal is -1"),
        (["--game", "swiss", "--deal", "1", "--agent", "nowhere"], "agent is 'nowhere'"),
        (["--game", "swiss", "--deal", "1", "--seed", "-1"], "seed is -1"),
        (["--game", "swiss", "--deal", "1", "--max-steps", "0"], "max_steps is 0"),
        (["--game", "swiss", "--deal", "1", "--out", "nowhere/x.html"], "no such folder"),
    ],
)
def test_what_is_not_allowed_is_named(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    assert message in capsys.readouterr().err


def test_the_command_writes_one_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "game.html"
    assert main(["--game", "coyote", "--deal", "7", "--agent", "rules", "--out", str(file)]) == 0
    assert f"The game is in {file}" in capsys.readouterr().out
    assert [path.name for path in tmp_path.iterdir()] == ["game.html"]
    assert "://" not in file.read_text().replace("http://www.w3.org/2000/svg", "")


def test_the_data_cannot_break_out_of_its_element() -> None:
    recording = won_game("coyote") | {"agent": "</script><script>alert(1)</script>"}
    text = page(recording)
    assert text.count("</script>") == 2
    assert "<script>alert" not in text


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as opened:
        yield opened


class Reader:
    """Looks at a page, and keeps account of whatever goes wrong in it."""

    def __init__(self, browser: Any, file: Path, **options: Any) -> None:
        self.page = browser.new_page(**options)
        self.wrong: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda message: self.wrong.append(message.text))
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(file.as_uri())

    def text(self, selector: str) -> str:
        return str(self.page.inner_text(selector))

    def step(self) -> int:
        shown = re.fullmatch(r"(\d+) of \d+", self.text("#step"))
        assert shown is not None
        assert self.page.input_value("#slider") == shown[1]
        return int(shown[1])

    def bars(self) -> list[tuple[str, float, float]]:
        """Words, probability, and the bar's part of its track."""
        rows = self.page.evaluate(
            """() => [...document.querySelectorAll("#bars li")].filter((row) => row.querySelector(".fill")).map((row) =>
                [row.firstChild.textContent, parseFloat(row.querySelector(".share").textContent) / 100,
                row.querySelector(".fill").getBoundingClientRect().width / row.querySelector(".track").clientWidth])"""
        )
        return [(words, share, part) for words, share, part in rows]


def test_the_page_in_a_browser(browser: Any, tmp_path: Path) -> None:
    """Slider, keys, buttons, bars, curves, words; no error, and nothing is asked of anybody."""
    recording, file = won_game("coyote"), tmp_path / "game.html"
    write_page(recording, file)
    reader, last = Reader(browser, file), len(recording["frames"]) - 1
    keyboard = reader.page.keyboard

    assert reader.page.title() == "Coyote, deal 5000, played by <follower> & co"
    assert reader.text("h1") == "Coyote, deal 5000"
    assert reader.text("#agent") == "<follower> & co"
    assert reader.text("#outcome") == f"won in {last} actions"
    assert reader.text("#verdict") == "not known: the deal is in no suite with verdicts"
    assert reader.step() == 0

    places = []
    for key, expected in (
        ("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("PageDown", 11), ("PageUp", 1), ("PageUp", 0),
        ("ArrowLeft", 0), ("End", last), ("ArrowRight", last), ("Home", 0),
    ):  # fmt: skip
        keyboard.press(key)
        places.append((key, reader.step()))
        assert places[-1] == (key, expected)
    reader.page.focus("#slider")  # there the keys do the same, and not twice
    keyboard.press("ArrowRight")
    assert reader.step() == 1
    reader.page.fill("#slider", "40")
    assert reader.step() == 40
    assert reader.page.get_attribute("#slider", "aria-valuetext") == f"step 40 of {last}"
    box = reader.page.locator("#slider").bounding_box()
    reader.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    assert abs(reader.step() - last / 2) < 4
    for button, expected in (("first", 0), ("forth", 1), ("last", last), ("back", last - 1)):
        reader.page.click(f"#{button}")
        assert reader.step() == expected

    for step in (0, 1, 40, last - 1, last):
        reader.page.fill("#slider", str(step))
        frame = recording["frames"][step]
        bars = reader.bars()
        assert len(bars) == len(frame["actions"])
        for (words, share, part), (label, probability) in zip(bars, frame["actions"], strict=True):
            assert words.removesuffix(" (played)").split(":")[0] == recording["labels"][label].split(":")[0]
            assert share == pytest.approx(probability, abs=6e-4)
            assert part == pytest.approx(probability, abs=0.02)
        assert [words.endswith(" (played)") for words, _, _ in bars] == [i == frame["played"] for i in range(len(bars))]
        drawn = reader.page.eval_on_selector_all("#table .card", "cards => cards.map((card) => card.dataset.card)")
        assert drawn == [card for card, _, _ in frame["cards"]]
        assert reader.page.locator("#table .mark").count() == len(frame["marks"])
        assert f"foundations {frame['counts'][3]} of 52" in reader.text("#counts")
        marked = float(reader.page.get_attribute("#value line", "x1"))
        assert marked == pytest.approx(100 * step / last)
        if step < last:
            assert f"Reward still expected: {frame['value']:.3f}" in reader.text("#value-now")
    assert reader.text("#words").endswith(f"The game is won in {last} actions.")
    points = reader.page.get_attribute("#value polyline", "points").split()
    assert len(points) == last
    assert len(reader.page.get_attribute("#cards polyline", "points").split()) == last + 1
    reader.page.locator("#value").click(position={"x": 1, "y": 20})
    assert reader.step() <= 1

    assert reader.wrong == []
    assert reader.requests == [file.as_uri()]


def test_the_page_plays_by_itself_and_pauses(browser: Any, tmp_path: Path) -> None:
    file = tmp_path / "game.html"
    write_page(won_game("coyote"), file)
    reader = Reader(browser, file)
    reader.page.keyboard.press(" ")
    assert reader.text("#run") == "Pause"
    reader.page.get_by_text(re.compile("^2 of ")).wait_for()
    reader.page.click("#run")
    assert reader.text("#run") == "Play"
    reader.page.focus("#run")
    reader.page.keyboard.press(" ")  # presses the button, once
    assert reader.text("#run") == "Pause"
    reader.page.keyboard.press("End")
    assert reader.text("#run") == "Play"
    assert reader.wrong == []


def test_the_page_of_a_player_that_makes_no_estimate(browser: Any, tmp_path: Path) -> None:
    file = tmp_path / "game.html"
    write_page(record(RulesAgent("swiss"), "swiss", 7, name="rules", max_steps=30), file)
    reader = Reader(browser, file)
    assert reader.text("#value-now") == "This player makes no estimate."
    assert not reader.page.is_visible("#value")
    assert reader.bars()[0][1] == 1
    reader.page.keyboard.press("End")
    assert reader.bars() == []
    assert reader.text("#words").endswith("The game is not finished after 30 actions.")
    assert reader.wrong == []


@pytest.mark.parametrize(("scheme", "width"), [("light", 360), ("dark", 1280)])
def test_everything_is_to_be_seen_and_named(browser: Any, tmp_path: Path, scheme: str, width: int) -> None:
    """No sideways scrolling, contrast of text at least 4.5, and a name for all that takes the focus."""
    file = tmp_path / "game.html"
    write_page(won_game("variegated_canfield"), file)
    reader = Reader(browser, file, color_scheme=scheme, viewport={"width": width, "height": 800})
    reader.page.fill("#slider", "30")
    assert reader.page.evaluate("document.documentElement.scrollWidth") <= width
    colours = reader.page.evaluate(
        """() => [...document.querySelectorAll("h1, h2, p, dt, dd, button, label, output, #bars span")].map(element => {
            let ground = element;
            while (getComputedStyle(ground).backgroundColor === "rgba(0, 0, 0, 0)") ground = ground.parentElement;
            return [getComputedStyle(element).color, getComputedStyle(ground).backgroundColor];
        })"""
    )
    assert len(colours) > 20
    assert min(contrast(ink, paper) for ink, paper in colours) >= 4.5
    assert (luminance(colours[0][1]) < 0.2) == (scheme == "dark")
    for role, name in (
        ("slider", "Step"), ("button", "Step back"), ("button", "Step forth"), ("button", "Play"),
        ("button", "First step"), ("button", "Last step"), ("list", "Probabilities of the policy"), ("img", None),
    ):  # fmt: skip
        found = reader.page.get_by_role(role) if name is None else reader.page.get_by_role(role, name=name, exact=True)
        assert found.count() >= 1, (role, name)
    assert "stock" in (reader.page.get_by_role("img").first.evaluate("e => e.ariaLabelledByElements[0].textContent"))


@pytest.mark.parametrize(("required", "outcome"), [("1", pytest.fail.Exception), ("", pytest.skip.Exception)])
def test_without_a_browser_tests_are_skipped_unless_it_is_required(
    required: str, outcome: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv(REQUIRED, required)
    with pytest.raises(outcome, match=r"no Chromium; .*apt-get install chromium"), chromium():
        pass


def luminance(colour: str) -> float:
    parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)
