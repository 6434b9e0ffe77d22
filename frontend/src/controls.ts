// The controls: each changes the state and has it shown; keyboard and pointer go the same way.

import { copiesOf } from "./copies";
import type { Data, Model, Page } from "./data";
import { all, attrs, least, make, on, one, within } from "./dom";
import { draggable } from "./drags";
import { stepsOf } from "./keys";
import { pointAt } from "./point";
import * as st from "./state";
import { type Shown, type View, viewOf } from "./view";
import { general, percent } from "./words";

// A browser that is asked for more complains, so the address follows when the hand rests.
const ADDRESS_AFTER = 150;
const PAGE_STEP = 0.05;

type Alter = (state: st.State) => void;

/** Wire the controls of a page; `follow` hears of the thresholds that decide, of two classes. */
export function wireControls(page: Page, follow: (thresholds: number[]) => void): void {
  const input = (name: string): HTMLInputElement | null => one(`[data-control="${name}"]`);
  const [slider, typed, ratio, prevalence] = [input("threshold"), input("threshold-value"), input("ratio"), input("prevalence")];
  const [level, margin, classes] = [input("level"), input("margin"), input("class")];
  // Of each class when it is first shown.
  const views: View[] = [];
  let state = st.fromHash(page, location.hash);
  let shown: Shown;
  let timer = 0;

  const data = (): Data => page.parts[state.of]!;
  const model = (): Model => data().models[state.chosen]!;
  const here = (): number => state.at[state.chosen]!;
  const world = (of = model()) => st.worldOf(data(), state, of);
  const last = (): number => model().threshold.length - 1;

  /** The part of the page that shows the chosen class; the others are put away. */
  function view(): View {
    const panels = all<HTMLDetailsElement>("[data-class]");
    panels.forEach((panel, k) => panel.classList.toggle("away", k !== state.of));
    const panel = panels[state.of];
    if (panel) panel.open = true;
    return (views[state.of] ??= made(viewOf(data(), panel ?? null)));
  }

  function made(view: View): View {
    draggable(view.figures, {
      seen: () => data().models.map((model) => [model, world(model)] as const),
      chosen: () => state.chosen,
      at: here,
      choose: (k) => change((state) => (state.chosen = k)),
      move: moveTo,
      mix: (fpr) => change((state) => (state.mix = fpr)),
      mixed: () => state.mix,
    });
    return view;
  }

  function change(alter: Alter): void {
    alter(state);
    show();
    clearTimeout(timer);
    timer = setTimeout(remember, ADDRESS_AFTER);
  }

  function moveTo(index: number): void {
    change((state) => st.moveTo(state, state.chosen, index));
  }

  function remember(): void {
    const hash = st.toHash(page, state);
    try {
      history.replaceState(null, "", hash ? `#${hash}` : location.pathname + location.search);
    } catch {
      // Some browsers refuse to write addresses of files; the page works without.
    }
  }

  function show(): void {
    shown = view().show(state);
    if (!data().class) follow(state.at.map((_, k) => st.shownThreshold(data(), state, k)));
    showThreshold();
    const share = world().prevalence;
    const stop = least(data().ratios.length, (k) => Math.abs(Math.log(data().ratios[k]! / state.ratio)));
    set(ratio, stop, `a false negative costs ${general(state.ratio, 3)} false positives`);
    set(prevalence, logit(share), `${percent(share)} of cases are positive`);
    const isAsWritten = !state.pick && state.at.every((at, k) => at === st.usedOf(data().models[k]!));
    for (const button of all("[data-pick]")) {
      const { pick } = button.dataset;
      attrs(button, { "aria-pressed": String(pick === "used" ? isAsWritten : pick === state.pick) });
    }
    const chosen: Record<string, unknown> = { unit: state.unit, model: state.chosen };
    for (const radio of all<HTMLInputElement>("input[type=radio]"))
      if (radio.name in chosen) radio.checked = radio.value === String(chosen[radio.name]);
    set(classes, state.of);
    set(level, state.level ?? data().level);
    if (document.activeElement !== margin) set(margin, state.margin ?? "");
  }

  function showThreshold(): void {
    const at = here();
    set(typed, inWords(at));
    if (!slider) return;
    slider.dataset.at = String(st.shownThreshold(data(), state, state.chosen));
    const [low, high] = ends();
    attrs(slider, { min: low, max: high, step: "any" });
    set(slider, at === st.LABELS ? (low + high) / 2 : inUnit(at), shown.sentence);
  }

  /** A threshold's place on the slider, in the unit chosen. */
  function inUnit(index: number): number {
    const { unit } = state;
    return unit === "score" ? Math.min(model().threshold[index]!, ends()[1]) : pointAt(model(), index, world())[unit];
  }

  /** What stands in the box: the very number that is used, in the unit chosen. */
  function inWords(at: number): string {
    if (at === st.LABELS) return "as predicted";
    if (state.unit === "score") return at === 0 ? "above all" : String(model().threshold[at]!);
    const value = inUnit(at);
    return state.unit === "flagged" ? `${general(100 * value, 4)} %` : general(value, 4);
  }

  /** Nobody is predicted positive above the highest score: the slider ends a little further up. */
  function ends(): [number, number] {
    if (state.unit !== "score") return [0, 1];
    const [lowest, highest] = [model().threshold[last()]!, model().threshold[1]!];
    return [lowest, highest + 0.01 * (highest - lowest || 1)];
  }

  /** The threshold nearest to a place on the slider. */
  function nearest(value: number): number {
    return Math.max(0, least(last() + 1, (i) => Math.abs(inUnit(i) - value)));
  }

  /** The threshold that a typed number means: of scores the next one up that the page holds, else the nearest. */
  function meant(text: string): number | null {
    const value = Number(text.replace(/%\s*$/, "").trim() || NaN);
    if (isNaN(value)) return null;
    if (state.unit === "score") return st.cutOf(model(), value);
    return nearest(state.unit === "flagged" || text.includes("%") ? value / 100 : value);
  }

  /** So many thresholds towards higher values of the unit: higher scores, or more cases flagged. */
  function step(steps: number): void {
    const from = here() === st.LABELS ? last() >> 1 : here();
    moveTo(within(from + (state.unit === "score" ? -steps : steps), 0, last()));
  }

  /** Arrows move to the next threshold, Page keys a twentieth of the way. */
  function thresholdKey(event: KeyboardEvent): void {
    const steps = stepsOf(event);
    if (!steps) return;
    event.preventDefault();
    const [low, high] = ends();
    const found = nearest(Number(slider!.value) + Math.sign(steps) * PAGE_STEP * (high - low));
    // Where thresholds lie further apart than that, a key must still do something.
    if (Math.abs(steps) === 1 || found === here()) step(Math.sign(steps));
    else moveTo(found);
  }

  /** A slider of the world: costs or prevalence. */
  function wireWorld(control: HTMLInputElement | null, alter: (state: st.State, value: number) => void): void {
    const altered = (): void =>
      change((state) => {
        alter(state, Number(control!.value));
        st.follow(data(), state);
      });
    on(control, "input", altered);
    // Arrows move a hundredth of the way, Page keys a twentieth, in every browser.
    on<KeyboardEvent>(control, "keydown", (event) => {
      const steps = stepsOf(event);
      if (!steps) return;
      event.preventDefault();
      const [low, high] = [Number(control!.min), Number(control!.max)];
      const stride = control!.step === "any" ? (high - low) / 100 : 1;
      control!.value = String(within(Number(control!.value) + steps * stride, low, high));
      altered();
    });
  }

  function pick(state: st.State, wanted: string): void {
    if (wanted === "used") return st.backToUsed(data(), state);
    state.pick = st.PICKS.find((pick) => pick === wanted) ?? "";
    st.follow(data(), state);
  }

  async function copy(form: string, button: HTMLElement): Promise<void> {
    remember();
    const text = copiesOf(data(), state, shown.estimates, shown.point.cost)[form]?.() ?? location.href;
    const isDone = await toClipboard(text, form === "word");
    view().say("copied", isDone ? `Copied: ${button.textContent?.trim() || form}` : "This browser does not let a page copy.");
  }

  if (prevalence) {
    const [min, max] = st.PREVALENCE_ENDS.map(logit) as [number, number];
    attrs(prevalence, { min, max, step: "any" });
  }
  on(slider, "input", () => moveTo(nearest(Number(slider!.value))));
  on(slider, "keydown", thresholdKey);
  on(typed, "change", () => {
    const found = meant(typed!.value);
    // What is no number is put back to what is used.
    if (found === null) showThreshold();
    else moveTo(found);
  });
  wireWorld(ratio, (state, value) => (state.ratio = data().ratios[Math.round(value)] ?? state.ratio));
  wireWorld(prevalence, (state, value) => (state.prevalence = Number((1 / (1 + Math.exp(-value))).toPrecision(3))));
  on(level, "change", () => change((state) => (state.level = Number(level!.value) === data().level ? null : Number(level!.value))));
  on(margin, "change", () => {
    const value = Number(margin!.value.trim() || NaN);
    margin!.blur();
    change((state) => (state.margin = value > 0 && isFinite(value) ? value : null));
  });
  on(classes, "change", () => {
    state = st.turnTo(page, state, Number(classes!.value));
    change(() => undefined);
  });
  const wire = (selector: string, event: string, alter: (state: st.State, control: HTMLInputElement) => void): void => {
    for (const control of all<HTMLInputElement>(selector)) on(control, event, () => change((state) => alter(state, control)));
  };
  wire("[data-reset=prevalence]", "click", (state) => {
    state.prevalence = null;
    st.follow(data(), state);
  });
  wire("input[name=model]", "change", (state, radio) => (state.chosen = Number(radio.value)));
  wire("input[name=unit]", "change", (state, radio) => (state.unit = radio.value as st.Unit));
  wire("[data-pick]", "click", (state, button) => pick(state, button.dataset.pick!));
  for (const button of all("[data-copy]")) on(button, "click", () => void copy(button.dataset.copy!, button));
  for (const button of all("[data-print]")) on(button, "click", () => print());
  on(window, "hashchange", () => {
    state = st.fromHash(page, location.hash);
    show();
  });
  one("#controls")?.removeAttribute("hidden");
  show();
}

/** Bring a control to a value, and have it said. */
function set(control: HTMLInputElement | null, value: string | number, words?: string): void {
  if (!control) return;
  control.value = String(value);
  if (words) attrs(control, { "aria-valuetext": words });
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
    const box = make("textarea", { value: text });
    document.body.append(box);
    box.select();
    const isDone = document.execCommand("copy");
    box.remove();
    return isDone;
  }
}
