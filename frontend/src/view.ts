// Shows a state: every word and every mark that hangs on it, and nothing that does not change.

import type { Data } from "./data";
import { type AllLimits, Figure } from "./figures";
import { barSentence, betterLine, cheapestLine, confusionCaption, type Line, ofData, rocCaption, thresholdLine } from "./live";
import { asDrawn, hiddenIf, put } from "./marks";
import {
  cheapest,
  type Estimate,
  type Measure,
  MEASURES,
  measuresAt,
  mixtureAt,
  type Point,
  pointAt,
  type World,
} from "./point";
import { plain, type Text, write } from "./said";
import { captionOf, limitsWords, mixtureWords, notesOf, whyStill } from "./sentences";
import { usedOf, shownThreshold, type State, worldOf } from "./state";
import { count, fixed, number, percent, ratioWords, thresholdWords } from "./words";

// Figures whose captions are of the data's prevalence.
const OF_PREVALENCE = ["pr", "cost", "gain", "lift", "net_benefit", "reject", "calibration", "murphy", "covariance"];
// Words that hang on the threshold, and on nothing that is not part of the page as written.
const OF_A_POINT = new RegExp(`^(threshold|decided|flagged|[tf][pn]|${MEASURES.join("|")})[ -]`);

/** One model as shown. */
export interface Shown {
  point: Point;
  estimates: Record<Measure, Estimate>;
  sentence: string;
}

const MARKS = { told: "the data decide", sought: "looked for, nothing found", open: "cannot be told" };

// What was written where words change, before any did.
const written = new WeakMap<Element, string>();

export class View {
  readonly figures: Figure[];
  readonly #data: Data;
  readonly #outs = new Map<string, Element[]>();
  // Where sentences from templates stand, and the lines that figures are folded behind.
  readonly #places = new Map<string, Element[]>();
  readonly #lines = new Map<string, HTMLElement[]>();
  readonly #bars: SVGElement[];
  readonly #captions = new Map<ChildNode, [string, string]>();
  // What lines with heights that follow costs and prevalence were last moved to.
  #shaped = "";

  /** `panel` shows one of many classes; without one the whole page is about two. */
  constructor(data: Data, panel: Element | null) {
    this.#data = data;
    const svgs = [...(panel ?? document).querySelectorAll<SVGSVGElement>("svg[data-figure]")];
    this.figures = svgs.map((svg) => new Figure(svg)).filter((figure) => figure.isPlaced);
    for (const { svg, name } of this.figures) {
      // The words themselves: what follows them in the caption has places of its own.
      const caption = svg.closest("figure")?.querySelector("figcaption")?.firstChild;
      if (caption && OF_PREVALENCE.includes(name))
        this.#captions.set(caption, [name, caption.textContent ?? ""]);
    }
    this.#bars = [...(panel ?? document).querySelectorAll<SVGElement>("[data-bar]")];
    for (const out of document.querySelectorAll("[data-out]")) {
      // What stands in the panel of another class is its own; what stands in none is about whichever is shown.
      const owner = out.closest("[data-class]");
      if (owner && owner !== panel) continue;
      const { out: name, model } = (out as HTMLElement).dataset;
      const key = `${name} ${model ?? ""}`;
      if (!written.has(out)) written.set(out, out.textContent ?? "");
      this.#outs.set(key, [...(this.#outs.get(key) ?? []), out]);
    }
    for (const place of document.querySelectorAll<HTMLElement>("[data-live]")) {
      const owner = place.closest("[data-class]");
      if (owner && owner !== panel) continue;
      const key = `${place.dataset.live} ${place.dataset.model ?? ""}`;
      this.#places.set(key, [...(this.#places.get(key) ?? []), place]);
    }
    for (const line of document.querySelectorAll<HTMLElement>("[data-line]")) {
      const name = line.dataset.line!;
      this.#lines.set(name, [...(this.#lines.get(name) ?? []), line]);
    }
  }

  show(state: State): Shown {
    const all = this.#data.models.map((_, k) => this.#one(state, k));
    const shown = all[state.chosen]!;
    this.#reshape(state);
    this.#common(state, shown);
    return shown;
  }

  say(name: string, words: string, model = ""): void {
    for (const out of this.#outs.get(`${name} ${model}`) ?? []) if (out.textContent !== words) out.textContent = words;
  }

  #one(state: State, k: number): Shown {
    const model = this.#data.models[k]!;
    const world = worldOf(this.#data, state, model);
    const point = pointAt(model, state.at[k]!, world);
    const estimates = measuresAt(model, point, world, state.pick !== "");
    const threshold = shownThreshold(this.#data, state, k);
    const isWritten = world.isOwn && this.#isAtCutoff(state, k);
    const isChosen = k === state.chosen;
    const sentence = plain(barSentence(this.#data, state, k));
    const shown = { point, estimates, sentence };
    for (const key of isChosen ? [String(k), ""] : [String(k)]) {
      // As written where nothing moved: Python knows intervals, and labels, that the script does not.
      if (isWritten && (key || !k)) this.#restore(key);
      else if (isFinite(point.tp)) this.#words(key, point, estimates, threshold, world);
      if (isFinite(point.tp)) this.#write("confusion.caption", confusionCaption(this.#data, state, k), key);
    }
    if (isWritten && (!isChosen || !k)) {
      for (const figure of this.figures) figure.restore(k, isChosen);
      this.#moveBars(k, isChosen, null);
    } else if (isFinite(point.tp)) this.#move(k, isChosen, shown, threshold, world);
    for (const figure of this.figures) figure.tangent(k, isChosen, model, world);
    return shown;
  }

  #move(k: number, isChosen: boolean, { point, estimates }: Shown, threshold: number, world: World): void {
    const model = this.#data.models[k]!;
    const limits = Object.fromEntries(MEASURES.map((name) => [name, estimates[name].limits])) as AllLimits;
    for (const figure of this.figures) {
      const place = figure.place(model, point, world, threshold);
      figure.operating(k, isChosen, place);
      figure.whiskers(k, isChosen, place, limits);
    }
    this.#moveBars(k, isChosen, estimates, constantsOf(point, world));
  }

  #restore(key: string, which = OF_A_POINT): void {
    for (const [name, outs] of this.#outs) {
      if (name.split(" ")[1] !== key || !which.test(name)) continue;
      for (const out of outs) {
        out.textContent = written.get(out)!;
        out.removeAttribute("title");
      }
    }
  }

  #words(key: string, point: Point, estimates: Shown["estimates"], threshold: number, world: World): void {
    const { tp, fp, fn, tn } = point;
    this.say("threshold", thresholdWords(threshold), key);
    if (isNaN(threshold)) this.#restore(key, /^decided/);
    else {
      const at = threshold === Infinity ? "bove every score" : `t threshold ${thresholdWords(threshold)}`;
      this.say("decided", `a${at}`, key);
      this.say("decided-title", `A${at}`, key);
      this.say("decided-note", `threshold ${thresholdWords(threshold)}`, key);
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
      this.say(name, world.isOwn ? count(cell) : expected(cell), key);
      this.say(`${name}-row`, percent(cell / row), key);
      this.say(`${name}-column`, percent(cell / column), key);
    }
    for (const name of MEASURES) {
      this.say(name, number(estimates[name].value, estimates[name].limits), key);
      this.say(`${name}-limits`, limitsWords(estimates[name]), key);
      for (const out of this.#outs.get(`${name}-limits ${key}`) ?? []) {
        if (estimates[name].reason) out.setAttribute("title", estimates[name].reason);
        else out.removeAttribute("title");
      }
    }
  }

  /** Interval bars to their estimates, or back to where they were written. */
  #moveBars(k: number, isChosen: boolean, estimates: Shown["estimates"] | null, constants?: Constants): void {
    for (const bar of this.#bars) {
      const { bar: name, model } = bar.dataset;
      if (model === undefined ? !isChosen : Number(model) !== k) continue;
      const base = bar.querySelector<SVGElement>(".base");
      if (base && !estimates) asDrawn(base);
      const constant = estimates && constants?.[name as Measure];
      if (base && estimates) place(base, constant === undefined || constant === null ? null : [constant, constant]);
      const [tick, limits] = [bar.querySelector<SVGElement>(".tick"), bar.querySelector<SVGElement>(".limits")];
      const estimate = estimates?.[name as Measure];
      if (!estimates) for (const mark of [tick, limits]) if (mark) asDrawn(mark);
      if (!estimate) continue;
      place(tick, isFinite(estimate.value) ? [estimate.value, estimate.value] : null);
      place(limits, estimate.limits);
    }
  }

  /** What belongs to the chosen model or to no model at all. */
  #common(state: State, shown: Shown): void {
    const model = this.#data.models[state.chosen]!;
    const world = worldOf(this.#data, state, model);
    const best = cheapest(model, world);
    const mix = state.mix === null ? null : mixtureAt(model, state.mix);
    this.say("ratio", ratioWords(state.ratio));
    this.say("prevalence", percent(world.prevalence));
    this.say("why", whyStill(state));
    this.say("mixture", mixtureWords(model, mix));
    this.say(
      "method-note",
      notesOf(
        MEASURES.map((name) => shown.estimates[name]),
        state,
        model,
      ),
    );
    for (const figure of this.figures) figure.mixture(model, mix);
    const isWritten = world.isOwn && state.ratio === this.#data.ratio && !state.chosen && this.#isAtCutoff(state, 0);
    for (const [caption, [name, written]] of this.#captions) {
      caption.textContent = isWritten ? written : captionOf(name, written, model, shown.point, best, world);
    }
    for (const [name, lines] of this.#lines) {
      const figure = [...this.#captions].find(([, [of]]) => of === name)?.[0];
      if (figure) for (const line of lines) if (line.textContent !== figure.textContent) line.textContent = figure.textContent;
    }
    this.#live(state, shown);
  }

  /** The lines of the first screen, and the sentence of the bar. */
  #live(state: State, shown: Shown): void {
    const k = state.chosen;
    const whose = this.#data.models.length > 1 ? [{ text: `${this.#data.models[k]!.name}: `, look: "b" as const }] : [];
    this.#write("bar", [...whose, ...barSentence(this.#data, state, k)]);
    this.#write("of_data", ofData(this.#data, state));
    if (isFinite(shown.point.tp) && !this.#data.class) this.#write("roc.caption", rocCaption(this.#data, state, k));
    const lines: [string, () => Line][] = [
      ["threshold", () => thresholdLine(this.#data, state, k)],
      ["better", () => betterLine(this.#data, state)],
      ["cheapest", () => cheapestLine(this.#data, state)],
    ];
    for (const [name, make] of lines) if (this.#places.has(`${name}.finding `)) this.#line(name, make());
  }

  #line(name: string, line: Line): void {
    this.#write(`${name}.finding`, line.finding);
    this.#write(`${name}.evidence`, line.evidence);
    this.#write(`${name}.caution`, line.caution);
    this.#write(`${name}.code`, [{ text: line.code, look: "" }]);
    for (const mark of document.querySelectorAll(`[data-mark="${name}"]`)) {
      mark.className = `mark ${line.mark}`;
      mark.setAttribute("aria-label", MARKS[line.mark]);
    }
  }

  #write(name: string, text: Text, model = ""): void {
    for (const place of this.#places.get(`${name} ${model}`) ?? []) write(place, text);
  }

  #isAtCutoff(state: State, k: number): boolean {
    return !state.pick && state.at[k] === usedOf(this.#data.models[k]!);
  }

  #reshape(state: State): void {
    const key = `${state.prevalence} ${state.ratio} ${state.chosen}`;
    // The first time nothing has moved yet: the lines stand as Python drew them.
    const isAsDrawn =
      this.#shaped === "" && state.prevalence === null && state.ratio === this.#data.ratio && !state.chosen;
    if (key !== this.#shaped && !isAsDrawn) for (const figure of this.figures) figure.reshape(this.#data, state);
    this.#shaped = key;
  }
}

type Constants = Partial<Record<Measure, number>>;

/** What answers that look at no case give: as many flagged at random, or always the commoner class. */
function constantsOf(point: Point, { prevalence }: World): Constants {
  return {
    recall: point.flagged,
    specificity: 1 - point.flagged,
    precision: prevalence,
    npv: 1 - prevalence,
    fpr: point.flagged,
    accuracy: Math.max(prevalence, 1 - prevalence),
    f1: (2 * prevalence) / (1 + prevalence),
  };
}

/** So many of the cases as are to be expected. */
function expected(cases: number): string {
  return count(Number(fixed(cases, cases >= 100 ? 0 : 1)));
}

function place(line: SVGElement | null, ends: readonly [number, number] | null): void {
  if (!line) return;
  const [from, to] = (ends ?? [0, 0]).map((end) => `${(100 * end).toFixed(2)}%`);
  put(line, { x1: from!, x2: to!, ...hiddenIf(!ends) });
}
