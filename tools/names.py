"""Names drawn at random, to be guessed with the bodies closed: `python tools/names.py --seed 1`.

60 modules and 60 functions with their signatures. A reader writes what each is about, then opens the code and scores
it: 2 where the guess was right, 1 where it was partly right, 0 where it was wrong. `--private` draws private ones.
"""

from __future__ import annotations

import argparse
import ast
import random
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCES = ROOT / "src"


def modules() -> dict[str, ast.Module]:
    """Return the syntax tree of every module that is no package, by its dotted name."""
    paths = (path for path in sorted(SOURCES.rglob("*.py")) if path.name not in ("__init__.py", "__main__.py"))
    return {
        ".".join(path.relative_to(SOURCES).with_suffix("").parts): ast.parse(path.read_text(encoding="utf-8"))
        for path in paths
    }


def functions(trees: dict[str, ast.Module]) -> Iterator[tuple[str, str]]:
    """Yield the dotted name and the signature of every function and method, those of Python's own protocol left out.

    >>> tree = ast.parse("class Rate:\\n    def limits(self, level: float) -> float: ...\\n    def __len__(self): ...")
    >>> list(functions({"assay.rates": tree}))
    [('assay.rates.Rate.limits', '(self, level: float) -> float')]
    """
    for module, tree in trees.items():
        for owner, body in (
            (None, tree.body),
            *((node.name, node.body) for node in tree.body if isinstance(node, ast.ClassDef)),
        ):
            for node in body:
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("__"):
                    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
                    path = ".".join(part for part in (module, owner, node.name) if part)
                    yield path, f"({ast.unparse(node.args)}){returns}"


def is_private(path: str) -> bool:
    """Whether the last name of a dotted path is private.

    >>> is_private("assay.evidence._kernels"), is_private("assay.evidence._kernels.sums")
    (True, False)
    """
    return path.rpartition(".")[2].startswith("_")


def drawn(seed: int, count: int = 60, *, private: bool | None = None) -> tuple[list[str], list[tuple[str, str]]]:
    """Return the names of modules and of functions that a seed draws; of private or public ones alone where asked."""
    trees = modules()
    names = [name for name in trees if private is None or is_private(name) is private]
    signatures = [pair for pair in functions(trees) if private is None or is_private(pair[0]) is private]
    chosen = random.Random(seed)
    return (
        chosen.sample(names, min(count, len(names))),
        chosen.sample(signatures, min(count, len(signatures))),
    )


def main() -> None:
    """Print a drawing."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--private", action=argparse.BooleanOptionalAction, default=None)
    options = parser.parse_args()
    names, signatures = drawn(options.seed, options.count, private=options.private)
    print("\n".join([*names, "", *(f"{path}{signature}" for path, signature in signatures)]))


if __name__ == "__main__":
    main()
