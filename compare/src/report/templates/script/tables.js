// Tables that are sorted by a column and filtered by words and bounds.

/** The number that a cell shows; null for a text. Parentheses around a number qualify it, and do not change it. */
function numberOf(text) {
  const plain = text.replace(/−/g, "-").replace(/^\((.*)\)$/, "$1");
  if (plain === "∞") return Infinity;
  return /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(plain) ? Number(plain) : null;
}

const collator = new Intl.Collator("en", { numeric: true });

/** What a cell is sorted by: numbers come before texts. Cells without a value are null. */
function keyOf(row, column) {
  const text = row.cells[column]?.textContent.trim() ?? "";
  if (text === "" || text === "–") return null;
  const number = numberOf(text);
  return number === null ? { text } : { number };
}

/** Order of two keys, ascending. */
function compareKeys(a, b) {
  if ("number" in a && "number" in b) return a.number < b.number ? -1 : Number(a.number > b.number);
  if ("number" in a !== "number" in b) return "number" in a ? -1 : 1;
  return collator.compare(a.text, b.text);
}

/** Sorts a table by a column: ascending, then descending, then as it was. Cells without a value stay last. */
function sort(table, original, column) {
  const heads = [...table.tHead.rows[0].cells];
  const next = { none: "ascending", ascending: "descending", descending: "none" };
  const order = next[heads[column].getAttribute("aria-sort") ?? "none"];
  heads.forEach((head) => head.removeAttribute("aria-sort"));
  if (order === "none") {
    table.tBodies[0].append(...original);
    return;
  }
  heads[column].setAttribute("aria-sort", order);
  const sign = order === "ascending" ? 1 : -1;
  const keyed = original.map((row) => ({ row, key: keyOf(row, column) }));
  keyed.sort((a, b) => {
    if (!a.key || !b.key) return Number(!a.key) - Number(!b.key);
    return sign * compareKeys(a.key, b.key);
  });
  table.tBodies[0].append(...keyed.map((entry) => entry.row));
}

/** A condition on rows from one term of a filter: a word that must occur, or a bound such as `steps>100`. */
function condition(term, heads) {
  const bound = term.match(/^(.+?)(<=|>=|<|>|=)(.+)$/);
  const plain = (text) => text.toLowerCase().replace(/\s+/g, "");
  const column = bound ? heads.findIndex((head) => plain(head).startsWith(plain(bound[1]))) : -1;
  if (column < 0) {
    const word = term.toLowerCase();
    return (row) => row.textContent.toLowerCase().includes(word);
  }
  const [, , sign, wanted] = bound;
  const limit = numberOf(wanted);
  return (row) => {
    const text = row.cells[column].textContent.trim();
    const value = numberOf(text);
    if (sign === "=") return limit !== null ? value === limit : text.toLowerCase() === wanted.toLowerCase();
    if (value === null || limit === null) return false;
    return { "<": value < limit, ">": value > limit, "<=": value <= limit, ">=": value >= limit }[sign];
  };
}

/** Rows of a table that are shown until somebody asks for all: the page's own number, or none kept back. */
function limitOf(table) {
  const shown = table.tBodies[0].querySelectorAll("tr:not(.more)").length;
  return table.querySelector("tr.more") ? shown : Infinity;
}

/** A table with its sorting, its filter and the number of rows that it shows. */
class Rows {
  constructor(table) {
    this.table = table;
    this.original = [...table.tBodies[0].rows];
    this.limit = limitOf(table);
    this.count = document.createElement("output");
    this.all = button("show all rows", "Long tables show their first rows only", () => {
      this.limit = Infinity;
      this.show();
    });
    this.show();
  }

  /** Sorts by a column: ascending, then descending, then as it was. */
  sort(column) {
    sort(this.table, this.original, column);
    this.show();
  }

  /** Hides the rows that do not fulfil a filter. */
  filter(text) {
    const heads = [...this.table.tHead.rows[0].cells].map((head) => head.textContent);
    const conditions = text.split(/\s+/).filter(Boolean).map((term) => condition(term, heads));
    for (const row of this.original) row.hidden = !conditions.every((holds) => holds(row));
    this.show();
  }

  /** Keeps back what is beyond the limit, and says how many rows there are. */
  show() {
    const fitting = [...this.table.tBodies[0].rows].filter((row) => !row.hidden);
    fitting.forEach((row, index) => row.classList.toggle("more", index >= this.limit));
    const shown = Math.min(fitting.length, this.limit);
    this.count.textContent = shown < this.original.length ? `${shown} of ${this.original.length} rows` : "";
    this.all.hidden = fitting.length <= this.limit;
  }
}

/** Gives a table its heads that sort, its filter and its exports. */
function dressTable(table) {
  const rows = new Rows(table);
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => head.replaceChildren(button(head.textContent, "Sort", () => rows.sort(column))));
  const bar = document.createElement("div");
  bar.className = "bar";
  if (rows.original.length > 5) {
    const input = document.createElement("input");
    input.type = "search";
    input.placeholder = "words, bounds such as steps>100";
    input.setAttribute("aria-label", "Filter rows: words that must occur, bounds such as steps>100");
    input.addEventListener("input", () => rows.filter(input.value));
    bar.append(input);
  }
  const heading = table.closest("section").querySelector("h2").textContent;
  const title = `${heading} ${table.caption?.textContent.slice(0, 30) ?? ""}`;
  bar.append(
    rows.count,
    rows.all,
    button("CSV", "Save all rows that the filter leaves", () => save(fileName(title, "csv"), "text/csv", asCsv(table))),
    button("LaTeX", "Save all rows that the filter leaves, for booktabs", () => save(fileName(title, "tex"), "text/x-tex", asLatex(table))),
  );
  table.parentElement.before(bar);
}
