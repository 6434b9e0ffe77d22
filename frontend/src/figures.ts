// The marks on the figures: dots, whiskers, the tangent, the cut; and from a place on a figure back to a threshold.

import type { Data, Model } from "./data";
import { asDrawn, hiddenIf, markOn, put } from "./marks";
import { type Corner, middleOfStep, moved, type Piece, piecesOf } from "./paths";
import {
  cheapest,
  constantCost,
  costOf,
  type Measure,
  type Mixture,
  type Point,
  pointAt,
  slopeOf,
  type World,
} from "./point";
import { cutOf, ownShare, type State, worldOf } from "./state";
import { general } from "./words";

type Place = (model: Model, point: Point, world: World, threshold: number) => [number, number];

// Where the operating point stands on each kind of figure, in the units of its axes; nan where it has no height.
const PLACES: Record<string, Place> = {
  roc: (_, point) => [point.fpr, point.recall],
  pr: (_, point) => [point.recall, point.precision],
  gain: (_, point) => [point.flagged, point.recall],
  lift: (_, point) => [point.flagged, point.recall / point.flagged],
  cost: (_, point, __, threshold) => [threshold, point.cost],
};
// On figures that another prevalence changes: what of them follows it, and what is only true of the data's.
const LINES = "path[data-model]:not([class$=-area])";
const WORDS = "text.f-halo";
const FOLLOWING: Record<string, [string, string]> = {
  gain: [`path:not(.f-axis),${WORDS}`, ""],
  lift: [`path:not(.f-axis),${WORDS}`, ""],
  calibration: [`${LINES},path[class*=model][class$=-area]`, `path.f-mark,path.f-negatives-area,circle[class$=-dot],${WORDS}[class*=model]`],
  net_benefit: [`${LINES},path.f-reference`, `path[class$=-area],${WORDS}`],
  reject: [`${LINES},path.f-reference`, `path[class$=-area],${WORDS}`],
};
const AT_THRESHOLD: Place = (_, __, ___, threshold) => [threshold, NaN];

// Which interval runs along which axis.
const WHISKERS: Record<string, [Measure | null, Measure | null]> = {
  roc: ["fpr", "recall"],
  pr: ["recall", "precision"],
  gain: [null, "recall"],
};

// How far off the plot, as a share of it, a hand may still reach in.
const EDGE = 0.04;

export type AllLimits = Record<Measure, readonly [number, number] | null>;

/** One figure: its axes, its box, and the marks in it. */
export class Figure {
  readonly name: string;
  readonly #x: [number, number];
  readonly #y: [number, number];
  readonly #box: { left: number; top: number; width: number; height: number };
  readonly #isRelative: boolean;
  readonly #hasOdds: boolean;
  readonly #drawn = new Map<SVGElement, Piece[]>();
  readonly #ofTheData: SVGElement[] = [];

  constructor(readonly svg: SVGSVGElement) {
    const get = (key: string): number => Number(svg.dataset[key] ?? NaN);
    // A figure of one of many classes ends in its number.
    this.name = (svg.dataset.figure ?? "").replace(/-\d+$/, "");
    this.#x = [get("x0"), get("x1")];
    this.#y = [get("y0"), get("y1")];
    this.#box = { left: get("left"), top: get("top"), width: get("width"), height: get("height") };
    this.#isRelative = svg.dataset.unit === "relative";
    this.#hasOdds = svg.dataset.scale === "log-odds";
    const [following, ofTheData] = FOLLOWING[this.name] ?? ["", ""];
    if (ofTheData) this.#ofTheData = [...svg.querySelectorAll<SVGElement>(ofTheData)];
    // Letters stay beside the plot, but their lines lead to where curves end now.
    if (this.name !== "roc") this.#ofTheData.push(...svg.querySelectorAll<SVGElement>("line.f-leader"));
    for (const mark of svg.querySelectorAll<SVGElement>(`[data-moves]${following && `,${following}`}`)) {
      const place = `M${mark.getAttribute("x")} ${mark.getAttribute("y")}`;
      this.#drawn.set(mark, piecesOf(mark.getAttribute("d") ?? place));
    }
  }

  get isPlaced(): boolean {
    return [...this.#x, ...this.#y, ...Object.values(this.#box)].every(isFinite);
  }

  /** Marks of a model; those of no model follow the chosen one. */
  #marks(kind: string, k: number, isChosen: boolean): NodeListOf<SVGElement> {
    const any = isChosen ? `,.${kind}:not([data-model])` : "";
    return this.svg.querySelectorAll<SVGElement>(`.${kind}[data-model="${k}"]${any}`);
  }

  /** Marks of which a figure may have one for all models: it follows the chosen one. */
  #shared(kind: string, k: number, isChosen: boolean): NodeListOf<SVGElement> {
    const own = this.#marks(kind, k, isChosen);
    return own.length || !isChosen ? own : this.svg.querySelectorAll<SVGElement>(`.${kind}`);
  }

  /** Where on the drawing the x axis begins and ends. */
  get ends(): [number, number] {
    return [this.#box.left, this.#box.left + this.#box.width];
  }

  right(value: number): number {
    return this.#box.left + this.#box.width * clamp(this.#across(value));
  }

  /** How far along the x axis a value lies: 0 at its beginning, 1 at its end. */
  #across(value: number): number {
    const [at, from, to] = [value, ...this.#x].map((x) => (this.#hasOdds ? Math.log(x / (1 - x)) : x));
    return (at! - from!) / (to! - from!);
  }

  down(value: number): number {
    const [from, to] = this.#y;
    return this.#box.top + this.#box.height * (1 - clamp((value - from) / (to - from)));
  }

  /** The place in axis units of a pointer, or of a corner of the drawing. */
  fromDrawing(x: number, y: number): [number, number] {
    const across = (x - this.#box.left) / this.#box.width;
    const up = 1 - (y - this.#box.top) / this.#box.height;
    const [from, to] = this.#x.map((end) => (this.#hasOdds ? Math.log(end / (1 - end)) : end));
    const at = from! + across * (to! - from!);
    return [this.#hasOdds ? 1 / (1 + Math.exp(-at)) : at, this.#y[0] + up * (this.#y[1] - this.#y[0])];
  }

  /** Whether a place lies on the plot or hardly off it: words beside it can be selected. */
  holds([x, y]: [number, number]): boolean {
    const up = (y - this.#y[0]) / (this.#y[1] - this.#y[0]);
    return [this.#across(x), up].every((share) => share > -EDGE && share < 1 + EDGE);
  }

  fromPointer(event: PointerEvent): [number, number] {
    const matrix = this.svg.getScreenCTM();
    if (!matrix) return [NaN, NaN];
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    return this.fromDrawing(at.x, at.y);
  }

  /** Whether a height lies on the plot, but for rounding. */
  #isOn(y: number): boolean {
    const [low, high] = this.#y;
    return y >= low - OFF && y <= high + OFF;
  }

  /** Where a threshold of a model stands on this figure. */
  place(model: Model, point: Point, world: World, threshold: number): [number, number] {
    // Nobody and everybody have no score of their own: they stand at the ends.
    const shown = threshold === Infinity ? this.#x[1] : threshold;
    const [x, y] = (PLACES[this.name] ?? AT_THRESHOLD)(model, point, world, shown);
    return [x, this.name === "cost" && this.#isRelative ? y / constantCost(world) : y];
  }

  /** The threshold whose mark lies nearest to a place on the figure. */
  nearest(model: Model, world: World, [x, y]: [number, number]): number {
    let [best, least] = [0, Infinity];
    const high = this.#y[1] - this.#y[0];
    // Over the score every threshold has a place of its own, so the height does not matter.
    const isLevel = this.name === "cost" || !(this.name in PLACES);
    for (let i = 0; i < model.threshold.length; i++) {
      const at = this.place(model, pointAt(model, i, world), world, model.threshold[i]!);
      // A threshold without a height, as that of nobody on precision, has no place to be near to.
      const away = Math.hypot(this.#across(at[0]) - this.#across(x), isLevel ? 0 : (at[1] - y) / high);
      if (away < least) [best, least] = [i, away];
    }
    return best;
  }

  /** Whiskers of an interval through the operating point. */
  whiskers(k: number, isChosen: boolean, at: [number, number], limits: AllLimits): void {
    const [across, up] = WHISKERS[this.name] ?? [null, null];
    const [x, y] = [this.right(at[0]), this.down(at[1])];
    for (const line of this.#marks("whisker-x", k, isChosen)) {
      const found = across && isFinite(at[1]) && limits[across];
      put(line, hiddenIf(!found));
      if (found) put(line, { x1: this.right(found[0]), x2: this.right(found[1]), y1: y, y2: y });
    }
    for (const line of this.#marks("whisker-y", k, isChosen)) {
      const found = up && isFinite(at[0]) && limits[up];
      put(line, hiddenIf(!found));
      if (found) put(line, { x1: x, x2: x, y1: this.down(found[0]), y2: this.down(found[1]) });
    }
  }

  operating(k: number, isChosen: boolean, [x, y]: [number, number]): void {
    for (const dot of this.#marks("dot", k, isChosen)) {
      const hasPlace = isFinite(x) && this.#isOn(y);
      put(dot, hiddenIf(!hasPlace && this.name in PLACES));
      if (isFinite(x)) put(dot, { cx: this.right(x) });
      if (hasPlace) put(dot, { cy: this.down(y) });
    }
    const across = this.right(x);
    // A line of a threshold that lies off the axis, or of none, is not drawn at its end.
    const isSeen = x >= this.#x[0] && x <= this.#x[1];
    for (const cut of this.#marks("cut", k, isChosen))
      put(cut, { ...hiddenIf(!isSeen), ...(isSeen && { x1: across, x2: across }) });
    const width = this.#box.left + this.#box.width - across;
    for (const part of this.#marks("beyond", k, isChosen)) put(part, isNaN(x) ? { width: 0 } : { x: across, width });
  }

  /** The operating point as it was drawn. */
  restore(k: number, isChosen: boolean): void {
    for (const kind of ["dot", "cut", "beyond", "whisker-x", "whisker-y"]) this.#marks(kind, k, isChosen).forEach(asDrawn);
  }

  /** The line of equal cost that touches the hull, cut at the edges of the plot, and the ring around where it does. */
  tangent(k: number, isChosen: boolean, model: Model, world: World): void {
    const best = cheapest(model, world);
    if (best === null) return;
    const point = pointAt(model, best, world);
    const [x, y] = this.place(model, point, world, model.threshold[best]!);
    for (const ring of this.#shared("optimum", k, isChosen)) {
      const isThere = isFinite(x) && isFinite(y);
      put(ring, hiddenIf(!isThere));
      if (isThere) put(ring, { cx: this.right(x), cy: this.down(y) });
    }
    if (this.name !== "roc") return;
    const slope = slopeOf(world);
    const ends = [this.#x[0], this.#x[1]].map((edge): [number, number] => {
      const height = point.recall + slope * (edge - point.fpr);
      const kept = Math.min(Math.max(height, this.#y[0]), this.#y[1]);
      return kept === height ? [edge, height] : [point.fpr + (kept - point.recall) / slope, kept];
    });
    for (const line of this.#shared("tangent", k, isChosen)) {
      const [from, to] = ends as [[number, number], [number, number]];
      put(line, { x1: this.right(from[0]), y1: this.down(from[1]), x2: this.right(to[0]), y2: this.down(to[1]) });
    }
  }

  /** The point clicked and the side of the hull above it. */
  mixture(model: Model, mix: Mixture | null): void {
    if (this.name !== "roc") return;
    const dot = this.svg.querySelector<SVGElement>("circle.mix") ?? this.#make("circle", mix);
    const side = this.svg.querySelector<SVGElement>("line.mix") ?? this.#make("line", mix);
    for (const mark of [dot, side]) if (mark) put(mark, hiddenIf(!mix));
    if (!mix || !dot || !side) return;
    const [from, to] = [ratesAt(model, mix.first), ratesAt(model, mix.second)];
    put(dot, { cx: this.right(mix.fpr), cy: this.down(mix.recall) });
    const [x1, y1, x2, y2] = [this.right(from[1]), this.down(from[0]), this.right(to[1]), this.down(to[0])];
    put(side, { x1, y1, x2, y2 });
  }

  #make(tag: "circle" | "line", mix: Mixture | null): SVGElement | null {
    if (!mix) return null;
    const mark = markOn(this.svg, tag, "mix f-mark");
    if (tag === "circle") mark.setAttribute("r", "6");
    return mark;
  }

  /** Lines that hang on costs or prevalence: every corner goes to where it stands now. */
  reshape(data: Data, state: State): void {
    const isElsewhere = state.prevalence !== null || (this.name === "cost" && state.ratio !== data.ratio);
    for (const mark of this.#ofTheData) put(mark, hiddenIf(isElsewhere));
    if (this.name === "net_benefit") this.#rescale(data, state);
    for (const [mark, pieces] of this.#drawn) {
      const model = data.models[Number(mark.dataset.model ?? 0)];
      const isLine = mark.tagName === "path" && !pieces.some(({ isClosed }) => isClosed);
      const kind = mark.dataset.moves ?? (mark.matches(".f-reference") ? `${this.name}-all` : this.name);
      const place = model && this.#mover(kind, model, worldOf(data, state, model), data.ratio, pieces);
      if (!place) continue;
      if (state.prevalence === null && !kind.startsWith("cost")) {
        asDrawn(mark);
        continue;
      }
      // Corners that lay off the axes were never drawn: these lines are made anew, from what is known at each place.
      const known = { reject: model.sure, net_benefit: model.acts?.[0], "net_benefit-all": model.acts?.[0] }[kind];
      const isNew = known !== undefined;
      const whole = isNew ? [{ corners: known.map((_, k): Corner => [k, 0]), isClosed: false }] : pieces;
      const path = moved(whole, (corner, k, all) => {
        // Steps differ on either side, so a corner is asked about in the middle of its step.
        const at = kind === "cost" ? middleOfStep(corner, k, all) : corner[0];
        const [x, y] = place(isNew ? corner : this.fromDrawing(at, corner[1]));
        // A line ends where it leaves the plot; an area goes along its edge.
        if (isLine && !this.#isOn(y)) return null;
        return [x === null ? corner[0] : this.right(x), this.down(y)];
      });
      const [x, y] = path.slice(1).split(" ");
      put(mark, mark.tagName === "path" ? { d: path } : { x: x!, y: y! });
    }
  }

  /** Nobody can gain more than there are positives: the axis grows and shrinks with them. */
  #rescale(data: Data, state: State): void {
    const model = data.models[0]!;
    const scale = (state.prevalence ?? ownShare(model)) / ownShare(model);
    for (const tick of this.svg.querySelectorAll<SVGElement>("g[text-anchor=end]>text[dy]")) {
      tick.dataset.tick ??= tick.textContent!;
      tick.textContent = scale === 1 ? tick.dataset.tick : general(Number(tick.dataset.tick) * scale, 3);
    }
  }

  /** For a kind of line, where a point of it stands now; null for an x that stays. */
  #mover(kind: string, model: Model, world: World, ratio: number, pieces: Piece[]): Mover | null {
    const unit = this.#isRelative ? constantCost(world) : 1;
    const { prevalence } = world;
    if (kind === "cost-all") return () => [null, (1 - prevalence) / unit];
    if (kind === "cost-none") return () => [null, (prevalence * world.ratio) / unit];
    const own = ownShare(model);
    if (kind === "cost") {
      const before = { ...world, prevalence: own, ratio };
      const beforeUnit = this.#isRelative ? constantCost(before) : 1;
      return ([score, cost]) => {
        const i = this.#drawnCut(model, score, (at) => Math.abs(rateCost(model, at, before) / beforeUnit - cost));
        return [null, rateCost(model, i, world) / unit];
      };
    }
    const acting = (tp: number, fp: number, at: number): number =>
      ((prevalence * tp - ((1 - prevalence) * fp * at) / (1 - at)) * own) / prevalence;
    const [hits, alarms] = model.acts ?? [[], []];
    if (kind === "net_benefit")
      return ([k]) => [(k + 1) / 100, acting(hits[k]! / model.positives, alarms[k]! / model.negatives, (k + 1) / 100)];
    // Acting on none gains nothing anywhere: that line has two corners.
    if (kind === "net_benefit-all")
      return pieces[0]!.corners.length > 2 ? ([k]) => [(k + 1) / 100, acting(1, 1, (k + 1) / 100)] : null;
    const sure = model.sure ?? [];
    if (kind === "reject") return ([x]) => rejecting(sure[x]!, prevalence);
    if (kind === "reject-all" && sure.length) return () => [null, rejecting(sure[sure.length - 1]!, prevalence)[1]];
    if (kind === "precision" || kind === "calibration") {
      const factor = (prevalence / (1 - prevalence)) * ((1 - own) / own);
      // Precision is one odds times the odds of the prevalence, whatever the recall; so is what a score means.
      return ([, y]) => [null, (factor * clamp(y)) / (factor * clamp(y) + 1 - clamp(y))];
    }
    if (!/^(gain|lift)/.test(kind)) return null;
    const isGain = kind.startsWith("gain");
    return ([x, y]) => {
      const recall = isGain ? y : x * y;
      const flagged = prevalence * recall + ((1 - prevalence) * (x - own * recall)) / (1 - own);
      return [flagged, isGain || flagged === 0 ? y : recall / flagged];
    };
  }

  /** Thresholds are written short, so near a score the cut that was drawn is told by its height. */
  #drawnCut(model: Model, score: number, off: (at: number) => number): number {
    const near = cutOf(model, score);
    const tried = [near, near - 1, near + 1].filter((at) => at >= 0 && at < model.threshold.length);
    return tried.reduce((best, at) => (off(at) < off(best) - 1e-9 ? at : best));
  }
}

type Mover = (at: Corner) => [number | null, number];

// Corners are written to a tenth of a unit: so far off an axis they still lie on it.
const OFF = 0.002;

/** Recall and false-positive rate at a threshold. */
function ratesAt(model: Model, at: number): [number, number] {
  return [model.tp[at]! / model.positives, model.fp[at]! / model.negatives];
}

/** Share handed on and accuracy of the rest, of what is kept of either class. */
function rejecting([hits, misses, passed, alarms]: number[], share: number): Corner {
  const right = share * hits! + (1 - share) * passed!;
  const wrong = share * misses! + (1 - share) * alarms!;
  return [1 - right - wrong, right / (right + wrong)];
}

function rateCost(model: Model, at: number, world: World): number {
  return costOf(...ratesAt(model, at), world);
}

function clamp(share: number): number {
  return Math.min(1, Math.max(0, share));
}
