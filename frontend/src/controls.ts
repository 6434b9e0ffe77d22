// The controls: each changes the state and has it shown; keyboard and pointer go the same way.

import { copyOf, type Form } from "./copies";
import type { Data, Model, Page } from "./data";
import { Drags, stepsOf } from "./drags";
import { pointAt } from "./point";
import type { RowTables } from "./rows";
import * as st from "./state";
import { type Shown, View } from "./view";
import { general, percent } from "./words";

const FORMS = ["latex", "markdown", "word", "csv", "python", "command"];
// A browser that is asked for more complains, so the address follows when the hand rests.
const ADDRESS_AFTER = 150;
const PAGE_STEP = 0.05;

export class Controls {
  readonly #page: Page;
  readonly #rows: RowTables;
  // Of each class when it is first shown.
  readonly #views: View[] = [];
  #state: st.State;
  #shown!: Shown;
  #timer = 0;
  readonly #threshold = this.#range("threshold");
  readonly #typed = this.#range("threshold-value");
  readonly #ratio = this.#range("ratio");
  readonly #prevalence = this.#range("prevalence");
  readonly #level = document.querySelector<HTMLSelectElement>('select[data-control="level"]');
  readonly #classes = document.querySelector<HTMLSelectElement>('select[data-control="class"]');

  constructor(page: Page, rows: RowTables) {
    this.#page = page;
    this.#rows = rows;
    this.#state = st.fromHash(page, location.hash);
    this.#wire();
    document.getElementById("controls")?.removeAttribute("hidden");
    this.#show();
  }

  get #data(): Data {
    return this.#page.parts[this.#state.of]!;
  }

  /** The part of the page that shows the chosen class; the others are put away. */
  get #view(): View {
    const { of } = this.#state;
    const panels = document.querySelectorAll<HTMLDetailsElement>("[data-class]");
    panels.forEach((panel, k) => panel.classList.toggle("away", k !== of));
    if (panels[of]) panels[of].open = true;
    return (this.#views[of] ??= this.#made(new View(this.#data, panels[of] ?? null)));
  }

  #made(view: View): View {
    new Drags(view.figures, {
      model: () => this.#model,
      world: () => st.worldOf(this.#data, this.#state, this.#model),
      seen: () => this.#data.models.map((model) => [model, st.worldOf(this.#data, this.#state, model)] as const),
      chosen: () => this.#state.chosen,
      at: () => this.#state.at[this.#state.chosen]!,
      choose: (k) => this.#change((state) => (state.chosen = k)),
      move: (index) => this.#change((state) => st.moveTo(state, state.chosen, index)),
      mix: (fpr) => this.#change((state) => (state.mix = fpr)),
      mixed: () => this.#state.mix,
    });
    return view;
  }

  get #model(): Model {
    return this.#data.models[this.#state.chosen]!;
  }

  get #isAsWritten(): boolean {
    return !this.#state.pick && this.#state.at.every((at, k) => at === st.usedOf(this.#data.models[k]!));
  }

  #range(name: string): HTMLInputElement | null {
    return document.querySelector<HTMLInputElement>(`input[data-control="${name}"]`);
  }

  #change(alter: (state: st.State) => void): void {
    alter(this.#state);
    this.#show();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#remember(), ADDRESS_AFTER);
  }

  #remember(): void {
    const hash = st.toHash(this.#page, this.#state);
    try {
      history.replaceState(null, "", hash ? `#${hash}` : location.pathname + location.search);
    } catch {
      // Some browsers refuse to write addresses of files; the page works without.
    }
  }

  #show(): void {
    this.#shown = this.#view.show(this.#state);
    if (!this.#data.class) this.#rows.follow(this.#state.at.map((_, k) => st.shownThreshold(this.#data, this.#state, k)));
    this.#showThreshold();
    const [ratio, prevalence] = [this.#ratio, this.#prevalence];
    const share = st.worldOf(this.#data, this.#state, this.#model).prevalence;
    if (ratio) set(ratio, this.#stop(this.#state.ratio), `a miss costs ${general(this.#state.ratio, 3)} false alarms`);
    if (prevalence) set(prevalence, logit(share), `${percent(share)} of cases are positive`);
    for (const button of this.#each("[data-pick]")) {
      const { pick } = button.dataset;
      const isAt = pick === "used" ? this.#isAsWritten : pick === this.#state.pick;
      button.setAttribute("aria-pressed", String(isAt));
    }
    for (const [name, value] of [
      ["unit", this.#state.unit],
      ["model", String(this.#state.chosen)],
    ] as const) {
      for (const radio of this.#radios(name)) radio.checked = radio.value === value;
    }
    if (this.#classes) this.#classes.value = String(this.#state.of);
    if (this.#level) this.#level.value = String(this.#state.level ?? this.#data.level);
    const margin = this.#range("margin");
    if (margin && document.activeElement !== margin) margin.value = this.#state.margin === null ? "" : String(this.#state.margin);
  }

  /** The stop of the slider that is nearest to a cost ratio. */
  #stop(ratio: number): number {
    const away = this.#data.ratios.map((stop) => Math.abs(Math.log(stop / ratio)));
    return away.indexOf(Math.min(...away));
  }

  #showThreshold(): void {
    const slider = this.#threshold;
    const at = this.#state.at[this.#state.chosen]!;
    if (this.#typed) this.#typed.value = this.#inWords(at);
    if (!slider) return;
    slider.dataset.at = String(st.shownThreshold(this.#data, this.#state, this.#state.chosen));
    const [low, high] = this.#ends();
    Object.assign(slider, { min: String(low), max: String(high), step: "any" });
    set(slider, at === st.LABELS ? (low + high) / 2 : this.#inUnit(at), this.#shown.sentence);
  }

  /** A threshold's place on the slider, in the unit chosen. */
  #inUnit(index: number): number {
    const point = pointAt(this.#model, index, st.worldOf(this.#data, this.#state, this.#model));
    const { unit } = this.#state;
    if (unit === "score") return Math.min(this.#model.threshold[index]!, this.#ends()[1]);
    return unit === "flagged" ? point.flagged : unit === "recall" ? point.recall : point.fpr;
  }

  /** What stands in the box: the very number that is used, in the unit chosen. */
  #inWords(at: number): string {
    if (at === st.LABELS) return "as decided";
    if (this.#state.unit === "score") return at === 0 ? "above all" : String(this.#model.threshold[at]!);
    const value = this.#inUnit(at);
    return this.#state.unit === "flagged" ? `${general(100 * value, 4)} %` : general(value, 4);
  }

  /** Nobody is called positive above the highest score: the slider ends a little further up. */
  #ends(): [number, number] {
    if (this.#state.unit !== "score") return [0, 1];
    const { threshold } = this.#model;
    const [lowest, highest] = [threshold[threshold.length - 1]!, threshold[1]!];
    return [lowest, highest + 0.01 * (highest - lowest || 1)];
  }

  /** The threshold nearest to a place on the slider. */
  #nearest(value: number): number {
    const { threshold } = this.#model;
    let [best, least] = [0, Infinity];
    for (let i = 0; i < threshold.length; i++) {
      const away = Math.abs(this.#inUnit(i) - value);
      if (away < least) [best, least] = [i, away];
    }
    return best;
  }

  /** The threshold that a typed number means: of scores the next one up that the page holds, else the nearest. */
  #meant(text: string): number | null {
    const isShare = this.#state.unit !== "score";
    const value = Number(text.replace(/%\s*$/, "").trim() || NaN);
    if (isNaN(value)) return null;
    if (!isShare) return st.cutOf(this.#model, value);
    const inPercent = this.#state.unit === "flagged" || text.includes("%");
    return this.#nearest(inPercent ? value / 100 : value);
  }

  /** So many thresholds towards higher values of the unit: higher scores, or more cases flagged. */
  #step(steps: number): void {
    const down = this.#state.unit === "score" ? -1 : 1;
    const last = this.#model.threshold.length - 1;
    const { at, chosen } = this.#state;
    const here = at[chosen] === st.LABELS ? last >> 1 : at[chosen]!;
    this.#change((state) => st.moveTo(state, chosen, Math.min(last, Math.max(0, here + steps * down))));
  }

  #leap(direction: number): void {
    const slider = this.#threshold!;
    const [low, high] = this.#ends();
    const here = this.#state.at[this.#state.chosen]!;
    const wanted = Number(slider.value) + direction * PAGE_STEP * (high - low);
    const found = this.#nearest(wanted);
    // Where thresholds lie further apart than that, a key must still do something.
    if (found === here) this.#step(direction);
    else this.#change((state) => st.moveTo(state, state.chosen, found));
  }

  #wire(): void {
    this.#wireThreshold();
    this.#wireWorld();
    for (const radio of this.#radios("model"))
      this.#on(radio, "change", (state) => (state.chosen = Number(radio.value)));
    for (const radio of this.#radios("unit"))
      this.#on(radio, "change", (state) => (state.unit = radio.value as st.Unit));
    for (const button of this.#each("[data-pick]"))
      this.#on(button, "click", (state) => this.#pick(state, button.dataset.pick));
    const menu = this.#classes;
    menu?.addEventListener("change", () => {
      this.#state = st.turnTo(this.#page, this.#state, Number(menu.value));
      this.#change(() => undefined);
    });
    for (const button of this.#each("[data-copy]")) {
      button.addEventListener("click", () => void this.#copy(button.dataset.copy ?? "", button));
    }
    for (const button of this.#each("[data-print]")) button.addEventListener("click", () => print());
    window.addEventListener("hashchange", () => {
      this.#state = st.fromHash(this.#page, location.hash);
      this.#show();
    });
  }

  #wireThreshold(): void {
    const slider = this.#threshold;
    slider?.addEventListener("input", () => {
      const found = this.#nearest(Number(slider.value));
      this.#change((state) => st.moveTo(state, state.chosen, found));
    });
    slider?.addEventListener("keydown", (event) => {
      const steps = stepsOf(event);
      if (!steps) return;
      event.preventDefault();
      if (Math.abs(steps) === 1) this.#step(steps);
      else this.#leap(Math.sign(steps));
    });
    const typed = this.#typed;
    typed?.addEventListener("change", () => {
      const found = this.#meant(typed.value);
      // What is no number is put back to what is used.
      if (found === null) this.#showThreshold();
      else this.#change((state) => st.moveTo(state, state.chosen, found));
    });
  }

  #wireWorld(): void {
    const [ratio, prevalence] = [this.#ratio, this.#prevalence];
    if (prevalence) {
      const [low, high] = st.PREVALENCE_ENDS.map(logit);
      Object.assign(prevalence, { min: String(low), max: String(high), step: "any" });
    }
    const world = (control: HTMLInputElement | null, alter: (state: st.State, value: number) => void): void => {
      control?.addEventListener("input", () => this.#change((state) => this.#alterWorld(state, alter, control)));
      control?.addEventListener("keydown", (event) => this.#worldKey(event, control, alter));
    };
    world(ratio, (state, value) => (state.ratio = this.#data.ratios[Math.round(value)] ?? state.ratio));
    world(prevalence, (state, value) => (state.prevalence = Number((1 / (1 + Math.exp(-value))).toPrecision(3))));
    for (const button of this.#each('[data-reset="prevalence"]')) {
      this.#on(button, "click", (state) => {
        state.prevalence = null;
        st.follow(this.#data, state);
      });
    }
    const [level, margin] = [this.#level, this.#range("margin")];
    if (level) this.#on(level, "change", (state) => (state.level = Number(level.value) === this.#data.level ? null : Number(level.value)));
    margin?.addEventListener("change", () => {
      const value = Number(margin.value.trim() || NaN);
      margin.blur();
      this.#change((state) => (state.margin = value > 0 && isFinite(value) ? value : null));
    });
  }

  #alterWorld(state: st.State, alter: (state: st.State, value: number) => void, control: HTMLInputElement): void {
    alter(state, Number(control.value));
    st.follow(this.#data, state);
  }

  /** Arrows move a hundredth of the way, Page keys a twentieth, in every browser. */
  #worldKey(event: KeyboardEvent, control: HTMLInputElement, alter: (state: st.State, value: number) => void): void {
    const steps = stepsOf(event);
    if (!steps) return;
    event.preventDefault();
    const [low, high] = [Number(control.min), Number(control.max)];
    const stride = control.step === "any" ? (high - low) / 100 : 1;
    const wanted = Number(control.value) + steps * stride;
    control.value = String(Math.min(high, Math.max(low, wanted)));
    this.#change((state) => this.#alterWorld(state, alter, control));
  }

  #pick(state: st.State, wanted: string | undefined): void {
    if (wanted === "used") return st.backToUsed(this.#data, state);
    state.pick = st.PICKS.find((pick) => pick === wanted) ?? "";
    st.follow(this.#data, state);
  }

  async #copy(form: string, button: HTMLElement): Promise<void> {
    this.#remember();
    const isForm = FORMS.includes(form);
    const seen = {
      data: this.#data,
      state: this.#state,
      estimates: this.#shown.estimates,
      cost: this.#shown.point.cost,
    };
    const text = isForm ? copyOf(form as Form, seen) : location.href;
    const isDone = await toClipboard(text, form === "word");
    const what = button.textContent?.trim() || form;
    this.#view.say("copied", isDone ? `Copied: ${what}` : "This browser does not let a page copy.");
  }

  #on(control: HTMLElement, event: string, alter: (state: st.State) => void): void {
    control.addEventListener(event, () => this.#change(alter));
  }

  #each(selector: string): HTMLElement[] {
    return [...document.querySelectorAll<HTMLElement>(selector)];
  }

  #radios(name: string): HTMLInputElement[] {
    return this.#each(`input[type="radio"][name="${name}"]`) as HTMLInputElement[];
  }
}

function set(slider: HTMLInputElement, value: number, words: string): void {
  slider.value = String(value);
  slider.setAttribute("aria-valuetext", words);
}

function logit(share: number): number {
  return Math.log(share / (1 - share));
}

async function toClipboard(text: string, isHtml: boolean): Promise<boolean> {
  try {
    if (isHtml) await navigator.clipboard.write([new ClipboardItem({ "text/html": new Blob([text], { type: "text/html" }) })]);
    else await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Older browsers, and pages opened from disk in some: by way of a selection.
    const box = document.createElement("textarea");
    box.value = text;
    document.body.append(box);
    box.select();
    const isDone = document.execCommand("copy");
    box.remove();
    return isDone;
  }
}
