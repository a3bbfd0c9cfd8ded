"""What the wheel and the sdist hold. ``make package`` installs the wheel besides, into an empty environment."""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import zipfile
from email.parser import HeaderParser
from pathlib import Path

import pytest

import solitaire_env

ROOT = Path(__file__).resolve().parent.parent

pytest.importorskip("hatchling")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel and the sdist of this checkout."""
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-d", str(folder)], cwd=ROOT, check=True)
    return folder


def test_wheel_holds_the_package_alone_with_its_types(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        metadata = HeaderParser().parsestr(
            archive.read(f"solitaire_env-{solitaire_env.__version__}.dist-info/METADATA").decode()
        )
    tops = {name.partition("/")[0] for name in names}
    assert tops == {"solitaire_env", f"solitaire_env-{solitaire_env.__version__}.dist-info"}
    assert "solitaire_env/py.typed" in names
    assert not [name for name in names if "__pycache__" in name]
    modules = {str(file.relative_to(ROOT)) for file in (ROOT / "solitaire_env").rglob("*.py")}
    assert modules <= set(names)
    assert metadata["Version"] == solitaire_env.__version__
    assert metadata["Requires-Python"] == ">=3.11"


def test_sdist_holds_what_the_tests_need(built: Path) -> None:
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    for name in ("solitaire_env/py.typed", "tests/test_packaging.py", "seeds/coyote/rules.md", "LICENSE", "README.md"):
        assert name in names
    assert not [name for name in names if name.startswith(("runs/", ".venv/"))]


def test_version_is_in_one_place() -> None:
    version = re.escape(solitaire_env.__version__)
    stated = re.compile(rf"(?m)^\s*\W?(?:__)?version(?:__)?\W*[=:]\s*\W{version}\W")
    files = [*(ROOT / "solitaire_env").rglob("*.py"), ROOT / "pyproject.toml", ROOT / "CITATION.cff"]
    assert [str(f.relative_to(ROOT)) for f in files if stated.search(f.read_text())] == ["solitaire_env/__init__.py"]
    assert f"## {solitaire_env.__version__}" in (ROOT / "CHANGELOG.md").read_text()
