"""The documentation as a site: `python -m sphinx -W --keep-going -c docs . build/site`.

The source folder is the repository's, so that a link between its files works on the site as it does in an editor.
"""

from __future__ import annotations

import sys
from pathlib import Path

import searchlab

sys.path.insert(0, str(Path(__file__).parent))

project = "searchlab"
author = "the searchlab developers"
copyright = author  # noqa: A001  # Sphinx asks for this name
release = version = searchlab.__version__
root_doc = "docs/index"

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_click", "generated_pages"]
include_patterns = [
    "docs/**.md",
    "*.md",
    "assignments/**.md",
    "benchmarks/README.md",
    "boards/**.md",
    "experiments/README.md",
]
exclude_patterns = ["README.md", "build", "tests"]  # the landing page takes the place of the README
suppress_warnings = ["ref.python"]  # a word of a docstring may be the name of several things

myst_enable_extensions = ["colon_fence", "html_image"]
myst_heading_anchors = 4
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
default_role = "code"  # docstrings are written as Markdown's plain text
napoleon_use_ivar = True

html_static_path = ["style"]
html_css_files = ["narrow.css"]
html_extra_path = ["site"]  # the root of the site leads to its first page
if (Path(__file__).parents[1] / "build" / "gallery" / "site").is_dir():
    html_extra_path.append("../build/gallery/site")  # the reports that docs/gallery/regenerate.py makes
html_theme = "furo"
html_title = "searchlab"
html_theme_options = {"navigation_with_keys": True}
html_copy_source = False
html_show_sphinx = False
