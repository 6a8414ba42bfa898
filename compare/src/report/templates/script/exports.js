// Charts as SVG files, tables as CSV and LaTeX.

/** Saves a text as a file of the reader's. */
function save(name, type, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  // The browser reads the text after this function has returned.
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/** A file's name from a title. */
function fileName(title, ending) {
  const plain = title.normalize("NFKD").replace(/[^\w.=]+/g, "-").replace(/^-+|-+$/g, "");
  return `${plain.slice(0, 80) || "liedae"}.${ending}`;
}

/** A button that does something when it is pressed. */
function button(text, title, action) {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = text;
  made.title = title;
  made.addEventListener("click", action);
  return made;
}

/** A chart as it is on the screen, without methods that are switched off and without links into the page. */
function detached(svg) {
  const copy = svg.cloneNode(true);
  for (const part of copy.querySelectorAll("[data-name]")) {
    if (off.has(part.dataset.name)) part.remove();
  }
  for (const ring of copy.querySelectorAll(".ring")) ring.remove();
  for (const link of copy.querySelectorAll("a")) link.replaceWith(...link.childNodes);
  return copy;
}

/** The charts of a figure as one SVG file: panels side by side. */
function figureAsSvg(figure) {
  const charts = [...figure.querySelectorAll("svg")].map(detached);
  const sizes = charts.map((chart) => chart.getAttribute("viewBox").split(" ").map(Number));
  const columns = Math.min(charts.length, figure.querySelector(".in2") ? 2 : 3);
  const width = sizes[0][2];
  const height = Math.max(...sizes.map((size) => size[3]));
  const sheet = document.createElementNS(charts[0].namespaceURI, "svg");
  const [across, down] = [columns * width, Math.ceil(charts.length / columns) * height];
  for (const [name, value] of [["width", across], ["height", down], ["viewBox", `0 0 ${across} ${down}`]]) {
    sheet.setAttribute(name, value);
  }
  charts.forEach((chart, index) => {
    chart.setAttribute("x", (index % columns) * width);
    chart.setAttribute("y", Math.floor(index / columns) * height);
    chart.setAttribute("width", width);
    chart.setAttribute("height", sizes[index][3]);
    sheet.append(chart);
  });
  return new XMLSerializer().serializeToString(sheet);
}

/** Gives a figure its button. */
function dressFigure(figure) {
  const chart = figure.querySelector("svg");
  if (!chart) return;
  const bar = document.createElement("div");
  bar.className = "bar";
  const title = chart.getAttribute("aria-label");
  bar.append(button("SVG", "Save this chart", () => save(fileName(title, "svg"), "image/svg+xml", figureAsSvg(figure))));
  figure.append(bar);
}

/** Heads and visible rows of a table, as texts. */
function cells(table) {
  const row = (tr) => [...tr.cells].map((cell) => cell.textContent.trim());
  const body = [...table.tBodies[0].rows].filter((tr) => !tr.hidden);
  return [row(table.tHead.rows[0]), ...body.map(row)];
}

/** Comma-separated values (RFC 4180), with plain minus signs and nothing where nothing is known. */
function asCsv(table) {
  const cell = (text) => {
    const plain = text === "–" ? "" : text.replace(/−/g, "-");
    return /[",\n]/.test(plain) ? `"${plain.replace(/"/g, '""')}"` : plain;
  };
  return cells(table).map((row) => row.map(cell).join(",") + "\r\n").join("");
}

const LATEX = new Map(Object.entries({
  "\\": "\\textbackslash{}", "&": "\\&", "%": "\\%", "$": "\\$", "#": "\\#", "_": "\\_", "{": "\\{", "}": "\\}",
  "~": "\\textasciitilde{}", "^": "\\textasciicircum{}", "|": "\\textbar{}", "<": "$<$", ">": "$>$",
  "−": "$-$", "–": "--", "∞": "$\\infty$", "τ": "$\\tau$", "·": "$\\cdot$", "≤": "$\\le$", "≥": "$\\ge$",
  "×": "$\\times$", "°": "$^\\circ$", "α": "$\\alpha$", "ω": "$\\omega$", "λ": "$\\lambda$", "μ": "$\\mu$", "√": "$\\surd$",
  "Σ": "$\\Sigma$", "²": "$^2$", "³": "$^3$", "ᵀ": "$^T$",
}));

/** A text in LaTeX. */
function tex(text) {
  const raised = "⁰¹²³⁴⁵⁶⁷⁸⁹";
  const powers = text.replace(/(⁻?)([⁰¹²³⁴-⁹]+)/g, (_, minus, digits) =>
    `\u0001${minus && "-"}${[...digits].map((digit) => raised.indexOf(digit)).join("")}\u0002`);
  const escaped = [...powers].map((letter) => LATEX.get(letter) ?? letter).join("");
  return escaped.replace(/\u0001/g, "$^{").replace(/\u0002/g, "}$");
}

/** A table for the package booktabs, and longtable where it is longer than a page. */
function asLatex(table) {
  const [head, ...rows] = cells(table);
  const isText = (column) => rows.some((row) => row[column] && row[column] !== "–" && numberOf(row[column]) === null);
  const format = head.map((_, column) => (isText(column) ? "l" : "r")).join("");
  const line = (row) => `  ${row.map(tex).join(" & ")} \\\\\n`;
  const environment = rows.length > 40 ? "longtable" : "tabular";
  const packages = environment === "longtable" ? "booktabs, longtable" : "booktabs";
  const top = `  \\toprule\n${line(head)}  \\midrule\n${environment === "longtable" ? "  \\endhead\n" : ""}`;
  return `% needs the packages ${packages}\n\\begin{${environment}}{${format}}\n${top}${rows.map(line).join("")}  \\bottomrule\n\\end{${environment}}\n`;
}
