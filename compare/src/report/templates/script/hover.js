// Values of the point next to the pointer.

/** Distance on the screen beyond which no point is meant. */
const REACH = 24;
const tip = document.createElement("div");
let ring = null;

/** How values are read from a chart's coordinates. */
function scaleOf(svg, name) {
  const [kind, ...numbers] = svg.getAttribute(`data-${name}`).split(" ");
  const [low, high, from, to] = numbers.map(Number);
  const place = (coordinate) => low + ((coordinate - from) / (to - from)) * (high - low);
  const value = kind === "logarithmic" ? (coordinate) => 10 ** place(coordinate) : place;
  return { label: svg.getAttribute(`data-${name}-label`), value };
}

/** Points of the paths of a series: the ends of its pieces of line, or the places of its markers. */
function pointsOf(series) {
  const markers = [...series.querySelectorAll(".m")];
  const points = [];
  if (markers.length > 0) {
    for (const marker of markers) {
      const [, x, y] = marker.getAttribute("d").match(/^M([-\d.]+) ([-\d.]+)/);
      points.push({ x: Number(x), y: Number(y) });
    }
    return points;
  }
  let [x, y] = [0, 0];
  for (const [, letter, first, second] of (series.querySelector(".l")?.getAttribute("d") ?? "").matchAll(/([MLHV])([-\d.]+)(?: ([-\d.]+))?/g)) {
    if (letter === "V") y = Number(first);
    else x = Number(first);
    if (second !== undefined) y = Number(second);
    // A step has its value where it ends.
    if (letter !== "H") points.push({ x, y });
  }
  return points;
}

const known = new WeakMap();

/** What a chart shows, read once. */
function chartOf(svg) {
  if (!known.has(svg)) {
    const points = [...svg.querySelectorAll("g.s")].flatMap((series) =>
      pointsOf(series).map((point) => ({ ...point, name: series.dataset.name })));
    known.set(svg, { points, x: scaleOf(svg, "x"), y: scaleOf(svg, "y") });
  }
  return known.get(svg);
}

/** Three digits. */
function short(value) {
  if (value === 0) return "0";
  const size = Math.abs(value);
  const text = size >= 1e4 || size < 1e-2 ? value.toExponential(2) : value.toPrecision(3);
  return text.replace("e+", "e");
}

function hideTip() {
  tip.hidden = true;
  ring?.remove();
}

function showTip(text, x, y) {
  tip.textContent = text;
  tip.hidden = false;
  const { width, height } = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(4, Math.min(x + 14, innerWidth - width - 8))}px`;
  tip.style.top = `${y + 18 + height > innerHeight ? y - height - 12 : y + 18}px`;
}

/** The five numbers of a box. */
function boxTip(box, event) {
  const names = ["first decile", "first quartile", "median", "third quartile", "last decile"];
  const values = box.dataset.values.split(" ").map((value) => (value === "inf" ? "∞" : short(Number(value))));
  showTip(`${box.dataset.name}\n${names.map((name, index) => `${name}: ${values[index]}`).join("\n")}`, event.clientX, event.clientY);
}

/** Shows the point next to the pointer. */
function hover(event) {
  const box = event.target.closest?.(".b");
  if (box) return boxTip(box, event);
  const svg = event.target.closest?.("svg[data-x]");
  if (!svg) return hideTip();
  const chart = chartOf(svg);
  const matrix = svg.getScreenCTM();
  const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
  let [best, reach] = [null, REACH / matrix.a];
  for (const point of chart.points) {
    const distance = Math.hypot(point.x - at.x, point.y - at.y);
    if (distance <= reach && !off.has(point.name)) [best, reach] = [point, distance];
  }
  if (!best) return hideTip();
  ring ??= document.createElementNS(svg.namespaceURI, "circle");
  ring.setAttribute("class", "ring");
  for (const [name, value] of [["cx", best.x], ["cy", best.y], ["r", 11]]) ring.setAttribute(name, value);
  svg.append(ring);
  const line = (axis, coordinate) => `${axis.label}: ${short(axis.value(coordinate))}`;
  showTip(`${best.name}\n${line(chart.x, best.x)}\n${line(chart.y, best.y)}`, event.clientX, event.clientY);
}

function dressHover() {
  tip.id = "tip";
  tip.hidden = true;
  document.body.append(tip);
  document.addEventListener("pointermove", hover);
  document.addEventListener("pointerdown", hover);
  document.addEventListener("scroll", hideTip, { passive: true });
}
