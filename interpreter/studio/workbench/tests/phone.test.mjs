/** What a designer meets at a phone with a copy of a starter: plays that are gone on with, what scenarios reach, odds with a script, files that are named. */
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { browser, folder, pane, studio, WIDTHS } from "./desk.mjs";

const place = folder("hex-combat");
const rules = join(place, "hex-combat/hex_combat.rules");
let server;
let desk;
let page;

before(async () => {
  server = await studio(place);
  desk = await browser(server.address, { size: WIDTHS.phone });
  ({ page } = desk);
  page.setDefaultTimeout(40_000);
});

after(async () => {
  await desk?.end();
  await server?.end();
});

const edited = () => page.getByText("The rules were edited since this play began.");
const seen = (locator) => locator.first().evaluate((each) => { const { top } = each.getBoundingClientRect(); return top >= 0 && top < innerHeight; });

test("the question of a play that begins is in view, and so is the one after an answer", async () => {
  await pane(page, "Play");
  await page.locator(".play-start button[type=submit]:enabled").first().click();
  for (let answers = 0; answers < 2; answers += 1) {
    await page.locator(".asked").first().waitFor();
    await page.waitForFunction(() => { const { top, bottom } = document.querySelector(".asked").getBoundingClientRect(); return top >= 0 && bottom <= innerHeight; });
    await page.locator("main").evaluate((each) => { each.scrollTop = 0; });
    await page.keyboard.press("1");
    await page.waitForTimeout(500);
  }
});

test("rules were edited while a play was away: it says so when somebody goes on, until it is played again", async () => {
  await page.goto("about:blank");
  writeFileSync(rules, `${readFileSync(rules, "utf8")}# more\n`);
  await page.goto(new URL("/#play", server.address).href);
  const back = page.getByRole("button", { name: /^Go on with/ }).first();
  await back.or(edited()).first().waitFor();
  if (await back.isVisible()) await back.click();
  await edited().waitFor();
  await page.getByRole("button", { name: "Play it again with the rules as they are now" }).click();
  await edited().waitFor({ state: "detached" });
});

test("a play is kept under any name; a name that is refused stays where it was typed", async () => {
  await page.locator(".menu > summary").click();
  await page.locator(".menu").getByRole("button", { name: "Save", exact: true }).click();
  const name = page.getByLabel("Name or file");
  await name.fill("../red surrounded");
  await page.keyboard.press("Enter");
  await page.locator("dialog .bad").getByText("cannot be the name of a file here").waitFor();
  assert.equal(await name.inputValue(), "../red surrounded");
  await name.fill("Red surrounded");
  await page.locator("dialog").getByText("Its file will be hex-combat/red-surrounded.save.json.").waitFor();
  await page.keyboard.press("Enter");
  await page.getByText("The play is saved in hex-combat/red-surrounded.save.json.").waitFor();
  assert.ok(existsSync(join(place, "hex-combat/red-surrounded.save.json")));
});

test("rows of a table say how many of their cells scenarios reach", async () => {
  await pane(page, "Rules");
  await page.getByRole("button", { name: "What scenarios reach" }).click();
  await page.locator(".cm-reached").first().waitFor();
  const half = page.locator(".cm-half-reached[title$=' of 4 cells']").first();
  for (let down = 0; down < 40 && !(await half.count()); down += 1) await page.locator(".cm-scroller").evaluate((each) => { each.scrollTop += 300; });
  assert.match(await half.getAttribute("title"), /^scenarios reach [123] of 4 cells$/);
});

test("a die that a script fixes is told beside the odds, and left to chance there", async () => {
  await pane(page, "Odds");
  const odds = page.locator(".pane-odds");
  await odds.getByLabel("Begins as in").selectOption({ label: "woods help the defender" });
  await odds.locator(".odds-card.stacked .odds-bar").first().waitFor();
  await odds.locator(".odds-more > summary").click();
  const unscripted = odds.getByRole("checkbox", { name: "Leave out the script" });
  await unscripted.uncheck();
  const fixed = odds.locator(".odds-answer .warn", { hasText: "The script gives attack/1/throw: 6. So this is not left to chance." });
  await fixed.waitFor();
  await fixed.getByRole("button", { name: "Leave it to chance" }).click();
  await fixed.waitFor({ state: "detached" });
  assert.ok(await unscripted.isChecked());
  await page.locator("main").evaluate((each) => each.scrollTo(0, 300));
});

test("each pane keeps how far down it is, and begins at its top", async () => {
  const down = () => page.locator("main").evaluate((each) => each.scrollTop);
  const before = await down();
  assert.ok(before > 0);
  await pane(page, "Start");
  assert.equal(await down(), 0);
  await pane(page, "Odds");
  assert.equal(await down(), before);
});

test("no page complained", () => {
  assert.deepEqual(desk.complaints, []);
});
