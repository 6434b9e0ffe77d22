// What the page says about where the controls stand.

import type { Model } from "./data";
import { constantCost, type Estimate, type Mixture, type Point, pointAt, recallAt, type World } from "./point";
import { ownShare, type State } from "./state";
import { bracketed, general, number, percent, ratioWords, thresholdWords } from "./words";

/** Why the ROC curve stands still while everything else moves. */
export function whyStill(state: State): string {
  if (state.prevalence === null) return "";
  return "Prevalence does not move this figure: it looks at the cases of each class by themselves.";
}

// What is true of a figure that follows the prevalence, in place of what was written for the data's.
const MOVED: Record<string, (model: Model, world: World) => string> = {
  calibration: (model, world) => {
    const own = ownShare(model);
    const odds = general(((world.prevalence / (1 - world.prevalence)) * (1 - own)) / own, 3);
    return `At ${percent(world.prevalence)} positives the odds behind every score are ${odds} times as high (Bayes' rule). Points and spread are of the data, and left out.`;
  },
  net_benefit: (_, world) => offAxes("Acting on the scores as they are", world),
  reject: (_, world) => offAxes("The least sure of the same scores handed on", world),
};

function offAxes(what: string, world: World): string {
  return `${what}, at ${percent(world.prevalence)} positives. The band, and what lies off the axes, are left out.`;
}

/** What stands under a figure: as written, or what is true where the controls stand. */
export function captionOf(
  figure: string,
  written: string,
  model: Model,
  point: Point,
  best: number | null,
  world: World,
): string {
  if (figure !== "cost") {
    const own = percent(ownShare(model));
    const what = figure === "pr" ? "This, and the average precision, are" : "This is";
    return world.isOwn ? written : (MOVED[figure]?.(model, world) ?? `${written} ${what} of ${own} positives.`);
  }
  if (best === null || point.index < 0) return written;
  const unit = constantCost(world);
  const costs = [point, pointAt(model, best, world)].map(({ index, cost }) => {
    const threshold = model.threshold[index]!;
    return [threshold === Infinity ? "flagging no one" : thresholdWords(threshold), number(cost / unit)] as const;
  });
  const [here, least] = costs as [(typeof costs)[0], (typeof costs)[0]];
  const cheapest = `the cheapest on these cases, ${least[0]}, costs ${least[1]}`;
  return `At ${ratioWords(world.ratio)}, ${here[0]} costs ${here[1]}; ${cheapest}.`;
}

/** How chance between two thresholds reaches the point on the hull above the place that was clicked. */
export function mixtureWords(model: Model, mix: Mixture | null): string {
  if (!mix) return "";
  const who = (i: number): string =>
    i === 0
      ? "nobody"
      : i === model.threshold.length - 1
        ? "everybody"
        : `scores from ${thresholdWords(model.threshold[i]!)}`;
  const reach = `recall ${number(mix.recall)} at a false-positive rate of ${number(mix.fpr)}`;
  if (mix.share === 0) return `Call ${who(mix.first)} positive: ${reach}.`;
  const share = `${general(100 * mix.share, 3)}\u00a0%`;
  const alone = number(recallAt(model, mix.fpr));
  return (
    `Call ${who(mix.second)} positive in a random ${share} of cases, ${who(mix.first)} in the others: ` +
    `${reach}, where one threshold has ${alone}.`
  );
}

/** Why some measures have no interval, and what does not follow the prevalence. */
export function notesOf(estimates: Estimate[], state: State, model: Model): string {
  const reasons = new Set(estimates.map(({ reason }) => reason).filter((reason) => reason !== ""));
  if (state.pick) return "Chosen on these cases, so no interval is shown: it takes fresh ones to judge it.";
  const said = reasons.size ? [`No interval: ${[...reasons].join("; ")}.`] : [];
  const still = `Tables further down are of the ${percent(ownShare(model))} in the data.`;
  return [...said, ...(state.prevalence === null ? [] : [still])].join(" ");
}

/** An interval in brackets, or why there is none. */
export function limitsWords(estimate: Estimate): string {
  if (estimate.limits) return bracketed(estimate.value, estimate.limits);
  return estimate.reason ? (isFinite(estimate.value) ? "no interval" : "undefined") : "";
}
