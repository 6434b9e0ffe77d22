// What the page says about its figures, and about what has no interval, where the controls stand.

import type { Model } from "./data";
import { constantCost, type Estimate, type Mixture, type Point, pointAt, recallAt, type World } from "./point";
import { type Key, words } from "./said";
import { ownShare, type State } from "./state";
import { bracketed, general, number, percent, ratioWords, thresholdWords } from "./words";

// What is true of a figure that follows the prevalence, in place of what was written for the data's.
const MOVED: Record<string, Key> = { calibration: "moved.odds", net_benefit: "moved.acting", reject: "moved.sure" };

/** What stands under a figure: as written, or what is true where the controls stand. */
export function captionOf(figure: string, written: string, model: Model, point: Point, best: number | null, world: World): string {
  const own = ownShare(model);
  if (figure === "cost") {
    if (best === null) return written;
    const [[here, cost], [least, lowest]] = [point, pointAt(model, best, world)].map(({ index, cost }) => {
      const threshold = model.threshold[index]!;
      return [threshold === Infinity ? words("no_one") : thresholdWords(threshold), number(cost / constantCost(world))];
    }) as [[string, string], [string, string]];
    const key = point.index < 0 ? "cost.least" : "cost.caption";
    return `${model.title ? `${model.title}: ` : ""}${words(key, { ratio: ratioWords(world.ratio), here, cost, least, lowest })}`;
  }
  if (world.isOwn) return written;
  const odds = general(((world.prevalence / (1 - world.prevalence)) * (1 - own)) / own, 3);
  const key = MOVED[figure];
  if (key) return words(key, { share: percent(world.prevalence), odds });
  return `${written} ${words(figure === "pr" ? "still.precision" : "still.figure", { share: percent(own) })}`;
}

/** How chance between two thresholds reaches the point on the hull above the place that was clicked. */
export function mixtureWords(model: Model, mix: Mixture | null): string {
  if (!mix) return "";
  const [first, second] = [mix.first, mix.second].map((i) => {
    const key = !i ? "mix.nobody" : i === model.threshold.length - 1 ? "mix.everybody" : "mix.from";
    return words(key, { threshold: thresholdWords(model.threshold[i]!) });
  }) as [string, string];
  return words(mix.share === 0 ? "mix.alone" : "mix.both", {
    first,
    second,
    recall: number(mix.recall),
    fpr: number(mix.fpr),
    share: `${general(100 * mix.share, 3)}\u00a0%`,
    alone: number(recallAt(model, mix.fpr)),
  });
}

/** Why some measures have no interval, and what does not follow the prevalence. */
export function notesOf(estimates: Estimate[], state: State, model: Model): string {
  const reasons = [...new Set(estimates.map(({ reason }) => reason).filter(Boolean))].join("; ");
  if (state.pick) return words("notes.chosen");
  const still = state.prevalence === null ? "" : words("notes.still", { share: percent(ownShare(model)) });
  return `${reasons && words("notes.none", { reasons })} ${still}`.trim();
}

/** An interval in brackets, or why there is none. */
export function limitsWords({ value, limits, reason }: Estimate): string {
  if (limits) return bracketed(value, limits);
  return reason && (isFinite(value) ? "no interval" : "undefined");
}
