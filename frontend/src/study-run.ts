// The screen of a study: how far it is as the server tells it, its page, and its file.

import { asked, trying } from "./asking";
import { make, on, one, put } from "./dom";
import { BACK } from "./server";

type Told = {
  state: string; cells: number; done: number; failed: number; missing: number; words: string; spoken: string; line: string; verb: string; said: string;
  failures: { where: string; why: string }[]; more: number; grid: string[][]; changed: string; over: boolean; runs: boolean;
};

export function studyScreen(study: HTMLElement): void {
  const address = `/api/study/${study.dataset.id}`;
  let news: EventSource | null = null;
  let wasOver = true;

  const listen = (): void => {
    news?.close();
    // A browser keeps few lines open to a server: one nobody looks at is closed.
    if (document.hidden) return;
    news = new EventSource(`${address}/events`);
    on<MessageEvent<string>>(news, "message", (event) => show(JSON.parse(event.data) as Told));
  };
  const show = (told: Told): void => {
    tell(told);
    if (told.over) news?.close();
    if (told.over && (!wasOver || !one<HTMLIFrameElement>("#page")?.src) && told.done) showPage();
    wasOver = told.over;
  };
  const press = (id: string, path: string, body: unknown): void =>
    on(one(id), "click", () =>
      void trying(one("#run-problem"), async () => {
        show(await asked<Told>(`${address}/${path}`, body));
        listen();
      }),
    );
  press("#run", "run", {});
  press("#retry", "run", { retry: true });
  press("#cancel", "cancel", {});
  on(one("#refresh"), "click", showPage);
  keeping(study, address);
  on(document, "visibilitychange", listen);
  on(document, BACK, listen);
  if (one("#words")) listen();
}

function tell(told: Told): void {
  put(one("#words")!, told.words);
  put(one("#spoken")!, told.spoken);
  const listed = one(".hist .cur span");
  if (listed) put(listed, told.line);
  const bar = one<HTMLProgressElement>("#bar")!;
  bar.hidden = !told.cells;
  bar.max = told.cells || 1;
  bar.value = told.done + told.failed;
  const why = one("#said")!;
  put(why, told.said);
  why.hidden = !told.said;
  const changed = one("#changed")!;
  put(changed, told.changed);
  changed.hidden = !told.changed;
  const grid = one<HTMLTableElement>("#grid")!;
  grid.hidden = !told.grid.length;
  one("tbody", grid)!.replaceChildren(
    ...told.grid.map((row) => {
      const line = make("tr");
      line.append(...row.map((each, place) => (place ? make("td", { textContent: each, className: "mono" }) : make("th", { textContent: each, scope: "row" }))));
      return line;
    }),
  );
  const run = one("#run")!;
  put(run, told.verb);
  // Whoever pressed a button that goes stays where the next one comes.
  const focused = document.activeElement;
  run.hidden = !told.runs;
  one("#retry")!.hidden = !told.over || !told.failed;
  const cancel = one<HTMLButtonElement>("#cancel")!;
  cancel.hidden = told.over;
  cancel.disabled = told.state === "stopping";
  if (focused instanceof HTMLElement && focused.hidden) (cancel.hidden ? run : cancel).focus();
  one("#found")!.hidden = !told.done;
  one("#refresh")!.hidden = told.over;
  const failures = one("#failures")!;
  failures.hidden = !told.failures.length;
  const more = one("#more")!;
  more.hidden = !told.more;
  put(more, `and ${told.more} more: assay experiment show --failures`);
  one("ul", failures)!.replaceChildren(
    ...told.failures.map((each) => {
      const item = make("li");
      item.append(make("b", { textContent: each.where }), ` ${each.why}`);
      return item;
    }),
  );
}

/** The page of the study, as tall as it is: it has no bar of its own to scroll by. */
function showPage(): void {
  const frame = one<HTMLIFrameElement>("#page");
  if (!frame) return;
  on(frame, "load", () => {
    const page = frame.contentDocument?.documentElement;
    if (!page) return;
    const grow = (): void => void frame.setAttribute("height", String(page.scrollHeight));
    grow();
    new ResizeObserver(grow).observe(page);
  });
  frame.src = frame.dataset.page!;
}

/** Saving: the page beside the study, and the file after it was edited. */
function keeping(study: HTMLElement, address: string): void {
  on(one("#keep"), "click", () =>
    void trying(one("#kept"), async () => {
      const measure = one<HTMLSelectElement>("#measure")!.value;
      const level = Number(one<HTMLSelectElement>("#level")!.value);
      const { saved } = await asked<{ saved: string }>(`${address}/page`, { measure, level });
      put(one("#kept")!, `Saved as ${saved}`);
    }),
  );
  on(one("#save"), "click", () =>
    void trying(one("#study-problem"), async () => {
      const text = one<HTMLTextAreaElement>("#study-text")!.value;
      const told = { name: study.dataset.name, text, was: study.dataset.print };
      const { print } = await asked<{ print: string }>("/api/study/save", told);
      study.dataset.print = print;
      put(one("#kept-text")!, "Saved");
      location.reload();
    }),
  );
}
