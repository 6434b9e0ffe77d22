"""Cautions about sites (A6xx): what one figure for several sites does not show."""

from __future__ import annotations

from assay.cautions.caution import SitesFacts, rule
from assay.results import counted, percent
from assay.text import number

# Fewer sites than this hardly tell how far sites differ.
FEW_SITES = 5
# From this share of the weight on, the mean is mostly one site's.
DOMINATES = 0.5
# From this share of the spread on, sites differ more than samples of them do.
MUCH = 0.5
# Where the median site tells less than so many cases' worth, and so many sites add up what that biases (simulated).
LITTLE, MANY_SITES = 5.0, 10
MOST_NAMED = 3


@rule("A601", "Few sites")
def few_sites(facts: SitesFacts) -> str | None:
    """The variance between sites is itself estimated, from as many values as there are sites.

    With fewer than five sites the estimate is very imprecise: the interval of the mean allows for it and is wide, the
    prediction interval of a new site more so, and an I2 of 0 is no evidence that sites are alike. Show the table of
    sites first.
    """
    if facts.sites >= FEW_SITES:
        return None
    return (
        f"{counted(facts.sites, 'site')}: too few to estimate how much sites differ; see the table of sites, "
        "not the mean."
    )


@rule("A602", "Class shares differ between sites")
def unlike_shares(facts: SitesFacts) -> str | None:
    """The share of a class differs significantly between sites, by half or more.

    Precision, accuracy, average precision and losses depend on that share, so their mean describes no site; compare
    recall, specificity and AUC, which do not depend on it directly. Where a class is more frequent its cases are often
    different too (referred, more severe), and then every measure changes: look at the patients or objects of these
    sites.
    """
    if facts.shares is None:
        return None
    name, low, least, high, most = facts.shares
    shares = f"'{name}' makes up {percent(least)} of the cases at '{low}' and {percent(most)} at '{high}'"
    if facts.moves_with_shares:
        return f"{shares}: {facts.measure} depends on that share, so its mean describes no site."
    return f"{shares}: {facts.measure} does not depend on that share directly, but the cases may differ."


@rule("A603", "Sites without cases of a class")
def lacking_classes(facts: SitesFacts) -> str | None:
    """Some sites have no case of a class, so measures that need it are undefined there.

    They are in the table and not in the mean. If sites lack a class because it is rare, the remaining sites are those
    where it happened to occur; if they cannot have such cases, state for which sites the mean is meant.
    """
    if not facts.lacking:
        return None
    named = [f"'{name}' has no case of {_listed(classes)}" for name, classes in facts.lacking.items()]
    more = f" and {counted(len(named) - MOST_NAMED, 'other site')} alike" if len(named) > MOST_NAMED else ""
    return f"{'; '.join(named[:MOST_NAMED])}{more}: measures of that class are undefined there."


@rule("A604", "One site dominates")
def dominating_site(facts: SitesFacts) -> str | None:
    """One site has at least half of the weight, so the mean is mostly that site's own value.

    Look at the mean without it (`sites.leave_one_out()`): if it changes, state what is special about that site.
    """
    name, share = facts.heaviest
    if share < DOMINATES or facts.sites < 3:
        return None
    return f"'{name}' has {percent(share)} of the weight: the mean is mostly its value; see the mean without it."


@rule("A605", "Sites differ substantially")
def much_heterogeneity(facts: SitesFacts) -> str | None:
    """At least half of the variance between sites is not sampling error: the true values differ.

    The mean then predicts little about the next site, and more cases do not change that. Report the prediction interval
    of a new site first, look for the causes of the differences, and validate at a new site before use there.
    """
    if facts.i2 < MUCH:
        return None
    where = (
        ""
        if facts.new_site is None
        else f" may lie anywhere from {number(facts.new_site[0])} to {number(facts.new_site[1])}"
    )
    new_site = f"{facts.measure} at a new site{where or ' cannot be predicted'}"
    return f"Sites differ significantly (I2 {percent(facts.i2)}): {new_site}, whatever the mean."


@rule("A606", "Many sites with little information each")
def little_each(facts: SitesFacts) -> str | None:
    """The median site has the information of fewer than five cases about the measure: few errors, or few cases of a
    class.

    Its standard error is then correlated with its value (a site that happens to have fewer errors seems more precise),
    and the resulting bias grows with the number of sites: with 30 sites of three errors each the interval of a recall
    had a coverage of 81 % in simulations. Pool the cases, or merge sites, before values are averaged.
    """
    if facts.sites < MANY_SITES or facts.told_by_median >= LITTLE:
        return None
    return (
        f"Half of the {facts.sites} sites have the information of fewer than "
        f"{number(facts.told_by_median)} cases about "
        f"{facts.measure}: the mean of many imprecise values is biased; pool their cases instead."
    )


@rule("A607", "Sites left out")
def left_out(facts: SitesFacts) -> str | None:
    """Some sites have no value or no standard error of the measure, so the mean is over the other sites.

    If those are the sites with few cases or without errors, the mean is not that of all sites.
    """
    if not facts.left_out:
        return None
    named = [f"'{name}' ({why})" for name, why in facts.left_out.items()]
    more = f" and {counted(len(named) - MOST_NAMED, 'other site')}" if len(named) > MOST_NAMED else ""
    return f"Left out of the mean: {', '.join(named[:MOST_NAMED])}{more}."


def _listed(classes: tuple[str, ...]) -> str:
    named = [f"'{name}'" for name in classes[:MOST_NAMED]]
    return ", ".join([*named, *([f"{len(classes) - MOST_NAMED} more"] if len(classes) > MOST_NAMED else [])])
