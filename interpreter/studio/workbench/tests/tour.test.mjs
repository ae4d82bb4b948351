/** The tour, as somebody takes it who has compared another game before: from Start through its four steps, to a changed rule and its odds. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { barriers, browser, folder, pane, studio } from "./desk.mjs";

const place = folder("pig");
const rules = join(place, "my-hex-combat/my_hex_combat.rules");
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

const bar = () => page.getByRole("region", { name: "The tour" }).last();
const spot = (name) => page.locator(`.boards .spot[aria-label="${name}"]`);

test("a unit marches, attacks and rolls", async () => {
  await pane(page, "Compare");
  await page.getByRole("combobox", { name: "Since" }).selectOption({ label: "pig, as it comes with rulewright" });
  await page.locator(".pane-compare").getByRole("heading", { name: "Nothing has changed", exact: true }).waitFor();
  await pane(page, "Start");
  await page.getByRole("button", { name: "Take the two-minute tour" }).click();
  await spot("lancers").click();
  await page.locator(".boards .spot[aria-label^='(4, 2)']").click();
  await page.locator(".tray .roll").waitFor();
  await page.keyboard.press("r");
  await page.locator(".play-story").getByText(/^Combat results/).first().waitFor();
  assert.equal(await page.evaluate(() => document.documentElement.scrollHeight), 900); // the pane scrolls, and the page does not
  assert.deepEqual(await barriers(page), []);
});

test("a word of the chart is changed, and a play is told anew before anything is saved", async () => {
  const began = readFileSync(rules, "utf8");
  await bar().getByRole("button", { name: "Next: change one word in the chart" }).click();
  await page.getByRole("combobox", { name: "6, 1:1" }).waitFor();
  assert.equal(await page.getByRole("combobox", { name: "6, 1:1" }).inputValue(), "defender_lost");
  await page.locator(".live .changed", { hasText: "Defender destroyed" }).first().waitFor();
  assert.equal(readFileSync(rules, "utf8"), began);
  assert.deepEqual(await barriers(page), []);
});

test("the scenarios that notice are shown", async () => {
  await bar().getByRole("button", { name: "Next: see which scenarios notice" }).click();
  await page.getByText("≠ 3 differ").first().waitFor();
  assert.match(readFileSync(rules, "utf8"), /6 \| defender_back \| defender_lost/);
  await page.locator(".scene-row", { hasText: "a six drives the defender back" }).click();
  await page.locator(".scene").getByText("Nobody was asked “Where does it retreat to?”").waitFor();
  await page.getByRole("button", { name: "This is what I want now…" }).click();
  await page.locator("dialog .come", { hasText: "[a six drives the defender back, {1/throw: 6}, defender_lost, {removed: [pikes]}]" }).waitFor();
  await page.getByRole("button", { name: "Cancel" }).click();
});

test("the change stands there with its odds, and the tour is over", async () => {
  await bar().getByRole("button", { name: "Next: see what it does to the odds" }).click();
  await page.locator(".compare-card").getByText("Defender destroyed").first().waitFor({ timeout: 240_000 });
  await page.locator(".compare-sum").getByText("scenarios play differently").waitFor();
  assert.match(await page.getByRole("combobox", { name: "Since" }).locator("option:checked").textContent(), /before the save/);
  await page.locator(".compare-sum").getByText(/1\/\d → 1\/\d/).first().waitFor({ timeout: 240_000 });
  assert.deepEqual(await barriers(page), []);
  await bar().getByRole("button", { name: "End the tour" }).click();
  await bar().waitFor({ state: "hidden" });
  await pane(page, "Start");
  await page.getByRole("button", { name: "Look: See which scenarios notice" }).waitFor();
  assert.deepEqual(desk.complaints, []);
});
