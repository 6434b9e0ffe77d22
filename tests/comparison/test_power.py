"""Plans: what they promise is what simulation or exact sums give, and `assay plan` says it."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtri

import assay
from assay.cli.plan import command
from assay.comparison import joint_auc, mcnemar, unpaired_auc
from assay.comparison.power import (
    AREA_SPREADS,
    area_variance,
    connor_cases,
    detectable_difference,
    plan_auc,
    plan_auc_against,
    plan_auc_difference,
    plan_brier_difference,
    plan_paired_difference,
    plan_proportion,
    plan_unpaired_difference,
    score_test_power,
)
from assay.errors import OptionError
from assay.evidence import ScoreTable
from assay.uncertainty import auc_interval


@given(value=st.floats(0.02, 0.98), half=st.floats(0.01, 0.2))
def test_a_planned_proportion_reaches_its_width_and_one_case_fewer_does_not(value: float, half: float) -> None:
    from assay.uncertainty import PROPORTION_METHODS

    n = plan_proportion(value, half).cases
    for cases, is_enough in ((n, True), (n - 1, False)):
        low, high = PROPORTION_METHODS["Wilson"](value * cases, cases, 0.95)
        assert ((high - low) / 2 <= half) == is_enough or n == 2


def test_a_rate_of_a_rare_class_needs_cases_of_both() -> None:
    whole, rare = plan_proportion(0.8, 0.05, name="recall"), plan_proportion(0.8, 0.05, share=0.1, name="recall")
    assert rare.cases == 10 * whole.cases
    assert "10 % of cases" in rare.assumes


@pytest.mark.parametrize(("method", "wanted"), [("binormal", 0.04), ("Hanley-McNeil", 0.035)])
def test_a_planned_auc_gets_about_the_width_asked_for(method: str, wanted: float) -> None:
    plan = plan_auc(0.85, 0.04, prevalence=0.3, method=method)
    assert plan.positives is not None
    rng = np.random.default_rng(1)
    widths = []
    for _ in range(40):
        scores = np.concatenate((rng.normal(1.4657, 1, plan.positives), rng.normal(0, 1, plan.cases - plan.positives)))
        found = assay.evaluate(np.arange(plan.cases) < plan.positives, scores, positive=True).roc_auc
        widths.append((found.high - found.low) / 2)
    assert np.mean(widths) == pytest.approx(wanted, rel=0.04)


@pytest.mark.parametrize(("auc", "prevalence"), [(0.8, 0.02), (0.9, 0.05), (0.9, 0.95), (0.95, 0.02)])
def test_a_planned_auc_of_a_rare_class_gets_its_width_with_normal_scores(auc: float, prevalence: float) -> None:
    plan = plan_auc(auc, 0.05, prevalence=prevalence, method="binormal")
    assert plan.positives is not None
    rng, widths = np.random.default_rng(5), []
    for _ in range(40):
        truth = np.arange(plan.cases) < plan.positives
        scores = rng.standard_normal(plan.cases) + math.sqrt(2) * float(ndtri(auc)) * truth
        found = assay.evaluate(truth, scores, positive=True).roc_auc
        widths.append((found.high - found.low) / 2)
    assert np.mean(widths) == pytest.approx(0.05, rel=0.05)


@pytest.mark.parametrize(
    ("prevalence", "auc", "ratio"),
    [
        (0.5, 0.85, 1.034),
        (0.01, 0.8, 1.22),
        (0.01, 0.9, 1.37),
        (0.01, 0.95, 1.54),
        (0.99, 0.8, 0.76),
        (0.99, 0.95, 0.5),
    ],
)
def test_how_far_hanley_and_mcneil_are_off_for_normal_scores(prevalence: float, auc: float, ratio: float) -> None:
    """The figures of `plan_auc`'s own words, and that a plan names the cases of the other kind of scores."""
    sizes = 1e6 * prevalence, 1e6 * (1 - prevalence)
    hanley, normal = (area_variance(auc, *sizes, method) for method in ("Hanley-McNeil", "binormal"))
    assert math.sqrt(hanley / normal) == pytest.approx(ratio, abs=0.01)
    assert f"{abs(ratio - 1):.0%}"[:-1] in str(plan_auc.__doc__)
    plans = {method: plan_auc(auc, 0.03, prevalence=prevalence, method=method) for method in AREA_SPREADS}
    for method, other in (("binormal", "Hanley-McNeil"), ("Hanley-McNeil", "binormal")):
        assert f"method {other}, it takes {plans[other].cases:,} cases" in plans[method].assumes


def test_power_summed_over_every_table() -> None:
    n, discordant, gap = 40, 0.3, 0.15
    power = 0.0
    for b in range(n + 1):
        for c in range(n + 1 - b):
            weight = math.comb(n, b + c) * math.comb(b + c, b) * (1 - discordant) ** (n - b - c)
            weight *= ((discordant + gap) / 2) ** b * ((discordant - gap) / 2) ** c
            power += weight * (mcnemar(b, c, "uncorrected").p_value <= 0.05)
    assert score_test_power(n, discordant, gap) == pytest.approx(power, abs=1e-9)


@pytest.mark.parametrize(("first", "second", "apart"), [(0.9, 0.87, 0.1), (0.8, 0.6, 0.4), (0.95, 0.94, 0.02)])
def test_a_paired_plan_has_the_power_it_names(first: float, second: float, apart: float) -> None:
    plan = plan_paired_difference(first, second, disagreement=apart)
    assert plan.reaches == pytest.approx(score_test_power(plan.cases, apart, first - second))
    assert 0.8 <= plan.reaches < 0.83
    # Connor's formula lies near it, on the careful side.
    assert plan.cases <= connor_cases(apart, first - second) <= 1.3 * plan.cases


def test_connor_takes_over_where_there_are_too_many_cases_to_sum() -> None:
    plan = plan_paired_difference(0.9, 0.8985, disagreement=0.1)
    assert plan.method == "score test, Connor"
    assert plan.cases == connor_cases(0.1, 0.9 - 0.8985) > 200_000
    assert plan.reaches == pytest.approx(0.8, abs=0.001)


def test_simulated_power_of_a_paired_plan() -> None:
    plan = plan_paired_difference(0.9, 0.82, disagreement=0.16)
    draws = np.random.default_rng(2).multinomial(plan.cases, [0.12, 0.04, 0.84], size=2000)
    seen = np.mean([mcnemar(b, c, "uncorrected").p_value < 0.05 for b, c, _ in draws.tolist()])
    assert seen == pytest.approx(0.8, abs=3 * math.sqrt(0.16 / 2000))


def test_simulated_power_of_an_unpaired_plan() -> None:
    n = plan_unpaired_difference(0.8, 0.7).cases
    rng = np.random.default_rng(3)
    x, y = rng.binomial(n, 0.8, 4000), rng.binomial(n, 0.7, 4000)
    pooled = (x + y) / (2 * n)
    z = (x - y) / n / np.sqrt(2 * pooled * (1 - pooled) / n)
    assert np.mean(np.abs(z) > 1.96) == pytest.approx(0.8, abs=3 * math.sqrt(0.16 / 4000))


def test_independent_errors_need_more_cases_than_shared_ones() -> None:
    assert plan_paired_difference(0.9, 0.87).cases > plan_paired_difference(0.9, 0.87, disagreement=0.08).cases
    assert "independent errors" in plan_paired_difference(0.9, 0.87).assumes


def test_pairing_and_correlation_save_cases() -> None:
    needed = [plan_auc_difference(0.85, 0.8, correlation=rho).cases for rho in (0.0, 0.5, 0.9)]
    assert needed[0] > needed[1] > needed[2]
    apart = plan_auc_difference(0.85, 0.8, paired=False)
    assert apart.cases == pytest.approx(needed[0], abs=3)  # of each, so twice as many in all
    assert "cases of its own" in apart.purpose


@pytest.mark.parametrize(("auc", "bound", "prevalence"), [(0.75, 0.5, 0.5), (0.85, 0.8, 0.1), (0.7, 0.75, 0.4)])
def test_a_plan_of_one_auc_has_the_power_of_the_interval_that_will_be_shown(
    auc: float, bound: float, prevalence: float
) -> None:
    """The formula that tests on the scale of the AUC itself planned for .73 where .80 was asked for."""
    plan = plan_auc_against(auc, bound, prevalence=prevalence)
    assert plan.positives is not None
    rng, truth, shown, draws = np.random.default_rng(4), np.arange(plan.cases) < plan.positives, 0, 600
    for _ in range(draws):
        score = rng.standard_normal(plan.cases) + math.sqrt(2) * float(ndtri(auc)) * truth
        interval = auc_interval(ScoreTable.of(score, truth), 0.95)
        shown += interval.low > bound if auc > bound else interval.high < bound
    assert shown / draws >= 0.78 - 2 * math.sqrt(0.16 / draws)
    assert plan.reaches >= 0.8
    assert plan_auc_against(1 - auc, 1 - bound, prevalence=1 - prevalence).cases == pytest.approx(plan.cases, abs=2)


@pytest.mark.parametrize(
    ("first", "second", "prevalence", "correlation"),
    [(0.9, 0.8, 0.1, 0.5), (0.8, 0.7, 0.5, 0.5), (0.9, 0.8, 0.3, None)],
)
def test_a_plan_of_two_aucs_has_the_power_of_the_default_test(
    first: float, second: float, prevalence: float, correlation: float | None
) -> None:
    plan = plan_auc_difference(
        first, second, prevalence=prevalence, correlation=correlation or 0.0, paired=correlation is not None
    )
    assert plan.positives is not None
    rng, truth, shown, draws = np.random.default_rng(9), np.arange(plan.cases) < plan.positives, 0, 500
    shared = correlation or 0.0
    for _ in range(draws):
        noise = math.sqrt(1 - shared) * rng.standard_normal((2, plan.cases))
        noise += math.sqrt(shared) * rng.standard_normal(plan.cases)
        one, other = noise + math.sqrt(2) * ndtri(np.array([[first], [second]])) * truth
        if correlation is None:
            found = unpaired_auc(ScoreTable.of(one, truth), ScoreTable.of(other, truth))
        else:
            found = joint_auc(truth, {"a": one, "b": other}).difference(0, 1)
        shown += found.low > 0
    assert shown / draws >= 0.78 - 2 * math.sqrt(0.16 / draws)


def test_chance_by_the_default_interval_and_by_obuchowskis_formula() -> None:
    """pROC's numbers stay for whoever asks for the formula by its name."""
    usual = json.loads(run("auc", "0.75", "--chance", "--json").output)
    formula = json.loads(run("auc", "0.75", "--chance", "--method", "obuchowski", "--json").output)
    assert (usual["cases"], usual["method"]) == (plan_auc_against(0.75).cases, "DeLong, logit, binormal")
    assert (formula["cases"], formula["method"]) == (38, "Obuchowski")
    power = json.loads(run("auc", "0.75", "--chance", "--cases", str(usual["cases"]), "--json").output)
    assert power["power"] == pytest.approx(usual["reaches"])
    certain = run("auc", "0.9", "--chance", "--cases", "5000").output
    assert "in more than 99.9 % of samples" in certain
    one_sided = json.loads(run("auc", "0.75", "--chance", "--alternative", "greater", "--json").output)
    assert one_sided["cases"] < usual["cases"]


def test_a_pilot_plans_with_the_default_test_on_more_cases() -> None:
    rng = np.random.default_rng(3)
    y = (rng.random(300) < 0.1).astype(int)
    first, second = rng.normal(1.8 * y), rng.normal(1.8 * y)
    cmp = assay.compare(y, {"a": first, "b": second})
    plan = cmp.tests.plan("roc_auc", "a", "b", difference=0.08)
    by_formula = cmp.tests.plan("roc_auc", "a", "b", difference=0.08, method="delong")
    # The default test is wider where few are misranked, and its error grows with the difference.
    assert plan.cases > by_formula.cases
    assert cmp.tests.power("roc_auc", "a", "b", difference=0.08, cases=plan.cases) == pytest.approx(plan.reaches)
    assert plan.reaches >= 0.8 > cmp.tests.power("roc_auc", "a", "b", difference=0.08)


def test_a_width_planned_from_a_pilot_is_that_of_its_own_method_on_more_cases() -> None:
    rng = np.random.default_rng(5)
    y = (rng.random(150) < 0.5).astype(int)
    ev = assay.evaluate(y, rng.normal(3.3 * y), positive=1)
    width = (ev.roc_auc.high - ev.roc_auc.low) / 2
    plan = ev.plan("roc_auc", half_width=width / 2)
    assert plan.reaches == pytest.approx(width / 2, rel=0.01)
    assert plan.cases < 3.5 * 150


def test_a_loss_plan_is_the_normal_formula() -> None:
    plan = plan_brier_difference(0.01, 0.1)
    assert plan.cases == math.ceil(((1.959964 + 0.841621) * 10) ** 2) + 2
    assert plan.reaches >= 0.8


@given(low=st.floats(-0.5, 0.4), width=st.floats(0.01, 0.5), shift=st.floats(-0.3, 0.3))
def test_what_could_be_detected_follows_from_the_width_alone(low: float, width: float, shift: float) -> None:
    found = detectable_difference(low, low + width)
    assert found == pytest.approx(detectable_difference(low + shift, low + shift + width), rel=1e-6)
    assert found == pytest.approx(width / 2 * 2.8015852 / 1.9599640, rel=1e-6)


def test_what_was_planned_for_is_what_the_data_could_detect() -> None:
    plan = plan_paired_difference(0.9, 0.87, disagreement=0.1)
    half = 1.959964 * math.sqrt((0.1 - 0.03**2) / plan.cases)
    assert detectable_difference(-half, half) == pytest.approx(0.03, rel=0.02)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda: plan_proportion(1.2, 0.1), "value is 1.2; needed: a number between 0 and 1"),
        (lambda: plan_proportion(0.9, 0.0), "half_width is 0; needed: a number between 0 and 1"),
        (
            lambda: plan_paired_difference(0.9, 0.8, disagreement=0.05),
            "is 0.05, and .*a share from 0.1 to 0.3",
        ),
        (lambda: plan_paired_difference(0.9, 0.9), "accuracy is 0.9 twice; needed: two different values"),
        (lambda: plan_unpaired_difference(0.9, 0.9), "accuracy is 0.9 twice; needed: two different values"),
        (lambda: plan_auc_difference(0.8, 0.8), "AUC is 0.8 twice; needed: two different values"),
        (lambda: plan_brier_difference(0.01, 0), "sd is 0; needed: a standard deviation of the differences above 0"),
        (lambda: detectable_difference(0.2, 0.1), "from 0.2 to 0.1; needed: a lower limit and then a higher one"),
        (lambda: plan_proportion(0.5, 1e-8), "more than 1,000,000,000,000 cases; needed: less to be asked for"),
        (
            lambda: plan_auc(0.8, 0.1, method="delong"),
            "method is 'delong'; needed: 'Hanley-McNeil', 'binormal' or 'Obuchowski'",
        ),
    ],
)
def test_wrong_questions_are_answered_with_what_is_needed(wrong: object, said: str) -> None:
    assert callable(wrong)
    with pytest.raises(OptionError, match=said):
        wrong()


# The command.


def run(*arguments: str) -> Result:
    return CliRunner().invoke(command, arguments)


def test_the_command_gives_the_plan_as_text_and_json() -> None:
    plan = plan_paired_difference(0.9, 0.87, disagreement=0.1)
    text = run("accuracy", "0.9", "0.87", "--disagreement", "0.1")
    assert text.exit_code == 0
    assert text.output.splitlines()[0] == f"{plan.cases:,} cases"
    record = json.loads(run("accuracy", "0.9", "0.87", "--disagreement", "0.1", "--json").output)
    assert record == plan.to_dict()


@pytest.mark.parametrize(
    ("arguments", "first_line"),
    [
        (("sensitivity", "0.8", "--prevalence", "0.1"), f"{plan_proportion(0.8, 0.05, share=0.1).cases:,} cases"),
        (("specificity", "0.8", "--prevalence", "0.1"), f"{plan_proportion(0.8, 0.05, share=0.9).cases:,} cases"),
        (("accuracy", "0.9", "0.8", "--unpaired"), f"{plan_unpaired_difference(0.9, 0.8).cases:,} cases of each"),
        (("auc", "0.8", "--half-width", "0.1"), f"{plan_auc(0.8, 0.1).cases:,} cases ("),
        (
            ("auc", "0.8", "--prevalence", "0.02", "--method", "binormal"),
            f"{plan_auc(0.8, 0.05, prevalence=0.02, method='binormal').cases:,} cases (",
        ),
        (("auc", "0.8", "0.7"), f"{plan_auc_difference(0.8, 0.7).cases:,} cases ("),
        (("brier", "0.1", "0.09", "--sd", "0.1"), f"{plan_brier_difference(0.01, 0.1).cases:,} cases"),
        (("accuracy", "--interval", "-0.01", "0.03"), "Data with an interval from -0.01 to 0.03"),
    ],
)
def test_every_kind_of_plan(arguments: tuple[str, ...], first_line: str) -> None:
    outcome = run(*arguments)
    assert outcome.exit_code == 0
    assert outcome.output.startswith(first_line)


def test_what_data_at_hand_could_show_as_json() -> None:
    record = json.loads(run("accuracy", "--interval", "-0.01", "0.03", "--json").output)
    assert record["detectable"] == pytest.approx(detectable_difference(-0.01, 0.03))
    assert "fresh cases" in run("accuracy", "--interval", "-0.01", "0.03").output


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("f1", "0.5"), "sample-size planning is not available for f1; needed: one of roc_auc, brier"),
        (("nonsense", "0.5"), "nonsense"),
        (("accuracy",), "one for the width of an interval, or two to compare"),
        (("accuracy", "1.2"), "value is 1.2; needed: a number between 0 and 1"),
        (("brier", "0.1", "0.09"), "--sd"),
    ],
)
def test_usage_errors_say_what_is_needed(arguments: tuple[str, ...], said: str) -> None:
    outcome = run(*arguments)
    assert isinstance(outcome.exception, OptionError)
    assert said in str(outcome.exception)


@pytest.mark.parametrize("asked", [("accuracy", "0.9"), ("accuracy", "--interval", "-0.01", "0.03")])
def test_a_plan_in_every_format_holds_its_record(asked: tuple[str, ...]) -> None:
    record = json.loads(run(*asked, "--json").output)
    rows = [line.split(",")[0] for line in run(*asked, "--format", "csv").output.splitlines()]
    assert rows == ["quantity", *record]
    markdown, latex = (run(*asked, "--format", form).output for form in ("markdown", "latex"))
    assert markdown.count("\n| ") == latex.count(r"\\") - 1 == len(record)


@pytest.mark.parametrize("method", ["hanley-mcneil", "bootstrap", "bootstrap, normal", "obuchowski", "wald"])
def test_a_pilot_may_vary_as_any_named_method_says(method: str) -> None:
    rng = np.random.default_rng(3)
    y = (rng.random(300) < 0.4).astype(int)
    first, second = rng.normal(1.2 * y), rng.normal(0.9 * y)
    cmp = assay.compare(y, {"a": first, "b": second})
    plan = cmp.tests.plan("roc_auc", "a", "b", difference=0.05, method=method)
    error = cmp.difference("roc_auc", "a", "b", method=method).se
    assert error is not None
    # So many cases that the difference is z + z standard errors of as many.
    reach = (1.959963984540054 + 0.8416212335729143) * error
    assert plan.cases == pytest.approx(300 * (reach / 0.05) ** 2, rel=0.01)
    assert cmp.tests.power("roc_auc", "a", "b", difference=0.05, method=method) < 0.8


def test_what_no_method_tells_of_a_pilot_is_refused() -> None:
    y = [0, 1] * 30
    cmp = assay.compare(y, {"a": [0.1, 0.8, 0.3, 0.9] * 15, "b": [0.4, 0.3, 0.2, 0.9] * 15})
    with pytest.raises(OptionError, match="null_of_first"):
        cmp.tests.plan("roc_auc", "a", "b", difference=0.1, method="bootstrap", null_of_first=True)
    with pytest.raises(OptionError, match="no standard error"):
        cmp.tests.plan("accuracy", "a", "b", difference=0.1, method="tango")
