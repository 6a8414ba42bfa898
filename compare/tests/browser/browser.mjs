// A headless Chromium, and pages that tell what went wrong in them.

import { readdirSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const pages = process.env.LIEDAE_PAGES;
if (!pages) throw new Error("LIEDAE_PAGES names no folder with pages: see .ci/run");

/** Address of a page. */
export const address = (name) => pathToFileURL(path.join(pages, name)).href;

/** All pages. */
export const names = readdirSync(pages).filter((name) => name.endsWith(".html"));

/** Starts the browser. A sandbox cannot be had by root, and pages of our own need none. */
export function launch() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--no-first-run"],
  });
}

/** Opens a page that is one file. `troubles` collects script errors, messages on the console, and requests for anything but the page. */
export const open = (browser, name, options = {}) => watched(browser, name, options, (url) => url.split("#")[0] === address(name));

/** Opens a page of several: it may ask for files of its folder, which have to be there. */
export const openBeside = (browser, name, options = {}) => watched(browser, name, options, (url) => url.startsWith(path.posix.dirname(address(name)) + "/"));

async function watched(browser, name, options, isOwn) {
  const context = await browser.newContext({ viewport: { width: 1300, height: 900 }, ...options });
  const page = await context.newPage();
  const troubles = [];
  page.on("pageerror", (error) => troubles.push(`script error: ${error}`));
  page.on("console", (message) => troubles.push(`console: ${message.text()}`));
  page.on("requestfailed", (request) => troubles.push(`failed: ${request.url()}`));
  page.on("request", (request) => {
    const url = request.url();
    if (!isOwn(url) && !url.startsWith("blob:")) troubles.push(`request: ${url}`);
  });
  await page.goto(address(name));
  return { page, troubles, context };
}
