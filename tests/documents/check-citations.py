# SPDX-License-Identifier: MIT
"""Each section of a page of the specification that a comment, a list or a page cites exists there. A citation is the
name of the page with the numbers of sections, as in "rebalance-karmada(7) 6.3, 6.5.2 and 7"; the meanings of options
and findings have numbers alone, or after "ws" those of rebalance-workloadspread(7), in parentheses at their end."""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import common

PAGES = ("deletion-order", "karmada", "plan", "workloadspread")
FOLDERS = ("bindings", "examples", "include", "lib", "man", "tests", "tools")
SUFFIXES = {".acsl", ".am", ".c", ".def", ".go", ".h", ".md", ".py", ".sh", ".txt"}
NUMBERS = r"\d+[a-z]?(?:\.\d+[a-z]?)*(?:(?:,| and| or| to|;) \d+[a-z]?(?:\.\d+[a-z]?)*(?![\w%]))*"
CITATION = re.compile(rf"rebalance-({'|'.join(PAGES)})\(7\),? ({NUMBERS})")
OUTSIDE = re.compile(rf"\bspec (?:{'|'.join(PAGES)})\b")  # a text that users do not have
LISTS = ("include/rebalance/findings.def", "include/rebalance/options.def")
IN_LIST = re.compile(rf'\((ws )?({NUMBERS})(?: row \d+| Q\d+)?(?:, ({NUMBERS}))?\)"')


def sections_of(text):
    return set(re.findall(r"^\.S[hs] (\d+[a-z]?(?:\.\d+[a-z]?)*)\.? ", text, re.M))


def numbers_of(text):
    return re.findall(r"\d+[a-z]?(?:\.\d+[a-z]?)*", text or "")


def plain(text):
    """With the lines of a comment in one."""
    return re.sub(r"\s*\n\s*(?:\*|//|#|~)?\s*", " ", text)


def citations(text):
    for page, numbers in CITATION.findall(plain(text)):
        yield from ((page, number) for number in numbers_of(numbers))


def citations_of_list(text):
    for is_spread, numbers, more in IN_LIST.findall(text):
        page = "workloadspread" if is_spread else "karmada"
        yield from ((page, number) for number in numbers_of(numbers) + numbers_of(more))


def sample_faults():
    samples = {"rebalance-karmada(7) 6.3, 6.5.2 and 7.": ["6.3", "6.5.2", "7"], "rebalance-plan(7): 2": [],
               "(rebalance-plan(7)\n * 2)": ["2"], "rebalance-plan(7) 1 to 5. 4 of": ["1", "5"],
               "rebalance-plan(7) 4, 20% of": ["4"]}
    lists = {'"a (ws 13.3a, 5)"': ["13.3a", "5"], '"a (12.2 row 27, 14.2)"': ["12.2", "14.2"], '"a (ws 12 Q1)"': ["12"]}
    found = {text: [number for _, number in find(text)] for texts, find in
             ((samples, citations), (lists, citations_of_list)) for text in texts}
    return [f"sample {text!r}: found {found[text]}" for text, wanted in {**samples, **lists}.items()
            if found[text] != wanted]


def files():
    for folder in FOLDERS:
        yield from (path for path in sorted((common.SOURCE / folder).rglob("*")) if path.suffix in SUFFIXES
                    or re.fullmatch(r"\.\d", path.suffix))


def main():
    pages = {name: sections_of((common.SOURCE / f"man/rebalance-{name}.7").read_text()) for name in PAGES}
    faults, checked = sample_faults(), 0
    for path in files():
        name = path.relative_to(common.SOURCE).as_posix()
        text = path.read_text()
        found = [*citations(text), *(citations_of_list(text) if name in LISTS else ())]
        faults += [f"{name}: rebalance-{page}(7) has no section {number}" for page, number in sorted(set(found))
                   if number not in pages[page]]
        faults += [f"{name}: cites {match!r}" for match in OUTSIDE.findall(text)]
        checked += len(found)
    common.finish(faults, checked)


main()
