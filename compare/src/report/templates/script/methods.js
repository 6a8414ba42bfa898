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

const panel = document.createElement("details");
const names = document.createElement("div");
/** In how many charts a name is. */
const charts = new Map();

/** Offers a name to be switched. */
function offer(key) {
  const name = key.dataset.name;
  const label = document.createElement("label");
  const box = document.createElement("input");
  box.type = "checkbox";
  box.checked = !off.has(name);
  box.addEventListener("change", () => switchMethod(name, box.checked));
  boxes.set(name, box);
  label.append(box, sample(key), name);
  names.append(label);
}

/** Takes the names of a section's charts into the panel: those that are in several charts. */
function collectMethods(section) {
  for (const key of section.querySelectorAll(".k")) {
    const name = key.dataset.name;
    charts.set(name, (charts.get(name) ?? 0) + 1);
    if (charts.get(name) > 1 && !boxes.has(name)) offer(key);
  }
  panel.hidden = boxes.size < 2;
  panel.querySelector("summary").textContent = `Lines in the charts (${boxes.size})`;
}

/** The panel in which methods are switched, empty at first; entries of legends switch, too. */
function dressMethods() {
  document.head.append(rules);
  document.addEventListener("click", (event) => {
    const key = event.target.closest?.(".k");
    if (key) switchMethod(key.dataset.name, off.has(key.dataset.name));
  });
  panel.id = "methods";
  panel.hidden = true;
  names.className = "names";
  const bar = document.createElement("div");
  bar.className = "bar";
  const all = (title, change) => button(title, `${title} lines in all charts`, () => {
    for (const name of boxes.keys()) change(name);
    showMethods();
  });
  bar.append(all("all", (name) => off.delete(name)), all("none", (name) => off.add(name)),
    "A click on a name in a legend switches it, too.");
  panel.append(document.createElement("summary"), bar, names);
  document.querySelector("main").before(panel);
}
