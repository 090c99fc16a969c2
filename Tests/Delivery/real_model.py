#!/usr/bin/env python3
"""A true Core AI program that came over broken connections loads, runs, and gives the same output as the original.

Two programs: the repository's own sample, and one with 4 MB of weights that is made here with the authoring half of the
package `coreai-core` (PyPI). The running half runs them on Linux too. Where the package is absent this script says so
and is skipped. The runtime is another process each time, as it ends by a signal where a model cannot be loaded.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

import delivery
from delivery import release_folder, served_host, store_commands

ARCHITECTURE = "h14g"  # nothing is compiled for it, so it gets the portable program, which runs everywhere
PYTHON = os.environ.get("COREAI_PYTHON", sys.executable)

AVAILABLE = "import coreai.authoring, coreai.runtime"

# argv: the asset, and where the outputs are written. The input is the same whatever process asks.
RUN = """
import asyncio, pathlib, sys
import numpy
import coreai.authoring
from coreai.runtime import NDArray

async def run():
    asset = coreai.authoring.AIModelAsset.load(pathlib.Path(sys.argv[1]))
    async with asset.executable() as model:
        function = model.load_function("main")
        inputs = {}
        for name in function.desc.input_names:
            wanted = function.desc.input_descriptor(name)
            values = numpy.random.default_rng(7).standard_normal(tuple(wanted.shape))
            inputs[name] = NDArray(values.astype(str(wanted.dtype)))
        outputs = await function(inputs=inputs)
        numpy.savez(sys.argv[2], **{name: outputs[name].numpy() for name in function.desc.output_names})

asyncio.run(run())
"""

# argv: where the asset is written. A matrix of noise, and what it makes of its input.
MAKE = """
import pathlib, sys
from typing import Annotated
import numpy
import coreai.authoring
from coreai._compiler.dialects import coreai as operations
from coreai._compiler.ir import Value
from coreai.authoring import AIProgram, Module, TensorSpec

weights = numpy.random.default_rng(1).standard_normal((1024, 1024), dtype=numpy.float32)
module = Module.create()
with module:
    @operations.graph
    def main(
        x: Annotated[Value, TensorSpec(shape=[1, 1024], dtype=numpy.float32)],
    ) -> Annotated[Value, TensorSpec(shape=[1, 1024], dtype=numpy.float32, name="y")]:
        return operations.broadcasting_batch_matmul(x, operations.constant(weights))
module.verify()
AIProgram(module).save_asset(pathlib.Path(sys.argv[1]))
"""

# argv: two files of outputs. Prints how many values are the same; status 1 where one is not.
COMPARE = """
import sys
import numpy
one, other = (numpy.load(path) for path in sys.argv[1:])
assert sorted(one.files) == sorted(other.files) and one.files, (one.files, other.files)
for name in one.files:
    assert one[name].size and numpy.isfinite(one[name]).all() and numpy.ptp(one[name]) > 0, f"{name} is no output"
    assert one[name].tobytes() == other[name].tobytes(), f"{name} differs"
print(sum(one[name].size for name in one.files))
"""


def python(program, *arguments):
    return subprocess.run(
        [PYTHON, "-c", program, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=store_commands.PATIENCE,
    )


def start_proxy(scratch, name, port, cut_after, connections):
    """The proxy that cuts, as a process; and where its log is."""
    log = scratch / f"{name}.log"
    script = served_host.REPOSITORY / "Tests/Support/cutting_proxy.py"
    command = [sys.executable, "-B", script, f"127.0.0.1:{port}", "--cut-after", cut_after]
    command += ["--connections", connections, "--log", log]
    return subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, text=True), log


def check_program(checks, scratch, host, model, version, original, cut_after):
    """Fetches a program over connections that are cut after so many octets, and runs it beside the original."""
    cuts = 3
    proxy, log = start_proxy(scratch, model, host.port, cut_after, cuts)
    library = scratch / "library"
    try:
        url = f"http://127.0.0.1:{int(proxy.stdout.readline())}/models/{model}"
        done = store_commands.run("fetch", url, "--arch", ARCHITECTURE, "--into", library, "--version", version)
    finally:
        proxy.kill()
        proxy.communicate()
    checks.equal(done.status, 0, f"{model}: fetch\n{done}")
    lines = log.read_text().splitlines()
    checks.equal(sum(line.startswith("cut ") for line in lines), cuts, f"{model}: cuts\n" + "\n".join(lines))
    checks.that(any("/main.mlirb bytes=" in line for line in lines), f"{model}: it resumed\n" + "\n".join(lines))
    fetched = pathlib.Path(done.output.splitlines()[-1]) / original.name
    for path in original.iterdir():
        checks.equal(delivery.file_digest(fetched / path.name), delivery.file_digest(path), f"{model}: {path.name}")
    for asset, output in ((original, "original.npz"), (fetched, "fetched.npz")):
        ran = python(RUN, asset, scratch / output)
        checks.equal(ran.returncode, 0, f"{model}: running {asset}\n{ran.stdout}{ran.stderr}")
        if ran.returncode != 0:
            return
    same = python(COMPARE, scratch / "original.npz", scratch / "fetched.npz")
    checks.equal(same.returncode, 0, f"{model}: the outputs\n{same.stderr}")
    print(f"{model} {version}: {same.stdout.strip()} values of output are the same, bit by bit")


def check_damage_shows(checks, scratch, original):
    """That the outputs can differ: the same program with other weights gives others."""
    other = scratch / "other" / original.name
    other.parent.mkdir()
    made = python(MAKE.replace("default_rng(1)", "default_rng(2)"), other)
    ran = python(RUN, other, scratch / "other.npz")
    checks.equal((made.returncode, ran.returncode), (0, 0), f"other weights\n{made.stderr}{ran.stderr}")
    differ = python(COMPARE, scratch / "fetched.npz", scratch / "other.npz")
    checks.that("differs" in differ.stderr, f"other weights give another output\n{differ.stdout}{differ.stderr}")


def main():
    if python(AVAILABLE).returncode != 0:
        served_host.skip(f"{PYTHON} has no coreai-core; to have it: {PYTHON} -m pip install coreai-core")
    checks = served_host.Checks()
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        with served_host.Host(served_host.REPOSITORY) as host:
            sample = served_host.REPOSITORY / "Public/models/Sam3/1.4.0/Sam3.aimodel"
            check_program(checks, scratch, host, "Sam3", "1.4.0", sample, 6000)
        release = release_folder.make(scratch / "release", base="Real", weights=4096, portable=4096)
        original = release.folder / "Real.aimodel"
        for path in original.iterdir():
            path.unlink()
        original.rmdir()
        made = python(MAKE, original)
        checks.equal(made.returncode, 0, f"making a program\n{made.stderr}")
        store = store_commands.Store(scratch / "store")
        published = store.publish(release.folder)
        checks.equal(published.status, 0, f"publish\n{published}")
        with served_host.Host(store.root) as host:
            check_program(checks, scratch, host, "Real", release.version, original, 1_000_000)
        check_damage_shows(checks, scratch, original)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
