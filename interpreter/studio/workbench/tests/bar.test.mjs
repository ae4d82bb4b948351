/** The bar: Find goes to whatever is named, by keys alone; Share hands out a page that a second browser plays. */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync, writeFileSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { after, before, test } from "node:test";
import { chromium } from "playwright-core";
import { barriers, browser, folder, pane, settled, studio, WIDTHS } from "./desk.mjs";

const PROGRAM = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find(existsSync);
const place = folder("hex-combat", "plane-skirmish");
const made = mkdtempSync(join(tmpdir(), "rulewright-made-"));
let server;
let desk;

before(async () => {
  server = await studio(place);
  desk = await browser(server.address);
});

after(async () => {
  await desk?.end();
  await server?.end();
  rmSync(made, { recursive: true, force: true });
});

/** Types into the box until the chosen find is as said, and takes it. */
async function found(page, typed, name) {
  await page.keyboard.press("Control+k");
  const box = page.getByRole("combobox", { name: "Find rules, scenarios, files and panes" });
  await box.waitFor();
  await page.keyboard.type(typed);
  await page.getByRole("option", { name, selected: true }).waitFor();
  return box;
}

test("Find goes to rules, words, scenarios, files and panes by keys", async () => {
  const { page } = desk;
  await page.getByRole("combobox", { name: "Ruleset" }).selectOption({ label: "Hex combat" });
  await pane(page, "Scenarios");
  const box = await found(page, "retreat", /^retreat/);
  assert.deepEqual(await barriers(page), []);
  await page.keyboard.press("ArrowDown");
  assert.equal(await box.getAttribute("aria-activedescendant"), "found-1");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.waitForFunction(() => location.hash.startsWith("#rules"));
  await page.locator(".cm-activeLine", { hasText: "retreat" }).waitFor();

  await found(page, "nobody enters water", /nobody enters water/);
  await page.keyboard.press("Enter");
  await page.locator(".cm-activeLine", { hasText: "nobody enters water" }).waitFor();

  await found(page, "woods help", /woods help the defender/);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "woods help the defender" }).waitFor();

  await found(page, "plays.scen", /hex-combat\/plays\.scenario\.yaml/);
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });

  await found(page, "odds", /^Odds/);
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => location.hash.startsWith("#odds"));

  await page.getByRole("button", { name: "Find" }).click();
  await page.keyboard.type("zzzz");
  await page.getByText("Nothing has this name").waitFor();
  await page.keyboard.press("Escape");
});

test("an edited rule is a playable file on a second browser within a minute", async (context) => {
  const { page } = desk;
  await pane(page, "Rules");
  const begun = Date.now();
  const rules = join(place, "hex-combat/hex_combat.rules");
  writeFileSync(rules, readFileSync(rules, "utf8").replace('"Which unit is used?"', '"Which of yours is used?"'));
  await page.getByRole("button", { name: "Share" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("Only some scenarios").click();
  await dialog.getByLabel("the battle").check();
  assert.deepEqual(await barriers(page), []);
  const [download] = await Promise.all([page.waitForEvent("download"), dialog.getByRole("button", { name: "Make the page" }).click()]);
  assert.equal(download.suggestedFilename(), "hex_combat.html");
  const file = join(made, "hex_combat.html");
  await download.saveAs(file);
  const handed = Date.now();
  await dialog.getByText("is in your downloads: 1 scenario").waitFor();
  const other = await chromium.launch({ executablePath: PROGRAM, headless: true, args: ["--disable-gpu"], chromiumSandbox: false });
  try {
    const opened = await (await other.newContext({ offline: true })).newPage();
    await opened.goto(pathToFileURL(file).href);
    await opened.getByRole("button", { name: "Begin", exact: true }).click();
    await opened.getByRole("heading", { name: "Which of yours is used?" }).waitFor({ timeout: 60_000 });
    const asked = Date.now();
    await opened.locator(".table[data-shown='2']").waitFor({ timeout: 60_000 });
    context.diagnostic(`downloaded ${((handed - begun) / 1000).toFixed(1)} s after the edit, first question shown ${((asked - begun) / 1000).toFixed(1)} s, answered by the engine ${((Date.now() - begun) / 1000).toFixed(1)} s`);
  } finally {
    await other.close();
  }
  await dialog.getByRole("button", { name: "Close" }).click();
});

test("what cannot be shared is said: errors, boards on the plane", async () => {
  const { page } = desk;
  const rules = join(place, "hex-combat/hex_combat.rules");
  const whole = readFileSync(rules, "utf8");
  writeFileSync(rules, `${whole}nonsense <b>here</b>\n`);
  await page.getByRole("button", { name: "Share" }).click();
  await page.getByRole("button", { name: "Make the page" }).click();
  await page.getByRole("alert").getByText("This cannot be shared yet.").waitFor();
  await page.getByRole("alert").getByText(/hex_combat\.rules:\d+/).first().waitFor();
  await page.keyboard.press("Escape");
  writeFileSync(rules, whole);
  await page.getByRole("combobox", { name: "Ruleset" }).selectOption({ label: "Plane skirmish" });
  await page.getByRole("button", { name: "Share" }).click();
  await page.getByRole("button", { name: "Make the page" }).click();
  await page.getByRole("alert").getByText("cannot be played in a page").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
});

test("on a phone both are signs with names, and nothing scrolls sideways", async () => {
  const { page } = desk;
  await page.setViewportSize({ width: WIDTHS.phone[0], height: WIDTHS.phone[1] });
  await page.getByRole("button", { name: "Find" }).click();
  await page.locator(".found").first().waitFor();
  assert.deepEqual(await barriers(page), []);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Share" }).waitFor();
  await settled(page);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
  assert.deepEqual(desk.complaints, []);
});
