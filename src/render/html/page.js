
"use strict";
// Tables: a button in each head sorts up, then down, then as written.
for (const table of document.querySelectorAll("table[data-sort]")) {
  const body = table.tBodies[0];
  const written = [...body.rows];
  const heads = [...table.tHead.rows[0].cells];
  const compare = new Intl.Collator("en", { numeric: true }).compare;
  const key = (row, column) => {
    const cell = row.cells[column];
    if (!cell.classList.contains("number")) return cell.textContent.trim();
    if (cell.dataset.key !== undefined) return Number(cell.dataset.key);
    const text = cell.textContent.trim();
    return /^\d+$/.test(text) ? Number(text) : text === "n/a" ? null : text;
  };
  heads.forEach((head, column) => {
    if (head.dataset.plain !== undefined || written.length < 2) return;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const next = { none: "ascending", ascending: "descending" }[head.getAttribute("aria-sort") ?? "none"];
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      if (!next) return body.append(...written);
      head.setAttribute("aria-sort", next);
      const sign = next === "ascending" ? 1 : -1;
      const by = (a, b) => {
        const [x, y] = [key(a, column), key(b, column)];
        // Cells without a number come last, whichever way.
        if (x === null || y === null) return (x === null) - (y === null);
        return sign * (typeof x === "number" && typeof y === "number" ? x - y : compare(String(x), String(y)));
      };
      body.append(...[...written].sort(by));
    });
  });
}
// A link into a folded part opens it; a printed page has nothing folded.
const reveal = () => {
  const target = document.getElementById(location.hash.slice(1));
  for (let part = target?.closest("details"); part; part = part.parentElement.closest("details")) part.open = true;
};
addEventListener("hashchange", reveal);
reveal();
let closed = [];
addEventListener("beforeprint", () => {
  closed = [...document.querySelectorAll("details:not([open])")];
  for (const part of closed) part.open = true;
});
addEventListener("afterprint", () => {
  for (const part of closed) part.open = false;
});
