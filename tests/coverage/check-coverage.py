# SPDX-License-Identifier: MIT
"""Which branches of the core no test takes, besides those that tests/coverage/unreached.txt lists with a reason.

    check-coverage.py [--write] FOLDER...   build folders of coverage.sh, the first one as users have it

A branch that is neither taken nor listed is a fault. So is one that is listed and taken, except for the reason "race",
whose branches are taken by chance: a test that reaches a branch removes it from the list, and no later change puts it
back silently. --write rewrites the list. A new branch has the reason whose pattern matches the whole line, for the
number before the pattern; else "open", which is a fault, too: it needs a test, or a reason.
"""
import collections
import json
import os
import re
import subprocess
import sys

SOURCES = os.environ.get("top_srcdir", os.path.join(os.path.dirname(__file__), "..", ".."))
LIST = os.path.join(SOURCES, "tests", "coverage", "unreached.txt")
ROOMS = ("foundation record fleet estimator scheduler rebalancer descheduler failover workloadspread plan").split()
FILES_AT_A_TIME = 40


def notes_of(folder):
    """Objects of the rooms, and of their unit tests: these have copies of the functions in headers."""
    found = []
    for room in ROOMS:
        for below in ("lib", "tests/unit"):
            for path, _, names in os.walk(os.path.join(folder, below, room)):
                found += [os.path.join(path, name) for name in names if name.endswith(".gcda")]
    return sorted(found)


def reports(folder):
    notes = notes_of(folder)
    if not notes:
        sys.exit(f"{folder} was not built with --coverage, or nothing ran")
    for first in range(0, len(notes), FILES_AT_A_TIME):
        command = ["gcov", "--branch-probabilities", "--json-format", "--stdout"]
        command += [os.path.abspath(name) for name in notes[first:first + FILES_AT_A_TIME]]
        answer = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout
        for line in answer.splitlines():
            if line.startswith("{"):
                yield from json.loads(line)["files"]


def counts(folders):
    """(file, line, function): how often each of its branches was taken. Folders after the first only add to it."""
    taken = {}
    for folder in folders:
        for report in reports(folder):
            name = os.path.relpath(os.path.join(folder, report["file"]), SOURCES)
            if name.split(os.sep)[0] != "lib" or name.split(os.sep)[1] not in ROOMS:
                continue
            for line in report["lines"]:
                branches = [branch["count"] for branch in line["branches"]]
                key = (name, line["line_number"], line.get("function_name", ""))
                if not branches or (key not in taken and folder != folders[0]):
                    continue
                known = taken.setdefault(key, [0] * len(branches))
                if len(known) == len(branches):
                    taken[key] = [a + b for a, b in zip(known, branches)]
    return taken


def named(taken):
    """(file, function, text, which of the same text in it): branches taken. The key does not change if lines move."""
    texts, seen, result = {}, collections.Counter(), {}
    for (name, line, function), branches in sorted(taken.items()):
        if name not in texts:
            with open(os.path.join(SOURCES, name), encoding="utf-8") as file:
                texts[name] = file.read().split("\n")
        text = texts[name][line - 1].strip()
        seen[name, function, text] += 1
        result[name, function, text, seen[name, function, text]] = branches
    return result


def read_list():
    """Reasons, patterns, and (key, branch): the reason of each branch that is named."""
    reasons, patterns, entries, head = {}, [], {}, None
    with open(LIST, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            line = line.rstrip("\n")
            parts = line.split(" | ")
            if head is not None:
                reason, name, function, which, branches = head
                for branch in branches.split():
                    entries[(name, function, line, int(which)), int(branch)] = reason
                head = None
            elif line.startswith("#") or not line:
                continue
            elif len(parts) == 2:
                reasons[parts[0]] = parts[1]
            elif len(parts) == 3 and parts[0] in reasons:
                patterns.append((parts[0], int(parts[1]), re.compile(parts[2])))
            elif len(parts) == 5 and parts[0] in reasons:
                head = parts
            else:
                sys.exit(f"{LIST}:{number}: not an entry, or a reason that is not listed above")
    return reasons, patterns, entries


def reason_of(key, branch, patterns, entries):
    """The listed reason; of an open or new branch, the reason whose pattern matches its line."""
    known = entries.get((key, branch), "open")
    if known != "open":
        return known
    fits = (reason for reason, number, pattern in patterns if branch == number and pattern.fullmatch(key[2]))
    return next(fits, known)


def write_list(reasons, patterns, entries, missing):
    rows = collections.defaultdict(list)
    for key, branch in missing:
        rows[key, reason_of(key, branch, patterns, entries)].append(branch)
    with open(LIST, encoding="utf-8") as file:
        comments = [line for line in file if line.startswith("#")]
    with open(LIST, "w", encoding="utf-8") as file:
        file.write("".join(comments))
        for reason, what in reasons.items():
            file.write(f"{reason} | {what}\n")
            file.writelines(f"{reason} | {number} | {pattern.pattern}\n" for name, number, pattern in patterns
                            if name == reason)
        for (key, reason), branches in rows.items():
            name, function, text, which = key
            file.write(f"\n{reason} | {name} | {function} | {which} | {' '.join(map(str, branches))}\n{text}\n")


def print_sums(branches, entries):
    total, taken = collections.Counter(), collections.Counter()
    for key, counted in branches.items():
        room = key[0].split(os.sep)[1]
        total[room] += len(counted)
        taken[room] += sum(count > 0 for count in counted)
    for room in ROOMS + ["all"]:
        n, of = (sum(taken.values()), sum(total.values())) if room == "all" else (taken[room], total[room])
        print(f"{room:15} {n:6} of {of:6} branches, {100 * n / max(of, 1):6.2f} %")
    for reason, n in sorted(collections.Counter(entries.values()).items()):
        print(f"{n} are not taken: {reason}")


def main(arguments):
    does_write = "--write" in arguments
    folders = [os.path.abspath(folder) for folder in arguments if folder != "--write"]
    branches = named(counts(folders))
    missing = [(key, i) for key, counted in branches.items() for i, count in enumerate(counted) if count == 0]
    reasons, patterns, entries = read_list()
    if does_write:
        write_list(reasons, patterns, entries, missing)
        reasons, patterns, entries = read_list()
    print_sums(branches, entries)
    faults = [f"{key[0]}: {key[1]}(): branch {i} is not taken: {key[2]}" for key, i in missing
              if (key, i) not in entries]
    faults += [f"{key[0]}: {key[1]}(): branch {i} is open: {key[2]}" for (key, i), reason in entries.items()
               if reason == "open"]
    unreached = set(missing)
    faults += [f"{key[0]}: {key[1]}(): branch {i} is listed and {'taken' if key in branches else 'gone'}: {key[2]}"
               for (key, i), reason in entries.items()
               if (key, i) not in unreached and not (reason == "race" and key in branches)]
    print("\n".join(faults + [f"{len(missing)} branches are not taken, {len(faults)} faults"]))
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
