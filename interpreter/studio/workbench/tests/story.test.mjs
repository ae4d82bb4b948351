/** The whole way of a designer: from a starter to a rule that was changed, tested, compared and printed. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { barriers, browser, folder, pane, studio, tabTo } from "./desk.mjs";

const place = folder();
const made = join(place, "my-dice-conflict");
const rules = join(made, "my_dice_conflict.rules");
let server;
let desk;
let page;

before(async () => {
  server = await studio(place);
  desk = await browser(server.address);
  ({ page } = desk);
});

after(async () => {
  await desk?.end();
  await server?.end();
});

const turns = () => page.locator(".play-story").getByText(/^A champion's turn/);
const begin = () => page.locator(".play-start").getByRole("button", { name: "Play", exact: true });
const asked = () => page.getByRole("group", { name: "What is asked" });

/** The choice that a label stands before. */
const field = (label) => page.locator("section:not([hidden]) label.field").filter({ has: page.locator("span", { hasText: new RegExp(`^${label}$`) }) }).locator("select");

/** Waits until another question is asked than some words. */
async function other(words) {
  await page.waitForFunction((before) => document.querySelector(".asking")?.textContent !== before, words);
}

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

test("a starter is copied, and can be played at once", async () => {
  await page.getByRole("heading", { name: "Begin near your game" }).waitFor();
  await page.getByRole("button", { name: "Make it mine: Dice conflict" }).click();
  await page.getByRole("button", { name: "Make the copy and play" }).click();
  await page.locator(".asked").first().waitFor();
  await page.locator("#ruleset option", { hasText: "My dice conflict" }).waitFor({ state: "attached" });
  assert.ok(existsSync(rules));
  assert.equal(await page.getByText("The rules were edited since this play began.").count(), 0);
  await pane(page, "Start");
  await page.getByRole("button", { name: "Make it mine: Dice conflict" }).waitFor();
});

test("a broken rule is told in words, and mended by a click", async () => {
  const began = readFileSync(rules, "utf8");
  await pane(page, "Rules");
  await page.getByRole("textbox", { name: /Text of .*my_dice_conflict/ }).waitFor();
  await page.locator(".cm-is-keyword").first().waitFor();
  await replaced("occupants(s)", "ocupants(s)");
  const problem = page.getByRole("region", { name: "Problems" }).getByRole("listitem").filter({ hasText: "ocupants" });
  await problem.first().waitFor();
  await problem.getByRole("button", { name: /occupants/ }).first().click();
  await page.getByText("No problems.").waitFor();
  assert.ok(await page.getByRole("button", { name: "Save", exact: true }).isDisabled());
  assert.equal(readFileSync(rules, "utf8"), began);
});

test("three turns are played with the mouse", async () => {
  await pane(page, "Play");
  if (!(await asked().isVisible())) await begin().click();
  await asked().waitFor();
  while ((await turns().count()) < 4) {
    const words = await asked().textContent();
    const spot = page.locator(".boards .spot:not(.refused)");
    if (await spot.count()) await spot.first().click();
    else if (await page.locator(".tray .roll").isVisible()) await page.keyboard.press("r");
    else await asked().getByRole("button").filter({ hasText: /^Answer/ }).or(asked().locator(".answer")).first().click();
    await other(words);
  }
  await page.getByText("spear moves:").first().waitFor();
});

test("three turns are played with the keyboard alone", async () => {
  await tabTo(page, /^More$/);
  await page.keyboard.press("Enter");
  await tabTo(page, /^End this play$/);
  await page.keyboard.press("Enter");
  await page.getByText("This play was ended.").waitFor();
  await tabTo(page, /^Play$/, ".play-start");
  await page.keyboard.press("Enter");
  await asked().waitFor();
  while ((await turns().count()) < 4) {
    const words = await asked().textContent();
    if (/Where does it go|Whom does it strike/.test(words)) await page.keyboard.press("1");
    else {
      await tabTo(page, /^Answer$/);
      await page.keyboard.press("Enter");
    }
    await other(words);
  }
});

test("a play with dice that were typed is written down, and passes as a scenario", async () => {
  await page.locator(".menu > summary").click();
  await page.getByRole("button", { name: "End this play" }).click();
  await page.getByText("This play was ended.").waitFor();
  const names = await field("Scenario").locator("option").allTextContents();
  await field("Scenario").selectOption(names.find((each) => each.startsWith("axe strikes spear")));
  await page.getByText("Dice, readings, overlays").click();
  await begin().click();
  const faces = page.locator(".faces");
  for (const face of ["double", "hit", "miss"]) await faces.getByRole("button", { name: face, exact: true }).click();
  await asked().getByText("Which dice are rolled again").first().waitFor();
  await asked().getByRole("button", { name: "Answer" }).first().click();
  for (const face of ["miss", "miss"]) await faces.getByRole("button", { name: face, exact: true }).click();
  await page.getByText("The play is over").waitFor();
  await page.getByRole("button", { name: "Keep as a scenario" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await pane(page, "Scenarios");
  await page.getByText(/✓ \d+ pass/).first().waitFor();
  await page.locator(".scene-row", { hasText: "recorded" }).first().waitFor();
  assert.match(readFileSync(join(made, "recorded-1.scenario.yaml"), "utf8"), /double/);
  for (const each of [["init", "-q"], ["add", "-A"], ["-c", "user.name=d", "-c", "user.email=d@d", "commit", "-qm", "As it was"]]) execFileSync("git", each, { cwd: place });
});

test("the rule is changed, and the scenario fails as a story that leads to the text", async () => {
  await pane(page, "Rules");
  await replaced("2 * count(each d in blows where d.face = double)", "3 * count(each d in blows where d.face = double)");
  await page.keyboard.press("Control+s");
  await page.locator("button:disabled", { hasText: "Save" }).waitFor();
  assert.match(readFileSync(rules, "utf8"), /3 \* count/);
  await pane(page, "Scenarios");
  await page.getByText(/≠ [1-9]\d* differs?/).first().waitFor();
  await page.locator(".scene").getByText("What happened", { exact: false }).first().waitFor();
  assert.match(await page.locator(".scene").textContent(), /double/);
});

test("the comparison with the commit shows the change and how the odds shift", async () => {
  await pane(page, "Compare");
  await field("Since").locator("option", { hasText: "As it was" }).waitFor({ state: "attached" });
  const commit = await field("Since").locator("option", { hasText: "As it was" }).getAttribute("value");
  await field("Since").selectOption(commit);
  await page.locator(".compare-card").first().waitFor({ timeout: 240_000 });
  await page.getByRole("group", { name: "Parts of the comparison" }).getByRole("button", { name: "Odds" }).click();
  await page.getByRole("button", { name: "Compare the odds" }).click();
  const shifts = page.locator(".shifts");
  await shifts.getByText(/^Odds: change for \d+ of \d+ starting positions?/).waitFor({ timeout: 240_000 });
  assert.match(await shifts.locator("table").first().textContent(), /before.*now.*%/);
  assert.deepEqual(await barriers(page), []);
});

test("the chapter is exported as a page", async () => {
  await pane(page, "Rules");
  await page.getByRole("button", { name: "Chapter", exact: true }).click();
  await page.getByRole("heading", { name: "Procedures" }).waitFor();
  const [kept] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Export the chapter" }).click()]);
  assert.equal(kept.suggestedFilename(), "my_dice_conflict.html");
  const text = readFileSync(await kept.path(), "utf8");
  assert.match(text, /^<!doctype html>/);
  assert.match(text, /Attack dice, some of them again for focus/);
});

test("no barrier, no fault, nothing left the machine", async () => {
  for (const each of ["Start", "Rules", "Play", "Scenarios", "Compare", "Odds"]) {
    await pane(page, each);
    assert.deepEqual(await barriers(page), [], each);
  }
  assert.deepEqual(desk.complaints, []);
});
