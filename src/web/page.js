// The page: what is pasted, dropped and chosen goes to the program, its report into a frame. Nothing else is asked.
"use strict";
{
  /** @typedef {{path: string, place: string, problem: string, remedy: string, message: string}} Failure */
  /** @typedef {{error: ?Failure, choose: string[], labels: string[], headline: ?string}} Answer */
  /** @typedef {{path: string, bytes: Uint8Array}} Held */

  /** @param {string} id */
  const byId = (id) => /** @type {any} */ (document.getElementById(id));
  const encoder = new TextEncoder();
  /** The program; null until it is ready. @type {any} */
  let program = null;
  /** Files that were dropped or chosen. @type {Held[]} */
  let held = [];
  /** The files and folders to compare, by their first names. @type {string[]} */
  let inputs = [];
  /** Whether the program has other files than the page. */
  let changed = true;
  /** What the program calls each input. @type {string[]} */
  let called = [];
  let waiting = 0;
  /** Whether the report in the frame is the first one since there was none. */
  let arriving = false;

  async function start() {
    const packed = Uint8Array.from(atob(byId("program").textContent), (c) => c.charCodeAt(0));
    const plain = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    wasm_bindgen.initSync({ module: new WebAssembly.Module(await new Response(plain).arrayBuffer()) });
    program = new wasm_bindgen.Page();
    byId("program").remove();
    judge();
  }

  /** The texts of the boxes as files: name, label, bytes. */
  function pasted() {
    const texts = ["a", "b"].map((side) => [byId(`text-${side}`).value, byId(`name-${side}`).value.trim()]);
    const given = texts.filter(([text]) => text.trim());
    return given.map(([text, label], at) => ({
      path: given.length > 1 ? `pasted ${at === 0 ? "first" : "second"}` : "pasted",
      label: given.length > 1 && label ? label : undefined,
      bytes: encoder.encode(text),
    }));
  }

  /** @param {string} id */
  const listed = (id) => byId(id).value.split(",").map((/** @type {string} */ one) => one.trim()).filter(Boolean);

  /** What is typed beside the files, as the command line has it. */
  function call() {
    const flags = ["base", "confidence"].map((id) => [id, [byId(id).value.trim()]]);
    flags.push(["variant-column", listed("variant-column")]);
    flags.push(["no-atlas", byId("no-atlas").checked ? ["true"] : []]);
    const given = flags.filter(([, values]) => values.length > 0 && values[0] !== "");
    const effect = byId("effect").value.trim();
    return {
      inputs: called,
      flags: given,
      metric: listed("metric"),
      effect: effect || undefined,
      pool: listed("pool"),
      across_setting: listed("across"),
      lenient: byId("lenient").checked,
      nights: byId("nights").checked,
    };
  }

  /** Gives the program the files that the page has; returns what is wrong with a zip. */
  function hand() {
    program.clear();
    called = [];
    const top = new Map();
    for (const file of held) {
      const taken = program.add(file.path, file.bytes, undefined);
      if (taken.startsWith("\n")) return taken.trim();
      if (inputs.includes(file.path)) top.set(file.path, taken);
    }
    called = inputs.map((name) => top.get(name) ?? name);
    for (const text of pasted()) called.push(program.add(text.path, text.bytes, text.label));
    return "";
  }

  function judge() {
    if (!program) return;
    const wrong = changed ? hand() : "";
    changed = wrong !== "";
    if (!wrong && called.length === 0) {
      show({ error: null, choose: [], labels: [], headline: null }, "Nothing to compare yet.");
      return;
    }
    const begun = performance.now();
    /** @type {Answer} */
    const answer = wrong
      ? { error: { path: "", place: "", problem: wrong, remedy: "", message: wrong }, choose: [], labels: [], headline: null }
      : JSON.parse(program.judge(JSON.stringify(call())));
    const took = Math.max(1, Math.round(performance.now() - begun));
    document.documentElement.dataset.took = String(took);
    const status = answer.choose.length ? "No label says which is the baseline." : answer.error ? "No report." : `Judged in ${took} ms.`;
    show(answer, status);
  }

  /** @param {Answer} answer @param {string} status */
  function show(answer, status) {
    const choosing = answer.choose.length > 0;
    const failure = choosing ? null : answer.error;
    byId("status").textContent = status;
    byId("error").hidden = !failure;
    byId("error").replaceChildren(...(failure ? sentences(failure) : []));
    byId("choice").hidden = !choosing;
    byId("bases").replaceChildren(
      ...answer.choose.map((label) =>
        button(label, () => {
          byId("base").value = label;
          judge();
          byId("status").tabIndex = -1;
          byId("status").focus();
        }),
      ),
    );
    byId("labels").replaceChildren(...answer.labels.map((label) => Object.assign(document.createElement("option"), { value: label })));
    const judged = !answer.error && called.length > 0;
    arriving = judged && byId("report").hidden;
    byId("report").hidden = !judged;
    byId("copied").textContent = "";
    byId("frame").srcdoc = judged ? program.show("html") : "";
  }

  /** @param {Failure} failure */
  function sentences(failure) {
    const where = [failure.path, failure.place].filter(Boolean).join(", ");
    /** @type {[string, string][]} */
    const parts = [
      ["where", where],
      ["problem", failure.problem],
      ["remedy", failure.remedy],
    ];
    return parts
      .filter(([, text]) => text)
      .map(([name, text]) => {
        const line = document.createElement("p");
        line.className = name;
        line.textContent = text;
        return line;
      });
  }

  /** @param {string} text @param {() => void} act */
  function button(text, act) {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = text;
    made.addEventListener("click", act);
    return made;
  }

  function list() {
    byId("held").replaceChildren(
      ...inputs.map((name) => {
        const files = held.filter((file) => file.path === name || file.path.startsWith(`${name}/`));
        const item = document.createElement("li");
        const bytes = files.reduce((sum, file) => sum + file.bytes.length, 0);
        const count = files.length === 1 ? "" : `${files.length} files, `;
        const words = document.createElement("span");
        words.textContent = `${name} (${count}${Math.ceil(bytes / 1024).toLocaleString("en")} KiB)`;
        const remove = button("Remove", () => {
          inputs = inputs.filter((other) => other !== name);
          held = held.filter((file) => !files.includes(file));
          renew();
          byId("choose-files").focus();
        });
        remove.setAttribute("aria-label", `Remove ${name}`);
        item.append(words, remove);
        return item;
      }),
    );
  }

  function renew() {
    changed = true;
    list();
    judge();
  }

  /** Takes files with their paths; of two with one path the later counts. @param {[string, File][]} files */
  async function take(files) {
    byId("status").textContent = "Reading …";
    const read = await Promise.all(files.map(async ([path, file]) => ({ path, bytes: new Uint8Array(await file.arrayBuffer()) })));
    for (const file of read) {
      held = [...held.filter((known) => known.path !== file.path), file];
      const first = file.path.split("/")[0];
      if (!inputs.includes(first)) inputs.push(first);
    }
    renew();
  }

  /** The files of a folder that was dropped. @param {any} handle @param {string} path @returns {Promise<[string, File][]>} */
  async function below(handle, path) {
    if (handle.kind === "file") return [[path, await handle.getFile()]];
    /** @type {[string, File][]} */
    const all = [];
    for await (const [name, inner] of handle.entries()) all.push(...(await below(inner, `${path}/${name}`)));
    return all;
  }

  /** The same in browsers without handles. @param {any} entry @returns {Promise<[string, File][]>} */
  async function walk(entry) {
    if (entry.isFile) {
      const file = await new Promise((done, failed) => entry.file(done, failed));
      return [[entry.fullPath.replace(/^\//, ""), file]];
    }
    const reader = entry.createReader();
    /** @type {[string, File][]} */
    const all = [];
    for (;;) {
      /** @type {any[]} */
      const some = await new Promise((done, failed) => reader.readEntries(done, failed));
      if (some.length === 0) return all;
      for (const inner of some) all.push(...(await walk(inner)));
    }
  }

  /** @param {DragEvent} event */
  async function dropped(event) {
    event.preventDefault();
    document.body.classList.remove("over");
    const items = [...(event.dataTransfer?.items ?? [])].filter((item) => item.kind === "file");
    // All at once: after the first pause there are no items any more.
    const found = items.map((/** @type {any} */ item) => ({
      file: item.getAsFile(),
      entry: item.webkitGetAsEntry?.(),
      handle: item.webkitGetAsEntry?.()?.isDirectory ? item.getAsFileSystemHandle?.() : null,
    }));
    /** @type {[string, File][]} */
    const files = [];
    try {
      for (const { file, entry, handle } of found) {
        const folder = await handle;
        if (folder) files.push(...(await below(folder, folder.name)));
        else if (entry?.isDirectory) files.push(...(await walk(entry)));
        else if (file) files.push([file.name, file]);
      }
    } catch {
      byId("status").textContent = "This browser cannot open a folder that is dropped here: choose it by the button.";
      return;
    }
    await take(files);
  }

  /** Fits the frame to its report, which may unfold. */
  function fit() {
    const frame = byId("frame");
    const page = frame.contentDocument;
    if (!page?.body) return;
    const measure = () => (frame.style.height = `${Math.ceil(page.documentElement.getBoundingClientRect().height)}px`);
    new (frame.contentWindow.ResizeObserver)(measure).observe(page.documentElement);
    measure();
    if (arriving) byId("status").scrollIntoView();
    arriving = false;
  }

  async function copy() {
    const text = program.show(byId("format").value);
    let done = true;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = Object.assign(document.createElement("textarea"), { value: text });
      document.body.append(area);
      area.select();
      done = document.execCommand("copy");
      area.remove();
      byId("copy").focus();
    }
    byId("copied").textContent = done ? "Copied." : "The browser does not allow it: save the file.";
  }

  function save() {
    const format = byId("format").value;
    const ending = { markdown: "md", text: "txt" }[/** @type {"text"} */ (format)] ?? format;
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([program.show(format)]));
    link.download = `beyondnoise.${ending}`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    byId("copied").textContent = `Saved as ${link.download}.`;
  }

  function clear() {
    for (const id of ["text-a", "text-b", "base", "metric", "effect", "confidence", "variant-column", "pool", "across"]) byId(id).value = "";
    [byId("name-a").value, byId("name-b").value] = ["before", "after"];
    for (const id of ["lenient", "no-atlas", "nights"]) byId(id).checked = false;
    [held, inputs] = [[], []];
    renew();
  }

  const soon = () => {
    clearTimeout(waiting);
    waiting = setTimeout(judge, 120);
  };
  for (const id of ["text-a", "text-b", "name-a", "name-b"]) {
    byId(id).addEventListener("input", () => {
      changed = true;
      soon();
    });
  }
  document.querySelector(".settings")?.addEventListener("input", soon);
  byId("nights").addEventListener("input", soon);
  /** @type {[string, string, string][]} */
  const texts = JSON.parse(byId("texts").textContent);
  for (const [name, , text] of texts) {
    byId("examples").append(
      button(name, () => {
        clear();
        byId("text-a").value = text;
        renew();
      }),
    );
  }
  byId("clear").addEventListener("click", clear);
  byId("copy").addEventListener("click", copy);
  byId("save").addEventListener("click", save);
  byId("frame").addEventListener("load", fit);
  for (const [open, input] of [["choose-files", "files"], ["choose-folder", "folder"]]) {
    byId(open).addEventListener("click", () => byId(input).click());
    byId(input).addEventListener("change", async () => {
      const files = [...byId(input).files];
      await take(files.map((file) => [file.webkitRelativePath || file.name, file]));
      byId(input).value = "";
    });
  }
  addEventListener("dragover", (event) => {
    event.preventDefault();
    document.body.classList.add("over");
  });
  addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) document.body.classList.remove("over");
  });
  addEventListener("drop", dropped);
  start().catch((error) => {
    byId("status").textContent = `This browser cannot run the program: ${error}`;
  });
}
