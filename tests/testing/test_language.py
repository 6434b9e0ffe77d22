"""The language of requirements: what it says, what it refuses, and that nothing makes it stumble."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.measures import find, on_request, on_request_of_many, registry, registry_of_many
from assay.testing import Requirement, RequirementError, parse
from assay.testing.language import COMPARED, LIMITS, CheckedQuantity, Demand

ALIASES = [alias for measure in (*registry.values(), *on_request.values()) for alias in measure.aliases]
MEASURES = [*registry, *on_request, *registry_of_many, *on_request_of_many, *ALIASES]

names = st.text(min_size=1, max_size=12)
files = st.text(min_size=1, max_size=12).filter(lambda name: name.strip() != "")
limits = st.sampled_from([None, *LIMITS])
of_one = st.builds(
    CheckedQuantity,
    st.sampled_from(MEASURES),
    limits,
    of_class=st.none() | st.text(max_size=9),
    group=st.none() | names,
)
of_two = st.builds(CheckedQuantity, st.sampled_from(MEASURES), limits, base=files)
demands = st.builds(
    Demand, of_one | of_two, st.sampled_from(list(COMPARED)), st.floats(allow_nan=False, allow_infinity=False)
)
requirements = st.builds(Requirement, st.lists(demands, min_size=1, max_size=4).map(tuple))
# Junk that looks like the language, which gets deeper into the reader than any text.
MARKS = ("(", ")", "[", "]", '"', "'", "\\", ",", ".", "-", ">=", "<", "\n", "\x00", "é", "\U0001f600")
WORDS = (
    "roc_auc",
    "delta",
    "delta(",
    "low",
    " and ",
    " in ",
    " or ",
    "0.8",
    "1e5",
    "e",
    "f0.5",
    "lr+",
    "base.csv",
    "nan",
)
pieces = st.sampled_from(MARKS + WORDS)


@given(requirements)
def test_what_is_written_is_read_back(requirement: Requirement) -> None:
    assert parse(str(requirement)) == requirement


@given(st.text(max_size=60) | st.lists(pieces, max_size=14).map("".join))
def test_junk_is_refused_in_a_sentence_or_read(text: str) -> None:
    refusal = None
    try:
        found = parse(text)
    except RequirementError as error:
        refusal = error
    if refusal is None:
        assert parse(str(found)) == found
        return
    sentence, shown, mark = str(refusal).split("\n")
    assert 0 <= refusal.place <= len(text)
    assert sentence
    assert mark.strip() == "^"
    assert len(mark) <= len(shown) + 1


@given(requirements, st.data())
def test_space_changes_nothing(requirement: Requirement, data: st.DataObject) -> None:
    plain = all(d.quantity.group is d.quantity.of_class is d.quantity.base is None for d in requirement.demands)
    if plain:
        words = str(requirement).split(" ")
        spaces = data.draw(
            st.lists(st.sampled_from([" ", "  ", "\n", "\t "]), min_size=len(words), max_size=len(words))
        )
        assert parse("".join(space + word for space, word in zip(spaces, words, strict=True)) + " ") == requirement


@pytest.mark.parametrize("name", MEASURES)
def test_every_measure_and_alias_can_be_required(name: str) -> None:
    assert parse(f"{name}>=0.5").demands[0].quantity.measure == name
    assert parse(f"{name}.low >= 0.5").demands[0].quantity == CheckedQuantity(name, "low")


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("roc_auc >= 0.80", Demand(CheckedQuantity("roc_auc"), ">=", 0.8)),
        ("recall.low>.7", Demand(CheckedQuantity("recall", "low"), ">", 0.7)),
        ("f0.5 < 1.", Demand(CheckedQuantity("f0.5"), "<", 1.0)),
        ("lr->-2", Demand(CheckedQuantity("lr-"), ">", -2.0)),
        ("log-loss . value <= 3e-1", Demand(CheckedQuantity("log-loss", "value"), "<=", 0.3)),
        ("recall['it\\'s'] > 0", Demand(CheckedQuantity("recall", of_class="it's"), ">", 0.0)),
        ('recall["a]b"].high in "x and y" > 0', Demand(CheckedQuantity("recall", "high", "a]b", "x and y"), ">", 0.0)),
        ("delta(roc_auc, base.csv) >= -0.01", Demand(CheckedQuantity("roc_auc", base="base.csv"), ">=", -0.01)),
        (
            "DELTA ( auc , runs/a, b.csv ).low > 0",
            Demand(CheckedQuantity("auc", "low", base="runs/a, b.csv"), ">", 0.0),
        ),
        ('delta(auc, "a (1).csv") > 0', Demand(CheckedQuantity("auc", base="a (1).csv"), ">", 0.0)),
        (r"delta(auc, runs\base.csv) > 0", Demand(CheckedQuantity("auc", base=r"runs\base.csv"), ">", 0.0)),
        (r'delta(auc, "runs\base.csv") > 0', Demand(CheckedQuantity("auc", base=r"runs\base.csv"), ">", 0.0)),
        ("delta_p > 0", Demand(CheckedQuantity("delta_p"), ">", 0.0)),
    ],
)
def test_what_a_text_means(text: str, meant: Demand) -> None:
    assert parse(text).demands == (meant,)


def test_and_joins_demands() -> None:
    found = parse("roc_auc > 0.8 and recall.low > 0.7 AND brier<0.1")
    assert [str(demand) for demand in found.demands] == ["roc_auc > 0.8", "recall.low > 0.7", "brier < 0.1"]


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("", 0, "a measure"),
        ("0.8 <= roc_auc", 0, "a measure"),
        ("roc_auc", 7, ">=, >, <= or <"),
        ("roc_auc == 0.8", 8, ">=, >, <= or <"),
        ("roc_auc => 0.8", 8, ">=, >, <= or <"),
        ("roc_auc >= high", 11, "a number"),
        ("roc_auc >= 1e999", 11, "a number"),
        ("roc_auc >= nan", 11, "a number"),
        ("roc_auc >= 0.8 or recall > 0.7", 15, '"and"'),
        ("roc_auc >= 80 %", 14, '"and"'),
        ("roc_auc >= 0.8 and", 18, "a measure"),
        ("acuracy > 0.9", 0, "did you mean accuracy?"),
        ("recall > 0.9 and acuracy > 0.9", 17, "did you mean accuracy?"),
        ("recall.lower > 0.9", 7, "low, value or high"),
        ("recall[spam] > 0.9", 7, "a class in quotes"),
        ('recall["spam > 0.9', 7, "a class in quotes"),
        ('recall["spam" > 0.9', 14, "], after the class"),
        ("recall in north > 0.9", 10, "a subgroup in quotes"),
        ("delta(roc_auc) > 0", 13, "and a file"),
        ('delta(recall["a"], b.csv) > 0', 12, "a measure of all classes"),
        ("delta(roc_auc, ) > 0", 15, "a file"),
        ("delta(roc_auc, base.csv > 0", 27, "), after the file"),
        ("delta(roc_auc, a (1).csv) > 0", 17, "quote a name"),
        ("delta(, base.csv) > 0", 6, "a measure"),
        ('__import__("os").system("ls")', 0, "there is no measure"),
    ],
)
def test_what_cannot_be_read_is_marked(text: str, place: int, words: str) -> None:
    with pytest.raises(RequirementError) as caught:
        parse(text)
    assert caught.value.place == place
    assert words in caught.value.sentence
    _, shown, mark = str(caught.value).split("\n")
    assert shown == f"  {text}"
    assert mark.index("^") == place + 2


def test_the_mark_stays_below_its_place_in_a_long_or_hostile_text() -> None:
    text = "roc_auc > 0.8 and " * 40 + "\x1b[2J\nhere"
    with pytest.raises(RequirementError) as caught:
        parse(text)
    _, shown, mark = str(caught.value).split("\n")
    assert "\x1b" not in str(caught.value)
    assert shown[mark.index("^")] == "\ufffd"
    assert len(shown) < 100


@pytest.mark.parametrize("text", ['recall["' + "\\" * 50_000, "(" * 50_000, "roc_auc>1 and " * 5_000, "9" * 50_000])
def test_no_text_takes_long(text: str) -> None:
    start = time.process_time()
    with pytest.raises(RequirementError):
        parse(text)
    assert time.process_time() - start < 5


def test_a_bound_keeps_its_digits() -> None:
    assert str(parse("roc_auc >= 0.1234567890123")) == "roc_auc >= 0.1234567890123"
    assert str(parse("roc_auc >= 0.80")) == "roc_auc >= 0.8"
    assert find("roc_auc").name == parse("roc_auc >= 1").demands[0].quantity.measure
