"""Every string that a screen can show, collected from the source: the text of `docs/strings.md`.

Values stand in braces. Strings without a space are names and keys, and are left out; so are SQL, patterns, and code.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCES = ROOT / "src" / "assay"
SCRIPTS = ROOT / "frontend" / "src"
# Two words side by side: text for people. SQL, patterns, style sheets, markup and lines of code are none.
TWO_WORDS = re.compile(r"[A-Za-z'\u2019)}%] [A-Za-z({'\u2019]")
NO_TEXT = re.compile(
    r"\b(SELECT|FROM|WHERE|INSERT INTO|CREATE TABLE|GROUP BY|PRAGMA|COPY|PARTITION BY|ATTACH|CASE WHEN)\b"
    r"|\(\?[:P<!=]|\\[bdsw]|^\s*(import|from|def|class|return) |[{;]\s*[a-z-]+:\s|</?[a-z]+[ >/]|^[a-z-]+: [^.]*;"
)
LITERAL = re.compile(r"`((?:[^`\\]|\\.)*)`|\"((?:[^\"\\\n]|\\.)*)\"", re.S)
MARKUP = re.compile(r"\{%.*?%\}|\{#.*?#\}|<(script|style)\b.*?</\1>|<[^>]*>", re.S)


def shown_strings() -> dict[str, list[str]]:
    """Return the strings of every module, template and script that may reach a screen, each once, in their order."""
    collected: dict[str, list[str]] = {}
    for path in sorted(SOURCES.rglob("*.py")):
        collected[str(path.relative_to(SOURCES))] = list(strings_of_module(path.read_text(encoding="utf-8")))
    for path in sorted(SOURCES.rglob("*.j2")):
        collected[str(path.relative_to(SOURCES))] = list(strings_of_template(path.read_text(encoding="utf-8")))
    for path in sorted((SOURCES / "report" / "templates").glob("*.json")):
        values = json.loads(path.read_text(encoding="utf-8")).values()
        collected[str(path.relative_to(SOURCES))] = [value for value in values if isinstance(value, str)]
    for path in sorted(SCRIPTS.rglob("*.ts")):
        collected[f"frontend/{path.name}"] = list(strings_of_script(path.read_text(encoding="utf-8")))
    return {name: list(dict.fromkeys(texts)) for name, texts in collected.items() if texts}


def strings_of_module(text: str) -> Iterator[str]:
    """Yield the texts of a Python module, with the docstrings that a command line shows as help.

    >>> code = 'def told(n: int) -> str:\\n    "No text."\\n    return f"{n:,} rows were read"'
    >>> list(strings_of_module(code))
    ['{n} rows were read']
    """
    tree = ast.parse(text)
    inner: set[int] = set()
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and body:
            first = body[0]
            is_help = any("command" in ast.unparse(each) for each in getattr(node, "decorator_list", ()))
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and not is_help:
                inner.add(id(first.value))
        elif isinstance(node, ast.JoinedStr):
            inner.update(id(each) for each in ast.walk(node) if each is not node and isinstance(each, ast.Constant))
    for node in ast.walk(tree):
        if id(node) in inner:
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from _sentence(node.value)
        elif isinstance(node, ast.JoinedStr):
            yield from _sentence("".join(_part(each) for each in node.values))


def strings_of_template(text: str) -> Iterator[str]:
    """Yield the texts of a page's template.

    >>> list(strings_of_template('<p class="x">Open a {{ kind }} file</p><b>{% if more %}and more{% endif %}</b>'))
    ['Open a {kind} file', 'and more']
    """
    for piece in MARKUP.sub("\n", text).split("\n"):
        yield from _sentence(re.sub(r"\{\{\s*(.*?)\s*\}\}", r"{\1}", piece).strip())


def strings_of_script(text: str) -> Iterator[str]:
    """Yield the texts of a page's script.

    >>> list(strings_of_script('const told = `At ${level} of all cases`; // no text here'))
    ['At {level} of all cases']
    """
    for match in LITERAL.finditer(re.sub(r"^\s*(//|\*|/\*).*$", "", text, flags=re.M)):
        yield from _sentence(re.sub(r"\$\{([^{}]*)\}", r"{\1}", match[1] or match[2] or ""))


def _part(node: ast.expr) -> str:
    if isinstance(node, ast.Constant):
        return str(node.value)
    return "{" + ast.unparse(node.value) + "}" if isinstance(node, ast.FormattedValue) else ""


def _sentence(text: str) -> Iterator[str]:
    joined = " ".join(text.split())
    if TWO_WORDS.search(joined) and not NO_TEXT.search(joined):
        yield joined


def page() -> str:
    """Return the page: the strings below the module that holds them."""
    collected = shown_strings()
    count = sum(map(len, collected.values()))
    lines = [
        "# Strings",
        "",
        f"{count:,} strings that a screen, a page or a message can show, by module; values in braces.",
        "They are kept to plain language: short sentences, the field's own words, the news first.",
    ]
    for name, texts in collected.items():
        lines += ["", f"## {name}", "", *(f"- `{text}`" if "`" not in text else f"- `` {text} ``" for text in texts)]
    return "\n".join([*lines, ""])
