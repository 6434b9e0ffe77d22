// Sentences from the same templates that Python fills: named values, some of them in a look of their own.

import templates from "../../src/assay/report/templates/live.json";

export interface Run {
  text: string;
  /** Bold, muted, or in the colour of the threshold. */
  look: "" | "b" | "m" | "t";
}

export type Text = Run[];

/** A sentence with its values; what is left empty leaves no space. */
export function say(key: keyof typeof templates, values: Record<string, string> = {}): Text {
  const runs: Text = [];
  for (const part of templates[key].split(/(\{\w+(?::\w)?\})/)) {
    const [, name, look] = /^\{(\w+)(?::(\w))?\}$/.exec(part) ?? [];
    runs.push({ text: name === undefined ? part : values[name]!, look: (look ?? "") as Run["look"] });
  }
  return joined(runs);
}

function joined(runs: Text): Text {
  const kept: Text = [];
  for (const { text, look } of runs) {
    const last = kept[kept.length - 1];
    const own = !last || last.text.endsWith(" ") ? text.replace(/^ +/, "") : text;
    if (own) kept.push({ text: own, look });
  }
  const last = kept[kept.length - 1];
  if (last) last.text = last.text.replace(/ +$/, "");
  return kept.filter(({ text }) => text);
}

/** Parts of a line, a dot between them. */
export function between(parts: Text[]): Text {
  return parts.flatMap((part, k) => (k ? [{ text: " · ", look: "" as const }, ...part] : part));
}

export function plain(text: Text): string {
  return text.map((run) => run.text).join("");
}

/** Words as a list in a sentence. */
export function listed(words: string[], last = "and"): string {
  return words.length > 1 ? `${words.slice(0, -1).join(", ")} ${last} ${words[words.length - 1]}` : (words[0] ?? "");
}

/** Put a text where another stood; nothing is touched that stays the same. */
export function write(place: Element, text: Text): void {
  const words = text.map(({ text: own, look }) => [own.replaceAll(" %", "\u00a0%"), look] as const);
  const now = words.map(([own]) => own).join("");
  const looks = words.map(([, look]) => look).join(",");
  if (place.textContent === now && (place as HTMLElement).dataset.looks === looks) return;
  (place as HTMLElement).dataset.looks = looks;
  place.replaceChildren(
    ...words.map(([own, look]) => {
      if (!look) return document.createTextNode(own);
      const span = document.createElement("span");
      span.className = `l${look}`;
      span.textContent = own;
      return span;
    }),
  );
}
