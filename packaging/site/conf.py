# SPDX-License-Identifier: MIT
"""Configuration of Sphinx for the site: make-site.py writes the sources that it reads."""
import pathlib
import sys
import types

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent.parent / "bindings/python/src")]

project = "librebalance"
author = "the authors of librebalance"
extensions = ["sphinx.ext.autodoc", "myst_parser", "mdoc", "go_reference", "navigation"]
toc_object_entries = False
language = "en"

# Every page is made from files of the tree alone, and does not depend on when it is made.
html_theme = "furo"
html_title = project
html_static_path = ["static"]
html_favicon = "static/icon.svg"
html_css_files = ["site.css"]
html_js_files = ["search.js"]
html_use_index = False  # the search finds the same names
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False
html_show_sphinx = False
html_last_updated_fmt = None
pygments_style = "friendly"
pygments_dark_style = "monokai"
highlight_language = "none"

# Anchors of headings are those that the places for reading Markdown make.
myst_heading_anchors = 4
suppress_warnings = ["misc.highlighting_failure", "myst.header"]

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
autodoc_mock_imports = ["matplotlib", "numpy"]
python_use_unqualified_type_names = True
add_module_names = False


class One(int):
    """Replaces each function and constant of the C library: the reference is made without compiling it."""

    def __getattr__(self, name):
        return One(1)

    def __call__(self, *arguments, **members):
        return One(1)


def replace_native():
    """Replaces the module that is made when the package is built."""
    native = types.ModuleType("librebalance._native")
    native.ffi, native.lib = One(1), One(1)
    native.ffi.string = lambda chars: b"1.1"  # the version, which the package compares with that of its headers
    sys.modules["librebalance._native"] = native


replace_native()
