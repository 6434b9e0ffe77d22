// The moments of a stream: a slider goes to one of them, and matrix, values and marks follow. A script of its own.

import { all, attrs, least, on, one, put, whenRead } from "./dom";
import { count, percent } from "./words";

/** What is known at a moment: its sentence, value and limits of every measure under every view, and the counts. */
interface Stop {
  events: number;
  said: string;
  values: [string, string][][];
  counts?: number[][];
}

whenRead(() => {
  try {
    wireMoments(JSON.parse(one("#assay-data")!.textContent!).stream.stops);
  } catch {
    // Data that nobody can read leaves the page as it was written.
  }
});

function wireMoments(stops: Stop[]): void {
  const slider = one<HTMLInputElement>("[data-control=moment]");
  if (!slider || stops.length < 2) return;
  const figures = all<SVGSVGElement & HTMLElement>('svg[data-figure^="stream"]').map((svg) => {
    const [x0, x1, left, width] = ["x0", "x1", "left", "width"].map((key) => Number(svg.dataset[key])) as [number, number, number, number];
    return { svg, right: (events: number) => left + (width * (events - x0)) / (x1 - x0), events: (x: number) => x0 + ((x - left) / width) * (x1 - x0) };
  });
  on(slider, "input", () => show(Number(slider.value)));
  for (const { svg, events } of figures)
    on<MouseEvent>(svg, "click", ({ clientX, clientY }) => {
      const at = events(new DOMPoint(clientX, clientY).matrixTransform(svg.getScreenCTM()!.inverse()).x);
      slider.value = String(least(stops.length, (k) => Math.abs(stops[k]!.events - at)));
      show(Number(slider.value));
    });
  one("#stops")!.removeAttribute("hidden");
  say(stops.length - 1);

  function out(name: string, words: string): void {
    for (const place of all(`[data-out="${name}"]`)) put(place, words);
  }

  function say(k: number): void {
    const { events, said } = stops[k]!;
    attrs(slider!, { "aria-valuetext": `after ${count(events)} events` });
    out("moment", count(events));
    out("moment-said", said.replaceAll(" %", "\u00a0%"));
  }

  function show(k: number): void {
    const { events, values, counts } = stops[k]!;
    say(k);
    values.forEach((row, i) => row.forEach((pair, j) => pair.forEach((words, part) => out(`value-${i}-${j}-${part}`, words))));
    counts?.forEach((row, i) =>
      row.forEach((cell, j) => {
        const sum = (cells: number[]): number => cells.reduce((total, each) => total + each, 0);
        out(`cell-${i}-${j}`, count(cell));
        out(`cell-${i}-${j}-row`, percent(cell / sum(row)));
        out(`cell-${i}-${j}-column`, percent(cell / sum(counts.map((other) => other[j]!))));
      }),
    );
    for (const { svg, right } of figures)
      for (const mark of all(".cut", svg)) {
        const x = right(events).toFixed(1);
        attrs(mark, { x1: x, x2: x });
      }
    const sentence = one("#moment > .sentence");
    if (sentence) put(sentence, `As of event ${count(events)}${k === stops.length - 1 ? ", the last" : ""}.`);
  }
}
