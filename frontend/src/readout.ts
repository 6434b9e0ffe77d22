// What a figure says of the point under the hand: the grey line above it turns to ink, and a hollow mark shows where.

import type { Model } from "./data";
import { all, attrs, on, one, within } from "./dom";
import type { Figure } from "./figures";
import { stepsOf } from "./keys";
import { markOn, place } from "./marks";
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
  gain: (point, is) => `flagged share ${number(point.flagged)}, recall ${withLimits(is.recall)}`,
  lift: (point, _, height) => `flagged share ${number(point.flagged)}, lift ${number(height)}`,
  cost: (point, _, height) => `cost ${number(height)}, ${counted(point.fn, "false negative", "s")}, ${counted(point.fp, "false positive", "s")}`,
  densities: ({ tp, fp }, _, __, { positives, negatives }) =>
    `${count(tp)} of ${count(positives)} positives, ${count(fp)} of ${count(negatives)} negatives`,
};
// The curve of a model, no band around it.
const CURVES = "path[class^=f-model-]:not([class$=-area],[class$=-flagged])";
const STEPS = 100;
// Higher than this, in pixels, the grey line is wrapped.
const ONE_LINE = 24;

/** Let a figure be read; the answer is the nearest point of the nearest curve, where a pointer is on the plot. */
export function readable(figure: Figure, page: Seen | null): (event: PointerEvent) => Spot | null {
  const { svg, name } = figure;
  const line = svg.closest("figure")?.querySelector<HTMLElement>(".subtitle");
  // Every model has a figure of its scores: these are numbered.
  const says = page ? SAYS[name.replace(/\d+$/, "")] : undefined;
  // The first model is drawn last.
  const own = all(says ? "path[data-model]" : CURVES, svg).reverse();
  let before: Node[] | null = null;
  let here: Spot | null = null;

  if (line && own.length) {
    attrs(svg, { tabindex: 0 });
    on<PointerEvent>(svg, "pointermove pointerdown", (event) => show(under(event)));
    on(svg, "pointerleave blur", () => show(null));
    on(svg, "focus", () => svg.matches(":focus-visible") && show(first(), true));
    on(svg, "keydown", key);
  }
  return under;

  function under(event: PointerEvent): Spot | null {
    const at = figure.fromPointer(event);
    if (!figure.holds(at)) return null;
    const [x, y] = [figure.right(at[0]), figure.down(at[1])];
    const away = (spot: Spot): number => Math.hypot(spot.x - x, spot.y - y);
    return spots(x, y).sort((a, b) => away(a) - away(b))[0] ?? null;
  }

  /** Say where a point lies, or what stood there before. */
  function show(spot: Spot | null, isSpoken = false): void {
    here = spot;
    if (!line || (!spot && !before)) return;
    line.classList.toggle("reads", !!spot);
    if (isSpoken) line.ariaLive = "polite";
    const mark = one(".readout-mark", svg);
    if (!spot) {
      mark?.remove();
      // The nodes themselves: the page goes on writing into them.
      line.replaceChildren(...before!);
      line.style.minHeight = "";
      line.ariaLive = before = null;
      return;
    }
    if (!before) {
      // What takes two lines keeps them, so that nothing below moves.
      if (line.offsetHeight > ONE_LINE) line.style.minHeight = `${line.offsetHeight}px`;
      before = [...line.childNodes];
    }
    line.textContent = spot.words;
    place(mark ?? markOn(svg, "circle", "readout-mark f-mark"), { r: 5.5, cx: spot.x, cy: spot.y });
  }

  /** One point for every model of the figure. */
  function spots(x: number, y: number): Spot[] {
    if (!says) return own.map((path) => onCurve(path, x, y));
    const numbers = new Set(own.map((path) => Number(path.dataset.model)));
    return [...numbers].map((k) => atThreshold(k, figure.nearest(...page!.seen()[k]!, figure.fromDrawing(x, y))));
  }

  function atThreshold(k: number, index: number): Spot {
    const [model, world] = page!.seen()[k]!;
    const [point, threshold] = [pointAt(model, index, world), model.threshold[index]!];
    const [x, y] = figure.place(point, world, threshold);
    const said = says!(point, measuresAt(model, point, world, false), y, model);
    // Classes stand above and below one line.
    const height = isNaN(y) ? (name.startsWith("densities") ? 0 : Infinity) : y;
    const from = threshold === Infinity ? "" : "from ";
    return { k, index, x: figure.right(x), y: figure.down(height), words: `${nameOf(k)}${from}${thresholdWords(threshold)}: ${said}` };
  }

  /** A point of a drawn line straight above or below, or a group of cases that has its own mark. */
  function onCurve(path: HTMLElement, x: number, y: number): Spot {
    const k = Number(path.dataset.model ?? own.indexOf(path));
    const [limits, at] = group(path, x) ?? ["", heightAt(piecesOf(path.getAttribute("d")!), x, y)];
    const [across, height] = figure.fromDrawing(...at);
    const [model, world] = page?.seen()[k] ?? [];
    // The axis of net benefit grows with the share of positives.
    const scale = model && world && name === "net_benefit" ? world.prevalence / ownShare(model) : 1;
    const titles = all("g.f-muted-words text", svg).map((text) => text.textContent!);
    const [up, along] = [titles[0] ?? "", titles.at(-1) ?? ""];
    const said = `${up.slice(0, 1).toLowerCase()}${up.slice(1)} ${digits(height * scale, false)}`;
    return { k, x: at[0], y: at[1], words: `${nameOf(k)}${along} ${digits(across, true)}: ${said}${limits}` };
  }

  /** The group of cases nearest to a place, with its limits; only one model's groups are drawn. */
  function group(path: Element, x: number): [string, Corner] | null {
    const dots = all(`circle.${path.getAttribute("class")!}-dot:not([display])`, svg);
    if (name !== "calibration" || !dots.length) return null;
    const places = dots.map((dot): Corner => [Number(dot.getAttribute("cx")), Number(dot.getAttribute("cy"))]);
    const at = places.reduce((best, next) => (Math.abs(next[0] - x) < Math.abs(best[0] - x) ? next : best));
    const bars = piecesOf(one("path.f-mark", svg)?.getAttribute("d") ?? "");
    const bar = bars.find(({ corners }) => Math.abs(corners[0]![0] - at[0]) < 0.1)?.corners;
    const ends = bar?.map(([, end]) => figure.fromDrawing(at[0], end)[1]).sort((a, b) => a - b);
    return [ends ? ` [${ends.map((end) => digits(end, false)).join(", ")}]` : "", at];
  }

  /** A value read off the drawing, with no more digits than a unit of the drawing tells apart. */
  function digits(value: number, isAcross: boolean): string {
    const { dataset } = svg;
    if (isAcross && dataset.scale) return general(value, 2);
    const [low, high, long] = (isAcross ? ["x0", "x1", "width"] : ["y0", "y1", "height"]).map((key) => Number(dataset[key]));
    const said = fixed(value, Math.max(0, Math.floor(-Math.log10((high! - low!) / long!))));
    return Number(said) === 0 ? said.replace("-", "") : said;
  }

  function nameOf(k: number): string {
    const models = page?.seen() ?? [];
    return (models.length || own.length) < 2 ? "" : `${models[k]?.[0].name ?? String.fromCharCode(65 + k)}, `;
  }

  /** Where a key begins: at the decisions of the chosen model, or in the middle. */
  function first(): Spot | null {
    const [at, k] = [page?.at() ?? -1, page?.chosen() ?? 0];
    const middle = spots((figure.ends[0] + figure.ends[1]) / 2, 0);
    const spot = middle.find((spot) => spot.k === k) ?? middle[0] ?? null;
    return says && at >= 0 && spot?.k === k ? atThreshold(k, at) : spot;
  }

  function key(event: KeyboardEvent): void {
    const spot = here ?? first();
    const steps = stepsOf(event);
    if (!spot || event.shiftKey) return;
    if (event.key === "Escape") return show(null);
    if (event.key === "Enter") return choose(spot);
    if (!steps) return;
    event.preventDefault();
    show(stepped(spot, steps, /^Arrow(Up|Down)/.test(event.key)), true);
  }

  /** The next point to the right, or on the next model's curve. */
  function stepped(spot: Spot, steps: number, isUp: boolean): Spot {
    const every = spots(spot.x, spot.y);
    const at = every.findIndex(({ k }) => k === spot.k);
    if (isUp && every.length > 1) return every[(at - steps + every.length) % every.length]!;
    if (spot.index !== undefined) {
      const last = page!.seen()[spot.k]![0].threshold.length - 1;
      // Over the score higher thresholds stand on the right, elsewhere lower ones.
      return atThreshold(spot.k, within(spot.index + (/^(cost|densities)/.test(name) ? -steps : steps), 0, last));
    }
    const [left, right] = figure.ends;
    let next = spot;
    // Groups of cases lie further apart than a step.
    for (let k = 1; k <= STEPS && Math.abs(next.x - spot.x) < 0.1; k++)
      next = onCurve(own[at]!, within(spot.x + (k * steps * (right - left)) / STEPS, left, right), spot.y);
    return next;
  }

  /** Bring the model's threshold to a point, on figures that show thresholds. */
  function choose(spot: Spot): void {
    const seen = page?.seen()[spot.k];
    if (!page || !seen || !one(".dot,.cut", svg)) return;
    if (page.chosen() !== spot.k) page.choose(spot.k);
    page.move(spot.index ?? figure.nearest(...seen, figure.fromDrawing(spot.x, spot.y)));
  }
}

/** Where lines stand straight above or below a place: of several heights the nearest one. */
function heightAt(pieces: Piece[], x: number, y: number): Corner {
  let best: Corner = [NaN, NaN];
  let least = Infinity;
  for (const { corners } of pieces) {
    corners.forEach(([x1, y1], i) => {
      const [x0, y0] = corners[i - 1] ?? [x1, y1];
      const at = within(x, x0, x1);
      const height = x0 === x1 ? within(y, y0, y1) : y0 + ((at - x0) / (x1 - x0)) * (y1 - y0);
      const away = 1000 * Math.abs(at - x) + Math.abs(height - y);
      if (away < least) [best, least] = [[at, height], away];
    });
  }
  return best;
}

function withLimits({ value, limits }: Estimate): string {
  return number(value, limits) + (limits ? ` ${bracketed(value, limits)}` : "");
}

function counted(cases: number, one: string, ending: string): string {
  return `${count(cases)} ${one}${cases === 1 ? "" : ending}`;
}
