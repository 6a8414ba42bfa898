// A field that searches the index. Without a script the index has all its rows and no field.
(function () {
  "use strict";
  const list = document.querySelector(".sets");
  const sections = Array.from(document.querySelectorAll("section")).filter((section) => section.querySelector("table.index"));
  if (!list || !sections.length) return;
  const field = document.createElement("input");
  const found = document.createElement("output");
  field.type = "search";
  field.className = "search";
  field.placeholder = "search: redundant, impact, s1-02 …";
  field.setAttribute("aria-label", "Search problems by words");
  found.className = "soft";
  list.after(field, " ", found);

  const rows = sections.map((section) => Array.from(section.querySelectorAll("tbody tr"), (row) => ({ row, text: row.textContent.toLowerCase() })));
  field.addEventListener("input", () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    sections.forEach((section, index) => {
      let shown = 0;
      for (const { row, text } of rows[index]) {
        row.hidden = !words.every((word) => text.includes(word));
        if (!row.hidden) shown += 1;
      }
      section.hidden = shown === 0;
      count += shown;
    });
    found.textContent = words.length ? `${count} of ${rows.flat().length} problems` : "";
  });
})();
