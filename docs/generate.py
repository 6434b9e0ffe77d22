"""Writes the pages, the schemas and the stub that are made from the registry: `python -m docs.generate`.

A test regenerates them in memory and compares, so what is published is what the code says.
"""

from __future__ import annotations

import json
import math
from functools import cache
from pathlib import Path
from typing import Any

from docs import critical_values, gallery, learner_pictures, options, strings
from docs.answer_schemas import (
    battles_schema,
    chance_schema,
    check_schema,
    columns_schema,
    comparison_schema,
    curve_schema,
    estimates_schema,
    evaluations_schema,
    experiment_schema,
    items_comparison_schema,
    items_schema,
    judge_schema,
    model_schema,
    moment_schema,
    ranks_schema,
    sample_schema,
    sampled_schema,
    scored_schema,
    sites_schema,
    tests_schema,
    threshold_schema,
)
from docs.evidence_schema import evidence_schema
from docs.schemas import evaluation_schema
from docs.stubs import stub_of_measures

from assay.cautions import rules
from assay.evidence import ConfusionMatrix
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
from assay.measures.interval_methods import names_of
from assay.report.glossary import WORDS

HERE = Path(__file__).parent
FAMILIES = {
    "ranking": "Ranking: do positives score higher than negatives?",
    "probability": "Probability: are the scores good as probabilities?",
    "rates": "Rates: what share of cases fared how, given the decisions",
    "agreement": "Agreement: one number for a whole confusion matrix",
}
KINDS = {
    "A1": "The data",
    "A2": "Probabilities",
    "A3": "Decisions",
    "A4": "Comparisons",
    "A5": "Experiments",
    "A6": "Sites",
    "A7": "Few labels",
}
GENERATED = "<!-- Made by docs/generate.py from the code: change it there and type `make docs`. -->\n"


@cache
def pages() -> dict[str, str]:
    """Every generated file with its text, by its path below docs/."""
    return {
        "measures.md": measures_page(),
        "cautions.md": cautions_page(),
        "ranks.md": critical_values.page(),
        "options.md": GENERATED + options.page(),
        "words.md": words_page(),
        "strings.md": strings.page(),
        "../src/assay/evaluation/measure_properties.pyi": stub_of_measures(),
        **{f"schema/{name}.json": _json(schema) for name, schema in schemas().items()},
    }


def schemas() -> dict[str, dict[str, Any]]:
    """Every published schema, by the name of its file."""
    return {
        "evaluation-1": evaluation_schema(),
        "evaluations-1": evaluations_schema(),
        "comparison-1": comparison_schema(),
        "estimates-1": estimates_schema(),
        "tests-1": tests_schema(),
        "threshold-1": threshold_schema(),
        "check-1": check_schema(),
        "ranks-1": ranks_schema(),
        "sample-1": sample_schema(),
        "sampled-1": sampled_schema(),
        "sites-1": sites_schema(),
        "columns-1": columns_schema(),
        "items-1": items_schema(),
        "judge-1": judge_schema(),
        "battles-1": battles_schema(),
        "items-comparison-1": items_comparison_schema(),
        "experiment-1": experiment_schema(),
        "experiment-model-1": model_schema(),
        "experiment-score-1": scored_schema(),
        "experiment-chance-1": chance_schema(),
        "moment-1": moment_schema(),
        "curve-1": curve_schema(),
        "evidence-1": evidence_schema(1),
        "evidence-2": evidence_schema(2),
    }


def words_page() -> str:
    """The words of Assay itself, which `assay explain` prints too."""
    rows = [f"| {name} | {meaning} | {other} |" for name, (meaning, other) in WORDS.items()]
    said = "A word a thing, in code, JSON, on screen and in these documents. `assay explain WORD` says the same.\n"
    return "\n".join([GENERATED, "# Words\n", said, "| word | what it is | not |", "|---|---|---|", *rows, ""])


def measures_page() -> str:
    """All measures: a table for each family, then each with its facts."""
    parts = [GENERATED, "# Measures\n", f"{len(registry)} measures. `assay explain NAME` prints the same facts.\n"]
    for family, title in FAMILIES.items():
        kept = [measure for measure in registry.values() if measure.family == family]
        parts += [f"## {title}\n", _table(kept), *map(_section, kept)]
    by_name = list(on_request.values())
    parts += ["## Found by name, shown in no table\n", _table(by_name), *map(_section, by_name)]
    return "\n".join([*parts, *_with_parameters(), *_many_classes()])


def _with_parameters() -> list[str]:
    """Measures that numbers in brackets make, by an example of each."""
    made = [find(form.example) for form in FORMS.values()]
    made += [find_for_many(form.example) for form in FORMS_OF_MANY.values()]
    intro = "Written so wherever a name is asked for, in Python, in commands, in requirements and in studies:\n"
    return ["## With parameters\n", intro, _table(made)]


def _many_classes() -> list[str]:
    """What is different with more than two classes."""
    others = [m for name, m in registry_of_many.items() if name not in registry or m.needs is not ConfusionMatrix]
    same = [f"`{name}`" for name, m in registry_of_many.items() if m not in others]
    intro = (
        f"Rates of one class stand in `per_class`, each class against the rest. {', '.join(same)} are what they are "
        "for two classes, taken over the classes that occur. Their averages and what reads the scores of all classes:\n"
    )
    asked = list(on_request_of_many.values())
    by_name = ["## More than two classes, found by name\n", _table(asked), *map(_section, asked)]
    return ["## More than two classes\n", intro, _table(others), *map(_section, others), *by_name]


def cautions_page() -> str:
    """All cautions with their explanation."""
    parts = [GENERATED, "# Cautions\n", "`assay explain CODE` prints the same.\n"]
    for prefix, title in KINDS.items():
        kept = [rules[code] for code in sorted(rules) if code.startswith(prefix)]
        parts += [f"## {title} ({prefix}xx)\n"] + [f"### {r.code} {r.title}\n\n{r.explanation}\n" for r in kept]
    return "\n".join(parts)


def _json(schema: dict[str, Any]) -> str:
    return json.dumps(schema, indent=2) + "\n"


def _table(measures: list[Measure]) -> str:
    lines = ["| name | measure | formula | range | better | interval |", "|---|---|---|---|---|---|"]
    for m in measures:
        cells = (f"`{m.name}`", m.title, f"`{m.notation}`", _range(m), m.better, next(iter(m.intervals.methods)))
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def _section(measure: Measure) -> str:
    facts = {
        "Undefined when": measure.undefined,
        "Intervals": ", ".join(names_of(measure)) + " (the first by default)",
        "Supposing that": measure.intervals.assumes,
        "Also called": ", ".join(f"`{alias}`" for alias in measure.aliases),
        "Reference": measure.reference,
    }
    listed = "".join(f"- {label}: {fact}\n" for label, fact in facts.items() if fact)
    return f"### {measure.title} (`{measure.name}`)\n\n{measure.definition}\n\n{listed}"


def _range(measure: Measure) -> str:
    return " to ".join(
        "infinity" if end == math.inf else "-infinity" if end == -math.inf else f"{end:g}" for end in measure.bounds
    )


def main() -> None:
    """Write every generated file, the pictures of curves and learners too."""
    for name, text in {**pages(), **gallery.pages(), **learner_pictures.pictures()}.items():
        path = HERE / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
