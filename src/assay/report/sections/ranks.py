"""The page of ranks: what was found in words, the ranking, the tests behind it, and how to find it again."""

from __future__ import annotations

import math
import shlex
from typing import TYPE_CHECKING

from assay.ranks.ranks import could_not_pass, findings, reservations
from assay.report.blocks import Block, Heading, Note, Notes, Picture, Sentence
from assay.report.sections.rank_diagram import rank_diagram
from assay.report.sections.ranks_tables import (
    any_difference,
    by_data_set,
    effect_sizes,
    every_adjustment,
    names_of,
    pairs,
    posteriors,
    ranking,
    weka_marks,
    win_tie_loss,
)
from assay.report.sections.reproduce import Option, command_words, python_call, versions
from assay.report.words import listed, p_equals, shortened, tamed, visible
from assay.results import Table, counted

if TYPE_CHECKING:
    from assay.ranks import RankAnswer

__all__ = [
    "about_ranks",
    "difference_picture",
    "of_ranks",
    "ranks_cautions",
    "ranks_lede",
    "ranks_methods",
    "ranks_sections",
    "ranks_verdict",
]

# Fewer data sets than this make no one the best, whatever the test.
FEWEST = 5
MOST_NAMED = 3
WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")

# What each way to compare does, by the name under which results carry it.
TESTS = {
    "Wilcoxon signed-rank": "ranks the sizes of the differences of two algorithms; exact up to 200 of them. Wilcoxon "
    "(1945); Benavoli et al. (2016) on why it is to be preferred to tests of mean ranks.",
    "sign test": "counts on how many data sets either is ahead; exact binomial.",
    "Friedman ranks, z": "the difference of two mean ranks over its standard error. Demsar (2006).",
    "Nemenyi": "the difference of two mean ranks held against the largest of all pairs. Nemenyi (1963).",
    "aligned ranks, z": "mean ranks of what is left when each data set's mean is taken off. Hodges & Lehmann (1962).",
    "Quade, z": "mean ranks weighted by how far apart the algorithms are on a data set. Quade (1979).",
}
ADJUSTMENTS = {
    "none": "nothing is adjusted: among many comparisons some pass by chance.",
    "bonferroni": "each p-value times the number of comparisons.",
    "holm": "from the smallest up, times as many as are left. Holm (1979).",
    "hochberg": "from the largest down; needs comparisons that do not work against one another. Hochberg (1988).",
    "hommel": "every subset by Simes' test; the same need as Hochberg's. Hommel (1988).",
    "holland": "Holm's steps by Sidak's bound. Holland & Copenhaver (1987).",
    "finner": "steps by Sidak's bound that widen with the rank. Finner (1993).",
    "rom": "Hochberg's steps with exact factors, for this alpha alone. Rom (1990).",
    "li": "two steps, against the largest p-value. Li (2008).",
    "benjamini-hochberg": "the share of false ones among those found. Benjamini & Hochberg (1995).",
    "shaffer": "Holm's steps over the pairs that can still be equal together. Shaffer (1986).",
    "bergmann-hommel": "every set of pairs that can be equal together. Bergmann & Hommel (1988).",
    "all pairs at once": "the p-values hold for all pairs at once.",
}
OMNIBUS = {
    "Iman-Davenport": "an F from Friedman's chi-square, which keeps its level better. Iman & Davenport (1980).",
    "Friedman": "the spread of mean ranks, with and without correction for ties. Friedman (1937); Demsar (2006).",
    "Aligned ranks": "ranks across data sets of what is left without each one's mean. Hodges & Lehmann (1962).",
    "Quade": "data sets weigh the more, the further apart the algorithms are on them. Quade (1979).",
}
DIFFERENCES = {
    "Nemenyi": "from the studentized range, all pairs considered. Nemenyi (1963); Demsar (2006).",
    "Bonferroni-Dunn": "from the normal distribution, all others against the control. Dunn (1961); Demsar (2006).",
}
BAYESIAN = (
    "how likely it is that the mean of two data sets' differences lies mostly above the rope, in it or below it; a "
    "Dirichlet process over differences, with no difference as half a data set of prior. Benavoli et al. (2014, 2017)."
)
EFFECTS = {
    "Cliff's delta": "pairs of data sets in which one is ahead less those in which it is behind, over all pairs. Cliff "
    "(1993); limits by Wilson (1927) with every data set as one case, or by its influence where wider.",
    "Akinshin's gamma": "the difference of medians over the pooled median absolute deviation times 1.4826, medians by "
    "Harrell & Davis (1982). Akinshin (2020).",
}
WEKA = (
    "a t test over folds that allows for the training cases they share. Nadeau & Bengio (2003); Bouckaert & Frank "
    "(2004)."
)

ASSUMED = (
    "All of this is about data sets like these: each counts the same, as one observation independent of the others."
)


def about_ranks(answer: RankAnswer) -> list[str]:
    """What was read: file, sizes, direction, hash."""
    results, source = answer.ranks.results, answer.ranks.results.source
    sizes = [counted(len(results.algorithms), "algorithm"), counted(len(results.datasets), "data set")]
    name = "results" if source is None else shortened(source.name, 60)
    digest = [] if source is None or source.sha256 is None else [f"sha256 {source.sha256[:8]}…"]
    return [name, *sizes, f"{results.better} values better", *digest]


def ranks_verdict(answer: RankAnswer) -> str:
    """Who ranks first, how many of the others it beats by the page's test, and whom it cannot be told from."""
    ranks, names = answer.ranks, names_of(answer)
    if too_few(answer):
        whom = "both algorithms" if len(names) == 2 else f"{len(names):,} algorithms"
        number = counted(len(ranks.results.datasets), "data set")
        return f"{number} cannot tell {whom} apart, whatever the ranks"
    if len(names) == 2:
        return _of_two(answer)
    if answer.comparisons.control is not None:
        return _against_control(answer, answer.comparisons.control)
    best = ranks.order[0]
    shared = [name for name in ranks.order if ranks.mean_ranks[name] == ranks.mean_ranks[best]]
    if len(shared) > 1:
        named = listed(names[name] for name in shared) if len(shared) <= MOST_NAMED else f"{len(shared):,} algorithms"
        return f"{named} share the best mean rank, {ranks.mean_ranks[best]:.2f} of {len(names)}"
    rivals = dict(_winners(answer, best))
    beaten = [other for other, winner in rivals.items() if winner == best]
    unclear = [names[other] for other, winner in rivals.items() if winner is None]
    ahead = [names[other] for other, winner in rivals.items() if winner == other]
    if not beaten and not ahead:
        return f"{names[best]} ranks first and cannot be told from any of the other {_many(len(rivals))}"
    everyone = "both others" if len(rivals) == 2 else f"all {_many(len(rivals))} others"
    how_many = everyone if len(beaten) == len(rivals) else _of(len(beaten), len(rivals))
    return f"{names[best]} ranks first and beats {how_many} beyond chance{_rest(unclear, ahead)}"


def too_few(answer: RankAnswer) -> bool:
    """Whether so few data sets could not have told two algorithms apart, however far apart they lay."""
    count, compared = len(answer.ranks.results.datasets), answer.comparisons
    return count < FEWEST or could_not_pass(compared, count, answer.ranks.alpha)


def _winners(answer: RankAnswer, own: str) -> list[tuple[str, str | None]]:
    """Every algorithm that one is compared with, in the order of ranks, and the better of the two, if any."""
    found = {
        pair.second if pair.first == own else pair.first: pair.better(answer.ranks.alpha)
        for pair in answer.comparisons.pairs
        if own in (pair.first, pair.second)
    }
    return [(other, found[other]) for other in answer.ranks.order if other in found]


def _many(number: int) -> str:
    return WORDS[number] if number < len(WORDS) else f"{number:,}"


def _of(some: int, whole: int) -> str:
    return f"{_many(some) if some else 'none'} of the other {_many(whole)}"


def _rest(unclear: list[str], ahead: list[str]) -> str:
    """Whom the first cannot be told from, and who beats it although it ranks first."""
    said = ""
    if unclear:
        who = f"only {unclear[0]}" if len(unclear) == 1 else listed(unclear)
        said = f"; {who if len(unclear) <= MOST_NAMED else f'{_many(len(unclear))} others'} cannot be told from it"
    if ahead:
        who = listed(ahead) if len(ahead) <= MOST_NAMED else f"{_many(len(ahead))} others"
        said += f"; {who} {'beats' if len(ahead) == 1 else 'beat'} it"
    return said


def _against_control(answer: RankAnswer, control: str) -> str:
    """How many are told from a control that was named, and which way."""
    names, found = names_of(answer), _winners(answer, control)
    better = [names[other] for other, winner in found if winner == other]
    worse = [names[other] for other, winner in found if winner == control]
    if not better and not worse:
        return f"None of {_many(len(found))} is told from the control {names[control]}"
    groups = ((better, "better"), (worse, "worse"))
    said = [f"{listed(who) if len(who) <= MOST_NAMED else _many(len(who))} {word}" for who, word in groups if who]
    told = f"{_many(len(better) + len(worse))} of {_many(len(found))} are told from the control {names[control]}"
    return f"{told[0].upper()}{told[1:]}: {', '.join(said)}"


def _of_two(answer: RankAnswer) -> str:
    names = names_of(answer)
    (pair,) = answer.comparisons.pairs
    winner = pair.better(answer.ranks.alpha)
    if winner is None:
        number = counted(len(answer.ranks.results.datasets), "data set")
        return f"{names[pair.first]} and {names[pair.second]} cannot be told apart on {number}"
    loser = pair.second if winner == pair.first else pair.first
    return f"{names[winner]} is better than {names[loser]} beyond chance, p {p_equals(pair.adjusted)}"


def ranks_lede(answer: RankAnswer) -> str:
    """What the sentence rests on: the mean rank, the nearest rival, and whether they differ at all."""
    ranks, names = answer.ranks, names_of(answer)
    best, number = ranks.order[0], counted(len(ranks.results.datasets), "data set")
    parts = [f"{names[best]}: mean rank {ranks.mean_ranks[best]:.2f} of {len(names)} over {number}"]
    rivals = [pair for pair in answer.comparisons.pairs if best in (pair.first, pair.second)]
    unclear = [pair for pair in rivals if pair.better(ranks.alpha) is None and not math.isnan(pair.adjusted)]
    nearest = min(unclear or rivals, key=lambda pair: -pair.adjusted, default=None)
    if nearest is not None and not math.isnan(nearest.adjusted):
        is_first = nearest.first == best
        other, wins, losses = (
            (nearest.second, nearest.wins, nearest.losses)
            if is_first
            else (nearest.first, nearest.losses, nearest.wins)
        )
        score = (
            f"{counted(wins, 'win')}, {counted(nearest.ties, 'tie')}, {losses} {'loss' if losses == 1 else 'losses'}"
        )
        parts.append(f"against {names[other]} {score}, p {p_equals(nearest.adjusted)}")
    if len(names) > 2 and (test := ranks.omnibus()["iman_davenport"]).undefined is None:
        all_of_them = f"all {_many(len(names))}"
        differ = f"not {all_of_them} are alike" if test.p_value <= ranks.alpha else f"{all_of_them} may be alike"
        parts.append(f"{differ}: Iman-Davenport F = {test.statistic:.3g}, p {p_equals(test.p_value)}")
    return " · ".join(parts)


def ranks_sections(answer: RankAnswer) -> dict[str, list[Block]]:
    """All sections of the page that have something to say."""
    said: list[Block] = [Sentence(tamed(line)) for line in findings(answer.ranks, answer.comparisons)]
    found: dict[str, list[Block] | None] = {
        "lede": [Sentence(ranks_lede(answer))],
        **of_ranks(answer),
        "cautions": _cautions(answer),
        "verdicts": [Heading("What the tests say"), *said, Sentence(ASSUMED)],
        "weka": weka_marks(answer),
        "bayesian": posteriors(answer),
        "methods": [Heading("Methods and references"), Notes((*ranks_methods(answer), *_of_marks(answer)))],
        "reproduce": _reproduce(answer),
    }
    return {name: blocks for name, blocks in found.items() if blocks}


def of_ranks(answer: RankAnswer) -> dict[str, list[Block] | None]:
    """The sections that a study has as well: diagram, ranking, data sets, tests, pairs and wins."""
    return {
        "critical-difference": [Heading("Who can be told apart"), rank_diagram(answer)],
        "ranking": ranking(answer),
        "by-data-set": by_data_set(answer),
        "omnibus": any_difference(answer),
        "pairs": pairs(answer),
        "adjustments": every_adjustment(answer),
        "effect-sizes": effect_sizes(answer),
        "win-tie-loss": win_tie_loss(answer),
    }


def _cautions(answer: RankAnswer) -> list[Block] | None:
    items = ranks_cautions(answer)
    return [Heading("Cautions"), Notes(items)] if items else None


def ranks_cautions(answer: RankAnswer) -> tuple[Note, ...]:
    """What to mind about ranks and comparisons."""
    minded = reservations(answer.ranks, answer.comparisons)
    return tuple(Note(label, tamed(words)) for label, words in minded.items())


def difference_picture(answer: RankAnswer) -> Picture:
    """The critical difference where there is room for one figure alone, as in a notebook: bars are its own."""
    found = answer.difference
    if found.undefined is not None:
        caption = f"There is no critical difference: {found.undefined}."
    else:
        own = found.mean_ranks[0] if found.control is None else answer.ranks.mean_ranks[found.control]
        away = sum(abs(rank - own) > found.difference for rank in found.mean_ranks)
        far = f"{away} of {len(found.algorithms) - 1}"
        whom = "the best" if found.control is None else "the control"
        caption = f"Mean ranks must lie {found.difference:.3g} apart; {far} others lie that far from {whom}."
    joined = (
        "" if found.undefined else f"; {found.method}, {found.alpha:g}; bars join those that it does not tell apart"
    )
    subtitle = f"Mean ranks over data sets{joined}"
    names = names_of(answer)
    table = found.table()
    shown = Table({**table.columns, "algorithm": [names[name] for name in table.columns["algorithm"]]}, table.title)
    return Picture(found.figure(), caption, subtitle, shown)


def ranks_methods(answer: RankAnswer) -> list[Note]:
    """The tests behind this page, and no others."""
    compared, difference = answer.comparisons, answer.difference
    has_omnibus = any(test.undefined is None for test in answer.ranks.omnibus().values())
    items = [Note(name, words) for name, words in OMNIBUS.items() if has_omnibus]
    items.append(Note(compared.test, TESTS[compared.test]))
    items.append(Note(compared.adjustment.title(), ADJUSTMENTS[compared.adjustment]))
    if difference.undefined is None:
        items.append(Note(f"{difference.method}'s difference", DIFFERENCES[difference.method]))
    items += [Note(name, words) for name, words in EFFECTS.items()]
    items += [Note("Bayesian signed-rank", BAYESIAN)] if answer.posteriors else []
    return items


def _of_marks(answer: RankAnswer) -> list[Note]:
    return [] if answer.ranks.results.folds is None else [Note("Marks", WEKA)]


def _reproduce(answer: RankAnswer) -> list[Block]:
    results, source = answer.ranks.results, answer.ranks.results.source
    items = [] if source is None else [Note("source", f"{shortened(source.name, 60)}, {counted(source.rows, 'row')}")]
    if source is not None and source.sha256 is not None:
        items.append(Note("sha256", source.sha256))
        given: dict[str, Option | None] = {
            **{role: column for role, column in source.columns.items() if role not in ("n_train", "n_test")},
            "better": None if results.better == "higher" else results.better,
            "alpha": None if answer.ranks.alpha == 0.05 else answer.ranks.alpha,
            "ratio": results.ratio,
            "missing": "drop" if results.dropped else None,
        }
        options = {name: value for name, value in given.items() if value is not None}
        words = [*command_words("rank", source.name, {**options, **answer.asked}), "--html", "report.html"]
        items.append(Note("command", visible(shlex.join(words)), is_code=True))
        asked = "".join(f", {name}={value!r}" for name, value in answer.asked.items())
        call = f"{python_call('rank_algorithms', source.name, options)}.report('report.html'{asked})"
        items.append(Note("Python", f"import assay\n{visible(call)}", is_code=True))
    items.append(versions("numpy", "scipy"))
    return [Heading("Reproduce"), Notes(tuple(items))]
