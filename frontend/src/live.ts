// What the page says where its controls stand: the same rules as assay/report/live.py and findings/_several.py.

import type { Cheapest, Data, Family, Model } from "./data";
import { wilson } from "./intervals";
import { cheapestAt, pointAt, type Point, type World } from "./point";
import { between, listed, say, type Text } from "./said";
import { LABELS, ownShare, type State, usedOf, worldOf } from "./state";
import { bracketed, count, fixed, general, number, percent, ratioWords, signed, thresholdWords } from "./words";

export interface Line {
  mark: "told" | "sought" | "open";
  finding: Text;
  evidence: Text;
  code: string;
  caution: Text;
}

/** A value with its limits, where it has any. */
type Found = [number] | [number, number, number];

// A grid's weight this near to another, relative to it, is the same.
const SAME = 1e-6;
const PICKED: Record<string, string> = { f1: "F1", youden: "Youden's J" };

/** How many false alarms among all negatives it is worth to miss no positive. */
export function weightOf(world: World): number {
  return (world.ratio * world.prevalence) / (1 - world.prevalence);
}

export function constantWords(weight: number): string {
  return weight <= 1 ? "flagging no one" : "flagging everyone";
}

/** A share and its limits in percent, in the digits that the limits support. */
function percents([value, low, high]: Found): [string, string] {
  if (low === undefined || high === undefined) return [percent(value), ""];
  const limits = [100 * low, 100 * high] as const;
  const [from, to] = bracketed(100 * value, limits).slice(1, -1).split(", ");
  return [`${number(100 * value, limits)} %`, `[${from} %, ${to} %]`];
}

function where(state: State): string {
  const elsewhere = state.prevalence === null ? "" : ` and ${percent(state.prevalence)} positives`;
  return `At ${ratioWords(state.ratio)}${elsewhere}`;
}

/** The place in the grid of weights that is nearest, and its weight. */
function nearest(data: Data, model: Model, weight: number): [number, number] {
  const odds = ownShare(model) / (1 - ownShare(model));
  let [best, least] = [0, Infinity];
  data.ratios.forEach((ratio, k) => {
    const away = Math.abs(Math.log((ratio * odds) / weight));
    if (away < least) [best, least] = [k, away];
  });
  return [best, data.ratios[best]! * odds];
}

/** What the threshold in use saves, taken as one given beforehand. */
function savingAt(model: Model, point: Point, weight: number, state: State, world: World): Found {
  const [n1, n0] = [model.positives, model.negatives];
  const [fnr, fpr] = [point.fn / n1, point.fp / n0];
  const constant = Math.min(weight, 1);
  const value = 1 - (weight * fnr + fpr) / constant;
  if (model.no_interval !== undefined || state.pick) return [value];
  const [l1, u1] = wilson(point.fn, n1, world.z);
  const [l0, u0] = wilson(point.fp, n0, world.z);
  const worse = Math.hypot(weight * (u1 - fnr), u0 - fpr) / constant;
  const better = Math.hypot(weight * (fnr - l1), fpr - l0) / constant;
  return [value, value - worse, Math.min(value + better, 1)];
}

function isDefault(model: Model, state: State, k: number): boolean {
  return state.at[k] !== LABELS && state.at[k] === usedOf(model) && !state.pick && !model.asked;
}

function words(model: Model, at: number): string {
  return at === LABELS ? "as decided" : thresholdWords(model.threshold[at]!);
}

function isConstant(model: Model, at: number): boolean {
  return at === 0 || at === model.threshold.length - 1;
}

/** Which threshold to use, and what it saves. */
export function thresholdLine(data: Data, state: State, k: number): Line {
  const model = data.models[k]!;
  const world = worldOf(data, state, model);
  const byDefault = isDefault(model, state, k);
  const [mark, finding] =
    state.pick === "cost" || byDefault ? ofCheapest(data, state, model, world) : ofSet(data, state, k, world);
  const caution = byDefault ? "default" : state.pick ? "picked" : "set";
  return {
    mark,
    finding,
    evidence: evidenceOf(data, state, k, world, byDefault),
    code: { default: "A305", picked: "A306", set: "" }[caution],
    caution: say(`threshold.caution.${caution}` as "threshold.caution.set", { threshold: words(model, state.at[k]!) }),
  };
}

function ofCheapest(data: Data, state: State, model: Model, world: World): [Line["mark"], Text] {
  const weight = weightOf(world);
  const best = cheapestAt(model, weight);
  const found = model.saves[nearest(data, model, weight)[0]]!;
  const values = { where: where(state), constant: constantWords(weight) };
  if (isConstant(model, best) || (found.length === 3 && found[1] <= 0)) return ["open", say("threshold.none", values)];
  const [share, limits] = percents(found);
  const all = { ...values, threshold: words(model, best), share, limits };
  return found.length === 1 ? ["open", say("threshold.unsure", all)] : ["told", say("threshold.cheapest", all)];
}

function ofSet(data: Data, state: State, k: number, world: World): [Line["mark"], Text] {
  const model = data.models[k]!;
  const at = state.at[k]!;
  const point = pointAt(model, at, world);
  if (isNaN(point.tp)) return ["open", say("threshold.undecided")];
  const weight = weightOf(world);
  const threshold = at === LABELS ? "the given labels" : `from ${words(model, at)}`;
  const values = { where: where(state), constant: constantWords(weight), threshold };
  if (at !== LABELS && isConstant(model, at)) return ["open", say(at ? "threshold.everybody" : "threshold.nobody", values)];
  const found = savingAt(model, point, weight, state, world);
  const [share, limits] = percents(found);
  if (isNaN(found[0])) return ["open", say("threshold.undefined", values)];
  const [value, low, high] = found;
  if (low === undefined || high === undefined) {
    const how = PICKED[state.pick] ?? "";
    return ["open", say(how ? "threshold.picked" : "threshold.bare", { ...values, share, how, reason: "" })];
  }
  if (low > 0) return ["told", say("threshold.saves", { ...values, share, limits })];
  if (high < 0) {
    const [more, moreLimits] = percents([-value, -high, -low]);
    return ["told", say("threshold.costs", { ...values, share: more, limits: moreLimits })];
  }
  return ["open", say("threshold.apart", { ...values, share, limits })];
}

function evidenceOf(data: Data, state: State, k: number, world: World, byDefault: boolean): Text {
  const model = data.models[k]!;
  const weight = weightOf(world);
  const best = cheapestAt(model, weight);
  const [place, known] = nearest(data, model, weight);
  const found = model.saves[place]!;
  const shown = state.pick === "cost" || byDefault ? best : state.at[k]!;
  const point = pointAt(model, shown, world);
  const parts: Text[] = [];
  if (!isNaN(point.tp)) {
    const values = { hits: count(point.tp), positives: count(model.positives), alarms: count(point.fp) };
    parts.push(say("threshold.finds", values));
  }
  if (shown !== best && found.length === 3 && !isConstant(model, best)) {
    const [share, limits] = percents(found);
    parts.push(say("threshold.would", { threshold: words(model, best), share, limits }));
  } else if (shown === best) {
    const [low, high] = [0.1, 10].map((ratio) => {
      const at = cheapestAt(model, weightOf({ ...world, ratio }));
      return isConstant(model, at) ? "none" : words(model, at);
    });
    parts.push(say("threshold.span", { low: low!, high: high! }));
  }
  if (Math.abs(known / weight - 1) > SAME && found.length === 3) {
    parts.push(say("threshold.known", { ratio: ratioWords((state.ratio * known) / weight) }));
  }
  return between(parts);
}

function atWords(model: Model, at: number): string {
  if (at === LABELS) return model.decided ?? "";
  return at === 0 ? "Above every score" : `At ${words(model, at)}`;
}

/** One line: what is flagged, what of it is right, what is missed, what it costs. */
export function barSentence(data: Data, state: State, k: number): Text {
  const model = data.models[k]!;
  const world = worldOf(data, state, model);
  const point = pointAt(model, state.at[k]!, world);
  if (isNaN(point.tp)) return say("bar.labels");
  const weight = weightOf(world);
  const [fnr, fpr] = [point.fn / model.positives, point.fp / model.negatives];
  const cost = number((weight * fnr + fpr) / Math.min(weight, 1));
  const values = { at: atWords(model, state.at[k]!), cost, constant: constantWords(weight) };
  if (state.prevalence === null) {
    const [flagged, right, wrong, missed] = [point.tp + point.fp, point.tp, point.fp, point.fn].map(count);
    const cells = { flagged: flagged!, right: right!, wrong: wrong!, missed: missed! };
    return say("bar.here", { ...values, ...cells, n: count(model.positives + model.negatives) });
  }
  const right = state.prevalence * (1 - fnr);
  const wrong = (1 - state.prevalence) * fpr;
  return say("bar.elsewhere", {
    ...values,
    share: percent(state.prevalence),
    flagged: inThousand(right + wrong),
    right: inThousand(right),
    wrong: inThousand(wrong),
    missed: inThousand(state.prevalence - right),
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

/** Who is better by a family, whether they are practically the same, or that it cannot be told. */
function outcome(family: Family, level: string, margin: number): "first" | "second" | "same" | "open" {
  const limits = family.levels[level];
  if (!limits || family.value === null) return "open";
  const [low, high] = limits;
  if (margin > 0 && -margin <= low && high <= margin) return "same";
  if (!(low > 0 || high < 0) || family.better === "neither") return "open";
  return family.value > 0 === (family.better === "higher") ? "first" : "second";
}

/** Which of two models is better, by which family, at a level and with a margin. */
export function betterLine(data: Data, state: State): Line {
  const families = data.families ?? [];
  const level = String(state.level ?? data.level);
  const margin = state.margin ?? 0;
  const told = families.map((family) => outcome(family, level, margin));
  const [first, second] = data.names as [string, string];
  const [mark, finding] = better(families, told, first, second, margin);
  const differences = families.map(({ title, value, levels }) => {
    const limits = levels[level];
    if (!limits) return say("better.no_interval", { title, value: value === null ? "undefined" : signed(value, null) });
    return say("better.difference", { title, value: signed(value!, limits), limits: bracketed(value!, limits) });
  });
  const values = { count: String(families.length), level: `${Number((100 * Number(level)).toPrecision(6))} %` };
  const caution = say(told.includes("open") ? "better.mind_open" : "better.mind", values);
  return { mark, finding, evidence: between(differences), code: "", caution };
}

function better(
  families: Family[],
  told: ReturnType<typeof outcome>[],
  first: string,
  second: string,
  margin: number,
): [Line["mark"], Text] {
  const by = (side: string): string[] => families.filter((_, k) => told[k] === side).map(({ does }) => does);
  const [one, other, open] = [by("first"), by("second"), by("open")];
  if (!families.length) return ["open", say("better.nothing")];
  if (told.every((outcome) => outcome === "same")) return ["told", say("better.same", { first, second, margin: general(margin, 6) })];
  if (!one.length && !other.length) return ["open", say("better.open", { first, second })];
  if (one.length && other.length) return ["told", say("better.both", { first, second, does: listed(one), other: listed(other) })];
  const winner = one.length ? first : second;
  const wins = one.length ? one : other;
  if (families.length > 1 && wins.length === families.length) return ["told", say("better.every", { winner })];
  if (!open.length) return ["told", say("better.some", { winner, does: listed(wins) })];
  return ["told", say("better.partly", { winner, does: listed(wins), rest: listed(open, "or") })];
}

/** Who is cheapest where the controls stand, each at its own cheapest threshold. */
export function cheapestLine(data: Data, state: State): Line {
  const model = data.models[0]!;
  const weight = weightOf(worldOf(data, state, model));
  const [place, known] = nearest(data, model, weight);
  const found: Cheapest | undefined = data.cheapest?.[place];
  const names = data.names ?? [];
  if (!found) return { mark: "open", finding: say("cheapest.bare", { reason: data.not_cheapest ?? "" }), evidence: [], code: "", caution: [] };
  const others = names.map((_, k) => k).filter((k) => k !== found.best);
  const open = others.filter((_, k) => !(found.apart[k]![2] < 0)).map((k) => names[k]!);
  const ratio = Math.abs(known / weight - 1) > SAME ? (state.ratio * known) / weight : state.ratio;
  const elsewhere = state.prevalence === null ? "" : ` and ${percent(state.prevalence)} positives`;
  const values = { ratio: `${ratioWords(ratio)}${elsewhere}`, best: names[found.best]! };
  return {
    mark: open.length ? "open" : "told",
    finding: cheapestFinding(found, names, others, open, values),
    evidence: [
      ...between(found.costs.slice(0, 4).map((cost, k) => say("cheapest.cost", { name: names[k]!, cost: number(cost) }))),
      { text: " ", look: "" },
      ...say("cheapest.of_constant"),
    ],
    code: "A306",
    caution: say("cheapest.mind"),
  };
}

function cheapestFinding(
  found: Cheapest,
  names: string[],
  others: number[],
  open: string[],
  values: { ratio: string; best: string },
): Text {
  if (names.length === 2) {
    const [value, ...limits] = found.apart[0]!;
    const apart = { other: names[others[0]!]!, value: signed(value, limits), limits: bracketed(value, limits) };
    return say(open.length ? "cheapest.apart" : "cheapest.two", { ...values, ...apart });
  }
  if (!open.length) return say("cheapest.all", values);
  return say("cheapest.open", { ...values, others: open.length < 4 ? listed(open) : `${open.length} others` });
}
