// What keys mean on everything that moves.

const KEYS: Record<string, number> = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 5, PageDown: -5 };

/** How far a key moves a control: arrows one step, Page keys five; 0 for any other key. */
export function stepsOf(event: KeyboardEvent): number {
  return event.ctrlKey || event.altKey || event.metaKey ? 0 : (KEYS[event.key] ?? 0);
}
