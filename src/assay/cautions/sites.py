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
    """How far sites differ is itself estimated, from as many numbers as there are sites.

    With fewer than five that is next to nothing: the limits of the mean allow for it and are wide, those of a new site
    more so, and an I2 of 0 is no sign that sites are alike. Show the table of the sites first.
    """
    if facts.sites >= FEW_SITES:
        return None
    return (
        f"{counted(facts.sites, 'site')} can hardly tell how far sites differ: read the table of sites, not the mean."
    )


@rule("A602", "Sites differ in how common the classes are")
def unlike_shares(facts: SitesFacts) -> str | None:
    """The share of a class differs between sites by more than chance, by half or more.

    Precision, accuracy, average precision and losses move with it, so that a mean of them is that of no site; compare
    recall, specificity and AUC, which do not move with it by themselves. Where cases are commoner they are often also
    other cases (referred, sicker), and then everything moves: look at who comes to these sites.
    """
    if facts.shares is None:
        return None
    name, low, least, high, most = facts.shares
    said = f"'{name}' makes up {percent(least)} of the cases at '{low}' and {percent(most)} at '{high}'"
    if facts.moves_with_shares:
        return f"{said}: {facts.measure} moves with that share alone, so that its mean is that of no site."
    return f"{said}: {facts.measure} does not move with that share itself, but other cases may come to each."


@rule("A603", "Sites lack a class")
def lacking_classes(facts: SitesFacts) -> str | None:
    """Some sites have no case of a class, so that whatever needs it is unknown there.

    They are in the table and not in the mean. If sites lack a class because it is rare, the sites that are left are
    those where it happened to occur; if they cannot see such cases, say for which sites the mean is meant.
    """
    if not facts.lacking:
        return None
    named = [f"'{name}' has no case of {_listed(classes)}" for name, classes in facts.lacking.items()]
    more = f" and {counted(len(named) - MOST_NAMED, 'other site')} alike" if len(named) > MOST_NAMED else ""
    return f"{'; '.join(named[:MOST_NAMED])}{more}: what needs that class is unknown there."


@rule("A604", "One site dominates")
def dominating_site(facts: SitesFacts) -> str | None:
    """One site has at least half of the weight, so that the mean is mostly that site's own value.

    Look at the mean without it (`sites.leave_one_out()`): if it moves, say what makes that site special.
    """
    name, share = facts.heaviest
    if share < DOMINATES or facts.sites < 3:
        return None
    return f"'{name}' has {percent(share)} of the weight: the mean is mostly its value; look at the mean without it."


@rule("A605", "Sites differ much")
def much_heterogeneity(facts: SitesFacts) -> str | None:
    """At least half of the spread between sites is no sampling error: they truly differ.

    The mean then says little about the next site, and more cases do not change that. Report where a new site may lie
    first, look for what sets the sites apart, and test at a new site before use there.
    """
    if facts.i2 < MUCH:
        return None
    where = (
        ""
        if facts.new_site is None
        else f" may lie anywhere from {number(facts.new_site[0])} to {number(facts.new_site[1])}"
    )
    next_one = f"{facts.measure} at the next one{where or ' cannot be told'}"
    return f"Sites differ truly (I2 {percent(facts.i2)}): {next_one}, whatever the mean."


@rule("A606", "Many sites that know little each")
def little_each(facts: SitesFacts) -> str | None:
    """The median site holds fewer than five cases' worth about the measure: few errors, or few cases of a class.

    Its standard error then goes with its value (a site that happens to show fewer errors seems less exact), and what
    that biases adds up over many sites: of 30 sites with three errors each the limits of a recall held it in 81 % of
    samples. Pool the cases, or sites of more than one kind, before values are averaged.
    """
    if facts.sites < MANY_SITES or facts.told_by_median >= LITTLE:
        return None
    return (
        f"Half of the {facts.sites} sites hold less than {number(facts.told_by_median)} cases' worth about "
        f"{facts.measure}: the mean of so many uncertain values is biased; pool their cases instead."
    )


@rule("A607", "Sites left out")
def left_out(facts: SitesFacts) -> str | None:
    """Some sites have no value or no standard error of the measure, so that the mean is of the others.

    If they are those with few cases or without errors, the mean is not that of all sites.
    """
    if not facts.left_out:
        return None
    named = [f"'{name}' ({why})" for name, why in facts.left_out.items()]
    more = f" and {counted(len(named) - MOST_NAMED, 'other site')}" if len(named) > MOST_NAMED else ""
    return f"Left out of the mean: {', '.join(named[:MOST_NAMED])}{more}."


def _listed(classes: tuple[str, ...]) -> str:
    named = [f"'{name}'" for name in classes[:MOST_NAMED]]
    return ", ".join([*named, *([f"{len(classes) - MOST_NAMED} more"] if len(classes) > MOST_NAMED else [])])
