"""Builds the compiled loops where there is a C compiler; without one the package installs all the same."""

from __future__ import annotations

import os
import shutil
import sysconfig
import tempfile
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGE = "assay.evidence._kernels"
PLACE = Path("src", *PACKAGE.split("."))
# One file serves every Python from 3.11 on: the buffers it reads are part of the stable interface since then.
LIMITED = {"Py_LIMITED_API": "0x030B0000", "CYTHON_LIMITED_API": "1"}


class Kernels(BuildHookInterface[Any]):
    """Compiles before a wheel is packed; ASSAY_KERNELS=numpy leaves it out, ASSAY_KERNELS=require insists on it."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Put the loops beside the sources they stand in for, and say that the wheel is this platform's."""
        wanted = os.environ.get("ASSAY_KERNELS")
        for old in (Path(self.root) / PLACE).iterdir():
            if old.suffix in (".so", ".pyd"):
                old.unlink()
        if self.target_name != "wheel" or wanted == "numpy":
            return
        try:
            built = compile_loops(Path(self.root))
        except Exception as error:  # whatever a missing compiler or a strange platform has to say
            if wanted == "require":
                raise
            self.app.display_warning(f"no compiled loops, numpy serves: {str(error).splitlines()[0]}")
            return
        build_data["artifacts"] += [str(PLACE / name) for name in built]
        if version != "editable":
            platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
            build_data |= {"pure_python": False, "tag": f"cp311-abi3-{platform}"}


# Products and sums are rounded one by one, as numpy does it: some processors would take both at once. That nobody waits
# for a signal of an inexact number lets several be compared at once, and changes none.
FAST = [] if os.name == "nt" else ["-O3", "-g0", "-ffp-contract=off", "-fno-trapping-math"]


def compile_loops(root: Path, flags: Sequence[str] = FAST, linking: Sequence[str] = ()) -> list[str]:
    """Translate and compile, and give the names of the files that were put into the package."""
    # Neither says what types it has.
    cython, tools = import_module("Cython.Build"), import_module("setuptools")
    with tempfile.TemporaryDirectory() as folder:
        loops = [
            tools.Extension(
                f"{PACKAGE}.{source.stem}",
                [shutil.copy(source, folder)],
                define_macros=[*LIMITED.items()],
                py_limited_api=True,
                extra_compile_args=[*flags],
                extra_link_args=[*linking],
            )
            for source in sorted((root / PLACE).glob("*.pyx"))
        ]
        distribution = tools.Distribution({"name": "loops", "ext_modules": cython.cythonize(loops, quiet=True)})
        command = distribution.get_command_obj("build_ext")
        command.build_lib = command.build_temp = folder
        command.ensure_finalized()
        command.run()
        built = [Path(command.get_ext_fullpath(each.name)) for each in loops]
        for made in built:
            shutil.copy(made, root / PLACE / made.name)
    return [made.name for made in built]
