"""PDDL files: what is read of the language, where domains are found, and one line for all that is wrong."""

import sys
from pathlib import Path

import pytest

import searchlab as sl
from searchlab.cli import main
from searchlab.experiments.instances import file_sources

pytest.importorskip("pddl", reason="planning tasks are read by the package pddl: pip install -e '.[pddl]'")

from searchlab_plugins.strips.pddl_texts import INSTALL, _parsers

DOMAIN = """(define (domain doors)
  (:types room - place place - object)
  (:constants hall - room)
  (:predicates (in ?r - place) (door ?a ?b - place) (locked ?a ?b))
  (:functions (length ?a ?b) (total-cost))
  (:action GO :parameters (?a ?b - place)
    :precondition (and (in ?a) (door ?a ?b) (not (locked ?a ?b)) (not (= ?a ?b)))
    :effect (and (not (in ?a)) (in ?b) (increase (total-cost) (length ?a ?b))))
  (:action unlock-all :parameters ()
    :effect (forall (?a ?b - room) (not (locked ?a ?b))))
)
"""
PROBLEM = """(define (problem visit)  ; doors and rooms
  (:domain doors)
  (:objects kitchen - room Garden - place)
  (:init (in hall) (door hall kitchen) (door kitchen garden) (door hall hall) (locked hall kitchen)
    (= (length hall kitchen) 2) (= (length kitchen garden) 1.5))
  (:goal (and (in garden) (not (in hall))))
  (:metric minimize (total-cost)))
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder that is the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def read(text):
    """The only task in a text."""
    (instance,) = sl.domain("strips").parse(text)
    return instance


def test_what_is_supported():
    """Types above types, constants, equality, negations, quantifiers, costs, capitals, and no requirements."""
    instance = read(DOMAIN + PROBLEM)
    facts = instance.static["facts"].split("\n")
    assert facts == [
        *("(in garden)", "(in hall)", "(in kitchen)", "(locked hall kitchen)"),
        *("(not (in hall))", "(not (locked hall kitchen))"),
    ]
    result = sl.solve(instance, domain="strips", engine="readable")
    assert result.actions == ("(unlock-all)", "(go hall kitchen)", "(go kitchen garden)")
    assert (result.cost, result.optimal) == (3.5, True)
    plain = read(DOMAIN + PROBLEM.replace("(:metric minimize (total-cost))", ""))
    assert set(plain.static["prices"].tolist()) == {1.0}


def test_either_of_several_types():
    """An object of any of them fits."""
    domain = """(define (domain d) (:types cup pan lid) (:predicates (used ?x) (shut ?x))
      (:action use :parameters (?x - (either cup pan)) :precondition (and) :effect (used ?x)))"""
    problem = "(define (problem p) (:domain d) (:objects a - cup b - pan c - lid) (:init (shut a)) (:goal (used a)))"
    assert read(domain + problem).static["actions"] == "(use a)\n(use b)"


@pytest.mark.parametrize(
    ("problem", "domain"),
    [
        ("p07.pddl", "domain.pddl"),
        ("p07.pddl", "p07-domain.pddl"),
        ("p07.pddl", "domain_p07.pddl"),
        ("p07.pddl", "doors-domain.pddl"),
        ("p07.pddl", "doors.pddl"),
        ("instance-7.pddl", "domain-7.pddl"),
        ("instances/instance-7.pddl", "domains/domain-7.pddl"),
        ("instances/instance-7.pddl", "domain.pddl"),
    ],
)
def test_where_the_domain_is_found(folder, problem, domain):
    """As collections of problems call their files; another domain of that name does not count."""
    for name, text in ((problem, PROBLEM), (domain, DOMAIN)):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(text)
    if domain == "p07-domain.pddl":
        Path("domain.pddl").write_text(DOMAIN.replace("doors", "gates"))
    (instance,) = sl.domain("strips").instances(problem)
    assert "unlock-all" in instance.static["actions"]


def test_the_domain_may_be_named(folder):
    """By a parameter, whatever it is called; without it the error says where was looked."""
    Path("p.pddl").write_text(PROBLEM)
    Path("other.pddl").write_text(DOMAIN)
    assert len(sl.domain("strips", domain_file="other.pddl").instances("p.pddl")) == 1
    with pytest.raises(sl.BoardError, match=r"^p.pddl: no file with its domain doors: looked for doors-domain.pddl, "):
        sl.domain("strips").instances("p.pddl")
    Path("domain.pddl").write_text(DOMAIN.replace("doors", "gates"))
    with pytest.raises(sl.BoardError, match=r"no file with its domain doors: domain.pddl defines gates; strips:domain"):
        sl.domain("strips").instances("p.pddl")
    with pytest.raises(sl.UsageError, match=r"there is no file lost.pddl"):
        sl.domain("strips", domain_file="lost.pddl")


def test_a_folder_with_a_domain_is_a_set_of_boards(folder, capsys):
    """The domain is no board; a folder with nothing else has none."""
    Path("domain.pddl").write_text(DOMAIN)
    with pytest.raises(sl.BoardError, match=r"^\.: there is no instance in any of its files$"):
        sl.domain("strips").instances(".")
    with pytest.raises(sl.BoardError, match=r"^domain.pddl: there is no instance of strips in it$"):
        sl.domain("strips").instances("domain.pddl")
    for name in ("p1", "p2"):
        Path(f"{name}.pddl").write_text(PROBLEM)
    assert len(sl.domain("strips").instances(".")) == 2
    assert main(["boards", "show", "."]) == 0
    assert capsys.readouterr().out.count("goal") == 2
    sources = file_sources(sl.Experiment(name="doors", boards=("p1.pddl", ".")), sl.Plugins())
    assert [source.instance.name for source in sources] == ["p1.pddl", "p2.pddl"]


def test_a_file_with_several_problems(folder):
    """Is a set of boards by the names of the problems."""
    Path("all.pddl").write_text(DOMAIN + PROBLEM + PROBLEM.replace("visit", "again"))
    assert [each.name for each in sl.domain("strips").instances("all.pddl")] == ["visit", "again"]
    assert sl.domain("strips").instances("all.pddl#again")[0].name == "again"


WRONG = [
    ("(not (locked ?a ?b))", "(or (locked ?a ?b))", "line 7: disjunctions are not supported: (or …)"),
    ("(forall (?a ?b - room) (not", "(when (in hall) (not", "line 10: conditional effects are not supported: (when …)"),
    ("(door ?a ?b)", "(exists (?c - room) (door ?a ?c))", "line 7: existential quantifiers are not supported"),
    ("(:action unlock-all", "(:durative-action unlock-all", "line 9: durative actions are not supported"),
    ("(:action unlock-all", "(:derived (in ?r) (in ?r)) (:action u", "line 9: derived predicates are not supported"),
    (
        "(increase (total-cost)",
        "(increase (length ?a ?b)",
        "the action go: (length ?a ?b) is increased; numbers that change, but",
    ),
    ("(increase", "(assign", "line 8: numbers that change, but for costs, are not supported: (assign …)"),
    ("(in ?b) (increase", "(in ?c) (increase", "?c is no parameter and under no quantifier"),
    ("(not (in ?a))", "(not (inn ?a))", "(inn ?a): no predicate of this name is declared"),
    ("(not (in ?a))", "(not (in ?a ?b))", "(in ?a ?b): the predicate takes 1"),
    ("(length ?a ?b))))", "(- 3 1))))", "the action go: the cost (- 3 1) is not supported"),
    ("(:types room", "(:types! room", "line 2, column"),
    (
        "kitchen garden) 1.5)",
        "kitchen hall) 1.5)",
        "(go kitchen garden) costs (length kitchen garden), and the problem",
    ),
    ("(in hall) (door", "(in cellar) (door", "there is no object cellar"),
    (
        "(in garden) (not",
        "(forall (?r - room) (in ?r)) (not",
        "line 6: quantifiers in a goal are not supported: (forall …)",
    ),
    ("minimize", "maximize", "line 7: metrics that are maximized are not supported"),
    (
        "minimize (total-cost)",
        "minimize (length hall kitchen)",
        "its metric is (length hall kitchen), and (total-cost) is",
    ),
    ("(:domain doors)", "", "line 1: the problem visit has no (:domain …)"),
    ("(:goal (and", "(:goal (and (and", "line 1: the parenthesis that opens here is not closed"),
    ("(define (problem visit)", "(problem", "line 1: (define (domain …) or (define (problem …) is wanted, not"),
    ("(define (problem visit)", "!(define (problem visit)", "line 1: a (define …) is wanted, not '!'"),
]


@pytest.mark.parametrize(("text", "other", "said"), WRONG, ids=[said[:40] for _, _, said in WRONG])
def test_what_is_wrong(folder, text, other, said):
    """The file, the line where it is known, and what is wrong, in one line."""
    changed = [each.replace(text, other) for each in (DOMAIN, PROBLEM)]
    assert changed != [DOMAIN, PROBLEM]
    Path("doors-domain.pddl").write_text(changed[0])
    Path("visit.pddl").write_text(changed[1])
    with pytest.raises(sl.BoardError) as caught:
        sl.domain("strips").instances("visit.pddl")
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith("visit.pddl: ")
    assert said in message
    if said.startswith("line") and changed[0] != DOMAIN:
        assert f"doors-domain.pddl: {said}" in message
    assert not hasattr(sys, "tracebacklimit")


def test_after_an_error_tasks_are_read_as_before():
    """Wherever the parser stopped."""
    for text in (
        DOMAIN.replace("(:types room", "(:types! room"),
        DOMAIN.replace("(in ?b) (increase", "(= ?b) (increase"),
    ):
        with pytest.raises(ValueError, match=r"^line \d+, column \d+: "):
            read(text + PROBLEM)
        assert read(DOMAIN + PROBLEM)


def test_too_many_actions(folder, monkeypatch):
    """Are an error before the memory is full."""
    monkeypatch.setattr("searchlab_plugins.strips.grounding.MOST_ACTIONS", 2)
    with pytest.raises(ValueError, match="it has more than 2 reachable actions, more than are supported"):
        read(DOMAIN + PROBLEM)


def test_without_the_package_one_line_says_so(monkeypatch, capsys):
    """And the exit code is 2."""
    _parsers.cache_clear()
    for name in [name for name in sys.modules if name.split(".")[0] == "pddl"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pddl", None)
    assert main(["solve", "strips/gripper-2.pddl"]) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert said == f"searchlab: error: strips/gripper-2.pddl: {INSTALL}"
