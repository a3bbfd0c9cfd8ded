"""mkdocs hook: writes the pages of the games from the code, the clauses in ``seeds/`` and the results."""

from __future__ import annotations

import inspect
import json
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

from experiments.document_spaces import actions_section, observation_section
from solitaire_env import ENV_IDS, GAMES, ActionTable, Rules, SolitaireEnv
from solitaire_env.observation import observation_size
from solitaire_env.registration import MAX_EPISODE_STEPS

ROOT = Path(__file__).resolve().parent.parent.parent

RESULTS = ROOT / "experiments" / "results" / "test_suite"


def on_files(files: Files, config: Any) -> Files:
    """Adds the pages of the games, and the pages of results that lie beside their pictures."""
    for game in GAMES:
        files.append(File.generated(config, f"games/{game}.md", content=game_page(game)))
    common = (ROOT / "seeds" / "rules_common.md").read_text(encoding="utf-8")
    common = re.sub(r"\((\w+)/rules\.md\)", r"(\1.md)", common)
    files.append(File.generated(config, "games/rules_common.md", content=common))
    picture = ROOT / "experiments" / "results" / "benchmark.png"
    files.append(File.generated(config, "images/benchmark.png", abs_src_path=str(picture)))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Leads links into the repository beside ``docs/`` to the site's own page or picture, or takes them out."""
    markdown = re.sub(r"\(((?:\.\./)*)\.\./seeds/(\w+)/rules\.md\)", r"(\1games/\2.md)", markdown)
    markdown = markdown.replace("(../experiments/results/benchmark.png)", "(images/benchmark.png)")
    return re.sub(r"\[([^\]]+)\]\((?:\.\./)+(?:seeds|experiments|solitaire_env|tests)/[^)]*\)", r"\1", markdown)


def game_page(game: str) -> str:
    """Returns the page of a game."""
    rules = GAMES[game]
    module = inspect.getmodule(__import__(f"solitaire_env.games.{game}", fromlist=["_"]))
    title, _, about = inspect.cleandoc(module.__doc__ or "").partition("\n")
    name = title.partition(":")[0]
    clauses = (ROOT / "seeds" / game / "rules.md").read_text(encoding="utf-8").partition("\n")[2]
    clauses = clauses.replace("../rules_common.md", "rules_common.md").replace("\n## ", "\n### ")
    docs = inspect.cleandoc(SolitaireEnv.__doc__ or "")
    board = f"![A board of {name}](../images/{game}.png)"
    parts = [
        f"# {name}\n\n{title.partition(': ')[2].capitalize()}\n\n{board}\n{about}",
        f"## Specs\n\n{specs(game, rules)}",
        f"## Rules\n{clauses}",
        f"## Actions\n\n{actions_section(rules)}",
        f"## Observations\n\n{observation_section(rules)}\n\nThe columns are told [here](../reference/spaces.md).",
        f"## Rewards\n\n{section(docs, 'Rewards')}",
        f"## Results\n\n{results(game)}",
        f"## Version history\n\n{section(docs, 'Version History')}",
    ]
    return "\n\n".join(parts) + "\n"


def specs(game: str, rules: Rules) -> str:
    """Returns a game's table of facts."""
    changed = {k: v for k, v in rules.to_dict().items() if v != Rules.__dataclass_fields__[k].default}
    rows = {
        "id": f"`{ENV_IDS[game]}`",
        "make": f'`gymnasium.make("solitaire_env:{ENV_IDS[game]}")`',
        "cards": f"{rules.deck_size}, {rules.decks} deck(s)",
        "at the start": f"{sum(rules.pile_heights)} in {rules.n_piles} piles, {rules.reserve} in the reserve, "
        f"{rules.dealt_foundation_cards} on the foundations, {rules.stock_size} in the stock",
        "action space": f"`Discrete({ActionTable(rules).n})`",
        "observation space": f"`Box(0, 1, ({observation_size(rules)},), uint8)`",
        "step limit": str(MAX_EPISODE_STEPS[game]),
        "rules": f"`Rules({', '.join(f'{k}={v!r}' for k, v in changed.items())})`",
    }
    return "\n".join(["| | |", "| --- | --- |", *(f"| {k} | {v} |" for k, v in rows.items())])


def section(text: str, title: str) -> str:
    """Returns a section of a docstring."""
    return text.partition(f"## {title}\n")[2].partition("\n## ")[0].strip()


def results(game: str) -> str:
    """Returns the table of what was measured on the test suite."""
    rows = []
    for file in sorted(RESULTS.glob("*.json")):
        data = json.loads(file.read_text(encoding="utf-8"))
        if data.get("game") == game and data.get("deals") == "0:1000" and "ci95" in data:
            low, high = data["ci95"]
            share = f"{data['win_rate']:.1%} ({low:.1%} to {high:.1%})"
            rows.append((data["win_rate"], f"| `{file.stem}` | {share} | {data['mean_foundation']:.1f} |"))
    lines = [row for _, row in sorted(rows)]
    return "\n".join(
        [
            "Deals 0 to 999, hidden cards hidden; with Wilson 95 % intervals. Each file of",
            "`experiments/results/test_suite/` names its command, versions and commit.",
            "",
            "| file | won | foundation cards at the end |",
            "| --- | --- | --- |",
            *lines,
        ]
    )
