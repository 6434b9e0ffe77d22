"""Which of several models of many classes is better: one key measure a family, all of them under one adjustment."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from assay.comparison import Difference, bonferroni, bonferroni_level, judge
from assay.evaluation import Evaluation
from assay.report.findings._lines import item, line
from assay.report.said import FoundLine, Mark, Text, Wording, joined, said
from assay.report.sections._compared import Compared, NotCompared
from assay.report.sections._rows import is_shown
from assay.report.words import bracketed, listed, model_names, shortened, signed, tamed

# The measure that decides for each family: who ranks, gives probabilities and decides better.
DECIDING = {"ranking": "hand_till", "probability": "brier", "rates": "accuracy"}
MOST_NAMED = 4
# Titles that must be short for three differences to fit a line.
SHORT = {"Brier score": "Brier"}
NAME_IN_EVIDENCE = 12
LINK = {"link": "differences", "link_words": "Differences"}
# "better", "practically the same" and all else, as verdicts call them.
SAME = "practically the same"


@dataclass(frozen=True)
class KeyMeasure:
    """What the key measure of a family says: differences adjusted for all families, and the model that leads."""

    name: str
    title: str
    better: str
    differences: list[Difference]
    leader: str
    beaten: int

    def outcomes(self, margin: float | None) -> list[tuple[str, str | None, float]]:
        """For each pair what may be said, the better one where there is one, and the difference that would show."""
        found = [judge(one, self.title, self.better, margin=margin) for one in self.differences]
        return [(one.outcome, one.winner, one.detectable) for one in found]


def better_of_many(models: Mapping[str, Evaluation], compared: Compared | NotCompared | None) -> tuple[FoundLine, str]:
    """The line that says which is better, or why that cannot be told; and the model that the other lines are about."""
    if not isinstance(compared, Compared):
        reason = "they are no pairs" if compared is None else compared.reason
        return _not_compared(models, reason), _most_right(models)
    families = _families(compared)
    if not families:
        return _not_compared(models, "no key measure applies to all of them"), _most_right(models)
    found = _of_two(compared, families) if len(models) == 2 else _of_several(compared, families)
    return found, families[0].leader


def _not_compared(models: Mapping[str, Evaluation], reason: str) -> FoundLine:
    names = model_names(models)
    each = [item(names[key], ev.estimate("accuracy")) for key, ev in models.items() if is_shown(ev, "accuracy")][
        :MOST_NAMED
    ]
    words = said("many.better.reason", reason=tamed(shortened(reason.split(";")[0], 100)))
    link = {"link": "headline", "link_words": "Measures"}
    return FoundLine(_question(len(models)), "open", words, line(each), said("many.better.each"), **link)


def _most_right(models: Mapping[str, Evaluation]) -> str:
    """The model that is right most often on its own cases; the first where none has labels."""
    shares = {key: ev.estimate("accuracy").value for key, ev in models.items() if is_shown(ev, "accuracy")}
    known = {key: share for key, share in shares.items() if not math.isnan(share)}
    return max(known, key=lambda key: known[key]) if known else next(iter(models))


def _question(models: int) -> str:
    return "Better?" if models == 2 else "Best?"


def _families(compared: Compared) -> list[KeyMeasure]:
    """The families whose key measure applies to all models; no code holds three measures together, so Bonferroni."""
    comparison = compared.comparison
    names = [name for name in DECIDING if comparison.applies(DECIDING[name])]
    control = compared.control if len(comparison.names) == 2 else None
    level = bonferroni_level(comparison.level, len(names)) if names else comparison.level
    found = []
    for name in names:
        measure = comparison.find(DECIDING[name])
        wide = comparison.differences(measure.name, control=control, level=level)
        held = [replace(one, level=comparison.level, p_value=bonferroni(one.p_value, len(names))) for one in wide]
        values = {key: ev.estimate(measure.name).value for key, ev in comparison.models.items()}
        sign = -1 if measure.better == "lower" else 1
        leader = max(values, key=lambda key: sign * values[key])
        beaten = sum(judge(one, measure.title, measure.better, margin=compared.margin).winner == leader for one in held)
        found.append(KeyMeasure(name, measure.title, measure.better, held, leader, beaten))
    return found


def _of_two(compared: Compared, families: list[KeyMeasure]) -> FoundLine:
    names, (pair, *_) = compared.names, families[0].differences
    told = {family.name: family.outcomes(compared.margin)[0] for family in families}
    winners = {name: winner for name, (_, winner, _) in told.items()}
    both = {"first": names[pair.first], "second": names[pair.second]}
    mark: Mark = "told"
    if all(outcome == SAME for outcome, _, _ in told.values()):
        words = said("many.better.same", margin=f"{compared.margin:g}")
    elif not any(winners.values()):
        words, mark = said("many.better.none", **both), "open"
    else:
        words = _by_family("better", winners, names)
    evidence = [_difference(family, family.differences[0]) for family in families]
    evidence[0] = joined(
        [
            *_spaced(
                said("many.better.less", **{key: shortened(name, NAME_IN_EVIDENCE) for key, name in both.items()})
            ),
            *evidence[0],
        ]
    )
    if mark == "open":
        evidence += _would_show(families[0], told[families[0].name][2])
    return FoundLine("Better?", mark, words, line(evidence), _adjusted(families), **LINK)


def _spaced(text: Text) -> Text:
    return (*text[:-1], Wording(f"{text[-1].text} ", text[-1].look))


def _by_family(kind: str, winners: Mapping[str, str | None], names: Mapping[str, str]) -> Text:
    """One sentence of who wins in which family, and in which nobody can be told to."""
    keys = {winner for winner in winners.values() if winner is not None}
    if len(keys) == 1 and all(winners.values()) and len(winners) > 1:
        return said(f"many.{kind}.all", model=names[keys.pop()])
    verbs: dict[str | None, list[str]] = {}
    for name, winner in winners.items():
        verbs.setdefault(winner, []).append(said(f"many.{kind}.{name}")[0].text)
    clauses: list[Wording] = []
    for winner, does in verbs.items():
        if winner is not None:
            clauses += [Wording(", ")] * bool(clauses)
            clauses += said("many.better.does", model=names[winner], verbs=listed(does))
    if None in verbs:
        clauses += [Wording("; "), *said("many.better.cannot", verbs=listed(verbs[None]))]
    return joined(clauses)


def _difference(family: KeyMeasure, found: Difference) -> Text:
    title = SHORT.get(family.title, family.title)
    return said("many.item", title=title, value=signed(found), limits=bracketed(found))


def _would_show(family: KeyMeasure, detectable: float) -> list[Text]:
    if not (math.isfinite(detectable) and detectable > 0):
        return []
    return [said("many.better.shows", difference=f"{detectable:.2g}", measure=family.title)]


def _of_several(compared: Compared, families: list[KeyMeasure]) -> FoundLine:
    names, others = compared.names, len(compared.names) - 1
    winners = {family.name: family.leader if family.beaten == others else None for family in families}
    first = families[0]
    mark: Mark = "told"
    if any(winners.values()):
        words = _by_family("best", winners, names)
    else:
        mark = "open"
        beaten = f"{first.beaten:,}" if first.beaten else "none"
        shown = {"model": names[first.leader], "measure": first.title, "beaten": beaten, "others": f"{others:,}"}
        words = said("many.best.none", **shown)
    models = compared.comparison.models
    evidence = [
        item(f"{names[family.leader]}: {family.title}", models[family.leader].estimate(DECIDING[family.name]))
        for family in families
    ]
    return FoundLine("Best?", mark, words, line(evidence), _adjusted(families), **LINK)


def _adjusted(families: list[KeyMeasure]) -> Text:
    """What was paid for looking at several measures and pairs."""
    comparisons = sum(len(family.differences) for family in families)
    pairs = len(families[0].differences)
    if comparisons == 1:
        return ()
    ways = [f"Bonferroni over {len(families)} measures"] if len(families) > 1 else []
    ways += ["single-step within each" if len(families) > 1 else "single-step"] if pairs > 1 else []
    return said("many.better.adjusted", comparisons=f"{comparisons:,}", how=", ".join(ways))
