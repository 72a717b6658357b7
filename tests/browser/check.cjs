// Opens HTML reports as a reader would, and says what is wrong with them.
//
//   node check.cjs CHROMIUM PAGE...
//
// Of a page that was made from markdown (NAME.md.html) it is told only whether it is harmless: its looks are not ours.
// playwright-core, and axe-core if it is there, come from NODE_PATH. Each finding is a line; none is success.
"use strict";
const path = require("node:path");
const { pathToFileURL } = require("node:url");
const { chromium } = require("playwright-core");

const WIDTHS = [390, 800, 1440];
const SCHEMES = ["light", "dark"];
const [executablePath, ...files] = process.argv.slice(2);

let axe = null;
try {
  axe = require.resolve("axe-core/axe.min.js");
} catch {
  console.error("axe-core is not there: its rules are left out");
}

/** Runs inside the page: what a reader would stumble over, as sentences. */
function look() {
  const found = [];
  const shown = (element) => element.checkVisibility({ visibilityProperty: true });
  const words = (element) => element.textContent.trim().replace(/\s+/g, " ").slice(0, 60);
  const root = document.documentElement;
  if (root.scrollWidth > innerWidth) found.push(`the page is ${root.scrollWidth} wide, the window ${innerWidth}`);

  for (const element of document.querySelectorAll("h1, h2, h3, h4, p, li, summary, figcaption, th, td")) {
    if (shown(element) && element.clientWidth > 0 && element.scrollWidth > element.clientWidth + 1)
      found.push(`text is cut off: <${element.localName}> ${words(element)}`);
  }

  for (const box of document.querySelectorAll("svg.plot")) {
    if (!shown(box)) continue;
    const frame = box.getBoundingClientRect();
    const texts = [...box.querySelectorAll("text")].filter((text) => words(text));
    const places = texts.map((text) => text.getBoundingClientRect());
    places.forEach((a, i) => {
      if (a.left < frame.left - 1 || a.right > frame.right + 1 || a.top < frame.top - 1 || a.bottom > frame.bottom + 1)
        found.push(`a label leaves its plot: ${words(texts[i])}`);
      // Boxes hold the room above and below the letters.
      const air = a.height * 0.2;
      for (let j = 0; j < i; j++) {
        const b = places[j];
        if (a.left < b.right - 1 && b.left < a.right - 1 && a.top + air < b.bottom - air && b.top + air < a.bottom - air)
          found.push(`labels overlap: ${words(texts[i])} and ${words(texts[j])}`);
      }
    });
  }

  for (const svg of document.querySelectorAll("svg")) {
    const name = (ids) => (ids ?? "").split(" ").map((id) => document.getElementById(id)?.textContent ?? "").join("");
    const named = svg.getAttribute("role") === "img" && name(svg.getAttribute("aria-labelledby")) && name(svg.getAttribute("aria-describedby"));
    if (!named && svg.getAttribute("aria-hidden") !== "true") found.push(`a picture without a name: ${words(svg)}`);
  }

  const headings = [...document.querySelectorAll("h1, h2, h3, h4, h5, h6")].map((h) => Number(h.localName[1]));
  if (headings[0] !== 1 || headings.filter((level) => level === 1).length !== 1) found.push("not exactly one h1, first");
  headings.forEach((level, i) => {
    if (i > 0 && level > headings[i - 1] + 1) found.push(`h${level} follows h${headings[i - 1]}`);
  });

  const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
  if (new Set(ids).size !== ids.length) found.push("an id stands twice");
  for (const link of document.querySelectorAll("a")) {
    if (!document.getElementById(link.getAttribute("href").slice(1))) found.push(`a link to nowhere: ${words(link)}`);
  }

  for (const table of document.querySelectorAll("table")) {
    const wide = (row) => [...row.cells].reduce((sum, cell) => sum + cell.colSpan, 0);
    const head = table.tHead?.rows[0];
    for (const row of head ? table.rows : []) {
      if (wide(row) !== wide(head)) found.push(`a row of ${wide(row)} cells below a head of ${wide(head)}: ${words(row)}`);
    }
  }

  const channels = (colour) => colour.match(/[\d.]+/g).map(Number);
  const luminance = (colour) => {
    const [r, g, b] = channels(colour).map((c) => c / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a, b) => {
    const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x);
    return (high + 0.05) / (low + 0.05);
  };
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if (!/, 0\)$|transparent/.test(colour)) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const told = new Set();
  const tell = (text) => told.has(text) || (told.add(text), found.push(text));
  const nodes = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = nodes.nextNode(); node; node = nodes.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || element.closest("script, style, title, desc") || !shown(element)) continue;
    const style = getComputedStyle(element);
    const colour = element.ownerSVGElement ? style.fill : style.color;
    const ratio = contrast(colour, behind(element));
    if (ratio < 4.5) tell(`contrast ${ratio.toFixed(2)} of text like: ${words(element)}`);
  }
  const parts = ["circle", "path", ".interval", ".cap", ".zero", ".edge", ".axis", ".centre"];
  const drawn = ["plot", "small"].flatMap((kind) => parts.map((part) => `svg.${kind} ${part}`)).join();
  for (const element of document.querySelectorAll(drawn)) {
    if (!shown(element)) continue;
    const style = getComputedStyle(element);
    const ratio = Math.max(...[style.fill, style.stroke].filter((c) => c.startsWith("rgb")).map((c) => contrast(c, behind(element))));
    if (ratio < 3) tell(`contrast ${ratio.toFixed(2)} of a drawn .${element.getAttribute("class")} of ${element.localName}`);
  }
  return found;
}

/** Runs inside the page: what words of a label have become that is no text, beside the `scripts` of a report. */
function live(scripts) {
  const found = [];
  if (document.scripts.length !== scripts) found.push(`${document.scripts.length} scripts`);
  for (const element of document.querySelectorAll("*")) {
    const live = element.getAttributeNames().filter((name) => /^on/i.test(name) || /^\s*javascript:/i.test(element.getAttribute(name)));
    if (live.length) found.push(`${element.localName} would run its ${live.join(", ")}`);
  }
  if (document.querySelector("img, iframe, object, embed, form, base, link:not([rel=icon]), meta[http-equiv=refresh]"))
    found.push("an element that a report has not");
  return found;
}

/** Sorts one table by each of its columns, by mouse and by keyboard. */
async function sorts(page) {
  const found = [];
  const tables = page.locator("table[data-sort]");
  for (let i = 0; i < Math.min(await tables.count(), 4); i++) {
    const table = tables.nth(i);
    const buttons = table.locator("thead button");
    const rows = () => table.locator("tbody tr").evaluateAll((rows) => rows.map((row) => row.cells[0].textContent));
    const written = (await rows()).join("\n");
    for (let column = 0; column < (await buttons.count()); column++) {
      const button = buttons.nth(column);
      const head = button.locator("xpath=..");
      const state = async () => {
        const keys = await head.evaluate((cell) => {
          const rows = [...cell.closest("table").tBodies[0].rows];
          return rows.map((row) => row.cells[cell.cellIndex].dataset.key).filter((key) => key !== undefined).map(Number);
        });
        return { sort: await head.getAttribute("aria-sort"), keys };
      };
      const inOrder = (keys, sign) => keys.every((key, i) => i === 0 || sign * (key - keys[i - 1]) >= 0);
      await button.click();
      let now = await state();
      if (now.sort !== "ascending" || !inOrder(now.keys, 1)) found.push(`table ${i}, column ${column}: a click does not sort up`);
      await button.focus();
      await page.keyboard.press("Enter");
      now = await state();
      if (now.sort !== "descending" || !inOrder(now.keys, -1)) found.push(`table ${i}, column ${column}: Enter does not sort down`);
      await page.keyboard.press("Space");
      now = await state();
      if (now.sort !== null || (await rows()).join("\n") !== written) found.push(`table ${i}, column ${column}: Space does not restore`);
    }
  }
  return found;
}

/** What the Tab key reaches is visible, and Enter opens what is folded. */
async function keys(page) {
  const found = [];
  await page.evaluate(() => {
    scrollTo(0, 0);
    document.activeElement?.blur();
  });
  for (let i = 0; i < 12; i++) {
    await page.keyboard.press("Tab");
    const bare = await page.evaluate(() => {
      const at = document.activeElement;
      return at && at !== document.body && getComputedStyle(at).outlineStyle === "none" ? at.outerHTML.slice(0, 80) : null;
    });
    if (bare) found.push(`no sign of the focus on ${bare}`);
  }
  const folded = page.locator("details:not([open]) > summary").first();
  if (await folded.count()) {
    const details = await folded.locator("xpath=..").elementHandle();
    await folded.focus();
    await page.keyboard.press("Enter");
    if (!(await details.evaluate((element) => element.open))) found.push("Enter opens nothing");
  }
  return found;
}

async function open(browser, file, options) {
  const page = await browser.newPage(options);
  const said = [];
  const address = pathToFileURL(path.resolve(file)).href;
  page.on("console", (message) => said.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => said.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => {
    said.push(`a script of a label ran: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on("request", (request) => {
    const url = request.url();
    if (url !== address && !url.startsWith("data:")) said.push(`a request leaves the page: ${url}`);
  });
  await page.goto(address);
  return { page, said };
}

/** Opens one page in every way; prints what is wrong with it, and counts it. */
async function check(browser, file) {
  let bad = 0;
  const report = (where, found) => {
    for (const text of found) console.log(`${path.basename(file)}, ${where}: ${text}`);
    bad += found.length;
  };
  if (file.endsWith(".md.html")) {
    const { page, said } = await open(browser, file, { viewport: { width: 1440, height: 900 } });
    const links = await page.locator("a").evaluateAll((all) => all.map((link) => `a link: ${link.outerHTML.slice(0, 120)}`));
    if ((await page.locator("table").count()) === 0) report("markdown", ["no table"]);
    report("markdown", [...(await page.evaluate(live, 0)), ...links, ...said]);
    await page.close();
    return bad;
  }
  const unfold = () => document.querySelectorAll("details").forEach((part) => (part.open = true));
  for (const width of WIDTHS) {
    for (const colorScheme of SCHEMES) {
      const where = `${width} px, ${colorScheme}`;
      const { page, said } = await open(browser, file, { viewport: { width, height: 900 }, colorScheme });
      report(where, await page.evaluate(look));
      report(where, await page.evaluate(live, 1));
      await page.evaluate(unfold);
      report(`${where}, unfolded`, await page.evaluate(look));
      // Its rules take long: once light on the phone, once dark on the desk.
      if (axe && [`${WIDTHS[0]} light`, `${WIDTHS[2]} dark`].includes(`${width} ${colorScheme}`)) {
        await page.addScriptTag({ path: axe }).catch(async () => page.evaluate(require("node:fs").readFileSync(axe, "utf8")));
        const { violations } = await page.evaluate(() => axe.run());
        report(where, violations.map((v) => `axe, ${v.id}: ${v.help} (${v.nodes[0].html.slice(0, 120)})`));
      }
      report(where, said);
      await page.close();
    }
  }
  const plain = await open(browser, file, { viewport: { width: 1440, height: 900 } });
  report("keys", await keys(plain.page));
  await plain.page.evaluate(unfold);
  report("sorting", await sorts(plain.page));
  await plain.page.emulateMedia({ forcedColors: "active" });
  report("forced colours", await plain.page.evaluate(look));
  report("sorting", plain.said);
  await plain.page.close();
  const paper = await open(browser, file, { viewport: { width: 680, height: 1000 }, colorScheme: "dark" });
  await paper.page.emulateMedia({ media: "print", colorScheme: "dark" });
  const printed = () => {
    const found = [];
    if (getComputedStyle(document.body).backgroundColor !== "rgb(255, 255, 255)") found.push("paper is not white");
    const hidden = [...document.querySelectorAll("details .inside")].filter((part) => !part.checkVisibility());
    const width = document.documentElement.scrollWidth;
    if (width > innerWidth) found.push(`${width} wide, the paper ${innerWidth}`);
    if (hidden.length) found.push(`${hidden.length} parts stay folded`);
    return found;
  };
  report("print", await paper.page.evaluate(printed));
  await paper.page.close();
  return bad;
}

async function main() {
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
  let bad = 0;
  const left = [...files];
  const next = async () => {
    for (let file = left.shift(); file; file = left.shift()) {
      const found = await check(browser, file);
      bad += found;
    }
  };
  try {
    await Promise.all([next(), next()]);
  } finally {
    // A browser that is left open keeps this process for ever.
    await browser.close();
  }
  console.log(bad === 0 ? `${files.length} pages are in order` : `${bad} findings`);
  process.exitCode = bad === 0 ? 0 : 1;
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 2;
});
