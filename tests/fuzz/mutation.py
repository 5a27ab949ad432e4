"""Changed inputs: texts, trees of plain values and lists of words, always the same for a seed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from random import Random

Input = bytes | str | tuple[str, ...]
S = TypeVar("S", bytes, str, tuple[str, ...])

CHARACTERS = (
    "0123456789 \t\n\r,.;:=-+_/\\|[](){}<>\"'#%$&*!?~@^`aAeExXnN"
    "\0\x07\x1b\x7f\x85\x9b\u00a0\u202e\u2066\u2028\ufeff\ud800²٣½–éß\u0301İ漢😀"
)
"""Those that tell formats apart, and those that make trouble: controls, surrogates, digits that are none."""


def words(text: str) -> list[str]:
    """Return the words of a text, which blanks separate."""
    return text.split()


WORDS = (
    *words("0 -0 1 -1 +1 00 1_0 1.5 1e3 1e999 -1e-999 0x10 1. .1 nan inf 2147483648 4294967296 9007199254740993"),
    *words("9223372036854775807 9223372036854775808 true false yes no null None .. / ~ * ** [ ] [[ ]] -- - = : ,"),
    *("", " ", "\n", "9" * 400, "a" * 300, "\x1b[31m", "\x1b]0;x\x07", "<script>", "=1+1", "%s", "{}", "\\"),
)
"""What often goes wrong in a place where something else is wanted."""
ODD_VALUES: tuple[Any, ...] = (
    *(0, 1, -1, 2, 10**6, 10**6 + 1, 2**31, 2**53 + 1, 2**63 - 1, 2**63, 10**400, 1.5, -0.0, 1e300, 5e-324),
    *(True, False, "", " ", "x", "\x1b[31m", "\0", "\u202e", "a" * 400, "1-20", "20-1", "10s", "2GiB", "../..", "/"),
    *([], {}, [[]], [{}], {"": ""}, [1, "1"], ["x"] * 30, {"name": "x"}, {"name": ["x"]}, {"a": {"b": {"c": []}}}),
)
"""Values that a file may hold where another is wanted."""
DEEPEST = 6


class Mutator:
    """Makes inputs from good ones.

    Args:
        random: the source of all chance.
    """

    def __init__(self, random: Random) -> None:
        self.random = random

    def text(self, seeds: Sequence[str], words: Sequence[str] = ()) -> str:
        """Return one of some texts, changed in a few places, or occasionally another text.

        Args:
            words: what is at home in such a text.
        """
        random = self.random
        if random.random() < 0.03:
            return "".join(random.choices(CHARACTERS, k=random.randrange(40)))
        text = random.choice(seeds)
        for _ in range(self._times()):
            text = self._changed(text, seeds, words)
        return text

    def data(self, seeds: Sequence[str], words: Sequence[str] = ()) -> bytes:
        """Return bytes of a changed text, now and then with bytes in it that are no text."""
        data = bytearray(self.text(seeds, words).encode("utf-8", "surrogatepass"))
        if self.random.random() < 0.1:
            for _ in range(self._times()):
                data.insert(self.random.randint(0, len(data)), self.random.randrange(256))
        return bytes(data)

    def tree(self, value: dict[str, Any]) -> dict[str, Any]:
        """Return a table of plain values with some of them replaced, left out, doubled or moved."""
        for _ in range(self._times()):
            changed = self._grown(value, 0)
            value = changed if isinstance(changed, dict) else value
        return value

    def words(self, seeds: Sequence[Sequence[str]], others: Sequence[str]) -> tuple[str, ...]:
        """Return a list of words with some of them replaced, changed, left out, doubled or moved."""
        random = self.random
        found = list(random.choice(seeds))
        for _ in range(self._times()):
            at = random.randint(0, len(found))
            match random.randrange(6):
                case 0:
                    found.insert(at, random.choice(others))
                case 1 if found:
                    found.pop(at % len(found))
                case 2 if found:
                    found[at % len(found)] = random.choice(others)
                case 3 if found:
                    found[at % len(found)] = self._changed(found[at % len(found)], others, WORDS)
                case 4 if found:
                    found.insert(at, random.choice(found))
                case _:
                    other = list(random.choice(seeds))
                    found = found[:at] + other[random.randint(0, len(other)) :]
        return tuple(found)

    def _times(self) -> int:
        """Return how many changes to make: mostly one or two, so that the rest of the input is still read."""
        return min((self.random.random() < 0.9) + int(self.random.expovariate(1.0)), 12)

    def _changed(self, text: str, seeds: Sequence[str], words: Sequence[str]) -> str:
        """Return a text with one change."""
        random = self.random
        begin = random.randint(0, len(text))
        end = min(len(text), begin + min(1 + int(random.expovariate(0.2)), 60))
        match random.randrange(9):
            case 0:
                return text[:begin] + text[end:]
            case 1:
                return text[:end] + text[begin:]
            case 2:
                return text[:begin] + random.choice(CHARACTERS) + text[begin:]
            case 3:
                return text[:begin] + random.choice(CHARACTERS) + text[begin + 1 :]
            case 4:
                return text[:begin] + random.choice(words or WORDS) + text[end:]
            case 5:
                return text[:begin] + random.choice(WORDS) + text[begin:]
            case 6:
                other = random.choice(seeds)
                return text[:begin] + other[random.randint(0, len(other)) :]
            case 7:
                return text[:begin] + text[begin:end] * random.choice((2, 3, 40)) + text[end:]
            case _:
                return text[:begin]

    def _grown(self, value: Any, depth: int) -> Any:
        """Return a value with one change somewhere in it."""
        random = self.random
        inner = isinstance(value, dict | list) and value and depth < DEEPEST
        if not inner or random.random() < 0.15:
            return random.choice((*ODD_VALUES, [value], {"name": value}, str(value)))
        if isinstance(value, list):
            at = random.randrange(len(value))
            changed = (
                [self._grown(value[at], depth + 1)] if random.random() < 0.6 else random.choice(([], [value[at]] * 2))
            )
            return value[:at] + changed + value[at + 1 :]
        key = random.choice(list(value))
        match random.randrange(6):
            case 0:
                return {name: each for name, each in value.items() if name != key}
            case 1:
                return {
                    (self._changed(name, list(value), ()) if name == key else name): each
                    for name, each in value.items()
                }
            case 2:
                return {**value, key: value[random.choice(list(value))]}
            case _:
                return {**value, key: self._grown(value[key], depth + 1)}


def shrunk(given: S, fails: Callable[[S], bool], most: int = 400) -> S:
    """Return as small a part of an input as is found that still fails.

    Args:
        most: how many parts are tried.
    """
    tries = 0

    def still(part: S) -> bool:
        nonlocal tries
        tries += 1
        return tries <= most and fails(part)

    size = len(given) // 2
    while size:
        at, smaller = 0, False
        while at < len(given):
            part = given[:at] + given[at + size :]
            if still(part):
                given, smaller = part, True
            else:
                at += size
        size = size if smaller and size > 1 else size // 2
    if isinstance(given, tuple):
        words = list(given)
        for at, word in enumerate(given):
            words[at] = shrunk(word, lambda part, at=at: still((*words[:at], part, *words[at + 1 :])), most)
        return tuple(words)
    return given


def as_toml(content: dict[str, Any]) -> str:
    """Return plain values as TOML: tables within lists and tables in braces, all else on lines of their own."""
    lines = [
        f"{_toml_key(key)} = {_toml_value(value)}" for key, value in content.items() if not isinstance(value, dict)
    ]
    for key, value in content.items():
        if isinstance(value, dict):
            lines += [
                f"[{_toml_key(key)}]",
                *(f"{_toml_key(name)} = {_toml_value(each)}" for name, each in value.items()),
            ]
    return "\n".join(lines) + "\n"


def _toml_key(key: str) -> str:
    return json.dumps(key, ensure_ascii=True)


def _toml_value(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_toml_key(key)} = {_toml_value(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml_value, value)) + "]"
    return json.dumps(value, ensure_ascii=True)
