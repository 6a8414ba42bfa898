// Galleries: figures of which readers choose one, by the measure of cost or the kind of an axis.

/** What is chosen, by dimension: the same in all galleries. */
const chosen = new Map();
const galleries = [];

/** A figure of a gallery. Those that are not the first choice are text until somebody chooses them. */
function figureOf(entry) {
  if (!entry.figure) {
    const holder = document.createElement("template");
    // With a script, what stands in noscript is text.
    holder.innerHTML = entry.place.localName === "noscript" ? entry.place.textContent : entry.place.innerHTML;
    entry.figure = holder.content.querySelector("figure");
    entry.place.replaceWith(entry.figure);
    dressFigure(entry.figure);
  }
  return entry.figure;
}

/** Shows in a gallery what fits the choice best. */
function showChoice(gallery) {
  const fits = (entry) => Object.entries(entry.choice).filter(([name, value]) => chosen.get(name) === value).length;
  const best = gallery.entries.reduce((best, entry) => (fits(entry) > fits(best) ? entry : best));
  for (const entry of gallery.entries) {
    if (entry === best) figureOf(entry).hidden = false;
    else if (entry.figure) entry.figure.hidden = true;
  }
  for (const [name, select] of gallery.selects) select.value = best.choice[name];
}

/** Chooses everywhere. */
function choose(name, value) {
  chosen.set(name, value);
  for (const gallery of galleries) if (gallery.selects.has(name)) showChoice(gallery);
}

/** Gives a gallery its choices. */
function dressGallery(element) {
  const places = [...element.querySelectorAll(":scope > [data-choice]")];
  const entries = places.map((place) => ({
    place,
    choice: JSON.parse(place.dataset.choice),
    figure: place.localName === "figure" ? place : null,
  }));
  const gallery = { entries, selects: new Map() };
  const bar = document.createElement("div");
  bar.className = "bar";
  for (const name of Object.keys(entries[0].choice)) {
    const values = [...new Set(entries.map((entry) => entry.choice[name]))];
    if (values.length < 2) continue;
    if (!chosen.has(name)) chosen.set(name, values[0]);
    const select = document.createElement("select");
    select.append(...values.map((value) => new Option(value, value)));
    select.addEventListener("change", () => choose(name, select.value));
    const label = document.createElement("label");
    label.append(`${name} `, select);
    bar.append(label);
    gallery.selects.set(name, select);
  }
  if (gallery.selects.size > 0) element.prepend(bar);
  galleries.push(gallery);
  showChoice(gallery);
}
