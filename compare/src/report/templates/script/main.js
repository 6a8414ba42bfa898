// Everything that needs a script, added to a page that is complete without.

/** Gives the tables, figures and galleries of a section what only a script can do. */
function dress(section) {
  section.querySelectorAll("table").forEach(dressTable);
  section.querySelectorAll("figure").forEach(dressFigure);
  section.querySelectorAll(".gallery").forEach(dressGallery);
  collectMethods(section);
}

/** Reads a section that waits as text. */
function complete(section) {
  if (!("waits" in section.dataset)) return;
  delete section.dataset.waits;
  for (const place of section.querySelectorAll("noscript:not([data-choice])")) {
    const holder = document.createElement("template");
    holder.innerHTML = place.textContent;
    place.replaceWith(holder.content);
  }
  dress(section);
}

const waiting = () => document.querySelectorAll("section[data-waits]");
const completeAll = () => waiting().forEach(complete);

/** Completes one section after the other while the browser has nothing else to do. */
function completeInTime(deadline) {
  for (const section of waiting()) {
    complete(section);
    if (deadline.timeRemaining() < 10) break;
  }
  if (waiting().length > 0) requestIdleCallback(completeInTime);
}

/** Goes to what the address names, even if it waits or is kept back. */
function goToTarget() {
  const id = decodeURIComponent(location.hash.slice(1));
  if (!id) return;
  if (!document.getElementById(id)) completeAll();
  const target = document.getElementById(id);
  target?.classList.remove("more");
  target?.scrollIntoView();
}

dressMethods();
document.querySelectorAll("section:not([data-waits])").forEach(dress);
dressHover();
dressLinks();
const near = new IntersectionObserver(
  (entries) => entries.filter((entry) => entry.isIntersecting).forEach((entry) => complete(entry.target)),
  { rootMargin: "1000px" },
);
waiting().forEach((section) => near.observe(section));
addEventListener("beforeprint", completeAll);
addEventListener("hashchange", goToTarget);
goToTarget();
// After the first screen has been drawn.
requestAnimationFrame(() => setTimeout(() => requestIdleCallback(completeInTime)));
