// What readers do with a report: sort, filter, switch methods, choose axes, hover, follow links, save.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { launch, names, open } from "./browser.mjs";

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

/** The texts of a column of a table. */
const column = (table, index) =>
  table.locator("tbody tr:visible").evaluateAll((rows, index) => rows.map((row) => row.cells[index].textContent), index);

/** What a button saves. */
async function saved(page, button) {
  const [download] = await Promise.all([page.waitForEvent("download"), button.click()]);
  return { name: download.suggestedFilename(), text: await readFile(await download.path(), "utf8") };
}

/** The section of the first problem, and its table of all runs. */
const problem = (page) => page.locator("section:has(tr[id^=r])").first();
const runs = (page) => problem(page).locator("table");

test("pages load without trouble and without the network", async () => {
  assert.ok(names.includes("small.html") && names.includes("large.html"));
  for (const name of names) {
    const { page, troubles, context } = await open(browser, name);
    await page.mouse.wheel(0, 5000);
    await page.waitForTimeout(100);
    assert.deepEqual(troubles, [], name);
    await context.close();
  }
});

test("tables are sorted by number, back and forth, and by text", async () => {
  const { page, troubles, context } = await open(browser, "small.html");
  const table = runs(page);
  const before = await column(table, 9);
  const head = table.locator("th button", { hasText: "wall / s" });
  await head.click();
  const ascending = (await column(table, 9)).map(Number);
  assert.deepEqual(ascending, before.map(Number).sort((a, b) => a - b));
  await head.click();
  assert.deepEqual((await column(table, 9)).map(Number), [...ascending].reverse());
  await head.click();
  assert.deepEqual(await column(table, 9), before);
  await table.locator("th button", { hasText: "method" }).click();
  const methods = await column(table, 0);
  assert.deepEqual(methods, [...methods].sort());
  // Cells without a value stay last, in both orders.
  const errors = table.locator("th button", { hasText: "error at the end" });
  for (const order of ["ascending", "descending"]) {
    await errors.click();
    const texts = await column(table, 3);
    assert.ok(texts.includes("–"), order);
    assert.ok(texts.slice(texts.indexOf("–")).every((text) => text === "–"), `${order}: ${texts}`);
  }
  assert.deepEqual(troubles, []);
  await context.close();
});

test("rows are filtered by words and bounds", async () => {
  const { page, troubles, context } = await open(browser, "small.html");
  const table = runs(page);
  const bar = problem(page).locator(".bar:has(input)");
  const all = (await column(table, 0)).length;
  await bar.locator("input").fill("radau5");
  const left = await column(table, 0);
  assert.ok(left.length > 0 && left.length < all && left.every((name) => name === "radau5"));
  assert.equal(await bar.locator("output").textContent(), `${left.length} of ${all} rows`);
  await bar.locator("input").fill("steps>200 tolerance<1e-4");
  const steps = (await column(table, 10)).map(Number);
  assert.ok(steps.length > 0 && steps.length < all && steps.every((value) => value > 200));
  assert.ok((await column(table, 1)).every((tolerance) => Number(tolerance) < 1e-4));
  await bar.locator("input").fill("");
  assert.equal((await column(table, 0)).length, all);
  assert.deepEqual(troubles, []);
  await context.close();
});

test("a method that is switched off is gone from every chart, also from those chosen later", async () => {
  const { page, troubles, context } = await open(browser, "small.html");
  const lines = (name) => page.locator(`g.s[data-name="${name}"]`);
  const shown = (name) => lines(name).evaluateAll((list) => list.filter((line) => getComputedStyle(line).display !== "none" && !line.closest("[hidden]")).length);
  const others = await shown("hem5");
  assert.ok(await shown("radau5") > 5 && others > 5);
  await page.locator("#methods summary").click();
  await page.locator("#methods label", { hasText: "radau5" }).click();
  assert.equal(await shown("radau5"), 0);
  assert.equal(await shown("hem5"), others);
  await page.locator("select").first().selectOption("force evaluations");
  assert.equal(await shown("radau5"), 0);
  // Back by the legend.
  await page.locator('.k[data-name="radau5"]:visible').first().click();
  assert.ok(await shown("radau5") > 5);
  await page.locator("#methods button", { hasText: "none" }).click();
  assert.equal(await shown("hem5"), 0);
  assert.deepEqual(troubles, []);
  await context.close();
});

test("axes are chosen in all charts at once", async () => {
  const { page, troubles, context } = await open(browser, "small.html");
  const titles = () => page.locator("figure:not([hidden]) svg[aria-label*='error and']").evaluateAll((list) => list.map((chart) => chart.getAttribute("aria-label")));
  assert.ok((await titles()).every((title) => title.endsWith("CPU time")));
  await page.locator("label:has-text('cost ') select:visible").last().selectOption("factorizations");
  const chosen = await titles();
  // Of six problems one has no reference.
  assert.ok(chosen.length === 5 && chosen.every((title) => title.endsWith("factorizations")), `${chosen}`);
  const factor = () => page.locator("figure:not([hidden]) svg[aria-label^='Performance profile']").first().getAttribute("data-x");
  assert.ok((await factor()).startsWith("logarithmic"));
  await page.locator("label:has-text('factor τ') select").first().selectOption("linear");
  assert.ok((await factor()).startsWith("linear"));
  assert.deepEqual(troubles, []);
  await context.close();
});

test("a point shows its values, leads to its row, and the row to the point", async () => {
  const { page, troubles, context } = await open(browser, "small.html");
  const section = problem(page);
  await section.scrollIntoViewIfNeeded();
  // The last method's markers lie on top.
  const point = section.locator("figure:not([hidden]) svg g.s").last().locator("a").first();
  await point.evaluate((point) => point.scrollIntoView({ block: "center" }));
  await point.hover();
  const tip = await page.locator("#tip").textContent();
  const row = page.locator(await point.getAttribute("href"));
  const cells = await row.locator("td").allTextContents();
  const [name, error, cost] = tip.split("\n").map((line) => line.split(": ").pop());
  assert.equal(name, cells[0]);
  assert.ok(Math.abs(Number(error) / Number(cells[3]) - 1) < 0.02, `${tip} against ${cells}`);
  assert.ok(Math.abs(Number(cost) / Number(cells[8]) - 1) < 0.02, `${tip} against ${cells}`);
  // A filter that hides the row is no obstacle.
  await section.locator("input[type=search]").fill("no such row");
  await point.click();
  assert.ok(await row.isVisible());
  assert.equal(await row.evaluate((row) => row.matches(":target")), true);
  await row.locator("a").click();
  assert.ok(await section.locator("svg a.flash").count() > 0);
  assert.deepEqual(troubles, []);
  await context.close();
});

test("charts and tables are saved", async () => {
  const { page, troubles, context } = await open(browser, "small.html");
  const chart = await saved(page, page.locator("figure:not([hidden]) button", { hasText: "SVG" }).first());
  assert.match(chart.name, /^Performance-profile-CPU-time\.svg$/);
  assert.match(chart.text, /^<svg [^>]*xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
  const valid = await page.evaluate((text) => !new DOMParser().parseFromString(text, "image/svg+xml").querySelector("parsererror"), chart.text);
  assert.ok(valid && chart.text.includes("radau5") && !chart.text.includes("<a "));
  const section = problem(page);
  await section.locator("input[type=search]").fill("radau5");
  const csv = await saved(page, section.locator("button", { hasText: "CSV" }));
  const lines = csv.text.trimEnd().split("\r\n");
  assert.equal(lines.length, 1 + (await column(runs(page), 0)).length);
  assert.ok(lines[0].startsWith("method,tolerance,step / s,error at the end") && lines[1].startsWith("radau5,"));
  const latex = await saved(page, section.locator("button", { hasText: "LaTeX" }));
  for (const part of ["\\begin{tabular}{lr", "\\toprule", "\\midrule", "\\bottomrule", "$|$g$|$".replaceAll("$|$", "\\textbar{}")]) {
    assert.ok(latex.text.includes(part), part);
  }
  assert.deepEqual(troubles, []);
  await context.close();
});

test("panels of a chart with many methods are saved side by side", async () => {
  const { page, troubles, context } = await open(browser, "large.html");
  const figure = page.locator("figure:has(.panels)").first();
  await figure.waitFor({ state: "attached" });
  const panels = await figure.locator("svg").count();
  assert.ok(panels > 2);
  const chart = await saved(page, figure.locator("button", { hasText: "SVG" }));
  assert.equal(chart.text.match(/<svg/g).length, panels + 1);
  // All their methods can be switched, also in what waited as text.
  const legends = await figure.locator(".k").evaluateAll((keys) => new Set(keys.map((key) => key.dataset.name)).size);
  await page.waitForFunction((count) => document.querySelectorAll("#methods label").length === count, legends);
  assert.deepEqual(troubles, []);
  await context.close();
});
