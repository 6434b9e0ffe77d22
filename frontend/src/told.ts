// The drawer with the code that gives the same, for scripts that change what is shown.

import { make, one, put } from "./dom";

/** Show other code in the drawer. */
export function offer(python: string, command: string): void {
  for (const [of, text] of Object.entries({ python, command })) {
    const place = one(`.drawer pre[data-of=${of}]`);
    if (place) put(place, text);
  }
}

/** Copy a text, and have the button say so for a moment. */
export async function copied(text: string, button: HTMLElement): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // A browser that keeps its clipboard from pages: by way of a selection.
    const field = make("textarea", { value: text });
    document.body.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
  }
  const words = button.textContent!;
  if (words === "Copied") return;
  put(button, "Copied");
  setTimeout(() => put(button, words), 1500);
}
