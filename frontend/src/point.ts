// What one threshold means: counts, measures with intervals, cost, the cheapest corner of the hull.

import type { Model } from "./data";
import { FEWEST_FOR_MATRIX, f1Limits, type Limits, predictive, tooFew, wilson } from "./intervals";

/** The world the decisions are made in. */
export interface World {
  /** Share of positives. */
  prevalence: number;
  /** Whether that is the share in the data. */
  isOwn: boolean;
  /** How many false alarms a miss is worth. */
  ratio: number;
  z: number;
}

export interface Estimate {
  value: number;
  limits: Limits | null;
  /** Why there is no value or no interval. */
  reason: string;
}

export const MEASURES = ["recall", "specificity", "precision", "npv", "accuracy", "f1", "fpr"] as const;
export type Measure = (typeof MEASURES)[number];

export interface Point {
  index: number;
  tp: number;
  fp: number;
  fn: number;
  tn: number;
  recall: number;
  fpr: number;
  precision: number;
  /** Share of cases called positive, at the prevalence chosen. */
  flagged: number;
  /** What a case costs, in false alarms. */
  cost: number;
}

// A number that was chosen by looking at these cases has no interval that ignores the choice.
const CHOSEN = "chosen on these cases, so no interval that ignores the choice holds";
const ELSEWHERE = "at another prevalence its interval has no closed form";
// Values closer than this, relative to the largest, are equal: they differ by rounding.
const ROUNDING = 1e-12;

export function pointAt(model: Model, index: number, world: World): Point {
  const [tp, fp] = index < 0 ? (model.given ?? [NaN, NaN]) : [model.tp[index]!, model.fp[index]!];
  const [fn, tn] = [model.positives - tp, model.negatives - fp];
  const [recall, fpr] = [tp / model.positives, fp / model.negatives];
  const share = world.prevalence;
  const flagged = world.isOwn ? (tp + fp) / (model.positives + model.negatives) : share * recall + (1 - share) * fpr;
  const precision = world.isOwn ? tp / (tp + fp) : (share * recall) / flagged;
  return { index, tp, fp, fn, tn, recall, fpr, precision, flagged, cost: costOf(recall, fpr, world) };
}

/** What a case costs on average where a false alarm costs 1. */
export function costOf(recall: number, fpr: number, world: World): number {
  return world.prevalence * world.ratio * (1 - recall) + (1 - world.prevalence) * fpr;
}

/** What the cheaper of the two answers that look at no case costs. */
export function constantCost(world: World): number {
  return Math.min(world.prevalence * world.ratio, 1 - world.prevalence);
}

/** The slope of lines of equal cost in ROC space. */
export function slopeOf(world: World): number {
  return (1 - world.prevalence) / (world.prevalence * world.ratio);
}

/** The cheapest threshold: the corner of the hull that a line of equal cost touches first. */
export function cheapest(model: Model, world: World): number | null {
  if (!model.hull.length || !(model.positives > 0) || !(model.negatives > 0)) return null;
  return cheapestAt(model, 1 / slopeOf(world));
}

/** The same where missing no positive is worth so many false alarms among all negatives. */
export function cheapestAt(model: Model, weight: number): number {
  let [best, most] = [model.hull[0]!, -Infinity];
  for (const corner of model.hull) {
    const fpr = model.fp[corner]! / model.negatives;
    const worth = weight * (model.tp[corner]! / model.positives) - fpr - ROUNDING * fpr;
    if (worth > most) [best, most] = [corner, worth];
  }
  return best;
}

/** The threshold with the highest F1 or Youden's J; of equally good ones that which calls the fewest positive. */
export function bestBy(pick: "f1" | "youden", model: Model, world: World): number {
  const share = world.isOwn ? model.positives / (model.positives + model.negatives) : world.prevalence;
  const gains = model.threshold.map((_, i) => {
    const [t, f] = [model.tp[i]! / model.positives, model.fp[i]! / model.negatives];
    return pick === "youden" ? t - f : (2 * share * t) / (share * t + share + (1 - share) * f);
  });
  const top = Math.max(...gains);
  return Math.max(
    0,
    gains.findIndex((gain) => gain >= top - ROUNDING * Math.max(1, Math.abs(top))),
  );
}

/** Every measure of the decisions at a point, with its interval where one holds. */
export function measuresAt(model: Model, point: Point, world: World, wasChosen: boolean): Record<Measure, Estimate> {
  const { tp, fp, fn, tn } = point;
  const why = model.no_interval ?? (wasChosen ? CHOSEN : "");
  const given = (value: number, limits: Limits | string, undefined_: string): Estimate => {
    if (!isFinite(value)) return { value, limits: null, reason: undefined_ };
    if (why || typeof limits === "string") return { value, limits: null, reason: why || String(limits) };
    return { value, limits, reason: "" };
  };
  const ofShare = (part: number, whole: number, undefined_: string): Estimate =>
    given(part / whole, whole > 0 ? wilson(part, whole, world.z) : "", undefined_);
  return {
    recall: ofShare(tp, tp + fn, "truth holds no positive case"),
    specificity: ofShare(tn, tn + fp, "truth holds no negative case"),
    fpr: ofShare(fp, tn + fp, "truth holds no negative case"),
    ...(world.isOwn ? here(model, point, world, ofShare, given) : elsewhere(model, point, world, given)),
  };
}

type Given = (value: number, limits: Limits | string, undefined_: string) => Estimate;
type OfShare = (part: number, whole: number, undefined_: string) => Estimate;
type OfBoth = Pick<Record<Measure, Estimate>, "precision" | "npv" | "accuracy" | "f1">;

const NO_CALL = { positive: "nothing was called positive", negative: "nothing was called negative" };

function here(model: Model, point: Point, world: World, ofShare: OfShare, given: Given): OfBoth {
  const { tp, fp, fn, tn } = point;
  const all = tp + fp + fn + tn;
  const carried = all < FEWEST_FOR_MATRIX ? tooFew(model.n, FEWEST_FOR_MATRIX) : f1Limits(tp, fp + fn, world.z);
  return {
    precision: ofShare(tp, tp + fp, NO_CALL.positive),
    npv: ofShare(tn, tn + fn, NO_CALL.negative),
    accuracy: ofShare(tp + tn, all, "there are no cases"),
    f1: given((2 * tp) / (2 * tp + fp + fn), carried, "no case is positive or was called positive"),
  };
}

/** At another prevalence: predictive values have closed forms, other mixtures of both classes have none. */
function elsewhere(model: Model, point: Point, world: World, given: Given): OfBoth {
  const { tp, fp, fn, tn, recall, fpr } = point;
  const [n1, n0, share, z] = [model.positives, model.negatives, world.prevalence, world.z];
  const odds = share / (1 - share);
  const right = { positive: share * recall, negative: (1 - share) * (1 - fpr) };
  const wrong = { positive: (1 - share) * fpr, negative: share * (1 - recall) };
  const f1 = (2 * right.positive) / (2 * right.positive + wrong.positive + wrong.negative);
  return {
    precision: given(
      right.positive / (right.positive + wrong.positive),
      tp + fp > 0 ? predictive(tp, n1, fp, n0, odds, z) : "",
      NO_CALL.positive,
    ),
    npv: given(
      right.negative / (right.negative + wrong.negative),
      tn + fn > 0 ? predictive(tn, n0, fn, n1, 1 / odds, z) : "",
      NO_CALL.negative,
    ),
    accuracy: given(right.positive + right.negative, ELSEWHERE, "a class is missing"),
    f1: given(f1, ELSEWHERE, "a class is missing"),
  };
}

/** How to reach a point under the hull by chance between the two corners that stand on either side of it. */
export interface Mixture {
  first: number;
  second: number;
  /** Of cases, drawn at random, that are decided by the second threshold. */
  share: number;
  fpr: number;
  recall: number;
}

export function mixtureAt(model: Model, fpr: number): Mixture | null {
  const rate = (i: number): number => model.fp[i]! / model.negatives;
  const corners = model.hull;
  if (corners.length < 2) return null;
  let at = corners.length - 1;
  while (at > 0 && rate(corners[at]!) > fpr) at--;
  const first = corners[at]!;
  const second = corners[Math.min(at + 1, corners.length - 1)]!;
  const length = rate(second) - rate(first);
  const share = length > 0 ? (fpr - rate(first)) / length : 0;
  const recall = ((1 - share) * model.tp[first]! + share * model.tp[second]!) / model.positives;
  return { first, second, share, fpr: (1 - share) * rate(first) + share * rate(second), recall };
}

/** The highest recall a single threshold reaches with no more false alarms than this. */
export function recallAt(model: Model, fpr: number): number {
  let best = 0;
  for (let i = 0; i < model.threshold.length; i++) {
    if (model.fp[i]! / model.negatives <= fpr) best = Math.max(best, model.tp[i]! / model.positives);
  }
  return best;
}
