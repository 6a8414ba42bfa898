// From a point to its row, and back. The first works without a script, but for rows that a filter hides.

function dressLinks() {
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href^='#']");
    const target = link && document.getElementById(link.getAttribute("href").slice(1));
    if (!target) return;
    target.hidden = false;
    target.classList.remove("more");
    const row = link.closest("tr[id]");
    if (!row) return;
    // From a row to its points in the charts that are shown.
    const points = [...row.closest("section").querySelectorAll(`svg a[href="#${row.id}"]`)];
    const shown = points.filter((point) => point.getClientRects().length > 0);
    if (shown.length === 0) return;
    event.preventDefault();
    for (const point of shown) {
      point.classList.add("flash");
      setTimeout(() => point.classList.remove("flash"), 4000);
    }
    shown[0].closest("figure").scrollIntoView({ block: "center" });
  });
}
