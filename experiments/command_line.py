"""A dataclass of arguments as a command line, and arguments that several commands take."""

from __future__ import annotations

import argparse
import dataclasses
import shlex
import sys
import types
import typing
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")


class Argument(NamedTuple):
    """What ``parse`` needs to know of a field beside its type and default: ``Annotated[int, Argument("...")]``.

    Attributes:
        help: A few words; for a field whose default is None, also what happens then.
        metavar: Stands for the value in the help; by default the field's name.
    """

    help: str
    metavar: str | None = None


def parse(arguments: type[T], argv: Sequence[str] | None, program: str, description: str) -> T:
    """Reads a command line into a dataclass whose fields are annotated with an ``Argument``.

    A field ``checkpoint_every`` is ``--checkpoint-every``; a bool has a ``--no-...`` too; ``X | None`` is read as
    ``X``; a field without a default must be given. Wrong arguments end the program with a message, as argparse does.
    """
    parser = argparse.ArgumentParser(
        prog=program,
        description=description,
        allow_abbrev=False,
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    hints = typing.get_type_hints(arguments, include_extras=True)
    for field in dataclasses.fields(arguments):  # type: ignore[arg-type]  # T is a dataclass
        hint, about = typing.get_args(hints[field.name])
        options: dict[str, Any] = {"help": about.help, "required": field.default is dataclasses.MISSING}
        # No default, and None, would show up as defaults in the help.
        options["default"] = argparse.SUPPRESS if field.default in (None, dataclasses.MISSING) else field.default
        kind = _plain_type(hint)
        if kind is bool:
            options["action"] = argparse.BooleanOptionalAction
        else:
            options |= {"type": kind, "metavar": about.metavar or field.name.upper()}
        parser.add_argument(f"--{field.name.replace('_', '-')}", **options)
    return arguments(**vars(parser.parse_args(argv)))


def command_text(program: str, argv: Sequence[str] | None) -> str:
    """Returns a command as one types it, for the record of what it made.

    Args:
        program: As of ``parse``, such as ``"python -m experiments.train"``.
        argv: As of ``parse``; None stands for the arguments of this process.
    """
    return shlex.join([*program.split(), *(sys.argv[1:] if argv is None else argv)])


def say_interrupted(program: str, folder: Path) -> int:
    """Says how to go on with an interrupted run; returns the exit status of Ctrl-C."""
    print(
        f"\nInterrupted; the last checkpoint is kept. To go on with it:\n{program} --resume {shlex.quote(str(folder))}",
        file=sys.stderr,
    )
    return 130


def deal_range(text: str) -> range:
    """Reads ``"0:1000"``: the first deal and the one after the last.

    Raises:
        ValueError: It is no such range, or an empty one.
    """
    first, colon, end = text.partition(":")
    if colon and first.isdecimal() and end.isdecimal() and int(first) < int(end):
        return range(int(first), int(end))
    raise ValueError(f"deals is {text!r}: allowed is FIRST:END, two whole numbers, the first the smaller, as in 0:1000")


def check_positive(name: str, value: int) -> None:
    """Checks a number that must be 1 or more.

    Raises:
        ValueError: It is not.
    """
    if value < 1:
        raise ValueError(f"{name} is {value}: allowed are whole numbers from 1 up")


def _plain_type(hint: Any) -> Any:
    if isinstance(hint, types.UnionType):
        return next(kind for kind in typing.get_args(hint) if kind is not type(None))
    return hint
