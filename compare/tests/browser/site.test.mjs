// The pages of the open test set: nothing fails, nothing is asked of a network, and all that is named is there.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, openBeside } from "./browser.mjs";

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

test("the index has its pictures and finds problems by words", async () => {
  const { page, troubles, context } = await openBeside(browser, "site/index.html");
  const rows = page.locator("table.index tbody tr");
  const count = await rows.count();
  assert.ok(count > 5);
  for (const image of await page.locator("img").all()) await image.scrollIntoViewIfNeeded();
  await page.waitForFunction(() => [...document.images].every((image) => image.complete));
  const empty = await page.evaluate(() => [...document.images].filter((image) => !image.naturalWidth).map((image) => image.src));
  assert.deepEqual(empty, []);
  assert.equal(await page.locator("img").count(), count);
  await page.locator("input[type=search]").fill("PENDULUM joint");
  const left = await page.locator("table.index tbody tr:visible").allTextContents();
  assert.ok(left.length > 0 && left.length < count && left.every((text) => /pendulum/i.test(text)), `${left}`);
  assert.equal(await page.locator("output").textContent(), `${left.length} of ${count} problems`);
  assert.deepEqual(troubles, []);
  await context.close();
});

test("every page has a picture, light, dark and on a phone", async () => {
  const index = await openBeside(browser, "site/index.html");
  const pages = await index.page.locator("table.index td:first-child a").evaluateAll((links) => links.map((link) => link.getAttribute("href")));
  await index.context.close();
  for (const [number, name] of pages.entries()) {
    const options = number % 2 ? { viewport: { width: 390, height: 800 }, colorScheme: "dark" } : {};
    const { page, troubles, context } = await openBeside(browser, `site/${name}`, options);
    const box = await page.locator("figure svg").first().boundingBox();
    assert.ok(box && box.width > 200 && box.height > 50, `${name}: ${JSON.stringify(box)}`);
    // Tables scroll; the page does not.
    const [wide, seen] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
    assert.ok(wide <= seen, `${name}: ${wide} > ${seen}`);
    assert.deepEqual(troubles, [], name);
    await context.close();
  }
});

test("the index is whole without a script", async () => {
  const { page, troubles, context } = await openBeside(browser, "site/index.html", { javaScriptEnabled: false });
  assert.ok(await page.locator("table.index tbody tr").count() > 5);
  assert.equal(await page.locator("input").count(), 0);
  assert.deepEqual(troubles, []);
  await context.close();
});
