// Whether the server still answers, and what other windows have opened meanwhile: asked every two seconds.

import { all, attrs, one, put } from "./dom";

const PAUSE = 2000; // milliseconds between two questions
const PATIENCE = 2000; // milliseconds after which a server that accepts a request and stays silent counts as gone
const GONE = "The workbench does not respond. Start it again with: assay serve. This page continues when it is back.";
const RESTARTED = "The workbench was started again. Open the link that it printed, in this browser; this page then continues.";

/** Dispatched on the document when the server answers again. */
export const BACK = "assay-back";

export function watchServer(): void {
  const notice = one("[data-away]");
  const list = one("[data-history]");
  if (!notice || !list) return;
  const look = async (): Promise<void> => {
    if (!document.hidden) {
      const problem = await asked(list);
      if (!problem && !notice.hidden) document.dispatchEvent(new Event(BACK));
      put(notice, problem);
      notice.hidden = !problem;
      for (const waiting of all("[data-waits]")) waiting.hidden = Boolean(problem);
    }
    setTimeout(() => void look(), PAUSE);
  };
  setTimeout(() => void look(), PAUSE);
}

/** Ask for the list and show it where it has changed; the problem in words, nothing where there is none. */
async function asked(list: HTMLElement): Promise<string> {
  try {
    const { version, current } = list.dataset;
    const query = new URLSearchParams({ version: version ?? "", current: current ?? "" });
    const answer = await fetch(`/api/history?${query}`, { signal: AbortSignal.timeout(PATIENCE) });
    if (answer.status === 401) return RESTARTED;
    const told = (await answer.json()) as { version?: string; html?: string };
    // Whoever stands in the list with the keyboard keeps the place: it is renewed when they have left.
    if (told.html === undefined || list.contains(document.activeElement)) return "";
    list.innerHTML = told.html;
    attrs(list, { "data-version": told.version! });
    return "";
  } catch {
    return GONE;
  }
}
