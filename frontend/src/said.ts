// Sentences from the same templates that Python fills: named values, some of them in a look of their own.

import type written from "../../src/assay/report/templates/live.json";
import { make } from "./dom";

export type Key = keyof typeof written;

export interface Run {
  text: string;
  /** Bold, muted, or in the colour of the threshold. */
  look: string;
}

export type Text = Run[];
type Values = Record<string, string>;

// The page brings its sentences, so that they are those of the Python that wrote it.
let templates = {} as Record<Key, string>;

export function speak(sentences: Record<Key, string>): void {
  templates = sentences;
}

/** A sentence with its values; what is left empty leaves no space. */
export function say(key: Key, values: Values = {}): Text {
  const kept: Text = [];
  for (const part of templates[key].split(/(\{[^}]+\})/)) {
    const [, name, look = ""] = /^\{(\w+):?(\w?)\}$/.exec(part) ?? [];
    const words = name ? values[name]! : part;
    const text = (kept.at(-1)?.text ?? " ").endsWith(" ") ? words.replace(/^ +/, "") : words;
    if (text) kept.push({ text, look });
  }
  const last = kept.at(-1);
  if (last) last.text = last.text.replace(/ +$/, "");
  return kept.filter(({ text }) => text);
}

/** The same without its looks. */
export function words(key: Key, values?: Values): string {
  return plain(say(key, values));
}

/** Parts of a line, a dot between them. */
export function between(parts: Text[]): Text {
  return parts.flatMap((part, k) => (k ? [run(" · "), ...part] : part));
}

export function run(text: string, look = ""): Run {
  return { text, look };
}

export function plain(text: Text): string {
  return text.map((run) => run.text).join("");
}

/** Words as a list in a sentence. */
export function listed(words: string[], last = "and"): string {
  return words.length > 1 ? `${words.slice(0, -1).join(", ")} ${last} ${words.at(-1)}` : (words[0] ?? "");
}

/** Put a text where another stood; nothing is touched that stays the same. */
export function write(place: HTMLElement, text: Text): void {
  const runs = text.map(({ text, look }) => run(text.replaceAll(" %", "\u00a0%"), look));
  const looks = String(runs.map(({ look }) => look));
  if (place.textContent === plain(runs) && place.dataset.looks === looks) return;
  place.dataset.looks = looks;
  place.replaceChildren(...runs.map(({ text, look }) => (look ? make("span", { className: `l${look}`, textContent: text }) : text)));
}
