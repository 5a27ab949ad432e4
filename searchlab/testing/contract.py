"""The contract of a component: the properties that it must have, and `check`, which checks them."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from searchlab.binding.bound import Bound
from searchlab.errors import BoardError, PluginError, SearchlabError, UsageError
from searchlab.errors.cached import cached_property
from searchlab.experiments.fingerprints import undeclared_files
from searchlab.model.component import extra_parameters
from searchlab.model.limits import parse_seconds
from searchlab.plugins import lookup
from searchlab.plugins.found import full_name
from searchlab.plugins.registry import Plugins
from searchlab.testing.clock import LONGEST_CALL, Clock, NoAnswer
from searchlab.testing.evidence import (
    DomainEvidence,
    Estimates,
    FrontierEvidence,
    Ground,
    HeuristicEvidence,
    PlayerEvidence,
    SurveyedEvidence,
)
from searchlab.testing.finder import Finder
from searchlab.testing.properties.domain import CHANCES, FORMS, OWN_FORMAT, RULES, SYMMETRIC, WHOLE_GAMES
from searchlab.testing.properties.extension import EXTENSION_PROPERTIES, ExtensionEvidence
from searchlab.testing.properties.frontier import FRONTIER_PROPERTIES
from searchlab.testing.properties.heuristic import ANSWERS, CLAIMS, FURTHER_FORMS, UPDATES
from searchlab.testing.properties.player import PLAYER_PROPERTIES
from searchlab.testing.properties.states import (
    HEURISTIC_PROPERTIES,
    STATE_PROPERTIES,
    HeuristicOnStates,
    StateEvidence,
    has_other_states,
)
from searchlab.testing.report import Finding, Property, Report, failed, info, skipped
from searchlab.testing.samples import Sample, other_samples, other_values, samples

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from searchlab.binding.domain import BoundDomain
    from searchlab.binding.extensions import BoundLearner
    from searchlab.binding.heuristic import BoundHeuristic
    from searchlab.board.board import Board
    from searchlab.model.instance import Instance
    from searchlab.testing.finder import Checkable, Subject


SECONDS = 20.0
"""The default processor seconds for checking a component, without compiling."""
SECONDS_VARIABLE = "SEARCHLAB_CHECK_SECONDS"
"""The environment variable that overrides this number for all checks and tests."""
PROPERTIES = {
    "heuristic": (*ANSWERS, *FURTHER_FORMS, *UPDATES, *CLAIMS),
    "domain": (*RULES, *SYMMETRIC, *OWN_FORMAT, *CHANCES, *WHOLE_GAMES, *FORMS),
    "frontier": FRONTIER_PROPERTIES,
    "player": PLAYER_PROPERTIES,
    **EXTENSION_PROPERTIES,
}
OF_SEARCHES = tuple(prop for prop in RULES + FORMS if prop.name in ("revisited", "bounds", "engines-agree"))
"""The properties of domains that can be searched."""
DECLARED = ("inverse", "goals", "smaller", "between")
"""Properties to check only if the component declares the field of the same name."""
OF_COSTS = tuple(prop for prop in CLAIMS if prop.name != "speed")
"""The properties of heuristics that need solutions with costs."""


class Contract:
    """The contract of one component.

    Args:
        subject: the component.
        board: a board or an instance to check on in place of the domain's own.
        seconds: the approximate processor time for all checks together, without compiling; by default the number in the
            environment, else 20.
        thorough: whether to look at every board, however long that takes.
        longest_call: the seconds after which a call of a plugin's function is abandoned.
        memory: the bytes by which the process may grow; by default a share of the available memory.
        must_compile: whether a component that runs interpreted fails; by default this is only reported.
        varies: whether the component is also checked with other values of its own parameters and of its domain's.

    Attributes:
        properties: the properties, in order.
        findings: the findings so far.

    Raises:
        UsageError, BoardError: there is no board to check on, or the board does not belong to the domain.
    """

    def __init__(
        self,
        subject: Subject,
        *,
        board: Board | Instance | None = None,
        seconds: float | None = None,
        thorough: bool = False,
        longest_call: float = LONGEST_CALL,
        memory: int | None = None,
        must_compile: bool = False,
        varies: bool = True,
    ) -> None:
        self.subject = subject
        self.findings: list[tuple[Property, Finding]] = []
        self.properties = _properties_of(subject)
        self._board, self._must_compile, self._varies = board, must_compile, varies
        self._clock = Clock(seconds_allowed(seconds), longest_call, memory, thorough=thorough)
        self._stuck = ""
        self._broken: Finding | None = None
        try:
            self._clock.run(self._prepared)
        except (NoAnswer, PluginError) as error:
            self._broken = failed(str(error))

    def ask(self, asked: Property) -> Finding:
        """Return the finding about a property; a failure of the component is a finding, too."""
        if self._stuck:
            return skipped(f"not checked after {self._stuck} got no answer")
        if self._broken:
            self._stuck = asked.name
            return self._broken
        try:
            return self._clock.run(lambda: self._answer(asked))
        except NoAnswer as error:
            self._stuck = asked.name
            return failed(str(error), *((("on this board:", error.board),) if error.board else ()))
        except SearchlabError as error:
            return failed(str(error))

    def _answer(self, asked: Property) -> Finding:
        """Return the finding about a property; if a call fails on the first board, only this fault is reported."""
        if not self._first_faults:
            return asked.check(self.evidence)
        return self._first_faults.get(asked.name) or skipped("not checked: it fails on the first board")

    @property
    def _first_faults(self) -> Mapping[str, Finding]:
        return self.evidence.first_faults if isinstance(self.evidence, SurveyedEvidence) else {}

    def report(self, progress: Callable[[Property, int, int], None] | None = None) -> Report:
        """Return the findings about all properties.

        Args:
            progress: called before each property with the property, its number (from 1), and the number of properties.
        """
        self.findings.clear()
        for number, asked in enumerate(self.properties, 1):
            if progress:
                progress(asked, number, len(self.properties))
            self.findings.append((asked, self.ask(asked)))
        subject, (looked, of) = self.subject, self._looked()
        return Report(subject.kind, subject.name, subject.source, self._grounds(), tuple(self.findings), looked, of)

    def ended(self, why: str) -> Report:
        """Return the report if the process must end now: the next property fails, and all further ones are skipped."""
        left = self.properties[len(self.findings) :]
        ends = (failed(why), *(skipped(f"not checked after {left[0].name} got no answer") for _ in left[1:]))
        findings = (*self.findings, *zip(left, ends, strict=False))
        return Report(self.subject.kind, self.subject.name, self.subject.source, (), findings)

    @property
    def is_stuck(self) -> bool:
        """Whether a call did not return, so that no further properties are checked."""
        return bool(self._stuck)

    def _looked(self) -> tuple[int, int]:
        """Return the number of boards looked at, and the number of all boards if known."""
        if self._stuck or self.subject.kind not in ("domain", "heuristic"):
            return 0, 0
        try:
            if self._clock.run(lambda: bool(self._first_faults)):
                return 0, 0
            return self._clock.run(lambda: (self.evidence.looked, self.evidence.states))
        except (NoAnswer, SearchlabError):
            return 0, 0

    def _prepared(self) -> Any:
        with self._clock.calling():
            return self.evidence

    @cached_property
    def evidence(self) -> Any:
        """The evidence that the checks read, which is gathered for the first check."""
        if self.subject.kind == "frontier":
            return FrontierEvidence(self.subject.bound[0], self._clock, must_compile=self._must_compile)
        if self.subject.kind == "domain":
            domain = self.subject.bound[0]
            if has_other_states(domain) and self._board is None:
                return StateEvidence(domain, self.subject.plugins)
            return self._domain_evidence(domain)
        if self.subject.kind == "player":
            seats = [
                (player.on(sample.domain), sample)
                for player in self.subject.bound
                for sample in self._samples(player.domain)
            ]
            return PlayerEvidence(seats, self._clock)
        if self.subject.kind in EXTENSION_PROPERTIES:
            return self._extension_evidence(self.subject.bound)
        if has_other_states(self.subject.bound[0].domain):
            return HeuristicOnStates(self.subject.bound[0], self.subject.plugins)
        return self._heuristic_evidence(self.subject.bound)

    def _extension_evidence(self, bound: Sequence[Any]) -> ExtensionEvidence:
        if self.subject.kind == "renderer":
            return ExtensionEvidence(bound, [s for each in bound for s in self._samples(each.domain)], self._clock)
        if self.subject.kind == "learner":
            return ExtensionEvidence([self._smallest(bound[0])], (), self._clock)
        return ExtensionEvidence(bound, (), self._clock)

    def _smallest(self, learner: BoundLearner) -> BoundLearner:
        """Return a learner on the smallest sample of its domain that it supports."""
        for sample in sorted(self._samples(learner.domain), key=lambda sample: sample.board.tiles.size):
            smaller = lookup.learner(learner.component, domain=sample.domain, **learner.own_values(sample.domain))
            with suppress(UsageError):
                smaller(0)
                return smaller
        return learner

    def _domain_evidence(self, domain: BoundDomain) -> DomainEvidence:
        own, others = (
            [Ground(sample, self._clock) for sample in found] for found in (self._samples(domain), self._others(domain))
        )
        for ground in (*own, *others):
            with suppress(UsageError, PluginError):  # a check finds the failure
                ground.domain.prepare(ground.sample.board)
        return DomainEvidence(domain, own, others, self._clock, self._must_compile)

    def _heuristic_evidence(self, bound: Sequence[Any]) -> HeuristicEvidence:
        own = self._estimates([(h, sample) for h in bound for sample in self._samples(h.domain)])
        heuristic, sample = own[0].heuristic, own[0].ground.sample
        values_of = other_values(heuristic) if self._varies else []
        varied = [(other, sample) for values in values_of for other in _with_values(heuristic, values)]
        varied += [(h, sample) for h in bound for sample in self._others(h.domain)]
        try:
            others = self._estimates(varied)
        except UsageError:  # with other parameters the heuristic suits none of these boards
            others = []
        return HeuristicEvidence(own, others, self._clock, must_compile=self._must_compile)

    def _estimates(self, offered: list[tuple[BoundHeuristic, Sample]]) -> list[Estimates]:
        """Return heuristics on the boards that they support."""
        suiting = _suiting((heuristic.on(sample.domain), sample) for heuristic, sample in offered)
        grounds: dict[Sample, Ground] = {}
        return [
            Estimates(heuristic, grounds.setdefault(sample, Ground(sample, self._clock)))
            for heuristic, sample in suiting
        ]

    def _samples(self, domain: BoundDomain) -> list[Sample]:
        if has_other_states(domain):
            domain.states.need_boards(domain.start(), f"the check of a {self.subject.kind}", "check the domain alone")
        if self._board is None:
            return samples(domain, self.subject.plugins)
        domain, start = domain.at(self._board)
        domain.check(start)
        return [Sample(domain, start, self.subject.plugins)]

    def _others(self, domain: BoundDomain) -> list[Sample]:
        """Return further samples, with other parameters of the domain."""
        if self._board is not None or not self._varies:
            return []
        forms = self.subject.bound[0].forms if self.subject.kind == "heuristic" else ()
        asked = {parameter.name for form in forms for parameter in extra_parameters(form)}
        return other_samples(domain, self._samples(domain), self.subject.plugins, asked)

    def _grounds(self) -> tuple[str, ...]:
        try:
            return () if self._stuck else self._clock.run(self._checked_on)
        except (NoAnswer, PluginError, UsageError):
            return ()

    def _checked_on(self) -> tuple[str, ...]:
        if self._first_faults:
            return tuple(map(str, self.evidence.samples))
        grounds: tuple[str, ...] = self.evidence.grounds()
        return grounds


def seconds_allowed(asked: float | None) -> float:
    """Return the processor seconds for checking a component: the given number, else the number in the environment.

    Raises:
        UsageError: the environment variable is not a time.
    """
    if asked is not None:
        return asked
    said = os.environ.get(SECONDS_VARIABLE, "")
    try:
        return parse_seconds(said) if said else SECONDS
    except UsageError as error:
        raise UsageError(f"{SECONDS_VARIABLE}: {error}") from None


def _suiting(offered: Iterable[tuple[BoundHeuristic, Sample]]) -> list[tuple[BoundHeuristic, Sample]]:
    """Return the samples that the heuristic does not refuse.

    Raises:
        UsageError: the heuristic refuses all samples.
    """
    suiting, refusals = [], []
    for heuristic, sample in offered:
        try:
            heuristic.arguments(sample.board, heuristic.forms[0])
            sample.domain.prepare(sample.board, heuristic)
        except UsageError as error:
            refusals.append(error)
        except PluginError:
            suiting.append((heuristic, sample))  # a check finds the failure
        else:
            suiting.append((heuristic, sample))
    if refusals and not suiting:
        raise refusals[0]
    return suiting


def _with_values(heuristic: BoundHeuristic, values: dict[str, Any]) -> list[BoundHeuristic]:
    """Return a list of the heuristic with other parameter values, empty if it refuses their combination."""
    with suppress(UsageError):
        return [lookup.heuristic(heuristic.component, domain=heuristic.domain, **{**heuristic.values, **values})]
    return []


def _properties_of(subject: Subject) -> tuple[Property, ...]:
    """Return the properties of a component; a domain has those of searches or those of games of chance."""
    if subject.kind == "domain" and has_other_states(subject.bound[0]):
        return STATE_PROPERTIES + _about_files(subject) + _about_name(subject)
    if subject.kind == "heuristic" and has_other_states(subject.bound[0].domain):
        return HEURISTIC_PROPERTIES + _about_files(subject) + _about_name(subject)
    asked: tuple[Property, ...] = PROPERTIES[subject.kind]
    component = getattr(subject.bound[0], "component", subject.bound[0])
    needless = tuple(prop for prop in asked if prop.name in DECLARED and not getattr(component, prop.name))
    if subject.kind == "domain":
        chance = component.chance
        needless += OF_SEARCHES if chance else CHANCES + WHOLE_GAMES
        needless += () if chance and chance.symmetric else SYMMETRIC
        needless += () if component.files.parse and component.files.format else OWN_FORMAT
    elif subject.kind == "heuristic" and all(heuristic.domain.is_of_chance for heuristic in subject.bound):
        needless += OF_COSTS
    return tuple(prop for prop in asked if prop not in needless) + _about_files(subject) + _about_name(subject)


def _about_files(subject: Subject) -> tuple[Property, ...]:
    """Return the property about files, if a text parameter names a file and is not declared as a file."""
    bound = [*subject.bound, *(each.domain for each in subject.bound if getattr(each, "domain", None))]
    lines = list(dict.fromkeys(line for each in bound if isinstance(each, Bound) for line in undeclared_files(each)))
    if not lines:
        return ()
    return (Property("files", "Is it said which parameters are files?", lambda _: info("; ".join(lines))),)


def _about_name(subject: Subject) -> tuple[Property, ...]:
    """Return the property about the name, if a component of another plugin has the same name."""
    registered = subject.plugins.all(subject.kind)
    component = getattr(subject.bound[0], "component", subject.bound[0])
    found = next((item for item in registered if item.component is component), None)
    lines = [
        f"{name!r} is also a {subject.kind} of {rival.plugin}: rename this one, or write {full_name(found, registered)}"
        for rival in registered
        if found and rival.plugin is not found.plugin and not _have_other_domains(found.component, rival.component)
        for name in found.names
        if name in rival.names
    ]
    return (Property("name", "Is its name its own?", lambda _: info("; ".join(lines))),) if lines else ()


def _have_other_domains(component: Any, other: Any) -> bool:
    """Return whether two components have no domain in common, so that the domain distinguishes them."""
    first: frozenset[str] = getattr(component, "domains", frozenset())
    second: frozenset[str] = getattr(other, "domains", frozenset())
    return bool(first and second) and first.isdisjoint(second)


def check(
    component: Checkable,
    *,
    domain: str = "",
    board: Board | Instance | None = None,
    kind: str = "",
    seconds: float | None = None,
    thorough: bool = False,
    longest_call: float = LONGEST_CALL,
    memory: int | None = None,
    must_compile: bool = False,
    plugins: Plugins | None = None,
) -> list[Report]:
    """Check the components given by a name, a file or an object; return a report for each component.

    Args:
        component: a component, a bare function, a name with parameters, `FILE.py` or `FILE.py:function`.
        domain: the domain to check a heuristic or a player on, with parameters; by default the domains it supports.
        board: a board or an instance to check on in place of the domain's own.
        kind: the kind of component, if components of several kinds share the name.
        seconds: the approximate processor time for looking at the boards of a component, without compiling. Goals and
            the deepest boards come first, then all other boards in random order until the time is up. The default is
            the number in the environment variable SEARCHLAB_CHECK_SECONDS, or else 20.
        thorough: whether to look at every board, however long that takes.
        longest_call: the seconds after which a call of a plugin's function is abandoned.
        memory: the bytes by which the process may grow; by default half of the available memory.
        must_compile: whether a component that runs interpreted fails; by default this is only reported.
        plugins: the plugins that names are looked up in; by default the installed ones.

    Raises:
        UsageError, BoardError: there is no component of this name, or no component can be checked with these arguments.
    """
    found = contracts(
        Finder(plugins or Plugins(), domain, board, kind).find(component),
        board=board,
        seconds=seconds,
        thorough=thorough,
        longest_call=longest_call,
        memory=memory,
        must_compile=must_compile,
    )
    return [each.report() if isinstance(each, Contract) else each for each in found]


def contracts(subjects: Iterable[Subject], **arguments: Any) -> Iterator[Contract | Report]:
    """Yield the contract of each component, or a failed report if the component cannot be checked.

    Args:
        subjects: the components.
        arguments: as for `Contract`.

    Raises:
        UsageError, BoardError: no component can be checked; this is the reason of the first one.
    """
    refused: list[SearchlabError] = []
    count = 0
    for count, subject in enumerate(subjects, 1):  # noqa: B007 - used after the loop
        try:
            contract = Contract(subject, **arguments)
        except (UsageError, BoardError) as error:
            refused.append(error)
            yield _not_checked(subject, error)
        else:
            yield contract
    if refused and len(refused) == count:
        raise refused[0]


def _not_checked(subject: Subject, error: SearchlabError) -> Report:
    """Return the report of a component that cannot be checked, beside others that can: its first property fails."""
    first, *others = _properties_of(subject)
    skips = [(asked, skipped(f"not checked: {error}")) for asked in others]
    return Report(subject.kind, subject.name, subject.source, (), ((first, failed(f"not checked: {error}")), *skips))
