// The page in a real browser: what its users do, by mouse, by keyboard, on a phone, in the dark.
//
//   node tasks.cjs CHROMIUM INDEX.HTML
//
// playwright-core and axe-core come from NODE_PATH. Each failure is a line; none is success.
"use strict";
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const zlib = require("node:zlib");
const { pathToFileURL } = require("node:url");
const { chromium } = require("playwright-core");

const [executablePath, index] = process.argv.slice(2);
const address = pathToFileURL(path.resolve(index)).href;
const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "page-"));
const axe = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const data = (name) => fs.readFileSync(path.join("data", name), "utf8");
const table = (labels, ms = 10) =>
  "variant,mean_ttft_ms\n" +
  labels.flatMap((label, k) => [0, 1, 2, 3].map((run) => `${JSON.stringify(label).replaceAll('\\"', '""')},${ms + k * 3 + run * 0.1}\n`)).join("");
const one = "run,mean_ttft_ms\n1,10.1\n2,10.2\n3,10.3\n";
const two = "run,mean_ttft_ms\n1,14.1\n2,14.2\n3,14.3\n";

/** Writes files into a new folder; the folder. */
function folder(name, files) {
  const root = path.join(scratch, name);
  for (const [file, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    fs.writeFileSync(path.join(root, file), text);
  }
  return root;
}

/** A zip of files, each deflated. */
function zip(files) {
  const [parts, heads] = [[], []];
  let at = 0;
  for (const [name, text] of Object.entries(files)) {
    const [bytes, packed] = [Buffer.from(text), zlib.deflateRawSync(text)];
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(zlib.crc32 ? zlib.crc32(bytes) : crc(bytes), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(bytes.length, 18);
    common.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from("PK\x03\x04"), common, Buffer.from(name), packed]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(at, 10);
    heads.push(Buffer.concat([Buffer.from("PK\x01\x02\x14\x00", "latin1"), common, tail, Buffer.from(name)]));
    parts.push(local);
    at += local.length;
  }
  const directory = Buffer.concat(heads);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(heads.length, 8);
  end.writeUInt16LE(heads.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, directory, end]);
}

function crc(bytes) {
  let sum = ~0;
  for (const byte of bytes) {
    sum ^= byte;
    for (let k = 0; k < 8; k++) sum = (sum >>> 1) ^ (0xedb88320 & -(sum & 1));
  }
  return ~sum >>> 0;
}

let browser;
const failures = [];
const figures = {};
let tasks = 0;

/** One task on a new page; whatever the page asks for or complains of is a failure. */
async function task(name, act, options = {}) {
  tasks++;
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, acceptDownloads: true, ...options });
  context.setDefaultTimeout(20_000);
  const page = await context.newPage();
  const said = [];
  page.on("console", (message) => said.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => said.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => (said.push(`a script ran: ${dialog.message()}`), dialog.dismiss()));
  let loaded = false;
  page.on("request", (request) => loaded && !/^(about|blob|data):/.test(request.url()) && said.push(`a request: ${request.url()}`));
  try {
    const begun = Date.now();
    await page.goto(address);
    await page.waitForFunction(() => document.getElementById("status").textContent === "Nothing to compare yet.");
    figures.ready = Math.min(figures.ready ?? Infinity, Date.now() - begun);
    loaded = true;
    await act(page, context);
  } catch (error) {
    said.push(String(error.message).split("\n").slice(0, 3).join(" "));
  }
  for (const text of said) console.log(`${name}: ${text}`);
  failures.push(...said);
  await context.close();
}

function expect(what, holds) {
  if (!holds) throw new Error(`expected ${what}`);
}

const headline = (page) => page.frameLocator("#frame").locator("h1").textContent();
const judged = (page) => page.waitForFunction(() => /^Judged/.test(document.getElementById("status").textContent));
async function says(page, words) {
  await judged(page);
  await page.waitForFunction(() => document.getElementById("frame").contentDocument?.querySelector("h1"));
  const found = await headline(page);
  expect(`a headline with ${words}, found ${found}`, found.toLowerCase().includes(words));
}
async function fails(page, words) {
  await page.waitForSelector("#error:not([hidden])");
  const found = await page.textContent("#error");
  expect(`an error with ${words}, found ${found}`, found.includes(words));
}

/** Drops files and folders as a file manager does. */
async function drop(page, files) {
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files, dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver", "drop"]) await session.send("Input.dispatchDragEvent", { type, x: 300, y: 300, data });
}

const LIVE = ["<script>alert(1)</script>", "<img src=x onerror=alert(2)>", '"><svg onload=alert(3)>', "</script><script>alert(4)</script>", "<iframe src=http://192.0.2.1/>", "javascript:alert(5)"];

async function pastes() {
  const paste = (label, a, b, words) =>
    task(`paste, ${label}`, async (page) => {
      await page.fill("#text-a", a);
      if (b) await page.fill("#text-b", b);
      await says(page, words);
    });
  await paste("two tables", one, two, "regressed");
  await paste("the same twice as large", two, one, "improved");
  await paste("a note with headings", data("notes/closed-loop-before-after.txt"), "", "no verdict");
  await paste("a note with runs", data("notes/mock-abba.md"), "", "improved");
  await paste("a sweep", data("sweep.csv"), "", "");
  await paste("JSON", data("formats/pyperf/before.json"), data("formats/pyperf/after.json"), "");
  await paste("Chinese labels", table(["优化前", "优化后"]), "", "regressed");
  await task("paste, nights of one benchmark", async (page) => {
    await page.fill("#text-a", data("nights.csv"));
    await page.check("#nights");
    await says(page, "2 changes for the worse in force");
    await page.click("#clear");
    expect("the box is cleared", !(await page.isChecked("#nights")));
  });
  await task("paste, one run each without published noise", async (page) => {
    await page.fill("#text-a", data("notes/closed-loop-before-after.txt"));
    await says(page, "no verdict");
    const answer = () => page.frameLocator("#frame").locator("body").textContent();
    expect("a grade", (await answer()).includes("about 6 of 100 pairs"));
    await page.click(".settings summary");
    await page.check("#no-atlas");
    await page.waitForTimeout(400);
    await judged(page);
    expect("no grade", !(await answer()).includes("of 100 pairs"));
  });
  await task("paste, the time", async (page) => {
    await page.fill("#text-a", data("notes/closed-loop-before-after.txt"));
    await judged(page);
    // The first call compiles; the second is what a typist waits for.
    await page.fill("#text-b", "");
    await page.fill("#text-a", data("notes/closed-loop-before-after.txt") + "\n");
    await page.waitForTimeout(400);
    figures.judged = Number(await page.evaluate(() => document.documentElement.dataset.took));
    expect(`at most 100 ms, found ${figures.judged}`, figures.judged < 100);
  });
  await task("labels of the boxes", async (page) => {
    await page.fill("#name-a", "feature/x <b>");
    await page.fill("#name-b", "main");
    await page.fill("#text-a", two);
    await page.fill("#text-b", one);
    await says(page, "regressed");
  });
  await task("labels in Chinese, of the boxes", async (page) => {
    await page.fill("#name-a", "修改前");
    await page.fill("#name-b", "修改后");
    await page.fill("#text-a", one);
    await page.fill("#text-b", two);
    await says(page, "regressed");
    const text = await page.frameLocator("#frame").locator("table").first().textContent();
    expect("the labels in the table", text.includes("修改前") && text.includes("修改后"));
  });
  await task("a baseline to choose", async (page) => {
    await page.fill("#text-a", table(["v1", "v2", "v3"]));
    await page.waitForSelector("#choice:not([hidden])");
    const labels = await page.locator("#bases button").allTextContents();
    expect("three labels", labels.join() === "v1,v2,v3");
    expect("no error", await page.isHidden("#error"));
    await page.click("#bases button:nth-child(2)");
    await says(page, "");
    expect("the choice in the settings", (await page.inputValue("#base")) === "v2");
  });
  for (const label of LIVE)
    await task(`a hostile label: ${label}`, async (page) => {
      await page.fill("#text-a", table([label, "other"]));
      await page.waitForSelector("#choice:not([hidden])");
      await page.click("#bases button:first-child");
      await says(page, "");
      const scripts = await page.evaluate(() => document.getElementById("frame").contentDocument.querySelectorAll("script, img, iframe").length);
      expect(`one script in the report, found ${scripts}`, scripts === 1);
    });
  const examples = 4;
  for (let k = 0; k < examples; k++)
    await task(`example ${k + 1}`, async (page) => {
      await page.locator("#examples button").nth(k).click();
      await page.waitForSelector("#report:not([hidden]), #choice:not([hidden])");
    });
}

async function errors() {
  const wrong = (label, text, words) =>
    task(`error, ${label}`, async (page) => {
      await page.fill("#text-a", text);
      await fails(page, words);
      expect("no report", await page.isHidden("#report"));
    });
  await wrong("no results", "hello world", "expected benchmark results");
  await wrong("one variant", one, "nothing to compare with");
  await wrong("a broken number", "variant,mean_ttft_ms\nbefore,10\nafter,1x0\n", "line 3");
  await wrong("JSON that ends early", '{"mean_ttft_ms": 1', "");
  await task("error, a setting", async (page) => {
    await page.fill("#text-a", table(["before", "after"]));
    await judged(page);
    await page.click(".settings summary");
    await page.fill("#confidence", "abc");
    await fails(page, "confidence");
    await page.fill("#confidence", "90%");
    await says(page, "regressed");
  });
  await task("error, a zip that is none", async (page) => {
    await page.setInputFiles("#files", { name: "x.zip", mimeType: "", buffer: Buffer.from("PK\x03\x04 nonsense") });
    await fails(page, "expected a zip");
    await page.click("#held button");
    expect("no error", await page.isHidden("#error"));
  });
  await task("error, Parquet", async (page) => {
    await page.setInputFiles("#files", path.resolve("data/formats/parquet/runs.parquet"));
    await fails(page, "Parquet");
  });
  await task("settings: margin, metric", async (page) => {
    await page.fill("#text-a", "variant,mean_ttft_ms,score\nbefore,10,1\nbefore,10.1,1.1\nbefore,10.2,1\nafter,10.1,2\nafter,10.2,2.1\nafter,10.05,2\n");
    await judged(page);
    await page.click(".settings summary");
    await page.fill("#metric", "score:higher");
    await page.waitForTimeout(300);
    await says(page, "improved");
    await page.fill("#metric", "");
    await page.fill("#effect", "20%");
    await page.waitForTimeout(300);
    await says(page, "no change");
  });
}

async function files() {
  const tree = { "runs/main/1.csv": one, "runs/pr/1.csv": two };
  await task("drop a folder", async (page) => {
    await drop(page, [path.join(folder("tree", tree), "runs")]);
    await says(page, "regressed");
  });
  await task("drop two folders", async (page) => {
    const root = folder("tree", tree);
    await drop(page, [path.join(root, "runs/main"), path.join(root, "runs/pr")]);
    await says(page, "regressed");
    expect("two inputs", (await page.locator("#held li").count()) === 2);
  });
  await task("drop two files", async (page) => {
    const root = folder("two", { "before.csv": one, "after.csv": two });
    await drop(page, [path.join(root, "before.csv"), path.join(root, "after.csv")]);
    await says(page, "regressed");
  });
  await task("choose a folder", async (page) => {
    await page.setInputFiles("#folder", path.join(folder("tree", tree), "runs"));
    await says(page, "regressed");
  });
  await task("a zip", async (page) => {
    await page.setInputFiles("#files", { name: "runs.zip", mimeType: "application/zip", buffer: zip(tree) });
    await says(page, "regressed");
  });
  await task("real results, and every format", async (page) => {
    await page.setInputFiles("#folder", path.resolve("data/serving"));
    await says(page, "improved");
    for (const [format, words] of [["markdown", "### ✅"], ["text", "beyondnoise: improved"], ["json", '"schema"'], ["csv", "metric"], ["svg", "<svg"], ["html", "<!DOCTYPE html>"]]) {
      await page.selectOption("#format", format);
      const waiting = page.waitForEvent("download");
      await page.click("#save");
      const text = fs.readFileSync(await (await waiting).path(), "utf8");
      expect(`${format} with ${words}`, text.includes(words));
    }
  });
  await task(
    "copy",
    async (page) => {
      await page.fill("#text-a", table(["before", "after"]));
      await judged(page);
      await page.click("#copy");
      await page.waitForFunction(() => document.getElementById("copied").textContent === "Copied.");
      const text = await page.evaluate(() => navigator.clipboard.readText());
      expect("markdown", text.startsWith("### "));
    },
    { permissions: ["clipboard-read", "clipboard-write"] },
  );
  await task("20 MB", async (page) => {
    const rows = ["variant,run,request,ttft_ms,tpot_ms,note"];
    for (let k = 0; rows.length < 200_000; k++) rows.push(`${k % 2 ? "before" : "after"},${k % 12},${k},${10 + ((k * 7919) % 1000) / 1000},${30 + ((k * 104729) % 1000) / 100},${"x".repeat(70)}`);
    const text = rows.join("\n");
    figures.large = `${(text.length / 1e6).toFixed(1)} MB`;
    const file = path.join(folder("large", { "large.csv": text }), "large.csv");
    const begun = Date.now();
    await page.setInputFiles("#files", file);
    await page.waitForSelector("#report:not([hidden]), #error:not([hidden])", { timeout: 60_000 });
    figures.large += ` in ${Date.now() - begun} ms`;
    expect("a report", await page.isHidden("#error"));
  });
  await task("remove and clear", async (page) => {
    await page.setInputFiles("#folder", path.join(folder("tree", tree), "runs"));
    await judged(page);
    await page.click("#held button");
    expect("nothing", (await page.textContent("#status")) === "Nothing to compare yet.");
    await page.fill("#text-a", table(["before", "after"]));
    await judged(page);
    await page.click("#clear");
    expect("nothing", (await page.textContent("#status")) === "Nothing to compare yet." && (await page.isHidden("#report")));
  });
}

/** The rules of axe, in the page and in the report: frames cannot speak to each other where there is no server. */
async function rules(page) {
  for (const frame of page.frames()) {
    if (!(await frame.evaluate(() => document.body?.childElementCount))) continue;
    await frame.evaluate(axe);
    const { violations } = await frame.evaluate(() => axe.run(document, { iframes: false }));
    expect(`no findings of axe: ${violations.map((one) => `${one.id} (${one.nodes[0].html.slice(0, 100)})`).join("; ")}`, violations.length === 0);
  }
}

async function looks() {
  for (const colorScheme of ["light", "dark"])
    for (const width of [390, 1280])
      for (const state of ["empty", "report", "choice", "error"])
        await task(
          `${width} px, ${colorScheme}, ${state}`,
          async (page) => {
            const text = { empty: "", report: data("notes/mock-abba.md"), choice: table(["一", "二", "三".repeat(40)]), error: "x" }[state];
            if (text) await page.fill("#text-a", text);
            if (text) await page.waitForFunction(() => !/^Nothing/.test(document.getElementById("status").textContent));
            if (state === "report") await says(page, "");
            await page.evaluate(() => document.querySelectorAll("details").forEach((part) => (part.open = true)));
            const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
            expect(`no scrolling sideways, found ${wide} px`, wide <= 0);
            if (state === "report") {
              await page.waitForTimeout(200);
              const cut = await page.evaluate(() => {
                const frame = document.getElementById("frame");
                const inner = frame.contentDocument.documentElement;
                return [inner.scrollHeight - frame.clientHeight, inner.scrollWidth - frame.clientWidth];
              });
              expect(`a report without scroll bars, found ${cut}`, cut[0] <= 1 && cut[1] <= 0);
            }
            await rules(page);
          },
          { viewport: { width, height: 900 }, colorScheme },
        );
  await task("by keyboard only", async (page) => {
    const reach = async (id) => {
      for (let k = 0; k < 60; k++) {
        await page.keyboard.press("Tab");
        const at = await page.evaluate(() => {
          const here = document.activeElement;
          return { id: here.id, text: here.textContent, ring: here.localName === "iframe" || getComputedStyle(here).outlineStyle !== "none" };
        });
        expect(`a sign of the focus on ${at.id || at.text}`, at.ring);
        if (at.id === id || at.text === id) return;
      }
      throw new Error(`${id} is not reached`);
    };
    await reach("text-a");
    await page.keyboard.insertText(table(["v1", "v2"]));
    await page.waitForSelector("#choice:not([hidden])");
    await reach("v1");
    await page.keyboard.press("Enter");
    await says(page, "regressed");
    await reach("format");
    await reach("copy");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.getElementById("copied").textContent !== "");
  });
  await task("the words", async (page) => {
    await page.click("text=What each word means");
    expect("an explanation", await page.isVisible("dt:text-is('noise floor')"));
    expect("no link", (await page.locator("a").count()) === 0);
  });
  await task("the policy is the strictest", async (page) => {
    const policy = await page.getAttribute("meta[http-equiv=Content-Security-Policy]", "content");
    for (const part of ["default-src 'none'", "connect-src 'none'", "form-action 'none'"]) expect(part, policy.includes(part));
    expect("no script but those named", !/script-src[^;]*'unsafe-inline'/.test(policy));
  });
}

async function main() {
  browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
  await Promise.all([pastes(), errors(), files(), looks()]);
  await browser.close();
  fs.rmSync(scratch, { recursive: true });
  console.log(`${tasks} tasks, ${failures.length} failures; ready after ${figures.ready} ms, pasted blocks judged in ${figures.judged} ms, ${figures.large}`);
  process.exitCode = failures.length === 0 ? 0 : 1;
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 2;
});
