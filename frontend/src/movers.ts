// Where a point of a line stands when costs or prevalence are others than those it was drawn for.

import type { Model } from "./data";
import { within } from "./dom";
import type { Corner, Piece } from "./paths";
import { constantCost, costOf, ratesAt, type World } from "./point";
import { cutOf, ownShare } from "./state";

export interface Mover {
  /** In the units of the axes; null for an x that stays. */
  to: (at: Corner) => [number | null, number];
  /** What the line is made of where its corners are not moved but made anew, each by its number. */
  anew?: unknown[] | undefined;
}

/** How a kind of line moves; null where it stays. */
export function moverOf(kind: string, model: Model, world: World, ratio: number, isRelative: boolean, pieces: Piece[]): Mover | null {
  const unit = isRelative ? constantCost(world) : 1;
  const { prevalence } = world;
  const own = ownShare(model);
  if (kind === "cost-all") return { to: () => [null, (1 - prevalence) / unit] };
  if (kind === "cost-none") return { to: () => [null, (prevalence * world.ratio) / unit] };
  if (kind === "cost") {
    const before = { ...world, prevalence: own, ratio };
    const costAt = (at: number, world: World): number => costOf(...ratesAt(model, at), world);
    const drawn = (at: number): number => costAt(at, before) / (isRelative ? constantCost(before) : 1);
    return {
      to: ([score, cost]) => {
        // Thresholds are written short, so near a score the cut that was drawn is told by its height.
        const near = cutOf(model, score);
        const off = (at: number): number => Math.abs(drawn(at) - cost);
        const tried = [near, near - 1, near + 1].filter((at) => at in model.threshold);
        return [null, costAt(tried.reduce((best, at) => (off(at) < off(best) - 1e-9 ? at : best)), world) / unit];
      },
    };
  }
  if (kind.startsWith("net_benefit")) {
    const [hits, alarms] = model.acts ?? [[], []];
    const isAll = kind.endsWith("all");
    // Acting on none gains nothing anywhere: that line has two corners.
    if (isAll && pieces[0]!.corners.length < 3) return null;
    return {
      to: ([k]) => {
        const at = (k + 1) / 100;
        const [tp, fp] = isAll ? [1, 1] : [hits[k]! / model.positives, alarms[k]! / model.negatives];
        return [at, ((prevalence * tp - ((1 - prevalence) * fp * at) / (1 - at)) * own) / prevalence];
      },
      anew: model.acts?.[0],
    };
  }
  const { sure } = model;
  if (kind === "reject") return sure ? { to: ([x]) => rejecting(sure[x]!, prevalence), anew: sure } : null;
  if (kind === "reject-all") return sure?.length ? { to: () => [null, rejecting(sure.at(-1)!, prevalence)[1]] } : null;
  if (kind === "precision" || kind === "calibration") {
    const factor = (prevalence / (1 - prevalence)) * ((1 - own) / own);
    // Precision is one odds times the odds of the prevalence, whatever the recall; so is what a score means.
    return {
      to: ([, y]) => {
        const share = within(y, 0, 1);
        return [null, (factor * share) / (factor * share + 1 - share)];
      },
    };
  }
  if (!/^(gain|lift)/.test(kind)) return null;
  const isGain = kind.startsWith("gain");
  return {
    to: ([x, y]) => {
      const recall = isGain ? y : x * y;
      const flagged = prevalence * recall + ((1 - prevalence) * (x - own * recall)) / (1 - own);
      return [flagged, isGain || flagged === 0 ? y : recall / flagged];
    },
  };
}

/** Share handed on and accuracy of the rest, of what is kept of either class. */
function rejecting([hits, misses, passed, alarms]: number[], share: number): Corner {
  const right = share * hits! + (1 - share) * passed!;
  const wrong = share * misses! + (1 - share) * alarms!;
  return [1 - right - wrong, right / (right + wrong)];
}
