#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
#
# run_page.py: does what a page of the documentation says, word for word: its blocks of code
# become one shell script that runs in an empty folder.
#   ```sh          commands
#   ```c FILE      (or any other language, and a name) the whole contents of that file
#   ```text        what the commands before it print; a line "..." stands for any lines, a
#                  word N for any number
# Usage: run_page.py PAGE.md FOLDER; ends with "N passed, M failed", a check a text block and
# one a block of commands.
import os
import pathlib
import re
import subprocess
import sys


def read_blocks(page):
    """[(language, file or "", text)] of every fenced block."""
    found = re.findall(r"^```(\w+)(?: +(\S+))?\n(.*?)^```$", page, re.M | re.S)
    return [(language, name, text) for language, name, text in found]


def make_script(blocks):
    """One script, so that a `cd` of one block counts for the next."""
    parts = ["set -eu"]
    for index, (language, name, text) in enumerate(blocks):
        if name:
            parts.append(f"cat >{name} <<'END_OF_{index}'\n{text}END_OF_{index}")
        elif language == "sh":
            parts.append(f'{{\n{text}}} >"$OUT/{index}" 2>&1\ntouch "$OUT/{index}.done"')
    return "\n".join(parts) + "\n"


def matches(wanted, got):
    """Whether the lines are those wanted; "..." and N stand for what may be anything."""
    pattern = ""
    for line in wanted.splitlines():
        words = re.sub(r"\bN\b", r"\\d+", re.escape(line.rstrip()))
        pattern += "(?:.*\n)*?" if line == "..." else words + "[ ]*\n"
    return re.fullmatch(pattern, got) is not None


def main():
    page, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
    blocks = read_blocks(page.read_text(encoding="utf-8"))
    out = folder / "out"
    work = folder / "work"
    out.mkdir(parents=True)
    work.mkdir()
    script = folder / "script.sh"
    script.write_text(make_script(blocks), encoding="utf-8")
    subprocess.run(["sh", str(script)], cwd=work, env={**os.environ, "OUT": str(out)},
                   check=False)
    passed = failed = 0
    last = None
    for index, (language, name, text) in enumerate(blocks):
        if name:
            continue
        if language == "sh":
            last = index
            good = (out / f"{index}.done").exists()
            what = "runs:   " + text.strip().splitlines()[0]
        elif language == "text" and last is not None:
            path = out / str(last)
            good = path.exists() and matches(text, path.read_text(encoding="utf-8"))
            what = "prints: " + text.strip().splitlines()[0]
        else:
            continue
        passed, failed = passed + good, failed + (not good)
        print(f"{'ok    ' if good else 'FAILED'}  {what}")
        if not good:
            path = out / str(last)
            print(path.read_text(encoding="utf-8") if path.exists() else "(never came to it)")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


sys.exit(main())
