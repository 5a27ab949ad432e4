"""Run the tests in fresh environments.

    nox -l                                      list the sessions
    nox -s tests-3.13 -- tests/search           some tests with the newest dependencies on Python 3.13
    nox -s oldest                               all tests with the lowest versions that pyproject.toml allows
    nox -s tests-3.13 --install-only            install the dependencies, run nothing
    nox -R -s tests-3.13                        run with the dependencies that are installed

With pyenv, name the Pythons that nox may use: `PYENV_VERSION=3.11.7:3.13.0 nox`.
"""

from __future__ import annotations

import re

import nox

PYPROJECT = nox.project.load_toml("pyproject.toml")
PROJECT = PYPROJECT["project"]
PYTHONS = nox.project.python_versions(PYPROJECT)
"""Those of the classifiers in pyproject.toml."""
EXTRAS = ("cluster", "dask", "docs", "parquet", "plots", "tune")
"""The extras of users; the tools of the extra `test` are the newest in every session."""
ALL_TESTS = ("-n", "auto", "--slow", "all")

nox.options.default_venv_backend = "venv"
nox.options.error_on_missing_interpreters = False


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """Run the tests with the newest dependencies."""
    session.install(*requirements(*EXTRAS, "test"))
    run_tests(session)


@nox.session(python=PYTHONS[0])
def oldest(session: nox.Session) -> None:
    """Run the tests with the oldest dependencies."""
    session.install(*lowest(), *requirements("test"))
    run_tests(session)


@nox.session(python=PYTHONS[0])
def lint(session: nox.Session) -> None:
    """Check style, types, and the bench signature."""
    session.install("-e", ".[dev]")
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("mypy")
    session.run("python", "benchmarks/signature.py", "--check")


def run_tests(session: nox.Session) -> None:
    """Install the project without its dependencies, then run the tests asked for, or all."""
    session.run("python", "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "-e", ".")
    session.run("python", "-m", "pytest", *(session.posargs or ALL_TESTS))


def requirements(*extras: str) -> list[str]:
    """Return the requirements of the project and of some of its extras, without the project itself."""
    optional = PROJECT["optional-dependencies"]
    lines = [*PROJECT["dependencies"], *(line for extra in extras for line in optional[extra])]
    return [line for line in lines if not line.startswith(f"{PROJECT['name']}[")]


def lowest() -> list[str]:
    """Return a pin for the lower bound of each requirement of users."""
    bounds = (re.match(r"([\w-]+)>=([\d.]+)", line) for line in requirements(*EXTRAS))
    return [f"{bound[1]}=={bound[2]}" for bound in bounds if bound]
