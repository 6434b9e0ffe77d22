"""Modules are moved and folded by a plan: bodies stay, and every import and path follows."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from tools.move import LEFT_ALONE, apply, cycles_of, prepare, read_plan, report, results_of

PLAN = """
[modules."assay.shapes"]
area = ["square", "_circle"]
text = ["_words"]
perimeter = ["edge", "corner"]

[modules."tests.shapes"]
test_area = ["test_square", "test_circle"]

[docstrings]
"assay.shapes.text" = "Sentences about shapes."
"""

FILES = {
    "src/assay/__init__.py": '"""A small package."""\n',
    "src/assay/moved.py": '"""Old paths."""\n\nfrom collections.abc import Mapping\n\nMOVED: Mapping[str, str] = {}\n',
    "src/assay/shapes/__init__.py": '''
        """Shapes."""

        from assay.shapes._circle import circle
        from assay.shapes.square import square

        __all__ = ["circle", "square"]
        ''',
    "src/assay/shapes/square.py": '''
        """Squares.

        They have four sides.
        """

        from __future__ import annotations

        from typing import TYPE_CHECKING

        from assay.shapes import _circle

        if TYPE_CHECKING:
            from decimal import Decimal

        __all__ = ["square"]

        LIMIT = 2  # sides


        def square(side: float) -> float:
            """Return the area of a square.

            >>> from assay.shapes.square import square
            >>> square(2)
            4
            """
            return _circle.half(2 * _power(side))


        def _power(side: float) -> float:
            return side**LIMIT


        def exact(side: Decimal) -> str:
            return f"{_power(float(side)):.1f} {_circle.PI}"
        ''',
    "src/assay/shapes/_circle.py": '''
        """Circles."""

        from __future__ import annotations

        import math

        PI = math.pi


        def circle(radius: float) -> float:
            from assay.shapes._words import sentence

            assert sentence(1)
            return PI * _power(radius)


        def half(value: float) -> float:
            return value / 2


        def _power(radius: float) -> float:
            """Return the square of a radius.

            >>> _power(3)
            9
            """
            return radius * radius
        ''',
    "src/assay/shapes/_words.py": '''
        """Words."""


        def sentence(area: float) -> str:
            return f"The area is {area}."
        ''',
    "src/assay/shapes/edge.py": '"""Edges."""\n\n\ndef edge() -> int:\n    return 4\n',
    "src/assay/shapes/corner.py": '"""Corners."""\n\n\ndef edge() -> int:\n    return 5\n',
    "src/assay/use.py": '''
        """A user of shapes, whose class is found at "assay.shapes._circle.circle"; see shapes/_words.py."""

        from assay import shapes
        from assay.shapes import _circle, _words
        from assay.shapes._circle import PI as RATIO
        from assay.shapes.square import (
            exact,
            square,
        )


        def used(words: list[str]) -> object:
            text = _words.sentence(square(2))
            return shapes._circle.half(RATIO), _circle._power(3), text, exact, words
        ''',
    "tests/shapes/test_square.py": """
        from assay.shapes.square import square


        def made() -> int:
            return 2


        def test_value() -> None:
            assert square(made()) == 4
        """,
    "tests/shapes/test_circle.py": """
        from assay.shapes import _circle


        def made() -> int:
            return 3


        def test_value() -> None:
            assert _circle._power(made()) == 9
        """,
    "docs/page.md": (
        "`assay.shapes._circle` and `src/assay/shapes/_words.py`; `tests/shapes/test_circle.py::test_value`\n"
    ),
    "CHANGELOG.md": "`assay.shapes._circle` was added.\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A small repository."""
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text).lstrip("\n"), encoding="utf-8")
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    subprocess.run(["git", "add", "-A"], cwd=tmp_path, check=True)
    return tmp_path


def moved(root: Path, plan: str = PLAN) -> None:
    apply(prepare(root, read_plan(plan)))


def output_of(root: Path, code: str) -> str:
    """Run code with the small package before all others."""
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(root / 'src')!r}); {code}"],
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def test_the_moved_package_gives_the_same(root: Path) -> None:
    code = "from assay.use import used; value = used([]); print(value[:3], value[3](2))"
    before = output_of(root, code)
    moved(root)
    assert output_of(root, code) == before
    assert sorted(path.name for path in (root / "src/assay/shapes").glob("*.py")) == [
        "__init__.py",
        "area.py",
        "corner.py",
        "edge.py",
        "text.py",
    ]


def test_bodies_stay_and_names_that_collide_get_their_topic(root: Path) -> None:
    moved(root)
    text = (root / "src/assay/shapes/area.py").read_text(encoding="utf-8")
    assert text.startswith(
        '"""Squares.\n\nThey have four sides.\n\nCircles.\n"""\n\nfrom __future__ import annotations\n'
    )
    assert text.count("from __future__") == 1
    assert "if TYPE_CHECKING:\n    from decimal import Decimal\n" in text
    assert '__all__ = ["PI", "circle", "half", "square"]' in text
    assert "LIMIT = 2  # sides\n" in text
    # The circle comes first: squares need it when they are loaded.
    assert text.index("def circle") < text.index("def square")
    assert "    return PI * _circle_power(radius)\n" in text
    assert "    >>> _circle_power(3)\n" in text
    assert "return half(2 * _power(side))" in text
    assert 'return f"{_power(float(side)):.1f} {PI}"' in text
    assert "from assay.shapes import" not in text
    assert "from assay.shapes.area import square" in text  # in the docstring


def test_imports_strings_and_documents_follow(root: Path) -> None:
    moved(root)
    text = (root / "src/assay/use.py").read_text(encoding="utf-8")
    assert '"assay.shapes.area.circle"; see shapes/text.py' in text
    assert "shapes.area.half(RATIO), area._circle_power(3)" in text
    assert "text as _words" in text  # `text` is a variable there
    assert "from assay.shapes.area import (\n    exact,\n    square,\n)" in text
    assert (root / "docs/page.md").read_text(encoding="utf-8") == (
        "`assay.shapes.area` and `src/assay/shapes/text.py`; `tests/shapes/test_area.py::test_circle_value`\n"
    )
    assert "_circle" in (root / "CHANGELOG.md").read_text(encoding="utf-8")
    assert '"assay.shapes._circle": "assay.shapes.area",' in (root / "src/assay/moved.py").read_text(encoding="utf-8")
    assert (root / "src/assay/shapes/text.py").read_text(encoding="utf-8").startswith('"""Sentences about shapes."""')


def test_tests_are_folded_too(root: Path) -> None:
    moved(root)
    text = (root / "tests/shapes/test_area.py").read_text(encoding="utf-8")
    assert "def test_value()" in text
    assert "def test_circle_value()" in text
    assert "assert area._circle_power(circle_made()) == 9" in text


def test_public_names_that_collide_leave_the_fold_unmade(root: Path) -> None:
    move = prepare(root, read_plan(PLAN))
    assert "left   assay.shapes.perimeter: edge is public in assay.shapes.edge and assay.shapes.corner" in report(move)
    settled = f'{PLAN}\n[names]\n"assay.shapes.corner.edge" = "corners"\n'
    assert prepare(root, read_plan(settled)).left == {}


def test_a_second_run_does_nothing(root: Path) -> None:
    moved(root)
    subprocess.run(["git", "add", "-A"], cwd=root, check=True)
    again = prepare(root, read_plan(PLAN.replace('"edge", "corner"', '"edge"')))
    moved(root)
    texts, gone = results_of(prepare(root, read_plan(PLAN)))
    assert gone == []
    assert all((root / path).read_text(encoding="utf-8") == text for path, text in texts.items())
    assert again.groups == {"assay.shapes.perimeter": ["assay.shapes.edge"]}


def test_what_the_plan_does_not_know_stays_and_what_it_lacks_is_told(root: Path) -> None:
    (root / "src/assay/shapes/new.py").write_text(
        '"""New."""\n\nfrom assay.shapes._circle import _power\n\nNINE = _power(3)\n', encoding="utf-8"
    )
    (root / "src/assay/shapes/corner.py").unlink()
    move = prepare(root, read_plan(PLAN))
    assert "note   assay.shapes.perimeter: no module assay.shapes.corner" in report(move)
    apply(move)
    assert "import _circle_power" in (root / "src/assay/shapes/new.py").read_text(encoding="utf-8")
    assert output_of(root, "from assay.shapes.new import NINE; print(NINE)") == "9"


def test_a_cycle_that_a_fold_would_make_is_found(root: Path) -> None:
    plan = '[modules."assay.shapes"]\narea = ["edge", "square"]\nother = ["_circle", "corner"]\n'
    (root / "src/assay/shapes/corner.py").write_text(
        '"""Corners."""\n\nfrom assay.shapes.edge import edge\n\nCORNERS = edge()\n', encoding="utf-8"
    )
    assert cycles_of(prepare(root, read_plan(plan))) == [
        ["assay.shapes.area", "assay.shapes.other", "assay.shapes.area"]
    ]


def test_a_name_of_a_part_that_goes_elsewhere_is_not_used_again(root: Path) -> None:
    plan = '[modules."assay.shapes"]\nedge = ["corner"]\nside = ["edge"]\n'
    assert "belonged to a part of assay.shapes.side" in prepare(root, read_plan(plan)).left["assay.shapes.edge"]


def test_the_plan_of_the_project_is_not_rewritten_by_itself() -> None:
    assert "tools/moves.toml" in LEFT_ALONE
