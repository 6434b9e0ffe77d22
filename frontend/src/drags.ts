// Hands on the figures: the dot is dragged, a place between hull and curve is clicked, arrows do both.

import type { Model } from "./data";
import type { Figure } from "./figures";
import { stepsOf } from "./keys";
import { mixtureAt, pointAt, recallAt, type World } from "./point";
import { Readout, type Seen } from "./readout";

export { stepsOf } from "./keys";

export interface Moves extends Seen {
  model(): Model;
  world(): World;
  mix(fpr: number | null): void;
  mixed(): number | null;
}

// Nearer to the dot than this share of the plot, a hand means the dot.
const NEAR = 0.05;
// A gap between hull and curve narrower than this cannot be aimed at.
const NARROW = 0.004;
const MIX_STEP = 0.01;

export class Drags {
  readonly #moves: Moves;

  constructor(figures: Figure[], moves: Moves) {
    this.#moves = moves;
    for (const figure of figures) {
      const readout = new Readout(figure, moves);
      if (!figure.svg.querySelector(".dot,.cut")) continue;
      this.#wire(figure, readout);
      if (figure.name === "roc") this.#wireKeys(figure);
    }
  }

  #wire(figure: Figure, readout: Readout): void {
    const { svg } = figure;
    let isHeld = false;
    svg.style.touchAction = "pan-y";
    svg.style.cursor = "crosshair";
    svg.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      const place = figure.fromPointer(event);
      if (!figure.holds(place)) return;
      const k = (event.target as Element).closest<SVGElement>(".dot")?.dataset.model;
      if (k !== undefined) this.#moves.choose(Number(k));
      event.preventDefault();
      if (figure.name === "roc" && k === undefined && this.#isBetween(place)) return this.#moves.mix(place[0]);
      // What the figure says is what is held: the nearest curve, of whichever model.
      const near = readout.under(event)?.k;
      if (k === undefined && near !== undefined && near !== this.#moves.chosen()) this.#moves.choose(near);
      isHeld = true;
      svg.setPointerCapture(event.pointerId);
      this.#moveTo(figure, place);
    });
    svg.addEventListener("pointermove", (event) => {
      if (isHeld) this.#moveTo(figure, figure.fromPointer(event));
    });
    for (const end of ["pointerup", "pointercancel"]) svg.addEventListener(end, () => (isHeld = false));
  }

  #moveTo(figure: Figure, place: [number, number]): void {
    this.#moves.move(figure.nearest(this.#moves.model(), this.#moves.world(), place));
  }

  /** Whether a place on the ROC lies below the hull, above what one threshold reaches, and away from the dot. */
  #isBetween([x, y]: [number, number]): boolean {
    const model = this.#moves.model();
    const mix = mixtureAt(model, x);
    const dot = pointAt(model, this.#moves.at(), this.#moves.world());
    if (!mix || Math.hypot(dot.fpr - x, dot.recall - y) < NEAR) return false;
    const reached = recallAt(model, x);
    return mix.recall - reached > NARROW && y > reached && y <= mix.recall;
  }

  /** On the ROC arrows with Shift move the point on the hull, and Escape takes it away. */
  #wireKeys({ svg }: Figure): void {
    svg.addEventListener("keydown", (event) => {
      if (event.key === "Escape") return this.#moves.mix(null);
      const step = stepsOf(event);
      if (!step || !event.shiftKey) return;
      event.preventDefault();
      const dot = pointAt(this.#moves.model(), this.#moves.at(), this.#moves.world());
      const from = this.#moves.mixed() ?? Math.round(dot.fpr / MIX_STEP) * MIX_STEP;
      const wanted = Math.min(1, Math.max(0, from + step * MIX_STEP));
      this.#moves.mix(Number(wanted.toFixed(4)));
    });
  }
}
