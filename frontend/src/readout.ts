// What a figure says of the point under the hand: the grey line above it turns to ink, and a hollow mark shows where.

import type { Model } from "./data";
import type { Figure } from "./figures";
import { stepsOf } from "./keys";
import { markOn, put } from "./marks";
import { type Corner, type Piece, piecesOf } from "./paths";
import { type Estimate, type Measure, measuresAt, type Point, pointAt, type World } from "./point";
import { ownShare } from "./state";
import { bracketed, count, fixed, general, number, thresholdWords } from "./words";

/** What a read-out asks of the page: models as they are seen now, and hands on their thresholds. */
export interface Seen {
  seen(): (readonly [Model, World])[];
  at(): number;
  chosen(): number;
  choose(k: number): void;
  move(index: number): void;
}

/** A point of a model's curve, in the units of the drawing. */
interface Spot {
  k: number;
  x: number;
  y: number;
  words: string;
  /** Among the model's thresholds, where the curve is made of them. */
  index?: number;
}

type Says = (point: Point, is: Record<Measure, Estimate>, height: number, model: Model) => string;

// On figures whose points are thresholds, what one of them says.
const SAYS: Record<string, Says> = {
  roc: (_, is) => `FPR ${number(is.fpr.value, is.fpr.limits)}, recall ${withLimits(is.recall)}`,
  pr: (_, is) => `recall ${number(is.recall.value, is.recall.limits)}, precision ${withLimits(is.precision)}`,
  gain: (point, is) => `share taken ${number(point.flagged)}, recall ${withLimits(is.recall)}`,
  lift: (point, _, height) => `share taken ${number(point.flagged)}, lift ${number(height)}`,
  cost: (point, _, height) => `cost ${number(height)}, ${counted(point.fn, "miss", "es")}, ${counted(point.fp, "false alarm", "s")}`,
  densities: ({ tp, fp }, _, __, { positives, negatives }) =>
    `${count(tp)} of ${count(positives)} positives, ${count(fp)} of ${count(negatives)} negatives`,
};
// The curve of a model, no band around it.
const CURVES = "path[class^=f-model-]:not([class$=-area],[class$=-flagged])";
const STEPS = 100;
// Higher than this, in pixels, the grey line is wrapped.
const ONE_LINE = 24;

export class Readout {
  readonly #figure: Figure;
  readonly #page: Seen | null;
  readonly #svg: SVGSVGElement;
  readonly #line: HTMLElement | null;
  readonly #says: Says | undefined;
  readonly #own: Element[];
  #before: Node[] | null = null;
  #spot: Spot | null = null;

  constructor(figure: Figure, page: Seen | null) {
    const { svg, name } = figure;
    [this.#figure, this.#page, this.#svg] = [figure, page, svg];
    this.#line = svg.closest("figure")?.querySelector(".subtitle") ?? null;
    // Every model has a figure of its scores: these are numbered.
    this.#says = page ? SAYS[name.replace(/\d+$/, "")] : undefined;
    // The first model is drawn last.
    this.#own = [...svg.querySelectorAll(this.#says ? "path[data-model]" : CURVES)].reverse();
    if (!this.#line || !this.#own.length) return;
    svg.setAttribute("tabindex", "0");
    for (const event of ["pointermove", "pointerdown"] as const)
      svg.addEventListener(event, (at) => this.show(this.under(at)));
    for (const event of ["pointerleave", "blur"]) svg.addEventListener(event, () => this.show(null));
    svg.addEventListener("focus", () => svg.matches(":focus-visible") && this.show(this.#first(), true));
    svg.addEventListener("keydown", (event) => this.#key(event));
  }

  /** The nearest point of the nearest curve, where a pointer is on the plot. */
  under(event: PointerEvent): Spot | null {
    const place = this.#figure.fromPointer(event);
    if (!this.#figure.holds(place)) return null;
    const [x, y] = [this.#figure.right(place[0]), this.#figure.down(place[1])];
    const away = (spot: Spot): number => Math.hypot(spot.x - x, spot.y - y);
    return this.#spots(x, y).reduce<Spot | null>((best, spot) => (best && away(best) <= away(spot) ? best : spot), null);
  }

  /** Say where a point lies, or what stood there before. */
  show(spot: Spot | null, isSpoken = false): void {
    const [line, svg] = [this.#line, this.#svg];
    this.#spot = spot;
    let mark = svg.querySelector(".readout-mark");
    if (!line || (!spot && !this.#before)) return;
    line.classList.toggle("reads", !!spot);
    if (isSpoken) line.setAttribute("aria-live", "polite");
    if (!spot) {
      mark?.remove();
      // The nodes themselves: the page goes on writing into them.
      line.replaceChildren(...this.#before!);
      line.style.minHeight = "";
      line.removeAttribute("aria-live");
      this.#before = null;
      return;
    }
    if (!this.#before) {
      // What takes two lines keeps them, so that nothing below moves.
      if (line.offsetHeight > ONE_LINE) line.style.minHeight = `${line.offsetHeight}px`;
      this.#before = [...line.childNodes];
    }
    line.textContent = spot.words;
    mark ??= markOn(svg, "circle", "readout-mark f-mark");
    put(mark, { r: 5.5, cx: spot.x, cy: spot.y });
  }

  /** One point for every model of the figure. */
  #spots(x: number, y: number): Spot[] {
    if (!this.#says) return this.#own.map((path) => this.#onCurve(path, x, y));
    const numbers = new Set(this.#own.map((path) => Number((path as SVGElement).dataset.model)));
    const place = this.#figure.fromDrawing(x, y);
    return [...numbers].map((k) => this.#atThreshold(k, this.#figure.nearest(...this.#page!.seen()[k]!, place)));
  }

  #atThreshold(k: number, index: number): Spot {
    const [model, world] = this.#page!.seen()[k]!;
    const [point, threshold] = [pointAt(model, index, world), model.threshold[index]!];
    const [x, y] = this.#figure.place(model, point, world, threshold);
    const said = this.#says!(point, measuresAt(model, point, world, false), y, model);
    const from = threshold === Infinity ? "" : "from ";
    // Classes stand above and below one line.
    const height = isNaN(y) && this.#figure.name.startsWith("densities") ? 0 : y;
    const at = { x: this.#figure.right(x), y: this.#figure.down(isNaN(height) ? Infinity : height) };
    return { k, index, ...at, words: `${this.#name(k)}${from}${thresholdWords(threshold)}: ${said}` };
  }

  /** A point of a drawn line straight above or below, or a group of cases that has its own mark. */
  #onCurve(path: Element, x: number, y: number): Spot {
    const k = Number((path as SVGElement).dataset.model ?? this.#own.indexOf(path));
    const [limits, at] = this.#group(path, x) ?? ["", heightAt(piecesOf(path.getAttribute("d")!), x, y)];
    const [across, height] = this.#figure.fromDrawing(...at);
    const [model, world] = this.#page?.seen()[k] ?? [];
    // The axis of net benefit grows with the share of positives.
    const scale = model && world && this.#figure.name === "net_benefit" ? world.prevalence / ownShare(model) : 1;
    const texts = this.#svg.querySelectorAll("g.f-muted-words text");
    const [up, along] = [texts[0], texts[texts.length - 1]].map((text) => text?.textContent ?? "");
    const said = `${up!.slice(0, 1).toLowerCase()}${up!.slice(1)} ${this.#digits(height * scale, false)}`;
    return { k, x: at[0], y: at[1], words: `${this.#name(k)}${along} ${this.#digits(across, true)}: ${said}${limits}` };
  }

  /** The group of cases nearest to a place, with its limits; only one model's groups are drawn. */
  #group(path: Element, x: number): [string, Corner] | null {
    const svg = this.#svg;
    const look = path.getAttribute("class")!;
    const dots = [...svg.querySelectorAll(`circle.${look}-dot:not([display])`)];
    const bars = piecesOf(svg.querySelector("path.f-mark")?.getAttribute("d") ?? "");
    if (this.#figure.name !== "calibration" || !dots.length) return null;
    const places = dots.map((dot): Corner => [Number(dot.getAttribute("cx")), Number(dot.getAttribute("cy"))]);
    const at = places.reduce((best, place) => (Math.abs(place[0] - x) < Math.abs(best[0] - x) ? place : best));
    const bar = bars.find(({ corners }) => Math.abs(corners[0]![0] - at[0]) < 0.1)?.corners;
    const ends = bar?.map(([, end]) => this.#figure.fromDrawing(at[0], end)[1]).sort((a, b) => a - b);
    return [ends ? ` [${ends.map((end) => this.#digits(end, false)).join(", ")}]` : "", at];
  }

  /** A value read off the drawing, with no more digits than a unit of the drawing tells apart. */
  #digits(value: number, isAcross: boolean): string {
    const { dataset } = this.#svg;
    if (isAcross && dataset.scale) return general(value, 2);
    const [low, high, long] = (isAcross ? ["x0", "x1", "width"] : ["y0", "y1", "height"]).map((key) => Number(dataset[key]));
    const said = fixed(value, Math.max(0, Math.floor(-Math.log10((high! - low!) / long!))));
    return Number(said) === 0 ? said.replace("-", "") : said;
  }

  #name(k: number): string {
    const models = this.#page?.seen() ?? [];
    if (models.length ? models.length < 2 : this.#own.length < 2) return "";
    return `${models[k]?.[0].name ?? String.fromCharCode(65 + k)}, `;
  }

  /** Where a key begins: at the decisions of the chosen model, or in the middle. */
  #first(): Spot | null {
    const [at, k] = [this.#page?.at() ?? -1, this.#page?.chosen() ?? 0];
    const [left, right] = this.#figure.ends;
    const middle = this.#spots((left + right) / 2, 0);
    const own = middle.find((spot) => spot.k === k) ?? middle[0] ?? null;
    return this.#says && at >= 0 && own?.k === k ? this.#atThreshold(k, at) : own;
  }

  #key(event: KeyboardEvent): void {
    const spot = this.#spot ?? this.#first();
    const steps = stepsOf(event);
    if (!spot || event.shiftKey) return;
    if (event.key === "Escape") return this.show(null);
    if (event.key === "Enter") return this.choose(spot);
    if (!steps) return;
    event.preventDefault();
    this.show(this.#stepped(spot, steps, /Up|Down/.test(event.key) && event.key.startsWith("Arrow")), true);
  }

  /** The next point to the right, or on the next model's curve. */
  #stepped(spot: Spot, steps: number, isUp: boolean): Spot {
    const all = this.#spots(spot.x, spot.y);
    const here = all.findIndex(({ k }) => k === spot.k);
    if (isUp && all.length > 1) return all[(here - steps + all.length) % all.length]!;
    if (spot.index !== undefined) {
      const last = this.#page!.seen()[spot.k]![0].threshold.length - 1;
      // Over the score higher thresholds stand on the right, elsewhere lower ones.
      const wanted = spot.index + (/^(cost|densities)/.test(this.#figure.name) ? -steps : steps);
      return this.#atThreshold(spot.k, within(wanted, 0, last));
    }
    const [left, right] = this.#figure.ends;
    let next = spot;
    // Groups of cases lie further apart than a step.
    for (let k = 1; k <= STEPS && Math.abs(next.x - spot.x) < 0.1; k++) {
      const x = spot.x + (k * steps * (right - left)) / STEPS;
      next = this.#onCurve(this.#own[here]!, within(x, left, right), spot.y);
    }
    return next;
  }

  /** Bring the model's threshold to a point, on figures that show thresholds. */
  choose(spot: Spot): void {
    const [page, figure] = [this.#page, this.#figure];
    if (!page || !this.#svg.querySelector(".dot,.cut") || !page.seen()[spot.k]) return;
    if (page.chosen() !== spot.k) page.choose(spot.k);
    page.move(spot.index ?? figure.nearest(...page.seen()[spot.k]!, figure.fromDrawing(spot.x, spot.y)));
  }
}

/** Where lines stand straight above or below a place: of several heights the nearest one. */
export function heightAt(pieces: Piece[], x: number, y: number): Corner {
  let best: Corner = [NaN, NaN];
  let least = Infinity;
  const offer = (across: number, height: number): void => {
    const away = 1000 * Math.abs(across - x) + Math.abs(height - y);
    if (away < least) [best, least] = [[across, height], away];
  };
  for (const { corners } of pieces) {
    corners.forEach(([x1, y1], i) => {
      const [x0, y0] = corners[i - 1] ?? [x1, y1];
      const at = within(x, x0, x1);
      offer(at, x0 === x1 ? within(y, y0, y1) : y0 + ((at - x0) / (x1 - x0)) * (y1 - y0));
    });
  }
  return best;
}

function within(value: number, one: number, other: number): number {
  return Math.min(Math.max(value, Math.min(one, other)), Math.max(one, other));
}

function withLimits({ value, limits }: Estimate): string {
  return number(value, limits) + (limits ? ` ${bracketed(value, limits)}` : "");
}

function counted(cases: number, one: string, ending: string): string {
  return `${count(cases)} ${one}${cases === 1 ? "" : ending}`;
}
