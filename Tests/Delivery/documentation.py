#!/usr/bin/env python3
"""What docs/ios.md tells an app developer to write compiles against the library as it is, in Swift 6 mode.

Core AI and Background Assets are not on this system; what the text uses of them is declared in declarations/, as Apple's
documentation declares it. Each case of DeliveryError is told in the text's table.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap

from delivery import served_host

BUILD = served_host.REPOSITORY / ".build/release"
DECLARATION = re.compile(r"^(@MainActor|///|enum|func|let library|nonisolated let library|struct) ?", re.M)
STATEMENT = re.compile(r"^(?=library\.(?:current|previous|installed|storage)\()", re.M)


def program(text):
    """The text's blocks as one file: those that declare something as they are, the others in functions."""
    parts = ["import BackgroundAssets", "import CoreAI", "import Foundation", "import ModelDelivery", "import Observation"]
    for number, block in enumerate(re.findall(r"^ *```swift\n(.*?)^ *```$", text, re.M | re.S)):
        block = re.sub(r"^import .*\n", "", textwrap.dedent(block), flags=re.M)
        if block.startswith("dependencies:"):
            continue  # of a Package.swift
        if DECLARATION.search(block):
            # What an app does as it starts; and a folder that only Apple's systems have.
            block = block.replace("let library = try ", "let library = try! ")
            block = block.replace("URL.applicationSupportDirectory", "URL(fileURLWithPath: NSTemporaryDirectory())")
        else:
            block = STATEMENT.sub("_ = ", block)
            block = f"func block{number}(host: ModelHost) async throws {{\n{textwrap.indent(block, '    ')}}}"
        parts.append(block)
    return "\n\n".join(parts) + "\n"


def compile_swift(folder, *arguments):
    common = ["swiftc", "-swift-version", "6", "-parse-as-library", "-I", folder, "-I", BUILD / "Modules"]
    common += ["-Xcc", f"-fmodule-map-file={BUILD / 'CHostLinux.build/module.modulemap'}"]
    common += ["-I", served_host.REPOSITORY / "Sources/CHostOpenSSL"]
    return subprocess.run([str(word) for word in [*common, *arguments]], capture_output=True, text=True, timeout=300)


def main():
    if not shutil.which("swiftc"):
        served_host.skip("no swiftc here")
    if not (BUILD / "Modules/ModelDelivery.swiftmodule").exists():
        served_host.skip("the release build is not there: make build")
    checks = served_host.Checks()
    text = (served_host.REPOSITORY / "docs/ios.md").read_text()
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        for path in sorted((pathlib.Path(__file__).parent / "declarations").glob("*.swift")):
            module = ["-module-name", path.stem, "-emit-module", "-o", scratch / f"{path.stem}.swiftmodule", path]
            built = compile_swift(scratch, *module)
            checks.equal(built.returncode, 0, f"{path.name}\n{built.stderr}")
        source = scratch / "Documentation.swift"
        source.write_text(program(text))
        checked = compile_swift(scratch, "-typecheck", source)
        checks.equal(checked.returncode, 0, f"docs/ios.md\n{checked.stderr}")
        # That a name which is not there would be seen.
        source.write_text(program(text.replace("library.rollback(", "library.goBack(")))
        checks.that("goBack" in compile_swift(scratch, "-typecheck", source).stderr, "a wrong name is found")
    errors = (served_host.REPOSITORY / "Sources/ModelDelivery/DeliveryError.swift").read_text()
    declared = re.search(r"public enum DeliveryError.*?^}", errors, re.M | re.S)[0]
    cases = re.findall(r"^    case (\w+)", declared, re.M)
    told = re.findall(r"^\| `(\w+)[`(]", text, re.M)
    checks.that(len(cases) >= 10, f"the cases of DeliveryError: {cases}")
    checks.equal(sorted(set(told) & set(cases)), sorted(cases), "the errors that docs/ios.md tells")
    headings = {re.sub(r"[^a-z0-9 -]", "", line.lower()).replace(" ", "-") for line in re.findall(r"^#+ (.*)$", text, re.M)}
    for anchor in re.findall(r"\]\(#([^)]+)\)", text):
        checks.that(anchor in headings, f"docs/ios.md leads to #{anchor}")
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
