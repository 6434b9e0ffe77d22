// What the page says where its controls stand: the same rules as assay/report/live_text.py and report/first_screen.py.

import type { Data, Family, Model } from "./data";
import { familiesAt } from "./differences";
import { least } from "./dom";
import { wilson } from "./intervals";
import { cheapestAt, pointAt, type Point, type World } from "./point";
import { between, type Key, listed, run, say, type Text, words } from "./said";
import { LABELS, ownShare, type State, usedOf, worldOf } from "./state";
import { bracketed, count, fixed, general, levelWords, number, percent, ratioWords, signed, thresholdWords } from "./words";

export interface Line {
  mark: "told" | "sought" | "open";
  finding: Text;
  evidence: Text;
  code: string;
  caution: Text;
}

type Finding = [Line["mark"], Text];
/** A value with its limits, where it has any. */
type Found = [number] | [number, number, number];

const CLAUSES: Record<Outcome, Key> = {
  first: "better.wins",
  second: "better.wins",
  differ: "better.differ",
  same: "better.no_relevant",
  open: "better.no_difference",
  untested: "better.not_tested",
};
// A grid's weight this near to another, relative to it, is the same.
const SAME = 1e-6;

/** How many false alarms among all negatives it is worth to miss no positive. */
function weightOf({ ratio, prevalence }: World): number {
  return (ratio * prevalence) / (1 - prevalence);
}

function constantWords(weight: number): string {
  return words(weight <= 1 ? "no_one" : "everyone");
}

/** A share and its limits in percent, in the digits that the limits support. */
function percents([value, low, high]: Found): { share: string; limits: string } {
  if (low === undefined || high === undefined) return { share: percent(value), limits: "" };
  const ends = [100 * low, 100 * high] as const;
  return { share: `${number(100 * value, ends)} %`, limits: bracketed(100 * value, ends).replace(/, |\]/g, " %$&") };
}

/** What is saved, in words; a negative saving is an additional cost. */
function savingWords(found: Found): { saving: string; limits: string } {
  const isDearer = found[0] < 0;
  const [value, low, high] = found;
  const turned: Found = low === undefined || high === undefined ? [-value] : [-value, -high, -low];
  const { share, limits } = percents(isDearer ? turned : found);
  return { saving: words(isDearer ? "saving.dearer" : "saving.cheaper", { share }), limits };
}

function isOpen(limits: Found): boolean {
  return limits.length < 3;
}

/** The costs, and the share of positives where it is not the data's. */
function settings(state: State, ratio = state.ratio): string {
  return ratioWords(ratio) + (state.prevalence === null ? "" : ` and ${percent(state.prevalence)} positives`);
}

/** The place in the grid of weights that is nearest, and its cost ratio where that is another than what is set. */
function nearest(data: Data, state: State, model: Model, weight: number): [number, number] {
  const odds = ownShare(model) / (1 - ownShare(model));
  const best = least(data.ratios.length, (k) => Math.abs(Math.log((data.ratios[k]! * odds) / weight)));
  const off = (data.ratios[best]! * odds) / weight;
  return [best, Math.abs(off - 1) > SAME ? state.ratio * off : state.ratio];
}

/** What the threshold in use saves, taken as one given beforehand. */
function savingAt(model: Model, { fn, fp }: Point, weight: number, state: State, { z }: World): Found {
  const [n1, n0, constant] = [model.positives, model.negatives, Math.min(weight, 1)];
  const [fnr, fpr] = [fn / n1, fp / n0];
  const value = 1 - (weight * fnr + fpr) / constant;
  if (model.no_interval !== undefined || state.pick) return [value];
  const [l1, u1] = wilson(fn, n1, z);
  const [l0, u0] = wilson(fp, n0, z);
  const worse = Math.hypot(weight * (u1 - fnr), u0 - fpr) / constant;
  const better = Math.hypot(weight * (fnr - l1), fpr - l0) / constant;
  return [value, value - worse, Math.min(value + better, 1)];
}

function at(model: Model, place: number): string {
  return place === LABELS ? "as predicted" : thresholdWords(model.threshold[place]!);
}

function isConstant(model: Model, place: number): boolean {
  return place === 0 || place === model.threshold.length - 1;
}

/** Which threshold to use, and what it saves. */
export function thresholdLine(data: Data, state: State, k: number): Line {
  const [model, place] = [data.models[k]!, state.at[k]!];
  const world = worldOf(data, state, model);
  const weight = weightOf(world);
  const byDefault = place !== LABELS && place === usedOf(model) && !state.pick && !model.asked;
  const isCheapest = state.pick === "cost" || byDefault;
  const best = cheapestAt(model, weight);
  const [grid, known] = nearest(data, state, model, weight);
  const found = model.saves[grid]!;
  const values = { where: `At ${settings(state)}`, constant: constantWords(weight) };
  const [mark, finding] = isCheapest ? ofCheapest() : ofSet();
  const caution = byDefault ? "default" : state.pick ? "picked" : "set";
  return {
    mark,
    finding,
    evidence: between(evidence()),
    code: { default: "A305", picked: "A306", set: "" }[caution],
    caution: say(`threshold.caution.${caution}`, { threshold: at(model, place) }),
  };

  function ofCheapest(): Finding {
    if (isConstant(model, best) || (!isOpen(found) && found[1]! <= 0)) return ["open", say("threshold.none", values)];
    const all = { ...values, threshold: at(model, best), ...savingWords(found) };
    return isOpen(found) ? ["open", say("threshold.unsure", all)] : ["told", say("threshold.cheapest", all)];
  }

  function ofSet(): Finding {
    const point = pointAt(model, place, world);
    if (isNaN(point.tp)) return ["open", say("threshold.undecided")];
    if (place !== LABELS && isConstant(model, place)) return ["open", say(place ? "threshold.everybody" : "threshold.nobody")];
    const saved = savingAt(model, point, weight, state, world);
    const threshold = place === LABELS ? "the given labels" : `threshold ${at(model, place)}`;
    const [value, low, high] = saved;
    const as = (key: Key): Text =>
      say(key, { ...values, threshold, ...savingWords(saved), how: state.pick === "f1" ? "F1" : "Youden's J" });
    if (isNaN(value)) return ["open", as("threshold.undefined")];
    if (low === undefined || high === undefined) return ["open", as(state.pick ? "threshold.picked" : "threshold.bare")];
    return low > 0 || high < 0 ? ["told", as("threshold.saves")] : ["open", as("threshold.apart")];
  }

  function evidence(): Text[] {
    const shown = isCheapest ? best : place;
    const point = pointAt(model, shown, world);
    const parts: Text[] = [];
    if (!isNaN(point.tp)) {
      const cells = { hits: count(point.tp), positives: count(model.positives), alarms: count(point.fp) };
      parts.push(say("threshold.finds", cells));
    }
    if (shown === best) {
      const [low, high] = [0.1, 10].map((ratio) => {
        const there = cheapestAt(model, weightOf({ ...world, ratio }));
        return isConstant(model, there) ? "none" : at(model, there);
      });
      parts.push(say("threshold.span", { low: low!, high: high! }));
    } else if (!isOpen(found) && !isConstant(model, best))
      parts.push(say("threshold.would", { threshold: at(model, best), ...savingWords(found) }));
    if (known !== state.ratio && !isOpen(found)) parts.push(say("threshold.known", { ratio: ratioWords(known) }));
    return parts;
  }
}

function atWords(model: Model, place: number): string {
  if (place === LABELS) return model.decided ?? "";
  return place === 0 ? "Above every score" : `At ${at(model, place)}`;
}

/** One line: what is flagged, what of it is right, what is missed, what it costs. */
export function barSentence(data: Data, state: State, k: number): Text {
  const model = data.models[k]!;
  const world = worldOf(data, state, model);
  const { tp, fp, fn } = pointAt(model, state.at[k]!, world);
  if (isNaN(tp)) return say("bar.labels");
  const weight = weightOf(world);
  const [fnr, fpr] = [fn / model.positives, fp / model.negatives];
  const { prevalence } = state;
  // Of the cases there are, or at another prevalence of a thousand.
  const hits = prevalence === null ? tp : prevalence * (1 - fnr);
  const alarms = prevalence === null ? fp : (1 - prevalence) * fpr;
  const counted = prevalence === null ? count : inThousand;
  return say(prevalence === null ? "bar.here" : "bar.elsewhere", {
    at: atWords(model, state.at[k]!),
    cost: number((weight * fnr + fpr) / Math.min(weight, 1)),
    constant: constantWords(weight),
    flagged: counted(hits + alarms),
    right: counted(hits),
    wrong: counted(alarms),
    missed: counted(prevalence === null ? fn : prevalence - hits),
    n: count(model.positives + model.negatives),
    share: percent(prevalence ?? 0),
  });
}

function inThousand(share: number): string {
  return fixed(1000 * share, share > 0 && share < 0.01 ? 1 : 0);
}

/** At another prevalence: of whose cases a line is that does not follow it. */
export function ofData(data: Data, state: State): Text {
  const share = percent(ownShare(data.models[state.chosen]!));
  return state.prevalence === null ? [] : say("good.of_data", { share });
}

export function rocCaption(data: Data, state: State, k: number): Text {
  const model = data.models[k]!;
  const point = pointAt(model, state.at[k]!, worldOf(data, state, model));
  const [negative, positive] = data.labels ?? ["", ""];
  const rates = { recall: percent(point.recall), fpr: percent(point.fpr) };
  return say("roc.caption", { at: atWords(model, state.at[k]!), ...rates, positive, negative });
}

export function confusionCaption(data: Data, state: State, k: number): Text {
  const model = data.models[k]!;
  const { tp, fp, fn } = pointAt(model, state.at[k]!, worldOf(data, state, model));
  if (state.prevalence !== null) return say("confusion.elsewhere", { share: percent(state.prevalence) });
  const flags = { wrong: count(fp), flagged: count(tp + fp) };
  const key = tp + fp > 0 ? "confusion.caption" : "confusion.no_flags";
  return say(key, { missed: count(fn), positives: count(model.positives), ...flags });
}

type Outcome = "first" | "second" | "differ" | "same" | "open" | "untested";

/** Who is better by a measure, whether the difference is within the margin, significant or not, or was not tested. */
function outcome({ value, better, levels, within }: Family, level: string, margin: number): Outcome {
  const limits = levels[level];
  if (!limits || value === null) return "untested";
  const [low, high] = limits;
  if (within && margin > 0 && -margin <= low && high <= margin) return "same";
  if (!(low > 0 || high < 0)) return "open";
  if (better === "neither") return "differ";
  return value > 0 === (better === "higher") ? "first" : "second";
}

/** Which of two models is better by the primary measure, then by the secondary ones, at a level and with a margin. */
export function betterLine(data: Data, state: State): Line {
  const standing = familiesAt(data, state);
  const families = standing.map(({ family }) => family);
  const level = String(state.level ?? data.level);
  const margin = state.margin ?? 0;
  const [first, ...others] = families.map((family) => outcome(family, level, margin)) as [Outcome, ...Outcome[]];
  const [primary, ...secondary] = families as [Family, ...Family[]];
  const finding = [headline(primary, first, data.names!, margin), clauses(secondary, others, data.names!, margin), aboveAll(data, state)];
  const differences = standing.map(({ family: { value }, title, limits }) => {
    if (!limits) return say("better.no_interval", { title, value: value === null ? "undefined" : signed(value, null) });
    return say("better.difference", { title, value: signed(value!, limits), limits: bracketed(value!, limits) });
  });
  const adjusted = { level: levelWords(Number(level)), family: data.adjusted ?? "" };
  return {
    mark: first === "open" || first === "untested" ? "open" : "told",
    finding: [run(finding.filter(Boolean).join(" ").replace(/\.$/, ""))],
    evidence: between(differences),
    code: "",
    caution: say(standing.some(({ moved }) => moved) ? "better.mind_moved" : "better.mind", adjusted),
  };
}

/** That always predicting the commonest class has a higher accuracy than either model, where it has. */
function aboveAll(data: Data, state: State): string {
  const share = state.prevalence ?? ownShare(data.models[0]!);
  const constant = Math.max(share, 1 - share);
  const isBelow = data.models.every((model, k) => {
    const { tp, fp } = pointAt(model, state.at[k]!, worldOf(data, state, model));
    return (share * tp) / model.positives + (1 - share) * (1 - fp / model.negatives) < constant - 1e-12;
  });
  const isShown = isBelow && data.models.length === data.names!.length && data.families!.some(({ name }) => name === "accuracy");
  return isShown ? words("better.constant", { name: data.answers![share > 0.5 ? 1 : 0]!, accuracy: number(constant) }) : "";
}

/** The verdict by the primary measure. */
function headline({ named: title, better, value }: Family, told: Outcome, names: string[], margin: number): string {
  if (told === "untested") return words("better.untested", { title });
  if (told === "same") return words("better.same", { title, margin: general(margin, 6) });
  if (told === "open") return words("better.none", { title });
  const direction = better === "lower" ? "lower" : "higher";
  const [winner, loser] = (value! > 0 === (direction === "higher") ? names : [...names].reverse()) as [string, string];
  return words("better.significant", { winner, direction, title, loser });
}

/** Those by the secondary measures: measures of which the same holds stand in one clause, those with a winner first. */
function clauses(families: Family[], told: Outcome[], names: string[], margin: number): string {
  const kinds = [...new Set(told)];
  const isWon = (kind: Outcome): boolean => kind === "first" || kind === "second";
  const found = [...kinds.filter(isWon), ...kinds.filter((kind) => !isWon(kind))].map((kind) => {
    const titles = listed(families.filter((_, k) => told[k] === kind).map(({ named }) => named));
    return words(CLAUSES[kind], { winner: names[kind === "first" ? 0 : 1]!, titles, margin: general(margin, 6) });
  });
  return found.length ? words("better.secondary", { clauses: found.join("; ") }) : "";
}

/** Expected cost by cost ratio the controls stand, each at its own cheapest threshold. */
export function cheapestLine(data: Data, state: State): Line {
  const model = data.models[0]!;
  const [place, ratio] = nearest(data, state, model, weightOf(worldOf(data, state, model)));
  const found = data.cheapest?.[place];
  const names = data.names ?? [];
  if (!found) return { mark: "open", finding: say("cheapest.bare", { reason: data.not_cheapest ?? "" }), evidence: [], code: "", caution: [] };
  const others = names.filter((_, k) => k !== found.best);
  const open = others.filter((_, k) => !(found.apart[k]![2] < 0));
  const [value, ...limits] = found.apart[0]!;
  const [isTwo, isTold] = [names.length === 2, !open.length];
  return {
    mark: isTold ? "told" : "open",
    finding: say(isTwo ? (isTold ? "cheapest.two" : "cheapest.apart") : isTold ? "cheapest.all" : "cheapest.open", {
      ratio: settings(state, ratio),
      best: names[found.best]!,
      other: others[0]!,
      others: open.length < 4 ? listed(open) : `${open.length} others`,
      value: signed(value, limits),
      limits: bracketed(value, limits),
    }),
    evidence: [
      ...between(found.costs.slice(0, 4).map((cost, k) => say("cheapest.cost", { name: names[k]!, cost: number(cost) }))),
      run(" "),
      ...say("cheapest.of_constant"),
    ],
    code: "A306",
    caution: say("cheapest.mind"),
  };
}
