// The page's program beside the executable: the same printed report, and the same JSON but for the last bits of logarithms, or the
// same error, for every file and folder, and for 1,000 random designs.
//
//   node same.cjs EXECUTABLE FOLDER-WITH-PROGRAM ROOT...
//
// Parquet aside, which the page does not read. Each difference is a line; none is success.
"use strict";
const { spawnSync } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");

const [executable, built, ...roots] = process.argv.slice(2);
const bindings = require(path.resolve(built, "program.js"));
bindings.initSync({ module: new WebAssembly.Module(fs.readFileSync(path.join(built, "program.wasm"))) });

/** Files below a path as a walk meets them, and the folders. */
function below(at) {
  if (!fs.statSync(at).isDirectory()) return { files: [at], folders: [] };
  const found = { files: [], folders: [at] };
  for (const name of fs.readdirSync(at).sort()) {
    const inner = below(path.join(at, name));
    found.files.push(...inner.files);
    found.folders.push(...inner.folders);
  }
  return found;
}

/** A file with those that readers may look for beside it. */
function beside(file) {
  const folder = path.dirname(file);
  const near = folder.endsWith("base") ? below(path.dirname(folder)) : below(folder);
  const small = (other) => other === file || fs.statSync(other).size < 1 << 16;
  return near.files.filter((other) => small(other) && (other === file || !other.endsWith(".parquet")));
}

// The logarithms of the two libraries of mathematics differ in the last bit; all that is not such a number is equal.
const TOLERANCE = 1e-9;
const NUMBER = /-?\d+\.\d+(?:e[-+]?\d+)?/g;

/** Whether two documents are equal but for the last digits of their unrounded numbers. */
function near(mine, other) {
  if (mine === other) return true;
  if (mine.replace(NUMBER, "#") !== other.replace(NUMBER, "#")) return false;
  const [a, b] = [mine, other].map((text) => text.match(NUMBER).map(Number));
  const far = (value, k) => Math.abs(value - b[k]) > TOLERANCE * Math.max(Math.abs(value), Math.abs(b[k]));
  for (const [k, value] of a.entries()) worst = Math.max(worst, value === b[k] ? 0 : Math.abs(value - b[k]) / Math.max(Math.abs(value), Math.abs(b[k])));
  return !a.some(far);
}

let worst = 0;
const counts = { equal: 0, near: 0, errors: 0, different: 0, left: 0 };
const judge = (page, inputs, flags) => JSON.parse(page.judge(JSON.stringify({ inputs, flags })));

/** One call with the executable and with the program. */
function both(files, inputs) {
  if (files.some((file) => file.endsWith(".parquet"))) return void counts.left++;
  const page = new bindings.Page();
  for (const file of files) page.add(file, fs.readFileSync(file), undefined);
  let flags = [];
  let answer = judge(page, inputs, flags);
  if (answer.choose.length) {
    flags = [["base", [answer.choose[0]]]];
    answer = judge(page, inputs, flags);
  }
  const typed = flags.flatMap(([name, [value]]) => [`--${name}=${value}`]);
  const run = (format) => {
    const args = ["compare", "--no-config", "--format", format, ...typed, "--", ...inputs];
    return spawnSync(executable, args, { encoding: "utf8", maxBuffer: 1 << 30 });
  };
  const done = run("json");
  const said = done.stderr.trim();
  let same;
  if (answer.error) {
    same = done.status === 2 && said.includes(answer.error.message);
    if (same) counts.errors++;
  } else {
    const [mine, other] = [page.show("json"), done.stdout];
    same = done.status === 0 && near(mine, other) && page.show("markdown") === run("markdown").stdout;
    if (same) counts[mine === other ? "equal" : "near"]++;
  }
  if (!same) {
    counts.different++;
    const mine = answer.error ? answer.error.message : page.show("json");
    const other = done.status === 0 ? done.stdout : said;
    const [a, b] = [mine.split("\n"), other.split("\n")];
    const at = a.findIndex((line, k) => line !== b[k]);
    console.log(`${inputs.join(" ")}: line ${at + 1}: ${String(a[at]).slice(0, 300)} | ${String(b[at]).slice(0, 300)}`);
  }
  page.free();
}

for (const root of roots) {
  const { files, folders } = below(root);
  for (const file of files) both(beside(file), [file]);
  for (const folder of folders) both(folder.endsWith("base") ? below(path.dirname(folder)).files : below(folder).files, [folder]);
}

/** A table of random runs: two or three variants, one to twelve runs of each, one to four metrics, some of them far apart. */
function design(random) {
  const upTo = (n) => 1 + Math.floor(random() * n);
  const metrics = ["mean_ttft_ms", "output_throughput", "p99_itl_ms", "score"].slice(0, upTo(4));
  const noise = 10 ** (-3 + 3 * random());
  const rows = [["variant", ...metrics].join(",")];
  for (const variant of ["base", "b", "c"].slice(0, 1 + upTo(2))) {
    const shift = random() < 0.5 ? 1 : 1 + 0.2 * (random() - 0.5);
    for (let runs = upTo(12); runs > 0; runs--) {
      const wild = random() < 0.03 ? 5 : 1;
      const values = metrics.map((_, k) => 10 ** k * shift * wild * Math.exp(noise * (random() + random() + random() - 1.5)));
      rows.push([variant, ...values.map((value) => value.toPrecision(upTo(12)))].join(","));
    }
  }
  return rows.join("\n") + "\n";
}

/** Numbers in [0, 1) that are the same each time (mulberry32). */
function generator(state) {
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The verdict on a history: the same report, and the same JSON but for the last bits. */
function nights(file) {
  const page = new bindings.Page();
  page.add(file, fs.readFileSync(file), undefined);
  const answer = JSON.parse(page.judge(JSON.stringify({ inputs: [file], nights: true })));
  const run = (format) => spawnSync(executable, ["history", "verdict", "--no-config", "--format", format, file], { encoding: "utf8", maxBuffer: 1 << 30 }).stdout;
  const [mine, other] = [page.show("json"), run("json")];
  const same = !answer.error && near(mine, other) && page.show("markdown") === run("markdown");
  counts[same ? (mine === other ? "equal" : "near") : "different"]++;
  if (!same) console.log(`${file}: another verdict on the history${answer.error ? `: ${answer.error.message}` : ""}`);
  page.free();
}
nights("data/nights.csv");

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "designs-"));
const random = generator(1);
for (let k = 0; k < 1000; k++) {
  const file = path.join(folder, `${k}.csv`);
  fs.writeFileSync(file, design(random));
  both([file], [file]);
  fs.rmSync(file);
}
fs.rmdirSync(folder);
console.log(`${counts.equal} equal reports, ${counts.near} more but for the last digits (at most ${worst.toExponential(1)} of a number), ${counts.errors} equal errors, ${counts.different} different, ${counts.left} with Parquet left out`);
process.exitCode = counts.different === 0 && counts.equal > 0 ? 0 : 1;
