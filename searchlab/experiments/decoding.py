"""Plain values, as TOML and JSON give them, into typed ones: strictly, and what is wrong is said with its place."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from searchlab.errors import BoardError, UsageError, did_you_mean
from searchlab.files.toml import place_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from searchlab.files.toml import Place

T = TypeVar("T", bound=msgspec.Struct)

WORDS = {
    "int": "a whole number",
    "float": "a number",
    "str": "a text",
    "bool": "true or false",
    "array": "a list",
    "object": "a table",
}
"""What msgspec calls the types of values, for people."""
WRONG_TYPE = re.compile(r"Expected `(?P<wanted>[^`]*)`, got `[^`]*`")
UNKNOWN_KEY = re.compile(r"Object contains unknown field `(?P<key>.*)`")
MISSING_KEY = re.compile(r"Object missing required field `(?P<key>.*)`")
AT = re.compile(r"(?P<what>.*?)(?: - at `\$(?P<path>.*)`)?", re.DOTALL)
STEP = re.compile(r"\[(?P<number>\d+)\]|\.?(?P<key>[^.\[]+)")


class SpecificationError(UsageError):
    """Something in a specification makes no sense.

    Attributes:
        place: where it stands.
    """

    def __init__(self, place: Place, message: str) -> None:
        super().__init__(f"{place_name(place)}: {message}" if place else message)
        self.place = place


@contextmanager
def at(*place: str | int) -> Iterator[None]:
    """Give errors of what is done in the context this place, unless they have one."""
    try:
        yield
    except SpecificationError:
        raise
    except (UsageError, BoardError) as error:
        raise SpecificationError(place, str(error)) from error


def decoded(content: Mapping[str, Any], kind: type[T], tables: Mapping[Place, type[msgspec.Struct]]) -> T:
    """Return a specification in its type.

    Args:
        tables: the types of the tables in it, by their places without numbers.

    Raises:
        SpecificationError: an unknown or missing key, or a value of another type.
    """
    try:
        return msgspec.convert(content, kind)
    except msgspec.ValidationError as error:
        raise _explained(str(error), content, {(): kind, **tables}) from None


def _explained(
    message: str, content: Mapping[str, Any], tables: Mapping[Place, type[msgspec.Struct]]
) -> SpecificationError:
    """Return what msgspec found wrong in words, and with the place where it was meant to be put right."""
    said = AT.fullmatch(message)
    assert said is not None
    place: Place = tuple(
        int(step["number"]) if step["number"] else step["key"] for step in STEP.finditer(said["path"] or "")
    )
    if unknown := UNKNOWN_KEY.fullmatch(said["what"]):
        known = tables[tuple(part for part in place if isinstance(part, str))].__struct_encode_fields__
        return SpecificationError(
            (*place, unknown["key"]), f"there is no such key: {did_you_mean(unknown['key'], known)}"
        )
    if missing := MISSING_KEY.fullmatch(said["what"]):
        return SpecificationError(place, f"the key {missing['key']!r} is missing")
    if wrong := WRONG_TYPE.fullmatch(said["what"]):
        wanted = [WORDS[word] for word in WORDS if word in wrong["wanted"].split(" | ")]
        return SpecificationError(place, f"{' or '.join(wanted)} is wanted, not {_shown(content, place)}")
    return SpecificationError(place, said["what"])


def _shown(content: Any, place: Place) -> str:
    """Return the value at a place, and what it is."""
    for part in place:
        content = content[part]
    for kind, word in {dict: "a table", list: "a list", str: f"the text {content!r:.40}"}.items():
        if isinstance(content, kind):
            return word
    return str(content).lower() if isinstance(content, bool) else str(content)
