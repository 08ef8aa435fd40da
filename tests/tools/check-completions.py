# SPDX-License-Identifier: MIT
"""Completions for bash, zsh and fish hold the verbs and options of the tool's own help, and nothing else; each
installed shell accepts its file, and bash really completes. With --write: makes the files from the help."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import common

FOLDER = common.SOURCE / "packaging/completions"
TOOL = common.BUILD / "rebalancectl"


def help_of(*words):
    return subprocess.run([TOOL, *words, "--help"], text=True, stdout=subprocess.PIPE, check=True).stdout


def options_of(text):
    """[(letter or "", name, argument or "", summary)] of a help's options."""
    part = text.split("\nOptions:\n")[1].split("\n\n")[0]
    part = re.sub(r"\n {32}", " ", part)  # options with long names have their text in the next line
    found = re.findall(r"^  (?:-(\w), )?--([\w-]+)(?: (\S+))? +(\S.*)$", part, re.M)
    if len(found) != len(part.rstrip("\n").split("\n")):
        sys.exit(f"the help has other lines than options:\n{part}")
    return found


def interface():
    """({verb: (summary, operands, options)}, common options, compat_options)."""
    top = help_of()
    verbs, compat_options = {}, []
    listed = top.split("\nVerbs:\n")[1].split("\n\n")[0]
    for name, operands, summary in re.findall(r"^  (\w+) (\S.*?)  +(\S.*)$", listed, re.M):
        text = help_of(name)
        verbs[name] = (summary, operands, options_of(text))
        if "\nCompatibility options:\n" in text:
            read = re.findall(r"^  ([\w-]+)  ", text.split("\nCompatibility options:\n")[1], re.M)
            compat_options = max(compat_options, read, key=len)  # each verb lists those that it reads, simulate all
    return verbs, options_of(top), compat_options


FILES = "files"


def values_of(option, compat_options):
    """Returns the values of an option, FILES if it is a file name; None: any value."""
    _, name, argument, summary = option
    if argument == "FORMAT":
        return re.sub(r" \[.*", "", summary).replace(" or ", ", ").split(", ")
    if name == "level":
        source = (common.INCLUDE / "rebalance/levels.def").read_text()
        return re.findall(r'^REBAL_LEVEL\(\w+, \d+, "([^"]+)"', source, re.M)
    if name == "option":
        return [f"{choice}={value}" for choice in compat_options for value in (0, 1)]
    return FILES if argument == "FILE" else None


def takes_verb(verbs, verb):
    return verbs[verb][1] == "[VERB]"


def names_of(option):
    return [f"-{option[0]}"] * bool(option[0]) + [f"--{option[1]}"]


def words_of(options):
    return [name for option in options for name in names_of(option)]


BASH_HEAD = """# SPDX-License-Identifier: MIT
# Completion of rebalancectl for bash; made by tests/tools/check-completions.py --write.

_rebalancectl() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} verb="" i
  # The shell splits at "="; what stands before it is the option.
  if [[ $word == = ]]; then word=""; fi
  if [[ $before == = ]] && ((COMP_CWORD > 1)); then before=${COMP_WORDS[COMP_CWORD - 2]}; fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${COMP_WORDS[i]} in
      %s) verb=${COMP_WORDS[i]}; break ;;
    esac
  done
  COMPREPLY=()
"""
BASH_TAIL = """}

complete -o filenames -F _rebalancectl rebalancectl
"""


def bash_reply(values):
    if not values:
        return ":"
    what = "-f" if values == FILES else f'-W "{" ".join(values)}"'
    return f'mapfile -t COMPREPLY < <(compgen {what} -- "$word")'


def bash(verbs, common_options, compat_options):
    replies = {}
    for verb, (_, _, options) in verbs.items():
        for option in options:
            if option[2]:
                words = [f"{verb}:{name}" for name in names_of(option)]
                replies.setdefault(bash_reply(values_of(option, compat_options)), []).extend(words)
    lines = [BASH_HEAD % "|".join(verbs), "  case $verb:$before in\n"]
    lines += [f"    {'|'.join(words)})\n      {reply}; return ;;\n" for reply, words in replies.items()]
    lines.append("  esac\n  case $verb:$word in\n")
    lines.append(f"    :-*) {bash_reply(words_of(common_options))} ;;\n    :*) {bash_reply(list(verbs))} ;;\n")
    lines += [f"    {verb}:-*) {bash_reply(words_of(options))} ;;\n" for verb, (_, _, options) in verbs.items()]
    lines += [f"    {verb}:*) {bash_reply(list(verbs))} ;;\n" for verb in verbs if takes_verb(verbs, verb)]
    return "".join([*lines, f"    *) {bash_reply(FILES)} ;;\n  esac\n", BASH_TAIL])


def quoted(text):
    return text.replace("'", "'\\''")


def zsh(verbs, common_options, compat_options):
    def specs(options):
        for option in options:
            letter, name, argument, summary = option
            text = quoted(summary.replace("[", "\\[").replace("]", "\\]").replace(":", "\\:"))
            values = values_of(option, compat_options)
            what = "_files" if values == FILES else f"({' '.join(values)})" if values else " "
            value = f":{argument.lower()}:{what}" if argument else ""
            head = f"'(-{letter} --{name})'{{-{letter},--{name}}}" if letter else f"'--{name}"
            yield f"{head}{chr(39) if letter else ''}[{text}]{value}'"
    lines = ["#compdef rebalancectl\n# SPDX-License-Identifier: MIT\n",
             "# Completion of rebalancectl for zsh; made by tests/tools/check-completions.py --write.\n\n",
             "_rebalancectl() {\n  local curcontext=$curcontext state line\n  local -a verbs\n  verbs=(\n"]
    lines += [f"    '{verb}:{quoted(summary)}'\n" for verb, (summary, _, _) in verbs.items()]
    lines += ["  )\n  _arguments -C \\\n", *(f"    {spec} \\\n" for spec in specs(common_options)),
              "    '1: :->verb' '*:: :->words'\n  case $state in\n    verb) _describe verb verbs ;;\n",
              "    words)\n      case $line[1] in\n"]
    for verb, (_, _, options) in verbs.items():
        lines += [f"        {verb})\n          _arguments \\\n",
                  *(f"            {spec} \\\n" for spec in specs(options)),
                  f"            '1:verb:({' '.join(verbs)})'\n" if takes_verb(verbs, verb) else
                  "            '*:file:_files'\n", "          ;;\n"]
    return "".join(lines) + '      esac\n      ;;\n  esac\n}\n\n_rebalancectl "$@"\n'


def fish(verbs, common_options, compat_options):
    known = " ".join(verbs)
    lines = ["# SPDX-License-Identifier: MIT\n",
             "# Completion of rebalancectl for fish; made by tests/tools/check-completions.py --write.\n\n"]

    def line(condition, option):
        letter, name, argument, summary = option
        values = values_of(option, compat_options)
        value = " -r" if values == FILES else f" -x -a '{' '.join(values)}'" if values else " -x" if argument else ""
        short = f" -s {letter}" if letter else ""
        text = summary.replace("\\", "\\\\").replace("'", "\\'")
        return f"complete -c rebalancectl -n '{condition}'{short} -l {name}{value} -d '{text}'\n"

    outside = f"not __fish_seen_subcommand_from {known}"
    for verb, (summary, _, _) in verbs.items():
        lines.append(f"complete -c rebalancectl -f -n '{outside}' -a {verb} -d '{summary}'\n")
    lines += [line(outside, option) for option in common_options]
    for verb, (_, _, options) in verbs.items():
        lines += [line(f"__fish_seen_subcommand_from {verb}", option) for option in options]
        if takes_verb(verbs, verb):
            lines.append(f"complete -c rebalancectl -f -n '__fish_seen_subcommand_from {verb}' -a '{known}'\n")
    return "".join(lines)


SHELLS = {"bash": ("rebalancectl", bash), "zsh": ("_rebalancectl", zsh), "fish": ("rebalancectl.fish", fish)}

# Lines, and what bash must offer for them.
TYPED = (("rebalancectl sch", "schedule"), ("rebalancectl --vers", "--version"), ("rebalancectl fmt --ch", "--check"),
         ("rebalancectl validate -o js", "json"), ("rebalancectl schedule --option=int32", "int32-wrap=0 int32-wrap=1"),
         ("rebalancectl validate --help tests/tools/check-comp", "tests/tools/check-completions.py"),
         ("rebalancectl schedule --record tests/tools/check-t", "tests/tools/check-tool.py"),
         ("rebalancectl schedule --now ", ""), ("rebalancectl help sch", "schedule"),
         ("rebalancectl help --ver", "--version"))


def completed(line):
    """Returns what bash offers for a line, split as readline splits it."""
    words = re.findall(r"=|[^\s=]+", line) + [""] * line.endswith(" ")
    script = 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _rebalancectl; echo "${COMPREPLY[*]}"'
    done = subprocess.run(["bash", "-c", script, "bash", FOLDER / "bash/rebalancectl", *words], cwd=common.SOURCE,
                          text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return done.stdout.rstrip("\n")


def main():
    if not TOOL.exists():
        print("skip: rebalancectl is not built")
        sys.exit(77)
    faults, checked, missing = [], 0, []
    found = interface()
    for shell, (name, make) in SHELLS.items():
        path, text = FOLDER / shell / name, make(*found)
        if "--write" in sys.argv[1:]:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        checked += 1
        if not path.exists() or path.read_text() != text:
            faults.append(f"{name}: not up to date; run tests/tools/check-completions.py --write")
        if not shutil.which(shell):
            missing.append(shell)
            continue
        code, printed = common.run([shell, "-n", path])
        if code or printed:
            faults.append(f"{name}: {printed}")
    for line, wanted in TYPED if shutil.which("bash") else ():
        checked += 1
        if completed(line) != wanted:
            faults.append(f"{line!r} completes to {completed(line)!r} instead of {wanted!r}")
    if missing and os.environ.get("CI") == "true":
        faults.append(f"not installed: {', '.join(missing)}")
    common.finish(faults, checked)


main()
