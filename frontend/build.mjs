// Builds the page's scripts; with --check, fails where a committed file is not what the sources make.
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

// What every page has, what a page has that holds rows, what that of a stream has, and what the screens of the workbench
// have; beside each where it stands and the most it may weigh.
const SCRIPTS = {
  report: ["main", "report", 60_000],
  rows: ["rows", "report", 5_000],
  stream: ["stream", "report", 5_000],
  workbench: ["workbench", "web", 5_000],
  opening: ["opening", "web", 5_000],
  result: ["result", "web", 9_000],
  waiting: ["waiting", "web", 3_000],
  studies: ["studies", "web", 15_000],
};

for (const [name, [entry, place, most]] of Object.entries(SCRIPTS)) {
  const target = fileURLToPath(new URL(`../src/assay/${place}/templates/${name}.js`, import.meta.url));
  const made = await build({
    entryPoints: [fileURLToPath(new URL(`src/${entry}.ts`, import.meta.url))],
    bundle: true,
    minify: true,
    format: "iife",
    target: "es2022",
    charset: "ascii",
    legalComments: "none",
    write: false,
  });
  const text = made.outputFiles[0].text;
  // A script stands inside the page: nothing in it may end its element.
  if (/<\/script|<!--/i.test(text)) throw new Error("the script holds text that would end its own element");
  if (text.length > most) throw new Error(`${name}.js has ${text.length} bytes, more than ${most}`);
  if (process.argv.includes("--check")) {
    const committed = await readFile(target, "utf8").catch(() => "");
    if (committed !== text) {
      console.error(`${name}.js is not what frontend/src makes; type: make frontend`);
      process.exit(1);
    }
  } else {
    await writeFile(target, text);
    console.log(`${name}.js: ${text.length} bytes`);
  }
}
