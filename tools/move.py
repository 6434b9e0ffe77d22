"""Move and fold modules by a plan: bodies stay as they are, imports and paths follow.

python tools/move.py                     apply tools/moves.toml to the working tree
python tools/move.py --check             is the plan consistent with the tree? (cycles, names, modules that are missing)
python tools/move.py --dry-run           what would be moved, renamed and left where it is
python tools/move.py --only evidence     the modules of some packages alone

Run it again and nothing happens. A module that the plan does not list stays; its imports are rewritten. A fold that
cannot be made is left, and the reason printed; `--strict` makes that a failure. Afterwards: `ruff check --fix` and
`ruff format`. The syntax tree gives the places to edit and the text between them is copied: bodies do not change.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import subprocess
import sys
import tokenize
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PLAN = "tools/moves.toml"
HOMES = {"src": "", "tests": "tests"}  # folders whose modules may be moved; the name above them
PROSE = (".md", ".toml", ".yml", ".yaml", ".ts", ".mjs", ".cff", "Makefile")
# History and stored files name modules as they were.
LEFT_ALONE = ("CHANGELOG.md", "docs/changes/", "tests/stored/0", "requirements/", PLAN, "frontend/node_modules/")
FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef
COMPREHENSIONS = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
Origin = tuple[str, ...]


class Refusal(Exception):
    """A fold that cannot be made without changing a body, and why."""


# --- A file: its text, its syntax tree, and what every name in it refers to ---


@dataclass(eq=False)
class Scope:
    """A module, class, function or comprehension, with the names bound in it."""

    kind: str
    parent: Scope | None
    bound: set[str] = field(default_factory=set)
    declared: dict[str, str] = field(default_factory=dict)  # global and nonlocal

    def home_of(self, name: str) -> Scope | None:
        """Return the scope whose binding a name refers to; None for a builtin."""
        scope: Scope | None = self
        while scope is not None:
            declared = scope.declared.get(name)
            if declared == "global":
                return scope.outermost()
            if name in scope.bound and declared is None and (scope is self or scope.kind != "class"):
                return scope
            scope = scope.parent
        return None

    def outermost(self) -> Scope:
        """Return the module's scope."""
        return self if self.parent is None else self.parent.outermost()


@dataclass(eq=False)
class Use:
    """An occurrence of a name: where it stands, None where that is not known."""

    scope: Scope
    name: str
    start: int | None
    node: ast.AST


class Names(ast.NodeVisitor):
    """Collect scopes, bindings and occurrences of names."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.module = self.scope = Scope("module", None)
        self.uses: list[Use] = []
        self.imports: list[tuple[ast.Import | ast.ImportFrom, Scope]] = []
        self.inside_string: list[Use] | None = None
        self.visit(source.tree)

    def use(self, name: str, node: ast.AST, start: int | None, *, binds: bool = False) -> None:
        if binds and name not in self.scope.declared:
            self.scope.bound.add(name)
        made = Use(self.scope, name, start, node)
        self.uses.append(made)
        if self.inside_string is not None:
            made.start = None
            self.inside_string.append(made)

    def search(self, name: str, node: ast.AST) -> int | None:
        """Return where a name first stands in a node."""
        start = self.source.start(node)
        match = re.compile(rf"\b{re.escape(name)}\b").search(self.source.text, start, self.source.end(node))
        return match.start() if match else None

    def within(self, kind: str, visit: Callable[[], None]) -> None:
        self.scope = Scope(kind, self.scope)
        visit()
        assert self.scope.parent is not None
        self.scope = self.scope.parent

    def visit_Name(self, node: ast.Name) -> None:
        self.use(node.id, node, self.source.start(node), binds=not isinstance(node.ctx, ast.Load))

    def visit_arg(self, node: ast.arg) -> None:
        self.use(node.arg, node, self.source.start(node), binds=True)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        for each in node.decorator_list:
            self.visit(each)
        self.use(node.name, node, self.search(node.name, node), binds=True)
        self._signature(node.args)
        if node.returns is not None:
            self.visit(node.returns)
        self.within("function", lambda: self._body(node.args, node.body))

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._signature(node.args)
        self.within("function", lambda: self._body(node.args, [node.body]))

    def _signature(self, args: ast.arguments) -> None:
        """Defaults and annotations belong to the scope around the function."""
        for each in (*args.defaults, *(one for one in args.kw_defaults if one is not None)):
            self.visit(each)
        for arg in _arguments(args):
            if arg.annotation is not None:
                self.visit(arg.annotation)

    def _body(self, args: ast.arguments, body: Iterable[ast.AST]) -> None:
        for arg in _arguments(args):
            self.visit_arg(arg)
        for each in body:
            self.visit(each)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        for each in (*node.decorator_list, *node.bases, *node.keywords):
            self.visit(each)
        self.use(node.name, node, self.search(node.name, node), binds=True)
        self.within("class", lambda: self._body(_NO_ARGUMENTS, node.body))

    def _comprehension(self, node: COMPREHENSIONS) -> None:
        self.visit(node.generators[0].iter)

        def rest() -> None:
            for place, each in enumerate(node.generators):
                self.visit(each.target)
                for condition in ([] if place == 0 else [each.iter]) + each.ifs:
                    self.visit(condition)
            for part in (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,):
                self.visit(part)

        self.within("comprehension", rest)

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension  # noqa: N815

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        inner, scope = self.scope, self.scope
        while scope.kind == "comprehension" and scope.parent is not None:
            scope = scope.parent
        self.scope = scope
        self.visit(node.target)
        self.scope = inner
        self.visit(node.value)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.name is not None:
            self.use(node.name, node, None, binds=True)
        self.generic_visit(node)

    def _pattern(self, node: ast.MatchAs | ast.MatchStar) -> None:
        if node.name is not None:
            self.use(node.name, node, None, binds=True)
        self.generic_visit(node)

    visit_MatchAs = visit_MatchStar = _pattern  # noqa: N815

    def visit_Global(self, node: ast.Global | ast.Nonlocal) -> None:
        for name in node.names:
            self.scope.declared[name] = "global" if isinstance(node, ast.Global) else "nonlocal"
            self.use(name, node, self.search(name, node))

    visit_Nonlocal = visit_Global  # noqa: N815

    def visit_Import(self, node: ast.Import | ast.ImportFrom) -> None:
        self.imports.append((node, self.scope))
        for alias in node.names:
            self.use(alias.asname or alias.name.partition(".")[0], alias, None, binds=True)

    visit_ImportFrom = visit_Import  # noqa: N815

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Find names in the fields of an f-string by their text: the tree of Python 3.11 misplaces them."""
        if self.inside_string is not None:
            self.generic_visit(node)
            return
        found: list[Use] = []
        self.inside_string = found
        self.generic_visit(node)
        self.inside_string = None
        start = self.source.start(node)
        fields = [
            (start + opened, start + closed)
            for opened, closed in replacement_fields(self.source.text[start : self.source.end(node)])
        ]
        for name in {each.name for each in found}:
            uses = [each for each in found if each.name == name and isinstance(each.node, ast.Name | ast.arg)]
            pattern = re.compile(rf"(?<![\w.]){re.escape(name)}\b(?!=(?!=))")
            places = [match.start() for one in fields for match in pattern.finditer(self.source.text, *one)]
            if len(uses) == len(places):
                for each, place in zip(uses, places, strict=True):
                    each.start = place

    def refer(self, scope: Scope, name: str) -> list[Use]:
        """Return every occurrence of a name that refers to its binding in one scope."""
        return [each for each in self.uses if each.name == name and each.scope.home_of(name) is scope]


_NO_ARGUMENTS = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])


def _arguments(args: ast.arguments) -> list[ast.arg]:
    """Every parameter of a signature."""
    starred = [each for each in (args.vararg, args.kwarg) if each is not None]
    return [*args.posonlyargs, *args.args, *args.kwonlyargs, *starred]


def replacement_fields(text: str) -> list[tuple[int, int]]:
    """Return where the outermost fields of an f-string open and close.

    >>> text = 'f"{{no}} {yes:{width}} {other}"'
    >>> [text[start:end] for start, end in replacement_fields(text)]
    ['{yes:{width}}', '{other}']
    """
    found, depth, opened, place = [], 0, 0, 0
    while place < len(text):
        pair = text[place : place + 2]
        if not depth and pair in ("{{", "}}"):
            place += 2
            continue
        if text[place] == "{":
            opened = opened if depth else place
            depth += 1
        elif text[place] == "}" and depth:
            depth -= 1
            if not depth:
                found.append((opened, place + 1))
        place += 1
    return found


class Source:
    """A Python file: its module name, text, and syntax tree."""

    def __init__(self, path: str, text: str) -> None:
        self.path, self.text = path, text
        self.module = module_of(path)
        self.is_package = path.endswith("__init__.py")
        self.tree = ast.parse(text)
        self._lines = [0]
        for line in text.split("\n"):
            self._lines.append(self._lines[-1] + len(line) + 1)
        self._names: Names | None = None

    @property
    def names(self) -> Names:
        """Scopes and names, collected when first needed."""
        if self._names is None:
            self._names = Names(self)
        return self._names

    def offset(self, line: int, column: int) -> int:
        """Return the place in the text of a line and a column in bytes."""
        start = self._lines[line - 1]
        text = self.text[start : self._lines[line] - 1]
        return start + (column if text.isascii() else len(text.encode()[:column].decode()))

    def start(self, node: Any) -> int:
        """Return where a node starts."""
        return self.offset(node.lineno, node.col_offset)

    def end(self, node: Any) -> int:
        """Return where a node ends."""
        return self.offset(node.end_lineno, node.end_col_offset)

    def segment(self, node: ast.AST) -> str:
        """Return the text of a node."""
        return self.text[self.start(node) : self.end(node)]


def module_of(path: str) -> str:
    """Return the dotted name of a file below the repository.

    >>> module_of("src/assay/evidence/__init__.py"), module_of("tests/laws/samples.py")
    ('assay.evidence', 'tests.laws.samples')
    """
    parts = path.removesuffix(".py").split("/")
    parts = parts[1:] if parts[0] == "src" else parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def path_of(module: str) -> str:
    """Return the file of a module that is no package.

    >>> path_of("assay.evidence.binning"), path_of("tests.evidence.test_binning")
    ('src/assay/evidence/binning.py', 'tests/evidence/test_binning.py')
    """
    return ("" if module.split(".")[0] == "tests" else "src/") + module.replace(".", "/") + ".py"


# --- The plan ---


@dataclass
class Plan:
    """Which modules become which, and the names and words that a fold needs."""

    groups: dict[str, list[str]]
    names: dict[str, str] = field(default_factory=dict)
    docstrings: dict[str, str] = field(default_factory=dict)
    packages: dict[str, str] = field(default_factory=dict)
    in_recipes: list[str] = field(default_factory=list)
    replacements: dict[str, list[list[str]]] = field(default_factory=dict)


def read_plan(text: str) -> Plan:
    """Return the plan that a TOML file holds.

    >>> plan = read_plan('[modules."assay.evidence"]\\nconfusion = ["confusion", "cells"]')
    >>> plan.groups
    {'assay.evidence.confusion': ['assay.evidence.confusion', 'assay.evidence.confusion']}
    """
    record = tomllib.loads(text)
    groups: dict[str, list[str]] = {}
    for package, rows in record.get("modules", {}).items():
        for new, parts in rows.items():
            roots = (f"{package.split('.')[0]}.",)
            whole = [each if each.startswith(roots) else f"{package}.{each}" for each in parts]
            groups[f"{package}.{new}"] = [each.removesuffix(".__init__") for each in whole]
    others = {key: record.get(key, {}) for key in ("names", "docstrings", "packages", "replacements")}
    return Plan(groups, in_recipes=record.get("in_recipes", []), **others)


@dataclass
class Move:
    """A tree and what becomes of it."""

    root: Path
    plan: Plan
    sources: dict[str, Source]
    groups: dict[str, list[str]]  # those to be made: new module -> parts that are there
    modules: dict[str, str] = field(default_factory=dict)  # old -> new, where it differs or is folded
    names: dict[tuple[str, str], str] = field(default_factory=dict)  # (old module, name) -> new name
    aliases: dict[tuple[str, str], str] = field(default_factory=dict)  # the same of names that a module imports
    twice: set[tuple[str, str]] = field(default_factory=set)  # a part repeats what another one defines
    left: dict[str, str] = field(default_factory=dict)  # new module -> why it is not made
    notes: list[str] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)  # new module -> its text
    _exports: dict[str, set[str]] = field(default_factory=dict)

    def new_home(self, module: str) -> str:
        """Return where a module goes."""
        return self.modules.get(module, module)

    def is_module(self, name: str) -> bool:
        """Whether a dotted name is a module that moves, and no function that its package exports by that name."""
        package, _, last = name.rpartition(".")
        return name in self.modules and last not in self.exports(package)

    def exports(self, package: str) -> set[str]:
        """Return the names that a package binds to something else than its modules."""
        if package not in self._exports:
            self._exports[package] = self._bound_in(package)
        return self._exports[package]

    def _bound_in(self, package: str) -> set[str]:
        source = self.sources.get(package)
        if source is None or not source.is_package:
            return set()
        found = set()
        for node in ast.walk(source.tree):
            if isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    if f"{node.module}.{alias.name}" not in self.sources:
                        found.add(alias.asname or alias.name)
            elif isinstance(node, FUNCTIONS | ast.ClassDef):
                found.add(node.name)
        return found


def tracked(root: Path) -> list[str]:
    """Return every file of the repository, sorted."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=root,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.splitlines()
    return sorted(path for path in set(listed) if (root / path).is_file() and not (root / path).is_symlink())


def read_sources(root: Path) -> dict[str, Source]:
    """Return every Python file by its module name."""
    paths = [path for path in tracked(root) if path.endswith(".py") and not path.startswith(LEFT_ALONE)]
    read = (Source(path, (root / path).read_text(encoding="utf-8")) for path in paths)
    return {source.module: source for source in read}


def prepare(root: Path, plan: Plan, only: Iterable[str] = ()) -> Move:  # noqa: C901
    """Return what the plan asks of a tree: the groups that can be made, the new names, and why others are left."""
    sources = read_sources(root)
    move = Move(root, plan, sources, {})
    chosen = tuple(only)
    for new, parts in plan.groups.items():
        if chosen and new.split(".")[1] not in chosen:
            continue
        there = [part for part in parts if part in sources]
        missing = [part for part in parts if part not in sources and part != new]
        if there and missing:
            move.notes.append(f"{new}: no module {', '.join(missing)}")
        elif not there and new not in sources:
            move.notes.append(f"{new}: none of its parts is there")
        if there and there != [new]:
            move.groups[new] = there
    for new, there in move.groups.items():
        if (reason := obstacle(move, new, there)) is not None:
            move.left[new] = reason
    while True:
        settle(move)
        refused = {}
        for new in move.groups:
            if new not in move.left:
                try:
                    move.texts[new] = fold(move, new)
                except Refusal as reason:
                    refused[new] = str(reason)
        if not refused:
            return move
        move.left |= refused


def obstacle(move: Move, new: str, parts: list[str]) -> str | None:
    """Return why a group cannot be made, before anything is looked at inside."""
    elsewhere = {part: group for group, there in move.plan.groups.items() for part in there if part != group}
    if new in elsewhere and elsewhere[new] != new:
        return f"the name {new} belonged to a part of {elsewhere[new]}: old pickles would find the wrong module"
    if new in move.sources and new not in parts:
        return f"{new} is there already and is no part of it"
    package, _, last = new.rpartition(".")
    if last in move.exports(package) and new not in move.sources:
        return f"{package} exports something else as {last}"
    marked = [part for part in parts if "pytestmark" in definitions(move.sources[part])]
    if marked and len(marked) < len(parts):
        return f"only {' and '.join(marked)} has a mark for all of its tests"
    for part in parts:
        source = move.sources[part]
        if (move.root / source.path).with_suffix(".pyi").exists() and len(parts) > 1:
            return f"{part} has a stub of its own"
        inside = [each for each in move.sources if each.startswith(f"{part}.") and each not in parts]
        if source.is_package and inside:
            return f"{part} is a package that holds {inside[0]}"
    return None


def settle(move: Move) -> None:
    """Find the new homes of modules, and the new names of what collides in a fold."""
    move.modules, move.names, move.aliases, move.twice = {}, {}, {}, set()
    for new, parts in move.groups.items():
        if new not in move.left:
            move.modules |= dict.fromkeys(parts, new)
    for path, name in move.plan.names.items():
        module, _, old = path.rpartition(".")
        if module in move.modules:
            move.names[module, old] = name
    for new, parts in move.groups.items():
        if new not in move.left and len(parts) > 1:
            try:
                settle_names(move, new, parts)
            except Refusal as reason:
                move.left[new] = str(reason)
                settle(move)
                return


def settle_names(move: Move, new: str, parts: list[str]) -> None:
    """Give private names that collide in one fold the name of their part; refuse where public ones do."""
    places: dict[str, dict[Origin, str]] = defaultdict(dict)  # name -> what it stands for -> first part
    defined = {part: definitions(move.sources[part]) for part in parts}
    for part in parts:
        for name, origin in bindings(move, part).items():
            places[move.names.get((part, name), name)].setdefault(origin, part)
    for name, origins in sorted(places.items()):
        if len(origins) == 1:
            continue
        texts = {" ".join(ast.unparse(node) for node in defined[part].get(name, ())) for part in origins.values()}
        owners = list(origins.values())
        alike = len(texts) == 1 and not any(text == "" or "rng" in text for text in texts)  # generators have a state
        if alike and not mentions(defined[owners[0]][name]) & colliding(places) - {name}:
            move.twice |= {(part, name) for part in owners[1:]}
            continue
        own = [part for origin, part in origins.items() if origin[:2] == ("name", new)]
        keeper = (own or owners)[0]
        for origin, part in origins.items():
            if part == keeper and origin == next(each for each, one in origins.items() if one == keeper):
                continue
            longer = prefixed(part.rpartition(".")[2], name)
            if longer in places:
                raise Refusal(f"{name} collides, and so would {longer}")
            if part in own:
                old = next(old for old in defined[part] if move.names.get((part, old), old) == name)
                refuse_renaming(name, own, defined[part][old][0])
                move.names[part, old] = longer
            else:
                move.aliases |= {
                    (each, old): longer
                    for each in parts
                    for old, one in bindings(move, each).items()
                    if one == origin and old == name
                }


def refuse_renaming(name: str, parts: list[str], node: ast.AST) -> None:
    """Refuse to rename what people know by its name: public functions and classes, and the fixtures of tests."""
    if not isinstance(node, FUNCTIONS | ast.ClassDef) or name.startswith("_"):
        if name == "pytestmark":
            raise Refusal(f"{' and '.join(parts)} are marked differently")
        return
    if not parts[0].startswith("tests.") or any("fixture" in ast.unparse(each) for each in node.decorator_list):
        raise Refusal(f"{name} is public in {' and '.join(parts)}")


def mentions(nodes: Iterable[ast.AST]) -> set[str]:
    """Return every name in some nodes."""
    return {each.id for node in nodes for each in ast.walk(node) if isinstance(each, ast.Name)}


def colliding(places: Mapping[str, Mapping[Origin, str]]) -> set[str]:
    """Return the names that stand for several things."""
    return {name for name, origins in places.items() if len(origins) > 1}


def prefixed(part: str, name: str) -> str:
    """Return a name with the topic of its part before it.

    >>> prefixed("paired_rates", "_table"), prefixed("_rows", "_LIMIT"), prefixed("a", "_Row")
    ('_paired_rates_table', '_ROWS_LIMIT', '_ARow')
    """
    topic = part.strip("_").removeprefix("test_")
    bare = name.lstrip("_")
    if bare.isupper():
        longer = f"{topic.upper()}_{bare}"
    elif bare[:1].isupper():
        longer = topic.title().replace("_", "") + bare
    else:
        longer = f"{topic}_{bare}"
    if name.startswith("test_"):
        longer = f"test_{topic}_{name.removeprefix('test_')}"
    return name[: len(name) - len(bare)] + longer


def bindings(move: Move, part: str) -> dict[str, Origin]:
    """Return what each name at the top of a module stands for after the move."""
    source = move.sources[part]
    home = move.new_home(part)
    found: dict[str, Origin] = {}
    for node in top_imports(source.tree):
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                found[alias.asname or alias.name] = origin_of(move, node.module or "", alias.name)
        else:
            for alias in node.names:
                found[alias.asname or alias.name.partition(".")[0]] = (
                    "module",
                    alias.name if alias.asname else alias.name.partition(".")[0],
                )
    for name in definitions(source):
        if name in found:  # a fallback for an import that failed
            continue
        if name != "__all__":
            found[name] = ("name", home, part, name)
    return found


def origin_of(move: Move, module: str, name: str) -> Origin:
    """Return what a name that is imported stands for."""
    whole = f"{module}.{name}"
    if move.is_module(whole):
        return ("module", move.modules[whole])
    if whole in move.sources and name not in move.exports(module):
        return ("module", whole)
    package = move.sources.get(module)
    if package is not None and package.is_package:
        for node in (each for each in package.tree.body if isinstance(each, ast.ImportFrom)):
            for alias in node.names:
                if (alias.asname or alias.name) == name and node.module != module:
                    return origin_of(move, node.module or "", alias.name)
    home = move.new_home(module)
    if home != module or module in move.modules:
        return ("name", home, module, name)
    return ("name", home, name)


def top_imports(tree: ast.Module) -> Iterator[ast.Import | ast.ImportFrom]:
    """Every import at the top of a module, those for type checkers too."""
    for node in tree.body:
        for each in node.body if isinstance(node, ast.If) and is_type_checking(node) else [node]:
            if isinstance(each, ast.Import | ast.ImportFrom) and not is_future(each):
                yield each


def is_type_checking(node: ast.AST) -> Any:
    """Whether a statement is `if TYPE_CHECKING:`."""
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def is_future(node: ast.AST) -> bool:
    """Whether a statement is `from __future__ import annotations`."""
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"


def definitions(source: Source) -> dict[str, list[ast.stmt]]:  # noqa: C901
    """Return the statements that define each name at the top of a module, imports aside."""
    found: dict[str, list[ast.stmt]] = defaultdict(list)

    def collect(body: Iterable[ast.stmt], outer: ast.stmt | None) -> None:
        for node in body:
            whole = outer or node
            if isinstance(node, FUNCTIONS | ast.ClassDef):
                found[node.name].append(whole)
            elif isinstance(node, ast.If | ast.For | ast.While | ast.With | ast.Try):
                for name in [each.id for each in ast.walk(node) if isinstance(each, ast.Name)]:
                    if any(
                        isinstance(each, ast.Name) and each.id == name and isinstance(each.ctx, ast.Store)
                        for each in top_level(node)
                    ):
                        found[name].append(whole)
                for part in ("body", "orelse", "finalbody"):
                    collect(
                        (each for each in getattr(node, part, ()) if isinstance(each, FUNCTIONS | ast.ClassDef)), whole
                    )
            elif not isinstance(node, ast.Import | ast.ImportFrom):
                for each in top_level(node):
                    if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
                        found[each.id].append(whole)

    collect(source.tree.body, None)
    return {name: list(dict.fromkeys(nodes)) for name, nodes in found.items()}


def top_level(node: ast.AST) -> Iterator[ast.AST]:
    """Everything in a statement that binds at its own level."""
    yield node
    for each in ast.iter_child_nodes(node):
        if not isinstance(each, FUNCTIONS | ast.ClassDef | ast.Lambda | COMPREHENSIONS):
            yield from top_level(each)


# --- Edits of one file ---


class Edits:
    """Replacements in a text, each at its place."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.made: dict[int, tuple[int, str]] = {}

    def replace(self, start: int, end: int, text: str) -> None:
        """Replace a stretch; the same one twice only by the same."""
        if self.made.get(start, (end, text)) != (end, text):
            raise Refusal(f"two edits of {self.text[start:end]!r}")
        self.made[start] = (end, text)

    def apply(self) -> str:
        """Return the edited text; what lies inside a longer edit gives way to it."""
        out, place = [], 0
        for start, (end, text) in sorted(self.made.items()):
            if start < place:
                continue
            out += [self.text[place:start], text]
            place = end
        return "".join([*out, self.text[place:]])


def rewrite(move: Move, source: Source) -> str:
    """Return a file with its imports, names and paths as they are after the move."""
    edits = Edits(source.text)
    home = move.new_home(source.module)
    joined = source.module in move.modules
    for name in {name for module, name in move.names if module == source.module}:
        rename(source, edits, source.names.module, name, move.names[source.module, name])
    for name in {name for module, name in move.aliases if module == source.module}:
        rename(source, edits, source.names.module, name, move.aliases[source.module, name])
    if any("assay" in ast.dump(node) or "tests" in ast.dump(node) for node, _ in source.names.imports):
        for node, scope in source.names.imports:
            if isinstance(node, ast.ImportFrom):
                rewrite_from(move, source, edits, node, scope, home if joined else "")
            else:
                rewrite_import(move, source, edits, node, scope)
    rewrite_strings(move, source, edits)
    return with_merged_rows(edits.apply()) if edits.made else source.text


def with_merged_rows(text: str) -> str:
    """Return a file in which lists under the same key, of two paths that are one now, are one list.

    >>> print(with_merged_rows('ROWS = {"a.py": [1], "b.py": [2],\\n "a.py": [3]}'))
    ROWS = {"a.py": [1, 3], "b.py": [2],
     }
    """
    if '.py":' not in text:
        return text
    source = Source("x.py", text)
    edits = Edits(text)
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Dict):
            rows: dict[Any, list[tuple[ast.expr, ast.List]]] = defaultdict(list)
            for key, value in zip(node.keys, node.values, strict=True):
                if isinstance(key, ast.Constant) and isinstance(value, ast.List) and value.elts:
                    rows[key.value].append((key, value))
            for same in [each for each in rows.values() if len(each) > 1]:
                whole = ", ".join(source.segment(each) for _, value in same for each in value.elts)
                edits.replace(source.start(same[0][1]), source.end(same[0][1]), f"[{whole}]")
                for key, value in same[1:]:
                    comma = re.compile(r"\s*,").match(text, source.end(value))
                    edits.replace(source.start(key), comma.end() if comma else source.end(value), "")
    return edits.apply()


def rename(source: Source, edits: Edits, scope: Scope, old: str, new: str, *, removed: bool = False) -> None:
    """Rename a binding wherever it is used; refuse where another binding would be taken for it."""
    uses = source.names.refer(scope, old)
    for use in uses:
        if isinstance(use.node, ast.alias):
            continue
        if use.start is None or not source.text.startswith(old, use.start):
            raise Refusal(f"{source.path}: cannot tell where {old} is used in a string or pattern")
        between = use.scope
        while between is not scope and between.parent is not None:
            if new in between.bound and between.kind != "class":
                raise Refusal(f"{source.path}: a local variable is called {new}, as {old} would be")
            between = between.parent
        edits.replace(use.start, use.start + len(old), new)
    if new in scope.bound and not removed:
        raise Refusal(f"{source.path}: {new} is taken, {old} cannot be called so")


def can_rename(source: Source, scope: Scope, old: str, new: str) -> bool:
    """Whether a binding can get a new name without a word about it."""
    if any(each.name == new for each in source.names.uses):
        return False
    return all(
        isinstance(use.node, ast.alias) or (use.start is not None and source.text.startswith(old, use.start))
        for use in source.names.refer(scope, old)
    )


def rewrite_from(move: Move, source: Source, edits: Edits, node: ast.ImportFrom, scope: Scope, home: str) -> None:  # noqa: C901
    """Rewrite `from module import names`: other modules, other names, or nothing at all in a fold."""
    module = node.module or ""
    kept: dict[str, list[tuple[str, str | None]]] = {}
    changed = False
    for alias in node.names:
        whole, local = f"{module}.{alias.name}", alias.asname or alias.name
        if move.is_module(whole):
            new = move.modules[whole]
            package, _, last = new.rpartition(".")
            changed |= new != whole
            follow_attributes(move, source, edits, scope, local, whole, inline=new == home)
            if new == home:
                changed = True
                continue
            short = alias.asname
            if last != alias.name and alias.asname is None:
                taken = {
                    other.asname or other.name
                    for each, _ in source.names.imports
                    if isinstance(each, ast.ImportFrom)
                    for other in each.names
                    if move.modules.get(f"{each.module}.{other.name}") == new
                }
                if can_rename(source, scope, local, last) or (
                    last in taken and scope.kind == "module" and last not in inner_bindings(source)
                ):
                    rename(source, edits, scope, local, last, removed=True)
                else:
                    short = local
            kept.setdefault(package, []).append((last, short if short != last else None))
            continue
        if whole in move.sources:
            follow_chain(move, source, edits, scope, local, whole)
        new = move.new_home(module)
        name = move.names.get((module, alias.name), alias.name)
        given = move.aliases.get((source.module, local)) if scope.kind == "module" else None
        changed |= new != module or name != alias.name or new == home or given is not None
        if new == home:
            if local != name:
                rename(source, edits, scope, local, name, removed=True)
            continue
        short = given or alias.asname
        if name != alias.name and short is None:
            if can_rename(source, scope, local, name):
                rename(source, edits, scope, local, name, removed=True)
            else:
                short = local
        kept.setdefault(new, []).append((name, short if short != name else None))
    if not changed:
        return
    if len(kept) == 1 and len(next(iter(kept.values()))) == len(node.names):
        ((new, names),) = kept.items()
        if names == [(alias.name, alias.asname) for alias in node.names]:
            start = source.text.index(module, source.start(node))
            edits.replace(start, start + len(module), new)
            return
    if "#" in source.segment(node):
        move.notes.append(f"{source.path}:{node.lineno}: a comment inside an import is lost")
    indent = " " * node.col_offset
    lines = [
        f"from {new} import {', '.join(f'{name} as {short}' if short else name for name, short in names)}"
        for new, names in kept.items()
    ]
    lines = [
        line if len(line) + len(indent) <= 120 else line.replace(" import ", " import (", 1) + ")" for line in lines
    ]
    if lines:
        edits.replace(source.start(node), source.end(node), f"\n{indent}".join(lines))
    else:
        remove_statement(source, edits, node)


def inner_bindings(source: Source) -> set[str]:
    """Return every name that some function or class of a file binds."""
    found: set[str] = set()
    for use in source.names.uses:
        scope: Scope | None = use.scope
        while scope is not None and scope.parent is not None:
            found |= scope.bound
            scope = scope.parent
    return found


def remove_statement(source: Source, edits: Edits, node: ast.stmt) -> None:
    """Take a statement out, with its line; `pass` stands where a block would be empty."""
    for parent in ast.walk(source.tree):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(parent, name, None)
            if isinstance(block, list) and node in block and not isinstance(parent, ast.Module):
                alive = [
                    each
                    for each in block
                    if not (
                        isinstance(each, ast.ImportFrom)
                        and source.start(each) in edits.made
                        and edits.made[source.start(each)][1] == ""
                    )
                ]
                if alive == [node]:
                    edits.replace(source.start(node), source.end(node), "pass")
                    return
    start = source.offset(node.lineno, 0)
    end = source.text.find("\n", source.end(node)) + 1 or len(source.text)
    edits.replace(start, end, "")
    edits.made[source.start(node)] = (source.start(node), "") if source.start(node) != start else (end, "")


def follow_attributes(  # noqa: C901
    move: Move, source: Source, edits: Edits, scope: Scope, local: str, module: str, *, inline: bool
) -> None:
    """Rewrite `module.name` where a name has changed, or to `name` alone where both are one module now."""
    renamed = {old: new for (where, old), new in move.names.items() if where == module}
    if not (renamed or inline):
        return
    for use in source.names.refer(scope, local):
        if isinstance(use.node, ast.alias):
            continue
        if use.start is None:
            raise Refusal(f"{source.path}: cannot tell where {local} is used")
        match = re.compile(rf"{local}\s*\.\s*(\w+)").match(source.text, use.start)
        if match is None:
            if inline:
                raise Refusal(f"{source.path}: the module {local} is used as a value")
            call = re.compile(rf"{local},\s*\"(\w+)\"").match(source.text, use.start)
            if call is not None and call[1] in renamed:
                edits.replace(call.start(1), call.end(1), renamed[call[1]])
            continue
        name = renamed.get(match[1], match[1])
        if inline:
            between: Scope | None = use.scope
            while between is not None and between.parent is not None:
                if name in between.bound and between.kind != "class":
                    raise Refusal(f"{source.path}: a local variable is called {name}, as {local}.{name} would be")
                between = between.parent
            edits.replace(use.start, match.end(), name)
        elif name != match[1]:
            edits.replace(match.start(1), match.end(1), name)


def follow_chain(move: Move, source: Source, edits: Edits, scope: Scope, local: str, package: str) -> None:
    """Rewrite `package.module.name` where a package was imported and its modules are reached as attributes."""
    for use in source.names.refer(scope, local):
        match = None if use.start is None else re.compile(r"\w+((?:\.\w+)+)").match(source.text, use.start)
        if match is None or isinstance(use.node, ast.alias):
            continue
        new = moved_path(move, package + match[1])
        if new != package + match[1] and new.startswith(f"{package}."):
            edits.replace(match.start(1), match.end(1), new.removeprefix(package))
        elif new != package + match[1]:
            move.notes.append(f"{source.path}: {match[0]} is {new} now")


def rewrite_import(move: Move, source: Source, edits: Edits, node: ast.Import, scope: Scope) -> None:
    """Rewrite `import a.b` and the attributes that are reached through it."""
    for alias in node.names:
        new = moved_path(move, alias.name)
        start = source.start(alias)
        if new != alias.name:
            edits.replace(start, start + len(alias.name), new)
        if alias.asname is not None:
            if alias.name in move.modules:
                follow_attributes(move, source, edits, scope, alias.asname, alias.name, inline=False)
            continue
        first = alias.name.partition(".")[0]
        for use in source.names.refer(scope, first):
            if isinstance(use.node, ast.Name) and use.start is not None:
                match = re.compile(r"\w+(?:\.\w+)+").match(source.text, use.start)
                if match is not None and moved_path(move, match[0]) != match[0]:
                    edits.replace(use.start, match.end(), moved_path(move, match[0]))


def moved_path(move: Move, path: str) -> str:
    """Return a dotted path, of a module or of a name in one, as it is after the move."""
    start, rest = path, ""
    while start:
        if start in move.modules and (move.is_module(start) or rest):
            name = rest[1:].partition(".")[0]
            if name and (start, name) in move.names:
                rest = f".{move.names[start, name]}" + rest[1 + len(name) :]
            return move.modules[start] + rest
        start, _, last = start.rpartition(".")
        rest = f".{last}{rest}"
    return path


# --- Text that names modules: strings, comments and documents ---

DOTTED = re.compile(r"(?<![\w./-])(?:assay|tests)(?:\.\w+)+")
FROM = re.compile(r"\bfrom ((?:assay|tests)[\w.]*) import (\w+)(?![\w,]| as|\()")
FILE = re.compile(r"(?<![\w.])((?:[\w.]+/)+\w+\.pyi?)\b(?:::(\w+))?")


def rewrite_strings(move: Move, source: Source, edits: Edits) -> None:
    """Rewrite dotted paths and files in the strings and comments of a file."""
    own = {old: new for (module, old), new in (move.names | move.aliases).items() if module == source.module}
    for token in tokenize.generate_tokens(io.StringIO(source.text).readline):
        if token.type in (tokenize.STRING, tokenize.COMMENT):
            start = source._lines[token.start[0] - 1] + token.start[1]
            for old, new in own.items():
                for example in re.finditer(r"^\s*(?:>>>|\.\.\.) .*$", token.string, re.MULTILINE):
                    for match in re.finditer(rf"(?<![\w.]){old}\b", example[0]):
                        at = start + example.start() + match.start()
                        edits.replace(at, at + len(old), new)
            for at, end, text in changes_of_text(move, token.string):
                if start + at not in edits.made:
                    edits.replace(start + at, start + end, text)


def changes_of_text(move: Move, text: str) -> Iterator[tuple[int, int, str]]:  # noqa: C901
    """Return what changes in a text that names modules and files."""
    taken: set[int] = set()
    for match in FROM.finditer(text):
        whole = f"{match[1]}.{match[2]}"
        if move.is_module(whole):
            package, _, last = move.modules[whole].rpartition(".")
            new = f"from {package} import {last}" + (f" as {match[2]}" if last != match[2] else "")
            taken |= set(range(match.start(), match.end()))
            if new != match[0]:
                yield match.start(), match.end(), new
        elif (match[1], match[2]) in move.names:
            name = move.names[match[1], match[2]]
            taken |= set(range(match.start(), match.end()))
            yield match.start(), match.end(), f"from {move.new_home(match[1])} import {name} as {match[2]}"
    for match in DOTTED.finditer(text):
        new = moved_path(move, match[0])
        if text.endswith("from ", 0, match.start()) and text.startswith(" import", match.end()):
            new = move.new_home(match[0])
        if new != match[0] and match.start() not in taken:
            taken |= set(range(match.start(), match.end()))
            yield match.start(), match.end(), new
    for match in FILE.finditer(text):
        if match.start() not in taken and (file := moved_file(move, match[1])) != match[1]:
            yield match.start(1), match.end(1), file
        if match[2] is not None and (test := move.names.get((module_of(match[1]), match[2]))) is not None:
            yield match.start(2), match.end(2), test


def moved_file(move: Move, file: str) -> str:
    """Return the path of a file after the move, as short as it was written."""
    if file.endswith(".pyi"):
        return f"{moved_file(move, file.removesuffix('i'))}i"
    if file.startswith("../"):
        return f"../{moved_file(move, file.removeprefix('../'))}"
    names = file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    for start in ("src/assay/", "assay/", "tests/", ""):
        if file.startswith(start):
            bare = file.removeprefix(start)
            root = "tests" if start == "tests/" else "assay"
            old = f"{root}.{bare.removesuffix('.py').removesuffix('/__init__').replace('/', '.')}"
            if old in move.modules:
                new = move.modules[old].removeprefix(f"{root}.").replace(".", "/") + ".py"
                return start + new
    if file.endswith("__init__.py") or any(f"{root}.{names}" in move.sources for root in ("assay", "tests")):
        return file
    tails = [old for old in move.modules if old.endswith(f".{names}")]
    if len(tails) == 1:
        parts = move.modules[tails[0]].split(".")
        return "/".join(parts[-1 - file.count("/") :]) + ".py"
    return file


def rewrite_prose(move: Move, path: str, text: str) -> str:
    """Return a document with its paths as they are after the move; a row that became another's twin goes."""
    edits = Edits(text)
    for start, end, new in changes_of_text(move, text):
        if start not in edits.made:
            edits.replace(start, end, new)
    after = edits.apply()
    if path == "pyproject.toml" and after != text:
        lines: list[str] = []
        rows: set[str] = set()
        for line in after.split("\n"):
            row = re.match(r'\s+"assay\.[\w.]+ -> [\w.]+",', line)
            if row is None or row[0] not in rows:
                lines.append(line)
            rows = rows | {row[0]} if row else set()
        after = "\n".join(lines)
    return after


# --- A fold ---


@dataclass
class Part:
    """A file taken apart: its docstring, imports, exported names, and body."""

    docstring: str | None
    imports: list[str]
    for_types: list[str]
    exported: list[str] | None
    public: list[str]
    body: str


def fold(move: Move, new: str) -> str:
    """Return the text of a new module: one part rewritten, or several folded into one."""
    parts = in_order(move, move.groups[new])
    if len(parts) == 1:
        return with_docstring(rewrite(move, move.sources[parts[0]]), move.plan.docstrings.get(new))
    taken = [take_apart(move, part, rewrite(move, move.sources[part])) for part in parts]
    private = new.rpartition(".")[2].startswith("_")
    docstring = merged_docstring(move, new, parts, [part.docstring for part in taken])
    bound: set[str] = set()
    imports = [each for part in taken for each in part.imports]
    imports = [left for each in imports if (left := import_of_new(each, bound))]
    at_run_time = set(bound)
    for_types = [each for part in taken for each in part.for_types]
    for_types = [left for each in for_types if (left := import_of_new(each, bound))]
    text = [f'"""{docstring}"""\n\n'] if docstring else []
    text.append("from __future__ import annotations\n\n")
    text += [f"{each}\n" for each in imports]
    if for_types:
        if "TYPE_CHECKING" not in at_run_time:
            text.append("from typing import TYPE_CHECKING\n")
        text.append(
            "\nif TYPE_CHECKING:\n" + "".join(f"    {each.replace(chr(10), chr(10) + '    ')}\n" for each in for_types)
        )
    if not private and any(part.exported is not None for part in taken):
        names = sorted({name for part in taken for name in (part.public if part.exported is None else part.exported)})
        if names:
            text.append(f"\n__all__ = [{', '.join(map(repr, names))}]\n".replace("'", '"'))
    text += [f"\n\n{part.body.strip(chr(10))}\n" for part in taken if part.body.strip()]
    whole = "".join(text)
    try:
        ast.parse(whole)
    except SyntaxError as reason:
        raise Refusal(f"{new} would not be Python: {reason}") from reason
    return whole


def import_of_new(text: str, bound: set[str]) -> str:
    """Return an import without the names that are bound already, and add the others to them."""
    node = ast.parse(text).body[0]
    assert isinstance(node, ast.Import | ast.ImportFrom)
    names = [alias.asname or alias.name for alias in node.names]
    left = [alias for alias, name in zip(node.names, names, strict=True) if name not in bound]
    bound |= set(names)
    if len(left) == len(names) or not left:
        return text if left else ""
    comment = re.search(r"\s*#.*$", text)
    node.names = left
    return ast.unparse(node) + (comment[0] if comment else "")


def in_order(move: Move, parts: list[str]) -> list[str]:
    """Return the parts in the plan's order, but none before another that it imports when it is loaded."""
    needs = {
        part: {
            other
            for node in move.sources[part].tree.body
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
            for whole in [f"{node.module}.{alias.name}"]
            for other in [whole if whole in move.sources else node.module]
            if other in parts and other != part
        }
        for part in parts
    }
    ordered: list[str] = []
    while len(ordered) < len(parts):
        free = [part for part in parts if part not in ordered and needs[part] <= set(ordered)]
        if not free:
            raise Refusal(f"the parts import each other: {', '.join(part for part in parts if part not in ordered)}")
        ordered.append(free[0])
    return ordered


def take_apart(move: Move, part: str, text: str) -> Part:  # noqa: C901
    """Take the edited text of a part to pieces."""
    source = Source(move.sources[part].path, text)
    docstring = ast.get_docstring(source.tree, clean=False)
    imports, for_types, cut = [], [], []
    exported: list[str] | None = None
    began = False
    for place, node in enumerate(source.tree.body):
        first, last = source.offset(node.lineno, 0), text.find("\n", source.end(node)) + 1 or len(text)
        if place == 0 and docstring is not None:
            cut.append((source.start(node), last))
        elif is_future(node):
            cut.append((first, last))
        elif isinstance(node, ast.Import | ast.ImportFrom):
            if began:
                raise Refusal(f"{part} imports {ast.unparse(node)} after other statements")
            imports.append(text[source.start(node) : last].rstrip())
            cut.append((first, last))
        elif is_type_checking(node):
            assert isinstance(node, ast.If)
            inner = [each for each in node.body if isinstance(each, ast.Import | ast.ImportFrom)]
            if node.orelse and inner:
                raise Refusal(f"{part} has an else to its TYPE_CHECKING")
            began |= len(inner) < len(node.body)
            for each in inner:
                end = text.find("\n", source.end(each)) + 1 or len(text)
                for_types.append(dedented(text[source.start(each) : end].rstrip()))
                cut.append((source.offset(each.lineno, 0), end))
            if len(inner) == len([each for each in node.body if not isinstance(each, ast.Pass)]):
                cut = [each for each in cut if not first <= each[0] < last]
                cut.append((first, last))
        elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            exported = list(ast.literal_eval(node.value))
            cut.append((first, last))
        else:
            began = True
            names = [name for name, nodes in definitions(source).items() if node in nodes]
            if names and all((part, name) in move.twice for name in names):
                cut.append(
                    (
                        source.offset(
                            min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", []))]), 0
                        ),
                        last,
                    )
                )
    body, place = [], 0
    for start, end in sorted(cut):
        body.append(text[place:start])
        place = end
    body.append(text[place:])
    exported = None if exported is None else [move.names.get((part, name), name) for name in exported]
    public = [name for name in definitions(source) if not name.startswith("_")]
    return Part(docstring, imports, for_types, exported, public, "".join(body))


def dedented(text: str) -> str:
    """Return an import of several lines with the indent of its block taken off."""
    return re.sub(r"\n    ", "\n", text)


def merged_docstring(move: Move, new: str, parts: list[str], docstrings: list[str | None]) -> str:
    """Return the topic's own docstring, and what the parts say beyond their first lines."""
    known = {part: (text or "").strip() for part, text in zip(parts, docstrings, strict=True)}
    listed = [part for part in move.groups[new] if known[part]]
    planned = move.plan.docstrings.get(new)
    main = "" if planned is not None else next(iter(listed), "")
    paragraphs = [planned.strip()] if planned is not None else [known[main]] if main else []
    paragraphs += [known[part] for part in listed if part != main]
    text = "\n\n".join(paragraphs)
    return f"{text}\n" if "\n" in text else text


def with_docstring(text: str, docstring: str | None) -> str:
    """Return a module with another docstring, if the plan gives one."""
    if docstring is None:
        return text
    source = Source("x.py", text)
    node = source.tree.body[0]
    ended = docstring.strip() + ("\n" if "\n" in docstring.strip() else "")
    if ast.get_docstring(source.tree) is None:
        return f'"""{ended}"""\n\n{text}'
    return text[: source.start(node)] + f'"""{ended}"""' + text[source.end(node) :]


# --- The whole tree ---


def results_of(move: Move) -> tuple[dict[str, str], list[str]]:  # noqa: C901
    """Return the text of every file that changes, and the files that go."""
    texts: dict[str, str] = {}
    gone: list[str] = []
    made = {new: parts for new, parts in move.groups.items() if new not in move.left}
    for new, parts in made.items():
        path = move.sources[new].path if new in move.sources and parts == [new] else path_of(new)
        texts[path] = move.texts[new]
        gone += [move.sources[part].path for part in parts if move.sources[part].path != path]
        for part in parts:
            stub = Path(move.sources[part].path).with_suffix(".pyi")
            if (move.root / stub).exists() and part != new:
                texts[str(Path(path).with_suffix(".pyi"))] = rewrite_stub(move, stub)
                gone.append(str(stub))
        texts |= {
            file: f'"""{move.plan.packages.get(package, package)}"""\n'
            for package, file in new_packages(move, new)
            if file not in texts
        }
    for source in move.sources.values():
        if source.module not in move.modules and (text := rewrite(move, source)) != source.text:
            texts[source.path] = text
    table = "src/assay/moved.py"
    if (move.root / table).exists():
        texts[table] = with_rows(texts.get(table, (move.root / table).read_text(encoding="utf-8")), rows_of(move))
    for path in tracked(move.root):
        if path.endswith(PROSE) and not path.startswith(LEFT_ALONE):
            before = (move.root / path).read_text(encoding="utf-8")
            if (after := rewrite_prose(move, path, before)) != before:
                texts[path] = after
    for path, pairs in move.plan.replacements.items():
        if (move.root / path).exists() or path in texts:
            text = texts[path] if path in texts else (move.root / path).read_text(encoding="utf-8")
            for old, new in pairs:
                text = text.replace(old, new) if new not in text else text
            if path in texts or text != (move.root / path).read_text(encoding="utf-8"):
                texts[path] = text
    return texts, gone


def rewrite_stub(move: Move, stub: Path) -> str:
    """Return a stub with the imports of its module rewritten."""
    text = (move.root / stub).read_text(encoding="utf-8")
    return re.sub(DOTTED, lambda match: moved_path(move, match[0]), text)


def new_packages(move: Move, new: str) -> Iterator[tuple[str, str]]:
    """Return the packages that a new module needs and that are not there, with their files."""
    parts = new.split(".")[:-1]
    for count in range(2, len(parts) + 1):
        package = ".".join(parts[:count])
        if package.startswith("assay.") and package not in move.sources:
            yield package, path_of(f"{package}.__init__")


def rows_of(move: Move) -> dict[str, str]:
    """Return what the table of old import paths must hold: moved modules, and names that stored recipes hold."""
    rows = {}
    for old, new in move.modules.items():
        if not old.startswith("assay."):
            continue
        if old != new:
            rows[old] = new
        for name in definitions(move.sources[old]):
            renamed = move.names.get((old, name), name)
            if not name.startswith("_") and (renamed != name or (old != new and old in move.plan.in_recipes)):
                rows[f"{old}.{name}"] = f"{new}.{renamed}"
    return rows


def with_rows(text: str, added: Mapping[str, str]) -> str:
    """Return the table of old paths with rows added; those that are there stay."""
    if not added:
        return text
    match = re.search(r"^MOVED: Mapping\[str, str\] = (\{.*?\})$", text, re.DOTALL | re.MULTILINE)
    assert match is not None, "src/assay/moved.py holds no table MOVED"
    table = {**ast.literal_eval(match[1]), **added}
    rows = [f'    "{old}": "{new}",' for old, new in sorted(table.items())]
    lines = "".join(f"{row}  # noqa: E501\n" if len(row) > 120 else f"{row}\n" for row in rows)
    return text[: match.start(1)] + "{\n" + lines + "}" + text[match.end(1) :]


def cycles_of(move: Move) -> list[list[str]]:  # noqa: C901
    """Return the cycles of imports at the top of modules that the move would make, shortest first."""
    graph: dict[str, set[str]] = defaultdict(set)
    known = move.sources.keys()
    for source in move.sources.values():
        home = move.new_home(source.module)
        for node in source.tree.body:
            if isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    whole = f"{node.module}.{alias.name}"
                    target = (
                        whole if whole in known and alias.name not in move.exports(node.module or "") else node.module
                    )
                    if target in known and move.new_home(str(target)) != home:
                        graph[home].add(move.new_home(str(target)))
    found = []
    for start in sorted(graph):
        ways = {other: [start, other] for other in sorted(graph[start])}
        queue = list(ways)
        while queue and start not in ways:
            here = queue.pop(0)
            for other in sorted(graph[here]):
                if other not in ways:
                    ways[other] = [*ways[here], other]
                    queue.append(other)
        if start in ways:
            found.append(ways[start])
    unique: dict[frozenset[str], list[str]] = {}
    for way in found:
        unique.setdefault(frozenset(way), way)
    return sorted(unique.values(), key=len)


def apply(move: Move) -> None:
    """Write the files, and tell git, so that it sees moves as moves."""
    texts, gone = results_of(move)
    for path in gone:
        (move.root / path).unlink()
    for path, text in texts.items():
        (move.root / path).parent.mkdir(parents=True, exist_ok=True)
        (move.root / path).write_text(text, encoding="utf-8")
    for path in gone:
        folder = (move.root / path).parent
        rest = [each for each in folder.iterdir() if each.name != "__pycache__"] if folder.exists() else [folder]
        if not rest:
            for each in (folder / "__pycache__").glob("*.pyc"):
                each.unlink()
            (folder / "__pycache__").rmdir() if (folder / "__pycache__").exists() else None
            folder.rmdir()
    subprocess.run(["git", "add", "--all", "--", *sorted({*gone, *texts})], cwd=move.root, check=True)


def report(move: Move) -> list[str]:
    """Return what would be done, what would not, and why."""
    lines = []
    for new, parts in move.groups.items():
        if new in move.left:
            lines.append(f"left   {new}: {move.left[new]}")
        else:
            lines.append(f"{'fold  ' if len(parts) > 1 else 'move  '} {new} <- {', '.join(parts)}")
    lines += [f"rename {module}.{old} -> {name}" for (module, old), name in sorted(move.names.items())]
    lines += [f"alias  {old} in {module} -> {name}" for (module, old), name in sorted(move.aliases.items())]
    lines += [f"once   {module}.{name}" for module, name in sorted(move.twice)]
    return lines + [f"note   {note}" for note in dict.fromkeys(move.notes)]


def main() -> int:
    """Apply the plan, or say what it would do."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="fail where the plan does not fit the tree")
    parser.add_argument("--dry-run", action="store_true", help="write nothing")
    parser.add_argument("--strict", action="store_true", help="fail where a fold is left")
    parser.add_argument("--only", nargs="*", default=[], metavar="PACKAGE", help="packages to bring to the plan")
    parser.add_argument("--plan", type=Path, default=ROOT / PLAN)
    parser.add_argument("--root", type=Path, default=ROOT)
    options = parser.parse_args()
    plan = read_plan(options.plan.read_text(encoding="utf-8"))
    twice = [
        part for part, count in Counter(each for parts in plan.groups.values() for each in parts).items() if count > 1
    ]
    if twice:
        print(f"the plan lists more than once: {', '.join(twice)}", file=sys.stderr)
        return 2
    move = prepare(options.root, plan, options.only)
    lines, cycles = report(move), cycles_of(move)
    print("\n".join(lines + [f"cycle  {' -> '.join(way)}" for way in cycles]))
    if options.check:
        return int(bool(cycles or move.left))
    if cycles or (options.strict and move.left):
        print("nothing was moved", file=sys.stderr)
        return 1
    if not options.dry_run and move.modules:
        apply(move)
    return 0


if __name__ == "__main__":
    sys.exit(main())
