"""`Component`, the base of all declarations of plugins: names, parameters, and checks of fields.

A component is a frozen dataclass around plain functions. Its fields are checked on creation; an error names the field
and the expected value.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Set
from dataclasses import dataclass, fields
from functools import lru_cache
from math import isfinite
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from searchlab.errors import PluginCode, PluginError, UsageError, did_you_mean, in_one_line, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Sequence
    from typing import Self

SPELLING_MARKS = set(":/,=[]")
"""Characters with a meaning in `plugin/name:param=value,…`, which no name can contain."""
PRESET = "preset"
"""The key among a component's parameters that chooses one of its presets."""
BY_POSITION = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
TRUE = ("yes", "true", "on", "1")
FALSE = ("no", "false", "off", "0")
NAMING_ONE = ("heuristic", "afterstate_heuristic")
NAMING = (*NAMING_ONE, "heuristics")
"""The kinds of parameters with names of heuristics as values."""
COMMAND = "command"
"""The kind of parameters with the command line of a program as value."""
NO_TABLES: Mapping[str, Callable[..., Any]] = MappingProxyType({})


class Declared:
    """The base of the dataclasses that plugins make. It refuses a misspelt field and suggests the nearest name."""

    def __new__(cls, *args: Any, **given: Any) -> Self:
        """Check the names of the fields, so that the error can suggest the nearest name.

        Raises:
            TypeError: there is no field of this name.
        """
        known = [field.name for field in fields(cls)]  # type: ignore[arg-type]  # each of them is a dataclass
        unknown = next((name for name in given if name not in known), None)
        if unknown is not None:
            name = given.get("name", args[0] if args else None)
            owner = f"{cls.__name__} {shown(name)}" if "name" in known and name is not None else cls.__name__
            hint = cls.where(unknown) or did_you_mean(unknown, known, most=5)
            msg = f"{owner} has no field {unknown!r}: {hint}"
            raise TypeError(msg)
        return super().__new__(cls)

    @classmethod
    def where(cls, field: str) -> str:
        """Return a hint at the class that has a field which this class lacks, or `''` if none has it."""
        return ""


class Component(Declared):
    """The common part of all components.

    Functions take their subjects first (a board, g and h, …). Named parameters follow: the component's own, and those
    of the domain, which are filled in.

    Attributes:
        name: the name users write.
        summary: a one-line description.
        aliases: other names.
        parameters: the component's own parameters, as declared.
        domains: the names of the supported domains, empty for all.
        tables: prepared tables by name, as functions that build them.
        models: models by name, as functions that load them.
    """

    name: str
    summary: str
    aliases: tuple[str, ...] = ()
    parameters: tuple[Parameter, ...]
    domains: Set[str] = frozenset()
    tables: Mapping[str, Callable[..., Any]] = NO_TABLES
    models: Mapping[str, Callable[..., Any]] = NO_TABLES

    subjects: ClassVar[tuple[str, ...]] = ()
    """The positional arguments of each of its `forms`."""

    @property
    def may_name(self) -> tuple[str, ...]:
        """The kinds of parameters it may have with names of heuristics as values."""
        return ()

    def __post_init__(self) -> None:
        """Check the fields that all types of components share.

        Raises:
            TypeError, ValueError: a field is invalid.
        """
        check_names(self)
        check_parameters(self, self.may_name)
        check_types(self, str, "a text", "summary")
        check_name_set(self, "domains")
        check_built(self, "tables", "a prepared table", "progress")
        check_built(self, "models", "a model")

    @property
    def forms(self) -> tuple[Callable[..., Any], ...]:
        """The functions with the component's own parameters after the subjects."""
        function = getattr(self, "function", None)
        return (function,) if function else ()

    def own_parameters(self) -> tuple[Parameter, ...]:
        """Return the declared parameters, completed by those of the forms that are neither tables nor models."""
        declared = {parameter.name: parameter for parameter in self.parameters}
        for parameter in self._parameters_of_forms():
            if parameter.name not in self.tables and parameter.name not in self.models:
                declared.setdefault(parameter.name, parameter)
        return tuple(declared.values())

    def _parameters_of_forms(self) -> Iterable[Parameter]:
        return (parameter for form in self.forms for parameter in extra_parameters(form, len(self.subjects)))


@dataclass(frozen=True)
class Parameter(Declared):
    """A parameter of a component.

    Attributes:
        name: the name users write.
        default: the default value; its type is the type of the parameter.
        summary: a one-line description.
        choices: the allowed values, empty for any. With a `check` they are suggestions only.
        check: a function that returns an error message for an invalid value, or `""`.
        kind: the meaning of the value; `""` for a plain value:

            - "heuristic": the name of a heuristic, with parameters in brackets (`heuristic=[left-weighted:corner=-2]`),
              or `""` for the domain's default heuristic. The function receives the BoundHeuristic. For players, for
              heuristics that combine others, and for frontiers with queues, where `""` means the heuristic of the
              search (see `Queue`).
            - "afterstate_heuristic": the same for a player that looks ahead, where `""` means the domain's
              `Defaults.afterstate_heuristic`.
            - "heuristics": a list of names (`of=[taxicab,misplaced]`). The function receives a tuple of
              BoundHeuristics. For heuristics that combine others and for frontiers with queues.
            - "file": the path of a file. Its content is part of a run's identity.
            - "command": the command line of a program; users must give it. The content of each file named in it is part
              of a run's identity.

        low, high: the range in which `searchlab tune` looks for values, both ends included; None for no range. Values
            outside the range stay valid.
        log: whether `searchlab tune` draws from the range on a logarithmic scale, as suits a factor.
    """

    name: str
    default: Any
    summary: str = ""
    choices: tuple[Any, ...] = ()
    check: Callable[[Any], str] | None = None
    kind: Literal["", "heuristic", "afterstate_heuristic", "heuristics", "file", "command"] = ""
    low: float | None = None
    high: float | None = None
    log: bool = False

    def __post_init__(self) -> None:
        check_name("Parameter", self.name)
        check_types(self, str, "a text", "summary")
        check_types(self, (tuple, list), "a tuple of values", "choices")
        check_function(self, "check", "value", known=())
        check_choice(self, "kind", ("", *NAMING, "file", COMMAND))
        check_types(self, bool, "True or False", "log")
        if self.low is None and self.high is None and not self.log:
            return
        wrong = why_no_range(self.default, self.low, self.high, log=self.log)
        if wrong:
            msg = f"{_owner(self)}: {wrong}"
            raise ValueError(msg)

    @property
    def names_heuristic(self) -> bool:
        """Whether the value is the name of a heuristic."""
        return self.kind in NAMING_ONE

    @property
    def names_heuristics(self) -> bool:
        """Whether the value is the name of a heuristic, or a list of such names."""
        return self.kind in NAMING


def why_no_range(default: Any, low: Any, high: Any, *, log: bool) -> str:
    """Return the reason why values of a parameter cannot be drawn from a range, or `""`.

    Args:
        default: the default of the parameter, whose type its values have.
    """
    if not _is_number(default):
        return f"only a number has a range, and its default is {shown(default)}"
    if not (_is_number(low) and _is_number(high) and low < high):
        return f"low and high are two numbers, the second one larger, not {shown(low)} and {shown(high)}"
    if isinstance(default, int) and not (float(low).is_integer() and float(high).is_integer()):
        return f"it is a whole number, so low and high are, too, not {shown(low)} and {shown(high)}"
    return f"low is above 0 on a logarithmic scale, not {shown(low)}" if log and low <= 0 else ""


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def all_fields(declared: Declared) -> Iterator[tuple[str, Any]]:
    """Yield the fields of a component or a packed form with their values; parts have names like `views.picture`."""
    for field in fields(declared):  # type: ignore[arg-type]  # each of them is a dataclass
        value = getattr(declared, field.name)
        if isinstance(value, Declared):
            yield from ((f"{field.name}.{name}", inner) for name, inner in all_fields(value))
        else:
            yield field.name, value


def all_functions(declared: Declared) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield the functions of a component or a packed form with their fields, including functions in dicts."""
    for field, value in all_fields(declared):
        for part in value if isinstance(value, tuple) else ():
            if isinstance(part, Declared):
                yield from ((f"{field}.{name}", function) for name, function in all_functions(part))
        for function in value.values() if isinstance(value, Mapping) else (value,):
            if callable(function):
                yield field, function


@lru_cache(maxsize=512)
def extra_parameters(function: Callable[..., Any], subjects: int = 1) -> tuple[Parameter, ...]:
    """Return the parameters of a plugin's function after its first `subjects`, in order.

    A parameter without a default has the default `inspect.Parameter.empty`.
    """
    try:
        listed = list(inspect.signature(function).parameters.values())[subjects:]
    except ValueError:  # some functions written in C have no signature
        return ()
    return tuple(
        Parameter(p.name, p.default)
        for p in listed
        if p.kind not in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    )


def resolve(
    owner: str,
    parameters: Sequence[Parameter],
    given: Mapping[str, Any],
    whose: Callable[[str], str] | None = None,
) -> dict[str, Any]:
    """Return a value for each parameter: the given value, converted and checked, or the default.

    Args:
        owner: the name of the component in error messages.
        given: values by name, as text or already of the parameter's type. A hyphen may stand for an underscore. A
            missing command is checked like an empty one.
        whose: returns the end of the error message for an unknown parameter: the name of a component that has it, or
            `""`.

    Raises:
        UsageError: a parameter is unknown, or a value is invalid.
        PluginError: the plugin's check of a value fails.
    """
    known = {parameter.name: parameter for parameter in parameters}
    given = {name if name in known else name.replace("-", "_"): value for name, value in given.items()}
    for name in given:
        if name not in known:
            others = whose(name) if whose else ""
            raise UsageError(f"{owner} has no parameter {name!r}: {did_you_mean(name, known)}{others}")
    return {
        name: _value(owner, p, given.get(name, p.default)) if name in given or p.kind == COMMAND else p.default
        for name, p in known.items()
    }


def _value(owner: str, parameter: Parameter, given: Any) -> Any:
    value = _typed(owner, parameter, given)
    if parameter.choices and not parameter.check and value not in (parameter.default, *parameter.choices):
        choices = ", ".join(map(str, parameter.choices))
        raise UsageError(f"{owner}: {parameter.name} is one of {choices}, not {value}")
    what = f"{owner}: the check of {parameter.name}={value} failed"
    with PluginCode(lambda error: PluginError(f"{what}: {in_one_line(error)}")):
        wrong = str(parameter.check(value) or "") if parameter.check else ""
    if wrong:
        raise UsageError(f"{owner}: {parameter.name}={value}: {wrong}")
    return value


def _typed(owner: str, parameter: Parameter, given: Any) -> Any:
    default = parameter.default
    if parameter.kind and not isinstance(given, str):
        return given
    if default is inspect.Parameter.empty or not isinstance(default, bool | int | float | str):
        if isinstance(given, str):
            raise UsageError(f"{owner}: {parameter.name} cannot be given as text")
        return given
    text = str(given).strip()
    if isinstance(default, str):
        return text
    if isinstance(default, bool):
        if text.lower() in TRUE + FALSE:
            return text.lower() in TRUE
        raise UsageError(f"{owner}: {parameter.name} is yes or no, not {text!r}")
    try:
        number = float(text)
        whole = int(text) if number.is_integer() and not any(c in text for c in ".eE") else None
    except (ValueError, OverflowError):
        raise UsageError(f"{owner}: {parameter.name} is a number, not {text!r}") from None
    if number != number:
        raise UsageError(f"{owner}: {parameter.name} is a number, not {text!r}")
    if isinstance(default, float):
        return number
    if whole is None:
        raise UsageError(f"{owner}: {parameter.name} is a whole number, not {text!r}")
    return whole


def check_name(kind: str, name: Any) -> None:
    """Refuse a name that cannot be written on the command line.

    Raises:
        ValueError: the name is invalid.
    """
    if not isinstance(name, str) or name != " ".join(name.split()) or not name or SPELLING_MARKS & set(name):
        msg = f"{kind} {shown(name)}: a name is a text without any of {' '.join(sorted(SPELLING_MARKS))}"
        raise ValueError(msg)


def check_names(component: Any) -> None:
    """Check the name and the aliases of a component.

    Raises:
        TypeError, ValueError: a name is invalid.
    """
    kind = type(component).__name__
    check_name(kind, component.name)
    if isinstance(component.aliases, str) or not isinstance(component.aliases, tuple | list | Set):
        raise _wrong(component, "aliases", "a tuple of names")
    for alias in component.aliases:
        check_name(kind, alias)


def check_choice(component: Any, field: str, known: tuple[str, ...]) -> None:
    """Check that a field has one of the known values.

    Raises:
        ValueError: the field has another value.
    """
    value = getattr(component, field)
    if value not in known:
        names = ", ".join(name or "''" for name in known)
        msg = f"{_owner(component)}: {field} is one of {names}, not {shown(value)}"
        raise ValueError(msg)


def check_types(component: Any, wanted: type | tuple[type, ...], what: str, *fields: str) -> None:
    """Check that each of these fields has the required type.

    Raises:
        TypeError: a field has another type.
    """
    for field in fields:
        if not isinstance(getattr(component, field), wanted):
            raise _wrong(component, field, what)


def check_name_set(component: Any, field: str) -> None:
    """Check that a field is a set of names; a single string is refused.

    Raises:
        TypeError: the field is not a set of names.
    """
    value = getattr(component, field)
    is_list = isinstance(value, Set | tuple | list)
    if not is_list or not all(isinstance(name, str) for name in value):
        raise _wrong(component, field, "a set of names")


def check_name_tuple(component: Any, field: str) -> None:
    """Check that a field is a tuple of names, in an order; a single string is refused.

    Raises:
        TypeError: the field is not a tuple of names.
    """
    value = getattr(component, field)
    if not isinstance(value, tuple | list) or not all(isinstance(name, str) for name in value):
        raise _wrong(component, field, "a tuple of names")


def check_parameters(component: Any, may_name: Container[str] = ()) -> None:
    """Check that the parameters of a component are a tuple of parameters with different names.

    Args:
        may_name: the allowed kinds of parameters with names of heuristics as values.

    Raises:
        TypeError, ValueError: the parameters are invalid.
    """
    value = component.parameters
    if not isinstance(value, tuple | list) or not all(isinstance(item, Parameter) for item in value):
        raise _wrong(component, "parameters", "a tuple of Parameter(…)")
    names = [item.name for item in value]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        msg = f"{_owner(component)}: the parameter {twice!r} is declared twice"
        raise ValueError(msg)
    named = next((item for item in value if item.names_heuristics and item.kind not in may_name), None)
    if named is not None:
        could = "a player's, and those of a heuristic with combine or a frontier with queues, can"
        if named.kind == "heuristics":
            could = "those of a heuristic with combine, or of a frontier with queues, can"
        what = "the name of a heuristic" if named.names_heuristic else "a list of heuristics"
        msg = f"{_owner(component)}: {named.name} cannot be {what}: only {could}"
        raise ValueError(msg)


def check_function(
    component: Any, field: str, *subjects: str, known: Container[str] | None = None, needed: bool = False
) -> None:
    """Check that a field is a function of these subjects whose further parameters can be given by name.

    Args:
        known: the names that will be given, or None if not known yet.
        needed: whether to refuse None, too.

    Raises:
        TypeError: the field is invalid.
    """
    function = getattr(component, field)
    if function is None and not needed:
        return
    check_callable(_owner(component), field, function, *subjects, known=known)


def check_callable(owner: str, field: str, function: Any, *subjects: str, known: Container[str] | None = None) -> None:
    """Check a function that is not a field of a component; see `check_function`."""
    wanted = f"({', '.join(subjects)})"
    if not callable(function):
        msg = f"{owner}: {field} is {shown(function)}, not a function {wanted}"
        raise TypeError(msg)
    try:
        signature = _signature(function)
    except (TypeError, ValueError):  # some functions written in C have no signature
        return
    listed = signature.parameters.values()
    by_position = [parameter for parameter in listed if parameter.kind in BY_POSITION]
    takes_any = any(parameter.kind is inspect.Parameter.VAR_POSITIONAL for parameter in listed)
    if len(by_position) < len(subjects) and not takes_any:
        msg = f"{owner}: {field} is a function {wanted}, not {getattr(function, '__name__', 'function')}{signature}"
        raise TypeError(msg)
    for subject, given in zip(subjects, by_position, strict=False):
        if given.default is not inspect.Parameter.empty and given.name not in subjects:
            called = f"{getattr(function, '__name__', 'function')}{signature}"
            msg = f"{owner}: {field} is a function {wanted}, and {called} has {given.name} where {subject} is given"
            raise TypeError(msg)
    by_name = [parameter for parameter in listed if parameter.kind is inspect.Parameter.KEYWORD_ONLY]
    for further in (*by_position[len(subjects) :], *by_name):
        if further.kind is inspect.Parameter.POSITIONAL_ONLY:
            msg = f"{owner}: {field} is given {further.name} by its name, so no / may stand after it"
            raise TypeError(msg)
        if known is not None and further.default is inspect.Parameter.empty and further.name not in known:
            msg = f"{owner}: {field} asks for {further.name!r}, which is not a parameter and has no default"
            raise TypeError(msg)


@lru_cache(maxsize=512)
def _signature(function: Callable[..., Any]) -> inspect.Signature:
    return inspect.signature(function)


def check_values(component: Any, parameters: Container[str], known: Container[str]) -> None:
    """Check that a domain's values are functions of the board, by name.

    Args:
        component: the domain.
        parameters: the names of its parameters.
        known: the names of arguments that these functions may have.

    Raises:
        TypeError, ValueError: the values are invalid.
    """
    if not isinstance(component.values, Mapping):
        raise _wrong(component, "values", "a dict of functions by name")
    for name, function in component.values.items():
        check_name(f"{_owner(component)}: value", name)
        if name in parameters:
            msg = f"{_owner(component)}: {shown(name)} is both a parameter and one of the values: rename one of them"
            raise ValueError(msg)
        check_callable(_owner(component), f"values[{name!r}]", function, "board", known=known)


def check_static(component: Any) -> None:
    """Check that a domain's static data are a tuple of names that nothing else uses.

    Raises:
        TypeError, ValueError: `static` is not a tuple of names, or a name is used twice.
    """
    check_name_tuple(component, "static")
    wrong = next((name for name in component.static if not name.isidentifier()), None)
    if wrong is not None:
        msg = f"{_owner(component)}: no function can ask for static data called {shown(wrong)}"
        raise ValueError(msg)
    claimed = dict.fromkeys(component.values if isinstance(component.values, Mapping) else (), "one of the values")
    claimed |= {parameter.name: "a parameter" for parameter in component.parameters}
    twice = next((name for name in component.static if name in claimed), None)
    if twice is not None:
        msg = f"{_owner(component)}: {twice!r} is both {claimed[twice]} and static data"
        raise ValueError(msg)


def check_built(component: Any, field: str, what: str, *subjects: str) -> None:
    """Check that the tables or models of a component are functions with unique names.

    Args:
        field: "tables" or "models".
        what: the singular, for error messages.
        subjects: the positional arguments of the functions.

    Raises:
        TypeError, ValueError: a table or model is invalid.
    """
    built = getattr(component, field)
    if not isinstance(built, Mapping):
        raise _wrong(component, field, "a dict of functions by name")
    if not built:
        return
    values = getattr(component, "values", ())
    claims = {
        **{parameter.name: "a parameter" for parameter in component.parameters},
        **dict.fromkeys(getattr(component, "static", ()), "static data"),
        **dict.fromkeys(values if isinstance(values, Mapping) else (), "one of the values"),
        **dict.fromkeys(component.tables if field == "models" else (), "a prepared table"),
    }
    for name, function in built.items():
        if not isinstance(name, str) or not name.isidentifier():
            msg = f"{_owner(component)}: {shown(name)} names a {field[:-1]}, and no argument can be called that"
            raise ValueError(msg)
        if name in claims:
            msg = f"{_owner(component)}: {shown(name)} is both {claims[name]} and {what}: rename one of them"
            raise ValueError(msg)
        check_callable(_owner(component), f"{field}[{name!r}]", function, *subjects)


def check_presets(component: Any, known: Container[str]) -> None:
    """Check that a domain's presets set these parameters.

    Raises:
        TypeError, ValueError: a preset is invalid, or a parameter has the name `preset`.
    """
    presets = component.presets
    if not isinstance(presets, Mapping) or not all(isinstance(values, Mapping) for values in presets.values()):
        raise _wrong(component, "presets", "a dict of parameters' values by name")
    if presets and PRESET in known:
        msg = f"{_owner(component)}: {PRESET} chooses one of its presets, so no parameter can be called that"
        raise ValueError(msg)
    for name, values in presets.items():
        check_name(f"{_owner(component)}: preset", name)
        unknown = next((parameter for parameter in values if parameter not in known), None)
        if unknown is not None:
            msg = f"{_owner(component)}: the preset {name!r} sets {shown(unknown)}, which is not a parameter"
            raise ValueError(msg)


def _wrong(component: Any, field: str, wanted: str) -> TypeError:
    value = getattr(component, field)
    said = f"the text {value!r:.60}" if isinstance(value, str) else shown(value)
    return TypeError(f"{_owner(component)}: {field} is {wanted}, not {said}")


def _owner(component: Any) -> str:
    name = getattr(component, "name", None)
    return f"{type(component).__name__} {shown(name)}" if name is not None else type(component).__name__
