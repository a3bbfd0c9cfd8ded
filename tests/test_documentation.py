"""README and docs: their Python runs, the commands that they show exist, and links lead somewhere."""

from __future__ import annotations

import importlib
import re
import shlex
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "seeds").rglob("*.md")),
]


def blocks(page: Path, language: str) -> list[str]:
    """The fenced blocks of a page in a language; those of a list are indented."""
    found = re.findall(rf"^( *)```{language}\n(.*?)^\1```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return ["\n".join(line.removeprefix(indent) for line in text.splitlines()) for indent, text in found]


def commands() -> list[str]:
    """Every command line of a shell block, without comments."""
    lines = [line for page in PAGES for block in blocks(page, "(?:sh)?") for line in block.splitlines()]
    found = {line.partition("#")[0].strip() for line in lines}
    return sorted(line for line in found if re.match(r"make [a-z]|python -m ", line))


def with_python() -> list[Path]:
    return [page for page in PAGES if blocks(page, "python")]


def leads_somewhere(page: Path, link: str) -> bool:
    """Whether a link's file is in the repository and has the heading, if one is named; other sites are not asked."""
    if link.startswith("https://"):
        return True
    file, _, heading = link.partition("#")
    target = page.parent / file if file else page
    if not target.exists():
        return False
    headings = re.findall(r"^#+ (.*)$", target.read_text(encoding="utf-8"), re.MULTILINE) if heading else []
    return not heading or heading in {re.sub(r"[^\w -]", "", x.lower()).replace(" ", "-") for x in headings}


@pytest.mark.parametrize("page", with_python(), ids=lambda page: str(page.relative_to(ROOT)))
def test_python_of_a_page_runs_from_top_to_bottom(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("sb3_contrib", "stable_baselines3"):
        if name in page.read_text(encoding="utf-8"):
            pytest.importorskip(name)
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, object] = {"__name__": "page"}
    if page.parent.name == "seeds":
        exec("import gymnasium as gym", namespace)
    for block in blocks(page, "python"):
        exec(compile(block, f"{page.name}: {block.splitlines()[0]}", "exec"), namespace)


@pytest.mark.parametrize("command", [c for c in commands() if c.startswith("make")])
def test_make_knows_the_target(command: str) -> None:
    words = shlex.split(command)
    answer = subprocess.run(["make", "-n", *words[1:]], cwd=ROOT, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr


@pytest.mark.parametrize("command", [c for c in commands() if c.startswith("python -m")])
def test_command_line_knows_the_options(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = shlex.split(command.partition(" > ")[0])
    module = importlib.import_module(words[2])
    options = [word for word in words[3:] if word.startswith("--")]
    if not options:
        return
    with pytest.raises(SystemExit) as end:
        module.main(["--help"])
    assert end.value.code == 0
    text = capsys.readouterr().out
    assert [option for option in options if option not in text] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_and_pictures_of_a_page_are_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert [link for link in re.findall(r"\]\(([^)\s]+)\)", text) if not leads_somewhere(page, link)] == []


def test_there_are_commands_to_test() -> None:
    assert len(commands()) > 8
    assert len(with_python()) > 5
