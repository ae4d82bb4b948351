/** The workbench as a static site: the way of a designer in a page that asks nothing of a server but its own parts, and then without one. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { barriers, browser, folder, pane, site, WIDTHS } from "./desk.mjs";

const PATIENCE = 120_000;
let served;
let desk;
let page;

before(async () => {
  served = await site();
  desk = await browser(served.address);
  ({ page } = desk);
  page.setDefaultTimeout(PATIENCE);
});

after(async () => {
  await desk?.end();
  await served?.end();
});

const asked = () => page.getByRole("group", { name: "What is asked" });
const problems = () => page.getByRole("region", { name: "Problems" });
const opened = () => page.getByRole("heading", { name: "Begin near your game" }).waitFor();

/** Replaces words of the text that is shown, by the keys of a person. */
async function replaced(old, by) {
  await page.keyboard.press("Alt+t");
  await page.keyboard.press("Control+Home");
  await page.keyboard.press("Control+f");
  await page.getByRole("textbox", { name: "Find" }).waitFor();
  await page.keyboard.type(old);
  await page.keyboard.press("Enter");
  await page.keyboard.press("Escape");
  await page.keyboard.type(by);
}

test("a starter becomes one's own, and is played", async () => {
  await opened();
  await page.getByRole("button", { name: /^Make it mine: Hex/ }).click();
  await page.getByRole("button", { name: "Make the copy and play" }).click();
  await asked().waitFor();
  const before = await asked().textContent();
  await page.locator(".boards .spot:not(.refused)").first().click();
  await page.waitForFunction((words) => document.querySelector(".asking")?.textContent !== words, before);
});

test("a page to play is made of the site's own parts, and plays without it", async () => {
  await page.getByRole("button", { name: "Share", exact: true }).click();
  const [made] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Make the page" }).click()]);
  const place = `${folder()}/${made.suggestedFilename()}`;
  await made.saveAs(place);
  await page.getByRole("button", { name: "Close", exact: true }).click();
  const other = await browser(pathToFileURL(place).href);
  await other.page.getByRole("button", { name: "Begin", exact: true }).click();
  await other.page.locator(".table[data-shown='2']").waitFor({ timeout: PATIENCE });
  assert.deepEqual(other.complaints, []);
  await other.end();
});

test("a broken rule is told in words, and mended", async () => {
  await pane(page, "Rules");
  await page.locator(".cm-is-keyword").first().waitFor();
  await page.getByText("No problems.").waitFor();
  await replaced("owner: player", "owner: plaayer");
  const problem = problems().getByRole("listitem").filter({ hasText: "plaayer" }).first();
  await problem.waitFor();
  await problem.getByRole("button", { name: /player/ }).first().click();
  await page.getByText("No problems.").waitFor();
  await page.locator("button:disabled", { hasText: /^Save$/ }).waitFor();
  await page.getByRole("button", { name: "Chapter", exact: true }).click();
  await page.getByRole("heading", { name: "Procedures" }).waitFor();
});

test("the scenarios are played, and a changed rule differs", async () => {
  await pane(page, "Scenarios");
  await page.getByText(/✓ \d+ pass/).first().waitFor();
  await pane(page, "Rules");
  await replaced("  6 | defender_back | defender_back |", "  6 | defender_back | defender_lost |");
  await page.keyboard.press("Control+s");
  await page.locator("button:disabled", { hasText: "Save" }).waitFor();
  await pane(page, "Scenarios");
  await page.getByText(/≠ [1-9]\d* differs?/).first().waitFor();
});

test("odds are worked out", async () => {
  await pane(page, "Odds");
  await page.locator(".pane-odds").getByText(/exact ·/).first().waitFor();
});

test("what the change does to players is compared", async () => {
  await pane(page, "Compare");
  await page.locator(".compare-card").first().waitFor();
  assert.match(await page.locator(".compare-card").first().textContent(), /Defender destroyed/);
});

test("all is there again after a reload, and without a network", async () => {
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
  await served.stop();
  await page.reload();
  await pane(page, "Scenarios");
  await page.getByText(/≠ [1-9]\d* differs?/).first().waitFor();
});

test("files come from the device and go to it as an archive", async () => {
  await pane(page, "Start");
  await opened();
  const [packed] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save all as an archive" }).click()]);
  assert.equal(packed.suggestedFilename(), "my-rules.zip");
  const archive = readFileSync(await packed.path());
  const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.getByRole("button", { name: /^(Add files|Open files or an archive)…$/ }).click()]);
  const rules = readFileSync(`${folder("pig")}/pig/pig.rules`);
  await chooser.setFiles([
    { name: "kept.zip", mimeType: "application/zip", buffer: archive },
    { name: "pig.rules", mimeType: "text/plain", buffer: rules },
    { name: "..rules", mimeType: "text/plain", buffer: Buffer.from("<script>alert(1)</script>") },
  ]);
  await page.getByText(/^Opened \d+ files; left out/).waitFor();
  await page.locator("#ruleset option", { hasText: "Pig" }).waitFor({ state: "attached" });
});

test("a second tab says that the first one has the page", async () => {
  const other = await page.context().newPage();
  await other.goto(served.address);
  await other.getByText("is open in another tab").waitFor();
  await other.close();
});

test("no barrier, no fault, and nothing was asked but the parts of the page", async () => {
  for (const each of ["Start", "Rules", "Play", "Scenarios", "Compare", "Odds"]) {
    await pane(page, each);
    assert.deepEqual(await barriers(page), [], each);
  }
  await page.setViewportSize({ width: WIDTHS.phone[0], height: WIDTHS.phone[1] });
  await pane(page, "Start");
  assert.deepEqual(await barriers(page), []);
  const parts = /^\/(|workbench\.(js|css)|offline\.js\?\w+|site\.json|licences\.txt|parts\/(worker|machine|library|more|modules|page)\.bin)$/;
  assert.deepEqual(served.asked.filter((each) => !parts.test(each)), []);
  assert.deepEqual(desk.complaints, []);
});
