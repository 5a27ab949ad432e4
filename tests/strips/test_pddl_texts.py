"""PDDL files: the supported language, the search for domain files, and errors of one line."""

from pathlib import Path

import pytest

import searchlab as sl
from searchlab.cli import main
from searchlab.experiments.instances import file_sources

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


def test_supported_pddl():
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
    problem = """(define (problem p) (:domain d) (:objects a - cup b - pan c - lid) (:init (shut a))
      (:goal (and (used a) (used b))))"""
    assert read(domain + problem).static["actions"] == "(use a)\n(use b)"


def test_keywords_may_be_in_capitals():
    """As in the blocks tasks of the planning competition of 2000."""
    capitals = "".join(text.upper().replace("; DOORS", "; doors") for text in (DOMAIN, PROBLEM))
    assert read(capitals).static["actions"] == read(DOMAIN + PROBLEM).static["actions"]


def test_object_is_always_a_type():
    """Of constants, objects, variables and in `either`; an object of any type has it."""
    changed = DOMAIN.replace("(?a ?b - place)", "(?a ?b - object)").replace("place - object", "place")
    problem = PROBLEM.replace("Garden - place", "Garden - object")
    assert read(changed + problem).static["actions"] == read(DOMAIN + PROBLEM).static["actions"]


def test_parts_may_be_in_any_order_and_left_out():
    """Of a domain, an action and a problem: `:parameters` before or after `:effect`, no `:precondition`, no costs."""
    domain = """(define (domain d)
      (:action use :effect (and (used a) (not (hidden a))))
      (:action hide :effect (hidden ?x) :parameters (?x - cup))
      (:predicates (used ?x) (hidden ?x)) (:constants a - cup) (:types cup))"""
    problem = "(define (problem p) (:goal (and (hidden b) (used a))) (:init) (:objects b - cup) (:domain d))"
    assert read(domain + problem).static["actions"] == "(hide b)\n(use)"


def test_goals_may_have_quantifiers_and_equality():
    """`forall` is all its facts; what is equal is no fact."""
    goal = "(:goal (and (forall (?r - room) (not (in ?r))) (= hall hall) (not (= hall garden)) (in garden)))"
    start = PROBLEM[: PROBLEM.index("(:goal")]
    instance = read(f"{DOMAIN}{start}{goal})")
    facts = instance.static["facts"].split("\n")
    assert [facts[fact] for fact in instance.static["goal"]] == ["(in garden)", "(not (in hall))", "(not (in kitchen))"]


def test_useless_actions_and_facts_are_omitted():
    """A lamp that no condition asks about, and what switches it; the fact whose negation is asked about is kept."""
    lamp = "(:action switch :parameters (?a - room) :precondition (not (lit ?a)) :effect (lit ?a)))"
    domain = DOMAIN.replace("(in ?r - place)", "(in ?r - place) (lit ?r)").rstrip().removesuffix(")") + lamp
    assert read(domain + PROBLEM).static["facts"] == read(DOMAIN + PROBLEM).static["facts"]
    assert "(locked hall kitchen)" in read(DOMAIN + PROBLEM).static["facts"]


def large(precondition, parameters="", effect="(q)"):
    """A task of 100 objects."""
    objects = " ".join(f"o{number}" for number in range(100))
    return (
        f"(define (domain d) (:predicates (p ?a) (q) (r ?a ?b ?c ?d)) (:action a :parameters ({parameters})"
        f" :precondition {precondition} :effect {effect}))"
        f"(define (problem x) (:domain d) (:objects {objects}) (:init (p o0)) (:goal (q)))"
    )


@pytest.mark.parametrize(
    "text",
    [
        large("(forall (?a ?b ?c ?d) (r ?a ?b ?c ?d))"),
        large("(p o0)", effect="(and (q) (forall (?a ?b ?c ?d) (r ?a ?b ?c ?d)))"),
        large("(and (= ?a ?e) (not (= ?a ?e)))", "?a ?b ?c ?d ?e"),
        large("(p ?a)", "?a ?b ?c ?d ?e ?f ?g ?h"),
        large(f"(forall (?x) {'(and ' * 60}(forall (?y ?z) (p ?x)){')' * 60})"),
    ],
    ids=["condition", "effect", "equality", "join", "nested"],
)
def test_reading_ends_after_a_number_of_steps(monkeypatch, text):
    """Quantifiers and joins over many objects are refused before time or memory is short."""
    monkeypatch.setattr("searchlab_plugins.strips.task.MOST_STEPS", 100_000)
    with pytest.raises(ValueError, match=r"reading it takes more than 100,000 steps, more than are supported"):
        read(text)


def test_an_action_may_have_thousands_of_conditions():
    """Joining them calls nothing that calls itself."""
    facts = " ".join(f"(p{number})" for number in range(2000))
    domain = f"(define (domain d) (:predicates (q) {facts}) (:action a :precondition (and {facts}) :effect (q)))"
    assert read(f"{domain} (define (problem x) (:domain d) (:init {facts}) (:goal (q)))").static["actions"] == "(a)"


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
def test_the_domain_file_is_found_by_its_usual_names(folder, problem, domain):
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
    """The domain is not a board; a folder with nothing else has none."""
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
        "line 8: (length ?a ?b) is increased; numbers that change, but for costs, are not supported",
    ),
    ("(increase", "(assign", "line 8: numbers that change, but for costs, are not supported: (assign …)"),
    ("(in ?b) (increase", "(in ?c) (increase", "line 8: ?c is no parameter and under no quantifier"),
    ("(not (in ?a))", "(not (inn ?a))", "line 8: (inn ?a): no predicate of this name is declared"),
    ("(not (in ?a))", "(not (in ?a ?b))", "line 8: (in ?a ?b): the predicate takes 1"),
    ("(length ?a ?b))))", "(- 3 1))))", "line 8: the cost (- 3 1) is not supported"),
    (
        "(:types room",
        "(:types! room",
        "line 2: (:types! room - place place - object) is no part of a domain; its parts",
    ),
    (
        "kitchen garden) 1.5)",
        "kitchen hall) 1.5)",
        "(go kitchen garden) costs (length kitchen garden), and the problem",
    ),
    ("(in hall) (door", "(in cellar) (door", "line 4: there is no object cellar"),
    ("minimize", "maximize", "line 7: metrics that are maximized are not supported"),
    (
        "minimize (total-cost)",
        "minimize (length hall kitchen)",
        "line 7: its metric is (length hall kitchen), and (total-cost) is supported",
    ),
    ("(:domain doors)", "", "line 1: the problem visit has no (:domain …)"),
    ("(:action unlock-all", "(:action Go", "line 9: a second action go; names of actions differ"),
    (
        "(= (length kitchen garden) 1.5)",
        "(= (length hall kitchen) 1.5)",
        "line 5: a second value of (length hall kitchen)",
    ),
    ("(increase", "(increase (total-cost) 3) (increase", "line 8: the action go increases (total-cost) a second time"),
    ("(in ?r - place)", "(in ?r - place) (in ?r)", "line 4: a second predicate in; names of predicates differ"),
    ("(:metric", "(:goal (in hall)) (:metric", "line 7: a second part :goal of the problem visit"),
    (":parameters (?a ?b - place)", ":parameters (?a ?a - place)", "line 6: a second variable ?a in one list"),
    (":parameters ()", ":parameters () :effect ()", "line 10: a second part :effect of the action unlock-all"),
    (
        ":parameters ()",
        ":vars ()",
        "line 9: :vars is no part of the action unlock-all; its parts are :parameters, :pre",
    ),
    ("kitchen - room", "kitchen - rom", "line 3: no type rom is declared; there are object, room, place"),
    ("kitchen - room", "kitchen hall - place", "line 3: the object hall is declared twice, with different types"),
    ("Garden - place", "Garden -place", "line 3: -place is no name of an object: is a blank missing after the '-'?"),
    ("room - place place", "room - place place - room place", "line 2: the type room is above itself"),
    ("(locked hall kitchen)", "(not (in hall))", "line 4: (in hall) is both true and false at first"),
    ("(locked hall kitchen)", "(at 5 (in hall))", "line 4: facts that become true later are not supported: (at 5 (in"),
    ("(:goal (and", "(:goal (and (= hall kitchen)", "line 6: the goal (= hall kitchen) can never be reached"),
    ("1.5)", "nan)", "line 5: a number is wanted, not nan"),
    ("(not (= ?a ?b))", "(not (and (in ?b)))", "line 7: this is not supported: (not (and (in ?b)))"),
    ("(not (= ?a ?b))", f"{'(not ' * 3000}(in ?b){')' * 3000}", "line 7: more than 100 parentheses are open"),
    ("(:goal (and", "(:goal (and (and", "line 1: the parenthesis that opens here is not closed"),
    ("(define (problem visit)", "(problem", "line 1: (define (domain …) or (define (problem …) is wanted, not"),
    ("(define (problem visit)", "!(define (problem visit)", "line 1: a (define …) is wanted, not '!'"),
]


@pytest.mark.parametrize(("text", "other", "said"), WRONG, ids=[said[:40] for _, _, said in WRONG])
def test_invalid_pddl_is_refused(folder, text, other, said):
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


def test_too_many_actions_are_an_error(folder, monkeypatch):
    """Before the memory is full."""
    monkeypatch.setattr("searchlab_plugins.strips.grounding.MOST_ACTIONS", 2)
    with pytest.raises(ValueError, match="it has more than 2 reachable actions, more than are supported"):
        read(DOMAIN + PROBLEM)
