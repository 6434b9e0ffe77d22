// Shows a state: every word and every mark that hangs on it, and nothing that does not change.

import { computedAt, isMoved, majorityCaution, thresholdsWords } from "./computed";
import type { Data } from "./data";
import { differencesOf } from "./differences";
import { all, attrs, one, put } from "./dom";
import { type AllLimits, figureOf } from "./figures";
import { barSentence, betterLine, cheapestLine, confusionCaption, type Line, ofData, rocCaption, thresholdLine } from "./live";
import { asDrawn, place } from "./marks";
import { cheapest, type Estimate, type Measure, MEASURES, measuresAt, mixtureAt, type Point, pointAt, type World } from "./point";
import { plain, run, type Text, words, write } from "./said";
import { captionOf, limitsWords, mixtureWords, notesOf } from "./sentences";
import { initialOf, LABELS, usedOf, shownThreshold, type State, worldOf } from "./state";
import { count, fixed, number, percent, ratioWords, thresholdWords } from "./words";

// Figures whose captions are of the data's prevalence.
const OF_PREVALENCE = ["pr", "cost", "gain", "lift", "net_benefit", "reject", "calibration", "murphy", "covariance", "cheapest", "cost_weights"];
// Words that hang on the threshold, and on nothing that is not part of the page as written.
const OF_A_POINT = new RegExp(`^(threshold|decided|flagged|positives|negatives|[tf][pn]|${MEASURES.join("|")})[ -]`);
const MARKS = { told: "significant", sought: "not significant", open: "inconclusive" };

/** One model as shown. */
export interface Shown {
  point: Point;
  estimates: Record<Measure, Estimate>;
  sentence: string;
}

export type View = ReturnType<typeof viewOf>;

// What was written where words change, before any did.
const written = new WeakMap<Element, string>();

/** What the page shows of some data; `panel` shows one of many classes, without one the whole page is about two. */
export function viewOf(data: Data, panel: Element | null) {
  const part = panel ?? document;
  const figures = all<SVGSVGElement>("svg[data-figure]", part)
    .map(figureOf)
    .filter(({ isPlaced }) => isPlaced);
  const bars = all("[data-bar]", part);
  const outs = grouped("out");
  // Where sentences from templates stand, and the lines that figures are folded behind.
  const places = grouped("live");
  const lines = all("[data-line]");
  const captions: [caption: ChildNode, figure: string, words: string][] = [];
  for (const svg of all<SVGSVGElement>("svg[data-figure]", part)) {
    const name = svg.dataset.figure!.replace(/-\d+$/, "");
    // The words themselves: what follows them in the caption has places of its own.
    const caption = svg.closest("figure")?.querySelector("figcaption")?.firstChild;
    if (caption && OF_PREVALENCE.includes(name)) captions.push([caption, name, caption.textContent!]);
  }
  // What was computed at settings of the controls, and is not computed again.
  const computed = all("[data-depends]").filter((note) => (note.closest("[data-class]") ?? null) === panel);
  const compare = differencesOf(data, initialOf(data));
  // What lines with heights that follow costs and prevalence were last moved to.
  let shaped = "";

  /** Elements by the name that an attribute gives them, and their model. */
  function grouped(attribute: "out" | "live"): Map<string, HTMLElement[]> {
    const found = new Map<string, HTMLElement[]>();
    for (const element of all(`[data-${attribute}]`)) {
      // What stands in the panel of another class is its own; what stands in none is about whichever is shown.
      const owner = element.closest("[data-class]");
      if (owner && owner !== panel) continue;
      const key = `${element.dataset[attribute]} ${element.dataset.model ?? ""}`;
      if (!written.has(element)) written.set(element, element.textContent!);
      found.set(key, [...(found.get(key) ?? []), element]);
    }
    return found;
  }

  const at = (places: Map<string, HTMLElement[]>, name: string, model = ""): HTMLElement[] => places.get(`${name} ${model}`) ?? [];

  function say(name: string, words: string, model?: string): void {
    for (const out of at(outs, name, model)) put(out, words);
  }

  function tell(name: string, text: Text, model?: string): void {
    for (const place of at(places, name, model)) write(place, text);
  }

  const isAtCutoff = (state: State, k: number): boolean => !state.pick && state.at[k] === usedOf(data.models[k]!);

  function ofModel(state: State, k: number): Shown {
    const model = data.models[k]!;
    const world = worldOf(data, state, model);
    const point = pointAt(model, state.at[k]!, world);
    const estimates = measuresAt(model, point, world, !!state.pick);
    const threshold = shownThreshold(data, state, k);
    const isWritten = world.isOwn && isAtCutoff(state, k);
    const [isChosen, isDecided] = [k === state.chosen, isFinite(point.tp)];
    for (const key of isChosen ? [String(k), ""] : [String(k)]) {
      // As written where nothing moved: Python knows intervals, and labels, that the script does not.
      if (isWritten && (key || !k)) restore(key);
      else if (isDecided) decide(key, point, estimates, threshold, world);
      if (isDecided) tell("confusion.caption", confusionCaption(data, state, k), key);
    }
    const isBack = isWritten && (!isChosen || !k);
    if (isBack || isDecided) {
      const limits = Object.fromEntries(MEASURES.map((name) => [name, estimates[name].limits])) as AllLimits;
      for (const figure of figures) figure.operate(k, isChosen, isBack ? null : figure.place(point, world, threshold), limits);
      moveBars(k, isChosen, isBack ? null : estimates, constantsOf(point, world));
    }
    for (const figure of figures) figure.tangent(k, isChosen, model, world);
    return { point, estimates, sentence: plain(barSentence(data, state, k)) };
  }

  function restore(key: string, which = OF_A_POINT): void {
    for (const [name, elements] of outs) {
      if (name.split(" ")[1] !== key || !which.test(name)) continue;
      for (const out of elements) {
        put(out, written.get(out)!);
        attrs(out, { title: null });
      }
    }
  }

  /** Words and cells of a threshold. */
  function decide(key: string, { tp, fp, fn, tn }: Point, estimates: Shown["estimates"], threshold: number, world: World): void {
    const named = thresholdWords(threshold);
    say("threshold", named, key);
    if (isNaN(threshold)) restore(key, /^decided/);
    else {
      const at = threshold === Infinity ? "bove every score" : `t threshold ${named}`;
      say("decided", `a${at}`, key);
      say("decided-title", `A${at}`, key);
      say("decided-note", `threshold ${named}`, key);
    }
    // At another prevalence: what is to be expected of as many cases, so that rows and columns still divide.
    const n = tp + fn + fp + tn;
    const [ofPositives, ofNegatives] = world.isOwn
      ? [1, 1]
      : [(n * world.prevalence) / (tp + fn), (n * (1 - world.prevalence)) / (fp + tn)];
    const [hits, missed, alarms, passed] = [tp * ofPositives, fn * ofPositives, fp * ofNegatives, tn * ofNegatives];
    const cells: [string, number, number, number][] = [
      ["tp", hits, hits + missed, hits + alarms],
      ["fn", missed, hits + missed, missed + passed],
      ["fp", alarms, alarms + passed, hits + alarms],
      ["tn", passed, alarms + passed, missed + passed],
    ];
    for (const [name, cell, row, column] of cells) {
      say(name, count(world.isOwn ? cell : Number(fixed(cell, cell >= 100 ? 0 : 1))), key);
      say(`${name}-row`, percent(cell / row), key);
      say(`${name}-column`, percent(cell / column), key);
    }
    for (const [name, cases] of [["positives", hits + missed], ["negatives", alarms + passed]] as const) {
      const whole = world.isOwn ? cases : Number(fixed(cases, cases >= 100 ? 0 : 1));
      say(name, `${count(whole)} case${whole === 1 ? "" : "s"}`, key);
    }
    for (const name of MEASURES) {
      const found = estimates[name];
      say(name, number(found.value, found.limits), key);
      say(`${name}-limits`, limitsWords(found), key);
      for (const out of at(outs, `${name}-limits`, key)) attrs(out, { title: found.reason || null });
    }
  }

  /** Interval bars to their estimates, or back to where they were written. */
  function moveBars(k: number, isChosen: boolean, estimates: Shown["estimates"] | null, constants: Partial<Record<string, number>>): void {
    for (const bar of bars) {
      const { bar: name, model } = bar.dataset;
      if (model === undefined ? !isChosen : Number(model) !== k) continue;
      const [base, tick, limits] = [".base", ".tick", ".limits"].map((look) => one(look, bar)) as [Element, Element, Element];
      const found = estimates?.[name as Measure];
      if (!estimates) [base, tick, limits].forEach(asDrawn);
      else place(base, ends(constants[name!]));
      const named = one("text", bar);
      if (named) {
        const first = (named.dataset.written ??= named.textContent!);
        const constant = constants[name!] ?? NaN;
        asDrawn(named);
        if (estimates && isFinite(constant)) {
          place(named, { x: `${(100 * constant).toFixed(2)}%`, "text-anchor": anchorAt(constant) });
          put(named, `${constantName(name!, first, constants.precision!)} ${number(constant)}`);
        } else put(named, first);
      }
      if (!found) continue;
      place(tick, ends(found.value));
      place(limits, found.limits && ends(...found.limits));
    }
  }

  /** The baseline of a measure: of the accuracy the class that is commoner at this prevalence. */
  function constantName(measure: string, first: string, prevalence: number): string {
    const commonest = data.constants?.[prevalence > 0.5 ? 1 : 0];
    return measure === "accuracy" && commonest ? commonest : first.replace(/\s+\S+$/, "");
  }

  /** What belongs to the chosen model or to no model at all. */
  function common(state: State, shown: Shown): void {
    const k = state.chosen;
    const model = data.models[k]!;
    const world = worldOf(data, state, model);
    const mix = state.mix === null ? null : mixtureAt(model, state.mix);
    say("ratio", ratioWords(state.ratio));
    say("prevalence", percent(world.prevalence));
    say("why", world.isOwn ? "" : words("still.roc"));
    say("mixture", mixtureWords(model, mix));
    say("method-note", notesOf(Object.values(shown.estimates), state, model));
    for (const figure of figures) figure.mixture(model, mix);
    const isWritten = world.isOwn && state.ratio === data.ratio && !k && isAtCutoff(state, 0);
    for (const [caption, name, written] of captions) {
      const said = isWritten ? written : captionOf(name, written, model, shown.point, cheapest(model, world), world);
      caption.textContent = said;
      for (const line of lines) if (line.dataset.line === name) put(line, said);
    }
    // The lines of the first screen, and the sentence of the bar.
    tell("bar", [...(data.models.length > 1 ? [run(`${model.name}: `, "b")] : []), ...barSentence(data, state, k)]);
    tell("of_data", ofData(data, state));
    if (isFinite(shown.point.tp)) tell("roc.caption", rocCaption(data, state, k));
    if (!data.class) several(state);
    for (const note of computed) {
      const words = computedAt(data, state, note.dataset.depends!);
      put(note, words);
      note.hidden = !words;
    }
    cautions(state);
    compare(state);
    answer("threshold", () => thresholdLine(data, state, k));
    answer("better", () => betterLine(data, state));
    answer("cheapest", () => cheapestLine(data, state));
    const headline = one("[data-headline]");
    if (headline) put(headline, all(".finding").map(foundIn).join("; "));
    for (const figure of figures) figure.describe();
  }

  /** The thresholds of several models, where they are written once for all. */
  function several(state: State): void {
    if (!isMoved(data, state)) return restore("", /^(thresholds|decided-(title-)?(all|several)) /);
    const named = thresholdsWords(data, state.at);
    say("thresholds", named);
    say("decided-several", words("decided.several", { thresholds: named }));
    say("decided-title-all", `A${words("decided.several", { thresholds: named }).slice(1)}`);
    say("decided-all", named.includes("(") ? "own thresholds" : named === "as predicted" ? named : `threshold ${named}`);
  }

  /** Cautions that depend on the threshold, shown where they apply. */
  function cautions(state: State): void {
    const show = (place: HTMLElement, words: string): void => {
      put(place, words.replaceAll(" %", "\u00a0%"));
      place.closest("div")!.hidden = !words;
    };
    data.models.forEach((model, k) => {
      const words = model.majority === undefined ? "" : majorityCaution(data, state, k);
      for (const place of at(places, "A301", String(k))) show(place, words);
      if (!model.good) return;
      const isFirst = words && !model.good.first;
      const { code, text, link, words: title } = isFirst ? { code: "A301", text: words, link: "confusion", words: "Errors" } : model.good;
      tell("good.code", [run(code)]);
      tell("good.caution", [run(text)]);
      for (const anchor of all<HTMLAnchorElement>("[data-link=good]")) {
        put(anchor, title);
        anchor.href = `#${link}`;
      }
    });
    const isDefault = data.models.some((model, k) => !model.asked && isAtCutoff(state, k) && state.at[k] !== LABELS);
    for (const place of at(places, "A305")) show(place, isDefault ? written.get(place)! : "");
  }

  function answer(name: string, make: () => Line): void {
    if (!at(places, `${name}.finding`).length) return;
    const { finding, evidence, caution, code, mark } = make();
    for (const [part, text] of Object.entries({ finding, evidence, caution, code: [run(code)] })) tell(`${name}.${part}`, text);
    for (const shown of all(`[data-mark="${name}"]`)) attrs(shown, { class: `mark ${mark}`, "aria-label": MARKS[mark] });
  }

  function reshape(state: State): void {
    const key = `${state.prevalence} ${state.ratio} ${state.chosen}`;
    // The first time nothing has moved yet: the lines stand as Python drew them.
    if (key !== (shaped || `null ${data.ratio} 0`)) for (const figure of figures) figure.reshape(data, state);
    shaped = key;
  }

  return {
    figures,
    say,
    show(state: State): Shown {
      const shown = data.models.map((_, k) => ofModel(state, k))[state.chosen]!;
      reshape(state);
      common(state, shown);
      return shown;
    },
  };
}

/** The finding of a line, with what it was computed at where that has moved. */
function foundIn(line: Element): string {
  const note = one(".of-data", line)?.textContent?.replace(/^C|\.$/g, (sign) => (sign === "C" ? "c" : ""));
  return `${one(".found", line)?.textContent}${note ? ` (${note})` : ""}`;
}

/** What answers that look at no case give: as many flagged at random, or always the commoner class. */
function constantsOf({ flagged }: Point, { prevalence }: World): Partial<Record<string, number>> {
  return {
    recall: flagged,
    specificity: 1 - flagged,
    precision: prevalence,
    npv: 1 - prevalence,
    fpr: flagged,
    accuracy: Math.max(prevalence, 1 - prevalence),
    f1: (2 * prevalence) / (1 + prevalence),
  };
}

// Names of baselines this near an end of their axis are set inwards.
const NEAR_AN_END = 0.18;

function anchorAt(share: number): string {
  return share < NEAR_AN_END ? "start" : share > 1 - NEAR_AN_END ? "end" : "middle";
}

/** Where a bar begins and ends on its axis from 0 to 1; nothing where there is no value. */
function ends(from = NaN, to = from): Record<string, string> | null {
  return isFinite(from) ? { x1: `${(100 * from).toFixed(2)}%`, x2: `${(100 * to).toFixed(2)}%` } : null;
}
