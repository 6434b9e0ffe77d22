"""What a word on any screen means: a measure, a caution, a method, a test, or a word of Assay's own.

Critical values of tests: beyond which a statistic is significant, by degrees of freedom or number of algorithms.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from assay.cautions import Rule, find_rule, rules
from assay.errors import AssayError, UnknownName
from assay.measures import (
    FORMS,
    FORMS_OF_MANY,
    Measure,
    find,
    find_for_many,
    on_request,
    on_request_of_many,
    registry,
    registry_of_many,
)
from assay.method_names import method_identifier
from assay.ranks import bonferroni_dunn_quantile, nemenyi_quantile
from assay.report.answers import Answer, facts
from assay.report.blocks import Block, Note, Notes, Said, Sentence, Tabled, Verbatim
from assay.report.certificate import OF_DIFFERENCE, OF_MANY, certified, of_method, weak_of_method
from assay.report.glossary import Word, find_words, without_numbers, word_key, words_by_key
from assay.results import NullDistribution, Table

__all__ = ["ALPHAS", "Word", "critical_values", "explained", "listed_measures", "look_up", "rank_quantiles"]


ALPHAS = (0.1, 0.05, 0.01)
FEW_DF = (1, 2, 3, 4, 5, 9, 14, 19, 29, 99)
T = "t", [(df,) for df in FEW_DF]
CHI_SQUARE = "chi-square", [(df,) for df in (1, 2, 3, 4, 5, 6, 8, 10)]
# Algorithms and data sets of an F of mean ranks: its degrees of freedom.
F_OF_RANKS = "F", [(k - 1, (k - 1) * (n - 1)) for k in (3, 4, 5) for n in (5, 10, 14, 20)]
# What a test's statistic is held against, and the degrees of freedom that are usual.
OF_TESTS: dict[str, tuple[str, Sequence[tuple[float, ...]]]] = {
    "paired t": T,
    "corrected resampled t": T,
    "5 x 2 cv t": ("t", [(5,)]),
    "5 x 2 cv F": ("F", [(10, 5)]),
    "McNemar": ("chi-square", [(1,)]),
    "Stuart-Maxwell": CHI_SQUARE,
    "Bowker": CHI_SQUARE,
    "Hosmer-Lemeshow": CHI_SQUARE,
    "Friedman": CHI_SQUARE,
    "Iman-Davenport": F_OF_RANKS,
}
QUANTILES: dict[str, Callable[[int, float], float]] = {
    "Nemenyi": nemenyi_quantile,
    "Bonferroni-Dunn": bonferroni_dunn_quantile,
}


def critical_values(test: str) -> Table | None:
    """Return the critical values of a test at 10, 5 and 1 %; None where it has none in a table.

    >>> print(critical_values("5 x 2 cv F"))
    df         10 %    5 %    1 %
    10 and 5  3.297  4.735  10.05
    >>> critical_values("mid-p")
    """
    if test in QUANTILES:
        return rank_quantiles([test], range(2, 11))
    if test not in OF_TESTS:
        return None
    name, freedom = OF_TESTS[test]
    rows = [NullDistribution(name, tuple(df)) for df in freedom]
    columns = {f"{100 * alpha:g} %": [one.critical_value(1 - alpha) for one in rows] for alpha in ALPHAS}
    sided = ", two-sided" if name == "t" else ""
    shown = [" and ".join(f"{df:g}" for df in one.df) for one in rows]
    return Table({"df": shown, **columns}, title=f"Critical values of {name}{sided}, by degrees of freedom")


def rank_quantiles(tests: Sequence[str], algorithms: Sequence[int]) -> Table:
    """Return the critical values of differences of mean ranks, in standard errors of such a difference.

    >>> rank_quantiles(["Nemenyi"], [4]).columns["5 %"]
    [2.569...]
    """
    columns = {
        f"{test} {100 * alpha:g} %".removeprefix(f"{tests[0]} " if len(tests) == 1 else ""): [
            QUANTILES[test](k, alpha) for k in algorithms
        ]
        for test in tests
        for alpha in ALPHAS
    }
    title = "Critical values, in standard errors sqrt(k (k + 1) / (6 N)) of the difference of two mean ranks"
    return Table({"algorithms": list(algorithms), **columns}, title=f"{title}: k algorithms, N data sets")


GROUPS: dict[str, Mapping[str, Measure]] = {
    "Two classes": registry,
    "More than two classes": registry_of_many,
    "On request": on_request,
    "On request, more than two classes": on_request_of_many,
}


def explained(text: str) -> Answer:
    """What a word means; of a name made of several, what each of them means."""
    found = look_up(text)
    # A method whose name is made of words is simulated as a whole; its words by themselves are other methods.
    figures = _coverage_blocks(text) if len(found) > 1 else []
    answers = [_explanation_answer(one, has_figures=not figures) for one in found]
    if len(answers) == 1:
        return answers[0]
    record = {"name": text, "parts": [answer.record() for answer in answers]}
    return Answer(
        lambda: record, lambda form: [*(block for answer in answers for block in answer.blocks(form)), *figures]
    )


def look_up(text: str) -> list[Measure | Rule | Word]:
    """What a text names; a measure of two classes before one of many, and either before any other word.

    >>> [str(one).split(":")[0] for one in look_up("DeLong, logit, with Newcombe 5")]
    ['DeLong, logit (interval method)', 'with Newcombe 5 (interval method)']
    >>> look_up("macro_f1")
    [<measure macro_f1: Macro F1>]
    >>> look_up("Wilsn")
    Traceback (most recent call last):
    assay.errors.UnknownName: nothing here is called 'Wilsn'; did you mean Wilson?
    """
    if text.strip().upper() in rules:
        return [find_rule(text)]
    measure = _find_measure(text)
    if measure is not None:
        return [measure]
    found = find_words(text)
    if found:
        return list(found)
    raise _unknown_word_error(text)


def _find_measure(text: str) -> Measure | None:
    """The measure called so, by name, alias or title, or with parameters."""
    titled = _measures_by_title().get(word_key(text))
    if titled is not None:
        return titled
    refused = None
    for finder in (find, find_for_many):
        try:
            return finder(text)
        except UnknownName as error:
            refused = error
    # One that has parameters and lacks them, or has the wrong ones, is known: its own words say more.
    with_parameters = "(" in text and word_key(text.split("(")[0]) in map(word_key, (*FORMS, *FORMS_OF_MANY))
    if refused is not None and (with_parameters or " has parameters" in str(refused)):
        raise refused
    return _measures_by_title().get(without_numbers(text))


def _parametric_examples() -> list[Measure]:
    """One of each kind of measure with parameters."""
    of_many = (find_for_many(form.example) for form in FORMS_OF_MANY.values())
    return [*(find(form.example) for form in FORMS.values()), *of_many]


@cache
def _measures_by_title() -> dict[str, Measure]:
    """The measures by their titles; of one title that of two classes."""
    with_parameters = {without_numbers(one.title): one for one in _parametric_examples()}
    of_groups = {word_key(one.title): one for group in reversed(GROUPS.values()) for one in group.values()}
    return with_parameters | of_groups


def _unknown_word_error(text: str) -> AssayError:
    every = {
        word_key(name): name for group in GROUPS.values() for one in group.values() for name in (one.name, *one.aliases)
    }
    every |= {key: word.name for key, word in words_by_key().items()} | {key: key for key in _measures_by_title()}
    close = [every[key] for key in difflib.get_close_matches(word_key(text), every, n=3, cutoff=0.75)]
    hint = f"; did you mean {' or '.join(dict.fromkeys(close))}?" if close else "; assay measures lists every measure"
    return UnknownName(f"no measure, method or term {text!r}{hint}")


def _coverage_blocks(method: str) -> list[Block]:
    """How often the intervals of a method held, and where they surely did too seldom."""
    simulated = of_method(method)
    if simulated is None:
        return []
    return [Tabled(simulated, f"{simulated.title}:"), *(Sentence(line) for line in weak_of_method(method))]


def _explanation_answer(found: Measure | Rule | Word, *, has_figures: bool = True) -> Answer:
    if isinstance(found, Rule):
        about = {"code": found.code, "title": found.title, "explanation": found.explanation}
        return facts(about, [Sentence(f"{found.code}  {found.title}"), Verbatim(found.explanation)])
    if isinstance(found, Word):
        record: dict[str, Any] = {"name": found.name, "kind": found.kind, "meaning": found.meaning}
        meaning = f"{found.meaning[0].upper()}{found.meaning[1:]}"
        if found.kind == "interval method":
            record["identifier"] = method_identifier(found.name)
            meaning = f"{meaning} Identifier: {record['identifier']}."
        held = _coverage_blocks(found.name) if has_figures else []
        critical = critical_values(found.name)
        if critical is not None:
            record["critical_values"] = critical.to_dict()
            held = [Tabled(critical, f"{critical.title}:"), *held]
        return facts(record, [Sentence(f"{found.name} ({found.kind})"), Sentence(meaning), *held])
    return _measure_answer(found)


def _measure_answer(found: Measure) -> Answer:
    methods, better = list(found.intervals.methods), f", {found.better} is better"
    said = {
        "formula": found.notation,
        "range": found.range_text + ("" if found.better == "neither" else better),
        "undefined": f"if {found.undefined}",
        "interval": "; ".join(methods) + (" (the first is the default)" if len(methods) > 1 else ""),
        "assumes": found.intervals.assumes,
        **_simulated_coverage(found),
        "aliases": ", ".join(found.aliases),
        "reference": found.reference,
    }
    notes = Notes(tuple(Note(f"  {label:<11}", text) for label, text in said.items() if text), apart=True)
    return facts(found.facts(), [Sentence(f"{found.title} ({found.name})"), Verbatim(found.definition), notes])


def _simulated_coverage(found: Measure) -> dict[str, str]:
    """How often the default interval held, and that of a difference."""
    is_of_many = registry_of_many.get(found.name) is found and registry.get(found.name) is not found
    single = certified(f"{found.name}{OF_MANY}", "classes") if is_of_many else certified(found.name)
    difference = None if is_of_many else certified(f"{found.name}{OF_DIFFERENCE}")
    said = {"simulated": single, "difference": difference}
    return {label: text for label, text in said.items() if text is not None}


def listed_measures() -> Answer:
    """Every measure: of two classes and of more, those on request, and those with parameters."""
    record = {
        **{name: one.facts() for group in reversed(GROUPS.values()) for name, one in group.items()},
        **{one.name: one.facts() for one in _parametric_examples()},
    }
    return facts(
        record,
        [block for title, group in GROUPS.items() for block in _measure_group(title, group)]
        + list(_parametric_forms()),
    )


def _measure_group(title: str, group: Mapping[str, Measure]) -> Iterator[Block]:
    yield Sentence(f"{title}: {len(group)} measures")
    for family in dict.fromkeys(one.family for one in group.values()):
        kin = [one for one in group.values() if one.family == family]
        columns = {"name": [f"  {m.name}" for m in kin], "measure": [m.title for m in kin]}
        columns |= {"range": [m.range_text for m in kin], "better": [m.better for m in kin]}
        columns["interval"] = [next(iter(m.intervals.methods)) for m in kin]
        yield Verbatim("\n".join([family.capitalize(), *str(Table(columns)).splitlines()[1:]]))


def _parametric_forms() -> Iterator[Block]:
    examples = [f"  {one.name:<27}  {one.title}" for one in _parametric_examples()]
    examples.append(
        f"  {'macro_f_beta(2)':<27}  {find_for_many('macro_f_beta(2)').title}, and likewise the other measures "
        "of one class"
    )
    yield Verbatim("\n".join(["With parameters, such as", *examples]))
    yield Said(("assay explain NAME describes one of them, and any other term that is printed.",))
