// How a screen of the workbench asks its server: JSON there and back, and the reason where it fails.

/** Send something and give what is answered; a refusal is thrown as its sentence. */
export async function asked<T>(path: string, told: unknown): Promise<T> {
  let answer: Response;
  try {
    answer = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(told) });
  } catch {
    throw new Error("The workbench does not respond. Start it again with: assay serve");
  }
  const said = await answer.json().catch(() => ({ error: `The workbench responded with status ${answer.status}` }));
  if (!answer.ok) throw new Error(String(said.error));
  return said as T;
}

/** Do something, and put the sentence of what fails where it belongs. */
export async function trying(problem: Element | null, act: () => Promise<void>): Promise<void> {
  try {
    if (problem) problem.textContent = "";
    await act();
  } catch (error) {
    if (problem) problem.textContent = error instanceof Error ? error.message : String(error);
  }
}
