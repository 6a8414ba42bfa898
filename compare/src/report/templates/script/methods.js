// Methods switched on and off in all charts at once.

/** Names of the methods that are switched off. */
const off = new Set();
const rules = document.createElement("style");
/** Check boxes by the names of their methods. */
const boxes = new Map();

/** Makes the charts show what is switched on. One rule of style for a name reaches every chart, also one made later. */
function showMethods() {
  const quoted = [...off].map((name) => `[data-name="${CSS.escape(name)}"]`);
  rules.textContent = quoted.map((name) => `.s${name}{display:none}.k${name}{opacity:.3}`).join("");
  for (const [name, box] of boxes) box.checked = !off.has(name);
}

function switchMethod(name, on) {
  if (on) off.delete(name);
  else off.add(name);
  showMethods();
}

/** The entry of a legend as a small picture of its own. */
function sample(key) {
  const line = key.querySelector("path");
  const [, x, y] = line.getAttribute("d").match(/^M([\d.]+) ([\d.]+)/).map(Number);
  const picture = document.createElementNS(key.namespaceURI, "svg");
  const start = line.classList.contains("f") ? x - 24 : x;
  picture.setAttribute("viewBox", `${start - 2} ${y - 12} 52 24`);
  picture.setAttribute("aria-hidden", "true");
  const copy = key.cloneNode(true);
  copy.classList.remove("k");
  copy.querySelector("text").remove();
  picture.append(copy);
  return picture;
}

/** The panel with all methods, where a method is in several charts; entries of legends switch, too. */
function dressMethods() {
  document.head.append(rules);
  const [keys, charts] = [new Map(), new Map()];
  for (const key of document.querySelectorAll(".k")) {
    const name = key.dataset.name;
    if (!keys.has(name)) keys.set(name, key);
    charts.set(name, (charts.get(name) ?? 0) + 1);
  }
  document.addEventListener("click", (event) => {
    const key = event.target.closest?.(".k");
    if (key) switchMethod(key.dataset.name, off.has(key.dataset.name));
  });
  const shared = [...keys].filter(([name]) => charts.get(name) > 1);
  if (shared.length < 2) return;
  const panel = document.createElement("details");
  panel.id = "methods";
  const summary = document.createElement("summary");
  summary.textContent = `Lines in the charts (${shared.length})`;
  const names = document.createElement("div");
  names.className = "names";
  for (const [name, key] of shared) {
    const label = document.createElement("label");
    const box = document.createElement("input");
    box.type = "checkbox";
    box.checked = true;
    box.addEventListener("change", () => switchMethod(name, box.checked));
    boxes.set(name, box);
    label.append(box, sample(key), name);
    names.append(label);
  }
  const bar = document.createElement("div");
  bar.className = "bar";
  const all = (title, change) => button(title, `${title} lines in all charts`, () => {
    for (const [name] of shared) change(name);
    showMethods();
  });
  bar.append(all("all", (name) => off.delete(name)), all("none", (name) => off.add(name)),
    "A click on a name in a legend switches it, too.");
  panel.append(summary, bar, names);
  document.querySelector("main").before(panel);
}
