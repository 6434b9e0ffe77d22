"""Write the lock files from pyproject.toml: exact versions for every platform, without saying where they came from."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
HEADER = "# Made by `make lock` from pyproject.toml; do not edit.\n"


def main() -> None:
    """A file for each purpose, pinned so that it agrees with those it is installed on top of."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    groups = project["dependency-groups"]
    run = project["project"]["dependencies"] + groups["build"]
    run_file = lock("run", run)
    test_file = lock("test", run + groups["test"], run_file)
    for extra in ("engines", "bench"):
        lock(extra, run + groups["test"] + groups[extra], test_file)


def lock(name: str, wanted: list[str], agreeing_with: Path | None = None) -> Path:
    """Resolve `wanted` to exact versions and write them to requirements/<name>.txt."""
    target = ROOT / "requirements" / f"{name}.txt"
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "in.txt"
        source.write_text("\n".join(wanted))
        command = [sys.executable, "-m", "uv", "pip", "compile", str(source), "--universal", "--python-version", "3.11"]
        command += ["--no-header", "--no-annotate", "--no-emit-index-url", "--no-emit-find-links", "--upgrade"]
        if agreeing_with is not None:
            command += ["--constraint", str(agreeing_with)]
        pinned = subprocess.run(command, check=True, capture_output=True, text=True).stdout  # noqa: S603
    target.write_text(HEADER + pinned)
    return target


if __name__ == "__main__":
    main()
