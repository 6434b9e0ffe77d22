// Hands on the figures: the dot is dragged, a place between hull and curve is clicked, arrows do both.

import type { Model } from "./data";
import { on, one, within } from "./dom";
import type { Figure } from "./figures";
import { stepsOf } from "./keys";
import type { Corner } from "./paths";
import { mixtureAt, type Point, pointAt, recallAt } from "./point";
import { readable, type Seen } from "./readout";

export interface Moves extends Seen {
  mix(fpr: number | null): void;
  mixed(): number | null;
}

// Nearer to the dot than this share of the plot, a hand means the dot.
const NEAR = 0.05;
// A gap between hull and curve narrower than this cannot be aimed at.
const NARROW = 0.004;
const MIX_STEP = 0.01;

export function draggable(figures: Figure[], page: Moves): void {
  const seen = () => page.seen()[page.chosen()]!;
  const dot = (): Point => pointAt(seen()[0], page.at(), seen()[1]);
  for (const figure of figures) {
    const under = readable(figure, page);
    if (!one(".dot,.cut", figure.svg)) continue;
    drag(figure, under);
    if (figure.name === "roc") mixByKeys(figure);
  }

  function drag(figure: Figure, under: ReturnType<typeof readable>): void {
    const { svg } = figure;
    let isHeld = false;
    Object.assign(svg.style, { touchAction: "pan-y", cursor: "crosshair" });
    const moveTo = (place: Corner): void => page.move(figure.nearest(...seen(), place));
    on<PointerEvent>(svg, "pointerdown", (event) => {
      const place = figure.fromPointer(event);
      if (event.button !== 0 || !figure.holds(place)) return;
      const k = (event.target as Element).closest<SVGElement>(".dot")?.dataset.model;
      if (k !== undefined) page.choose(Number(k));
      event.preventDefault();
      if (figure.name === "roc" && k === undefined && isBetween(place)) return page.mix(place[0]);
      // What the figure says is what is held: the nearest curve, of whichever model.
      const near = under(event)?.k;
      if (k === undefined && near !== undefined && near !== page.chosen()) page.choose(near);
      isHeld = true;
      svg.setPointerCapture(event.pointerId);
      moveTo(place);
    });
    on<PointerEvent>(svg, "pointermove", (event) => isHeld && moveTo(figure.fromPointer(event)));
    on(svg, "pointerup pointercancel", () => (isHeld = false));
  }

  /** Whether a place on the ROC lies below the hull, above what one threshold reaches, and away from the dot. */
  function isBetween([x, y]: Corner): boolean {
    const model: Model = seen()[0];
    const [mix, { fpr, recall }] = [mixtureAt(model, x), dot()];
    if (!mix || Math.hypot(fpr - x, recall - y) < NEAR) return false;
    const reached = recallAt(model, x);
    return mix.recall - reached > NARROW && y > reached && y <= mix.recall;
  }

  /** On the ROC arrows with Shift move the point on the hull, and Escape takes it away. */
  function mixByKeys({ svg }: Figure): void {
    on<KeyboardEvent>(svg, "keydown", (event) => {
      if (event.key === "Escape") return page.mix(null);
      const step = stepsOf(event);
      if (!step || !event.shiftKey) return;
      event.preventDefault();
      const from = page.mixed() ?? Math.round(dot().fpr / MIX_STEP) * MIX_STEP;
      page.mix(Number(within(from + step * MIX_STEP, 0, 1).toFixed(4)));
    });
  }
}
