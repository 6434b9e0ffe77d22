// The marks on the figures: dots, whiskers, the tangent, the cut; and from a place on a figure back to a threshold.

import type { Data, Model } from "./data";
import { all, least, one, put as putText, within } from "./dom";
import { asDrawn, markOn, place as put } from "./marks";
import { moverOf } from "./movers";
import { type Corner, middleOfStep, moved, type Piece, piecesOf } from "./paths";
import { cheapest, constantCost, type Measure, type Mixture, type Point, pointAt, ratesAt, slopeOf, type World } from "./point";
import { ownShare, type State, worldOf } from "./state";
import { general } from "./words";

// Where the operating point stands on each kind of figure, in the units of its axes; nan where it has no height.
const PLACES: Record<string, (point: Point, threshold: number) => Corner> = {
  roc: (point) => [point.fpr, point.recall],
  pr: (point) => [point.recall, point.precision],
  gain: (point) => [point.flagged, point.recall],
  lift: (point) => [point.flagged, point.recall / point.flagged],
  cost: (point, threshold) => [threshold, point.cost],
};
// On figures that another prevalence changes: what of them follows it, and what is only true of the data's.
const LINES = "path[data-model]:not([class$=-area])";
const WORDS = "text.f-halo";
const WHOLE: [string, string] = [`path:not(.f-axis),${WORDS}`, ""];
const BARE: [string, string] = [`${LINES},path.f-reference`, `path[class$=-area],${WORDS}`];
const FOLLOWING: Record<string, [string, string]> = {
  gain: WHOLE,
  lift: WHOLE,
  calibration: [`${LINES},path[class*=model][class$=-area]`, `path.f-mark,path.f-negatives-area,circle[class$=-dot],${WORDS}[class*=model]`],
  net_benefit: BARE,
  reject: BARE,
};

// Which interval runs along which axis.
const WHISKERS: Record<string, [Measure | null, Measure]> = {
  roc: ["fpr", "recall"],
  pr: ["recall", "precision"],
  gain: [null, "recall"],
};

// How far off the plot, as a share of it, a hand may still reach in.
const EDGE = 0.04;
// Corners are written to a tenth of a unit: so far off an axis they still lie on it.
const OFF = 0.002;

export type AllLimits = Record<Measure, readonly [number, number] | null>;
export type Figure = ReturnType<typeof figureOf>;

/** A description in pieces: its own words, and the notes on the figure whose numbers it repeats. */
function runsOf(words: string, notes: Element[]): (string | Element)[] {
  const runs: (string | Element)[] = [];
  let rest = words;
  for (const note of notes) {
    // With the words before a number it is not taken for another one.
    const around = note.parentElement!.textContent!;
    const at = rest.indexOf(around);
    if (at < 0 || !note.textContent) continue;
    const from = at + around.indexOf(note.textContent);
    runs.push(rest.slice(0, from), note);
    rest = rest.slice(from + note.textContent.length);
  }
  return [...runs, rest];
}

/** One figure: its axes, its box, and the marks in it. */
export function figureOf(svg: SVGSVGElement) {
  const { dataset } = svg;
  const numbers = ["x0", "x1", "y0", "y1", "left", "top", "width", "height"].map((key) => Number(dataset[key] ?? NaN));
  const [x0, x1, y0, y1, left, top, width, height] = numbers as [number, number, number, number, number, number, number, number];
  // A figure of one of many classes ends in its number.
  const name = (dataset.figure ?? "").replace(/-\d+$/, "");
  const isRelative = dataset.unit === "relative";
  const hasOdds = dataset.scale === "log-odds";
  const [following, still] = FOLLOWING[name] ?? ["", ""];
  // Letters stay beside the plot, but their lines lead to where curves end now.
  const leaders = name === "roc" ? "" : "line.f-leader";
  const ofTheData = all([still, leaders].filter(Boolean).join() || "none", svg);
  const drawn = new Map<HTMLElement, Piece[]>();
  for (const mark of all(["[data-moves]", following].filter(Boolean).join(), svg))
    drawn.set(mark, piecesOf(mark.getAttribute("d") ?? `M${mark.getAttribute("x")} ${mark.getAttribute("y")}`));

  /** Marks of a model; those of no model follow the chosen one. */
  function marks(kind: string, k: number, isChosen: boolean): Element[] {
    return all(`.${kind}[data-model="${k}"]${isChosen ? `,.${kind}:not([data-model])` : ""}`, svg);
  }

  /** Marks of which a figure may have one for all models: it follows the chosen one. */
  function shared(kind: string, k: number, isChosen: boolean): Element[] {
    const own = marks(kind, k, isChosen);
    return own.length || !isChosen ? own : all(`.${kind}`, svg);
  }

  const scaled = (x: number): number => (hasOdds ? Math.log(x / (1 - x)) : x);

  /** How far along an axis a value lies: 0 at its beginning, 1 at its end. */
  const across = (x: number): number => (scaled(x) - scaled(x0)) / (scaled(x1) - scaled(x0));
  const up = (y: number): number => (y - y0) / (y1 - y0);
  const right = (x: number): number => left + width * within(across(x), 0, 1);
  const down = (y: number): number => top + height * (1 - within(up(y), 0, 1));

  /** The place in axis units of a corner of the drawing. */
  function fromDrawing(x: number, y: number): Corner {
    const at = scaled(x0) + ((x - left) / width) * (scaled(x1) - scaled(x0));
    return [hasOdds ? 1 / (1 + Math.exp(-at)) : at, y0 + (1 - (y - top) / height) * (y1 - y0)];
  }

  function fromPointer(event: PointerEvent): Corner {
    const matrix = svg.getScreenCTM();
    if (!matrix) return [NaN, NaN];
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    return fromDrawing(at.x, at.y);
  }

  /** Whether a height lies on the plot, but for rounding. */
  const isOn = (y: number): boolean => y >= y0 - OFF && y <= y1 + OFF;

  /** Where a threshold of a model stands on this figure. */
  function place(point: Point, world: World, threshold: number): Corner {
    // Nobody and everybody have no score of their own: they stand at the ends.
    const shown = threshold === Infinity ? x1 : threshold;
    const [x, y] = PLACES[name]?.(point, shown) ?? [shown, NaN];
    return [x, name === "cost" && isRelative ? y / constantCost(world) : y];
  }

  /** The threshold whose mark lies nearest to a place on the figure. */
  function nearest(model: Model, world: World, [x, y]: Corner): number {
    // Over the score every threshold has a place of its own, so the height does not matter.
    const isLevel = name === "cost" || !(name in PLACES);
    // A threshold without a height, as that of nobody on precision, has no place to be near to.
    const away = (i: number): number => {
      const at = place(pointAt(model, i, world), world, model.threshold[i]!);
      return Math.hypot(across(at[0]) - across(x), isLevel ? 0 : up(at[1]) - up(y));
    };
    return Math.max(0, least(model.threshold.length, away));
  }

  /** The operating point and the whiskers of its intervals; null as they were drawn. */
  function operate(k: number, isChosen: boolean, at: Corner | null, limits?: AllLimits): void {
    const of = (kind: string, wanted: (at: Corner) => Parameters<typeof put>[1]): void =>
      marks(kind, k, isChosen).forEach((mark) => (at ? put(mark, wanted(at)) : asDrawn(mark)));
    const [along, above] = WHISKERS[name] ?? [];
    of("whisker-x", ([, y]) => {
      const found = along && isFinite(y) && limits![along];
      return found ? { x1: right(found[0]), x2: right(found[1]), y1: down(y), y2: down(y) } : null;
    });
    of("whisker-y", ([x]) => {
      const found = above && isFinite(x) && limits![above];
      return found ? { x1: right(x), x2: right(x), y1: down(found[0]), y2: down(found[1]) } : null;
    });
    of("dot", ([x, y]) => {
      const hasPlace = isFinite(x) && isOn(y);
      if (!hasPlace && name in PLACES) return null;
      return { ...(isFinite(x) && { cx: right(x) }), ...(hasPlace && { cy: down(y) }) };
    });
    // A line of a threshold that lies off the axis, or of none, is not drawn at its end.
    of("cut", ([x]) => (x >= x0 && x <= x1 ? { x1: right(x), x2: right(x) } : null));
    of("beyond", ([x]) => (isNaN(x) ? { width: 0 } : { x: right(x), width: left + width - right(x) }));
  }

  /** The line of equal cost that touches the hull, cut at the edges of the plot, and the ring around where it does. */
  function tangent(k: number, isChosen: boolean, model: Model, world: World): void {
    const best = cheapest(model, world);
    if (best === null) return;
    const point = pointAt(model, best, world);
    const [x, y] = place(point, world, model.threshold[best]!);
    const ring = isFinite(x) && isFinite(y) ? { cx: right(x), cy: down(y) } : null;
    for (const mark of shared("optimum", k, isChosen)) put(mark, ring);
    if (name !== "roc") return;
    const slope = slopeOf(world);
    const [from, to] = [x0, x1].map((edge): Corner => {
      const wanted = point.recall + slope * (edge - point.fpr);
      const kept = within(wanted, y0, y1);
      return kept === wanted ? [edge, wanted] : [point.fpr + (kept - point.recall) / slope, kept];
    }) as [Corner, Corner];
    for (const line of shared("tangent", k, isChosen)) put(line, side(from, to));
  }

  const side = (from: Corner, to: Corner) => ({ x1: right(from[0]), y1: down(from[1]), x2: right(to[0]), y2: down(to[1]) });

  /** The point clicked and the side of the hull above it. */
  function mixture(model: Model, mix: Mixture | null): void {
    if (name !== "roc") return;
    const mark = (tag: "circle" | "line"): Element | null => one(`${tag}.mix`, svg) ?? (mix && markOn(svg, tag, "mix f-mark"));
    const corner = (k: number): Corner => {
      const [recall, fpr] = ratesAt(model, k);
      return [fpr, recall];
    };
    put(mark("circle"), mix && { r: 6, cx: right(mix.fpr), cy: down(mix.recall) });
    put(mark("line"), mix && side(corner(mix.first), corner(mix.second)));
  }

  /** Lines that hang on costs or prevalence: every corner goes to where it stands now. */
  function reshape(data: Data, state: State): void {
    const isElsewhere = state.prevalence !== null || (name === "cost" && state.ratio !== data.ratio);
    for (const mark of ofTheData) put(mark, isElsewhere ? null : {});
    if (name === "net_benefit") rescale(data, state);
    for (const [mark, pieces] of drawn) {
      const model = data.models[Number(mark.dataset.model ?? 0)];
      const kind = mark.dataset.moves ?? (mark.matches(".f-reference") ? `${name}-all` : name);
      const mover = model && moverOf(kind, model, worldOf(data, state, model), data.ratio, isRelative, pieces);
      if (!mover) continue;
      if (state.prevalence === null && !kind.startsWith("cost")) {
        asDrawn(mark);
        continue;
      }
      const isLine = mark.tagName === "path" && !pieces.some(({ isClosed }) => isClosed);
      // Corners that lay off the axes were never drawn: these lines are made anew, from what is known at each place.
      const { anew } = mover;
      const path = moved(anew ? [{ corners: anew.map((_, k): Corner => [k, 0]), isClosed: false }] : pieces, (corner, k, whole) => {
        // Steps differ on either side, so a corner is asked about in the middle of its step.
        const at = kind === "cost" ? middleOfStep(corner, k, whole) : corner[0];
        const [x, y] = mover.to(anew ? corner : fromDrawing(at, corner[1]));
        // A line ends where it leaves the plot; an area goes along its edge.
        if (isLine && !isOn(y)) return null;
        return [x === null ? corner[0] : right(x), down(y)];
      });
      const [x, y] = path.slice(1).split(" ");
      put(mark, mark.tagName === "path" ? { d: path } : { x: x!, y: y! });
    }
  }

  /** Nobody can gain more than there are positives: the axis grows and shrinks with them. */
  function rescale(data: Data, state: State): void {
    const own = ownShare(data.models[0]!);
    const scale = (state.prevalence ?? own) / own;
    for (const tick of all("g[text-anchor=end]>text[dy]", svg)) {
      const drawn = (tick.dataset.tick ??= tick.textContent!);
      tick.textContent = scale === 1 ? drawn : general(Number(drawn) * scale, 3);
    }
  }

  const description = one("desc", svg);
  const runs = description ? runsOf(description.textContent!, all("[data-out]", svg)) : [];

  /** The description in words, with the numbers that the notes on the figure now show. */
  function describe(): void {
    if (runs.length > 1) putText(description!, runs.map((run) => (typeof run === "string" ? run : run.textContent!)).join(""));
  }

  return {
    name,
    svg,
    describe,
    isPlaced: numbers.every(isFinite),
    /** Where on the drawing the x axis begins and ends. */
    ends: [left, left + width] as const,
    right,
    down,
    fromDrawing,
    fromPointer,
    /** Whether a place lies on the plot or hardly off it: words beside it can be selected. */
    holds: ([x, y]: Corner): boolean => [across(x), up(y)].every((share) => share > -EDGE && share < 1 + EDGE),
    place,
    nearest,
    operate,
    tangent,
    mixture,
    reshape,
  };
}
