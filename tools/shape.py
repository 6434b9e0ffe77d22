"""The shape of the code: sizes, imports, cycles, names and calls, as a table that people read. No test looks at it.

python tools/shape.py              the working tree, with the calls of two commands
python tools/shape.py e5a4490      a commit: everything that needs nothing to be run
python tools/shape.py --calls      who calls upward, beside the table
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import inspect
import io
import statistics
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = Path(__file__).parents[1]
SMALL = 80  # lines
# Words that name a value by what was done to it; `found` may stay for the result of a search.
BANNED = ("found", "said", "held", "asked", "kept", "shown", "given", "told")
# Functions that stand before others of any package.
WRAPPERS = ("front_door.<locals>.checked",)
Graph = dict[str, set[str]]


@dataclass(frozen=True)
class Source:
    """A module: its name, its text and its syntax tree."""

    name: str
    is_package: bool
    text: str
    tree: ast.Module

    @property
    def lines(self) -> int:
        """How many lines the file has."""
        return len(self.text.splitlines())

    @property
    def package(self) -> str:
        """The package of the first level; the root's own modules are one."""
        parts = self.name.split(".")
        return parts[1] if len(parts) > 2 or (self.is_package and len(parts) == 2) else "(top)"


def read_tree(root: Path) -> dict[str, Source]:
    """Return every module below `src` by its name."""
    found = {}
    for path in sorted((root / "src").rglob("*.py")):
        parts = path.relative_to(root / "src").with_suffix("").parts
        is_package = parts[-1] == "__init__"
        name = ".".join(parts[:-1] if is_package else parts)
        text = path.read_text(encoding="utf-8")
        found[name] = Source(name, is_package, text, ast.parse(text))
    return found


@contextlib.contextmanager
def tree_of(revision: str | None) -> Iterator[Path]:
    """Give the folder of a commit, or of the working tree."""
    if revision is None:
        yield ROOT
        return
    packed = subprocess.run(
        ["git", "archive", revision, "src", "pyproject.toml"], cwd=ROOT, check=True, capture_output=True
    ).stdout
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
            archive.extractall(folder, filter="data")
        yield Path(folder)


def imports_of(source: Source, modules: Collection[str], *, inside: bool) -> set[str]:
    """Return the modules of ours that a module imports at its top, or (`inside`) anywhere that runs."""
    found: set[str] = set()
    for node in _statements(source.tree, inside=inside):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if alias.name in modules}
        elif isinstance(node, ast.ImportFrom):
            base = _base(node, source)
            for alias in node.names:
                target = f"{base}.{alias.name}"
                found |= {each for each in (target if target in modules else base,) if each in modules}
    return found - {source.name}


def _base(node: ast.ImportFrom, source: Source) -> str:
    """The module an import is from, also where it is written relative to its own."""
    if not node.level:
        return node.module or ""
    parts = source.name.split(".")
    up = parts[: len(parts) - node.level + source.is_package]
    return ".".join([*up, *([node.module] if node.module else [])])


def _statements(node: ast.AST, *, inside: bool) -> Iterator[ast.stmt]:
    """Every import below a node; not those for type checkers alone."""
    for each in ast.iter_child_nodes(node):
        if isinstance(each, ast.Import | ast.ImportFrom):
            yield each
        elif isinstance(each, ast.If) and "TYPE_CHECKING" in ast.unparse(each.test):
            for other in each.orelse:
                yield from _statements(ast.Module([other], []), inside=inside)
        elif inside or not isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield from _statements(each, inside=inside)


def components(graph: Graph) -> list[list[str]]:
    """Return the strongly connected components of a graph, each after those it leads to (Tarjan 1972)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(node: str) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in sorted(graph[node]):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            place = stack.index(node)
            found.append(stack[place:])
            del stack[place:]

    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, 10_000))
    try:
        for node in sorted(graph):
            if node not in index:
                visit(node)
    finally:
        sys.setrecursionlimit(limit)
    return found


def longest_chain(graph: Graph) -> list[str]:
    """Return the longest way along the imports; all modules of a cycle lie on it together."""
    best: dict[str, list[str]] = {}
    for group in components(graph):
        beyond = [best[other] for node in group for other in graph[node] if other not in group]
        way = sorted(group) + max(beyond, key=len, default=[])
        best |= dict.fromkeys(group, way)
    return max(best.values(), key=len, default=[])


def import_lines(source: Source) -> int:
    """Return how many lines import something or list `__all__`."""
    lines: set[int] = set()
    for node in ast.walk(source.tree):
        is_list = isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
        if isinstance(node, ast.stmt) and (is_list or isinstance(node, ast.Import | ast.ImportFrom)):
            lines |= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return len(lines)


def sharing(modules: Mapping[str, Source]) -> list[str]:
    """Return the modules whose base name another one has too, whatever underscore leads it."""
    names = Counter(_last(name) for name, source in modules.items() if not source.is_package)
    return [name for name, source in modules.items() if not source.is_package and names[_last(name)] > 1]


def _last(name: str) -> str:
    return name.rpartition(".")[2].lstrip("_")


def value_names(source: Source) -> Counter[str]:
    """Return how often a value is given each of the banned names: assigned, a parameter, a loop's variable."""
    counts: Counter[str] = Counter()
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            counts[node.id] += 1
        elif isinstance(node, ast.arg):
            counts[node.arg] += 1
    return Counter({name: counts[name] for name in BANNED if counts[name]})


def layers_of(root: Path) -> tuple[dict[str, int], int]:
    """Return the height of every package in the layer contract, and how many imports it ignores."""
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    contract = next(each for each in settings["contracts"] if each["type"] == "layers")
    rows = list(reversed(contract["layers"]))
    heights = {name.strip(): height for height, row in enumerate(rows) for name in row.split("|")}
    return heights, len(contract.get("ignore_imports", []))


def upward_calls(run: Callable[[], Any], heights: Mapping[str, int]) -> Counter[tuple[str, str]]:
    """Return how often a function of ours is called from a lower package while `run` runs: caller and called.

    The caller is the nearest frame of ours: what numpy or the standard library calls back was handed to it by that one.
    A wrapper is part of the function that it stands before, and a generator that is gone through is data and no call.
    """
    calls: Counter[tuple[str, str]] = Counter()
    heights_of: dict[str, int | None] = {}

    def height(module: str) -> int | None:
        if module not in heights_of:
            parts = module.split(".")
            heights_of[module] = heights.get(parts[1]) if parts[0] == "assay" and len(parts) > 1 else None
        return heights_of[module]

    def profile(frame: FrameType, event: str, _: Any) -> None:
        own = height(frame.f_globals.get("__name__", ""))
        if event != "call" or own is None or frame.f_code.co_flags & inspect.CO_GENERATOR:
            return
        before, lower = frame.f_back, None
        while before is not None and lower is None:
            is_wrapper = before.f_code.co_qualname in WRAPPERS
            lower = None if is_wrapper else height(before.f_globals.get("__name__", ""))
            before = before if lower is not None else before.f_back
        if before is not None and lower is not None and lower < own:
            calls[(_place(before), _place(frame))] += 1

    sys.setprofile(profile)
    try:
        run()
    finally:
        sys.setprofile(None)
    return calls


def _place(frame: FrameType) -> str:
    return f"{frame.f_globals['__name__']}.{frame.f_code.co_qualname}"


def write_page() -> None:
    """Evaluate the bundled example and write its page, as `assay evaluate --html` does."""
    from assay.cli import main

    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        demo = str(ROOT / "src" / "assay" / "data" / "demo.csv")
        with contextlib.suppress(SystemExit), contextlib.redirect_stderr(io.StringIO()):
            sys.argv = ["assay", "evaluate", demo, "--html", f"{folder}/page.html"]
            main()


def run_study() -> None:
    """Run a small experiment and print what it found."""
    import assay

    study = assay.experiment("iris", ["nb", "tree"], assay.plans.kfold(5), jobs=1, progress=False)
    str(study.wide())
    str(study.table())


def shape(root: Path) -> tuple[list[tuple[str, str]], list[tuple[str, int, int]]]:
    """Return the rows of the table, and the files and lines of each package."""
    modules = read_tree(root)
    lines = {name: source.lines for name, source in modules.items()}
    top = {name: imports_of(source, modules, inside=False) for name, source in modules.items()}
    every = {name: imports_of(source, modules, inside=True) for name, source in modules.items()}
    heads, whole = sum(map(import_lines, modules.values())), sum(lines.values())
    names = sum(map(value_names, modules.values()), Counter[str]())
    small = [name for name, count in lines.items() if count < SMALL and not modules[name].is_package]
    _, ignored = layers_of(root)
    rows = [
        ("Python files in src/assay", f"{len(modules)}"),
        ("physical lines", f"{whole:,}"),
        ("median file, lines", f"{statistics.median(lines.values()):g}"),
        (f"files under {SMALL} lines, without __init__", f"{len(small)}"),
        ("import and __all__ lines", f"{heads:,} ({100 * heads / whole:.1f} %)"),
        ("longest chain of top-level imports", f"{len(longest_chain(top))}"),
        ("largest cycle, imports inside functions counted", f"{max(map(len, components(every)))}"),
        ("ignore_imports of the layer contract", f"{ignored}"),
        ("modules that share a base name", f"{len(sharing(modules))}"),
        ("values with a banned name", ", ".join(f"{name} {count:,}" for name, count in names.most_common())),
    ]
    packages = Counter(source.package for source in modules.values())
    sizes = {name: sum(lines[each] for each, source in modules.items() if source.package == name) for name in packages}
    return rows, sorted(((name, packages[name], sizes[name]) for name in packages), key=lambda row: -row[2])


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("revision", nargs="?", help="a commit; the working tree without it")
    parser.add_argument("--calls", action="store_true", help="list the upward calls, too")
    asked = parser.parse_args()
    with tree_of(asked.revision) as root:
        rows, packages = shape(root)
        heights, _ = layers_of(root)
    listed: list[tuple[str, Counter[tuple[str, str]]]] = []
    if asked.revision is None:
        for title, run in (("assay evaluate --html", write_page), ("a small experiment", run_study)):
            run()  # once to import and to warm up: what is imported is called, too
            listed.append((title, upward_calls(run, heights)))
            rows.append((f"upward calls, {title}", f"{listed[-1][1].total():,}"))
    width = max(len(title) for title, _ in rows)
    print("\n".join(f"{title.ljust(width)}  {value}" for title, value in rows), end="\n\n")
    print("\n".join(f"{name.ljust(14)}{files:6,} files{lines:9,} lines" for name, files, lines in packages))
    for title, calls in listed if asked.calls else []:
        print(f"\n{title}")
        print("\n".join(f"{count:6,}  {caller} -> {called}" for (caller, called), count in calls.most_common()))


if __name__ == "__main__":
    main()
