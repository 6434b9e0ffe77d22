"""The compiled loops under AddressSanitizer and UBSan: their tests run on a copy of the package and stay clean."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from hatch_build import PACKAGE, compile_loops

ROOT = Path(__file__).parent.parent
TESTS = tuple(f"tests/evidence/test_{name}.py" for name in ("twins", "drawn", "pair_window"))
FLAGS = ["-O1", "-g", "-fno-omit-frame-pointer", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]


def main() -> int:
    """Build, run, and say what was found; 0 where nothing was."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        shutil.copytree(ROOT / "src", copy / "src", ignore=shutil.ignore_patterns("__pycache__", "*.so", "*.pyd"))
        built = compile_loops(copy, FLAGS, [*FLAGS[-2:]])
        print(f"{', '.join(built)} of {PACKAGE}, with {' '.join(FLAGS[3:])}")
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:xdist", "-p", "no:cacheprovider", *TESTS]
        env = os.environ | {
            "PYTHONPATH": f"{copy / 'src'}:{ROOT}",
            "LD_PRELOAD": " ".join(_runtime(name) for name in ("libasan.so", "libubsan.so")),
            # Python keeps some memory until it ends, on purpose.
            "ASAN_OPTIONS": "detect_leaks=0",
            "ASSAY_KERNELS": "require",
            "ASSAY_REQUIRE_ALL": "1",
        }
        return subprocess.run(command, cwd=ROOT, env=env, check=False).returncode


def _runtime(name: str) -> str:
    found = subprocess.run(["gcc", f"-print-file-name={name}"], capture_output=True, text=True, check=True)
    return found.stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
