#!/usr/bin/env python3
"""What README.md says that its commands print is what they print, against the sample release.

Within a block each `$ ` line is run in one shell, and what stands below it is held against what came. `...` stands for
anything, and line breaks do not count: long answers are folded in the text.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Support"))
import served_host


def blocks(text):
    """Each block's commands with what is printed below them."""
    for block in re.findall(r"^```\n(.*?)^```$", text, re.M | re.S):
        if not block.startswith("$ "):
            continue
        steps = []
        for line in block.splitlines():
            if line.startswith("$ "):
                steps.append([line[2:], []])
            elif steps[-1][0].endswith("\\"):
                steps[-1][0] += "\n" + line
            else:
                steps[-1][1].append(line)
        yield [(command, "\n".join(expected)) for command, expected in steps]


def folded(text):
    return re.sub(r"\s*\n\s*|\s+", " ", text.strip())


def matches(expected, found):
    # A fold stands where a space stood, or between two members of a JSON document where nothing stood.
    pieces = [re.escape(folded(piece)).replace(r"\ ", r"\s*") for piece in expected.split("...")]
    return re.fullmatch(r"\s*" + r".*?".join(pieces) + r"\s*", folded(found), re.S) is not None


def main():
    checks = served_host.Checks()
    text = (served_host.REPOSITORY / "README.md").read_text()
    with served_host.Host(served_host.REPOSITORY) as host, tempfile.TemporaryDirectory() as scratch:
        for steps in blocks(text):
            for command, expected in steps:
                here = command.replace("127.0.0.1:8080", f"127.0.0.1:{host.port}")
                here = here.replace("127.0.0.1:8081", f"127.0.0.1:{host.admin_port}")
                done = subprocess.run(["bash", "-c", here], cwd=scratch, capture_output=True, text=True, timeout=60)
                checks.equal(done.returncode, 0, f"exit status of: {command}")
                checks.that(matches(expected, done.stdout), f"{command}\nprinted\n{done.stdout}\nnot\n{expected}")
    checks.that(checks.made >= 12, "README.md shows six commands at least")
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
