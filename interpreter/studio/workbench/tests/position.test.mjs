/** A position put up by clicking: things, attributes with bounds, ground, by mouse and by keys; played, kept as a scenario and as a state. */
import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { barriers, browser, folder, pane, settled, studio } from "./desk.mjs";

const place = folder("hex-combat", "plane-skirmish");
let server;
let desk;

before(async () => {
  server = await studio(place);
  desk = await browser(server.address);
});

after(async () => {
  await desk?.end();
  await server?.end();
});

const spot = (page, name) => page.locator(`.position .spot[aria-label="${name}"]`);
const card = (page, name) => page.getByRole("region", { name });

async function putUp(page, ruleset) {
  await page.getByRole("combobox", { name: "Ruleset" }).selectOption({ label: ruleset });
  await pane(page, "Play");
  await page.getByRole("button", { name: "Put up a position…" }).click();
  await page.locator(".position .board svg").first().waitFor();
}

test("things are placed, changed and moved, ground is laid, and each step is taken back", async () => {
  const { page } = desk;
  await putUp(page, "Hex combat");
  await page.getByRole("button", { name: "New Unit" }).click();
  await spot(page, "4,4").click();
  const form = card(page, "What unit_1 is");
  await form.waitFor();
  assert.deepEqual(await barriers(page), []);
  await page.getByRole("button", { name: "New Unit" }).click();
  await form.getByLabel("name").fill("archers");
  await form.getByLabel("name").press("Enter");
  const archers = card(page, "What archers is");
  await archers.getByLabel("owner").selectOption("red");
  await archers.getByLabel("strength").fill("12");
  await archers.getByLabel("strength").press("Enter");
  await page.getByText("This position cannot be played yet").waitFor();
  assert.equal(await page.getByRole("button", { name: "Keep and play" }).isDisabled(), true);
  assert.doesNotMatch(await page.locator(".position").textContent(), /rulewright-|position\.json/);
  await page.getByRole("button", { name: "Take back" }).click();
  await page.getByText("This position cannot be played yet").waitFor({ state: "detached" });
  await archers.getByLabel("strength").fill("5");
  await archers.getByLabel("strength").press("Enter");
  await spot(page, "4,3").click();
  await spot(page, "4,3, archers").waitFor();
  await card(page, "The ground").getByRole("button", { name: "woods" }).click();
  await spot(page, "0,0").click();
  await spot(page, "0,0, woods").click();
  await spot(page, "0,0").waitFor();
  await spot(page, "1,0").click();
  await spot(page, "1,0, woods").waitFor();
  await settled(page);
});

test("it is played and kept as a scenario, and what is there already is left alone", async () => {
  const { page } = desk;
  await card(page, "Keep it").getByLabel("Name").fill("plays");
  await page.getByRole("button", { name: "Keep as a scenario" }).click();
  await page.getByRole("alert").getByText("is there already").waitFor();
  await card(page, "Keep it").getByLabel("Name").fill("Archers in the open");
  await page.getByRole("button", { name: "Keep as a state" }).click();
  await page.getByText("The state is kept in hex-combat/archers-in-the-open.state.yaml.").waitFor();
  await card(page, "Keep it").getByLabel("Name").fill("Archers in the open");
  await card(page, "Keep it").getByLabel("Played is").selectOption({ label: "An attack" });
  assert.deepEqual(await card(page, "Keep it").locator("select[name]").evaluateAll((every) => every.map((each) => each.value)), ["lancers", "rangers"]);
  await page.getByRole("button", { name: "Keep as a scenario" }).click();
  await page.getByText("An attack cannot begin like this: a unit attacks an enemy beside it (not adjacent).").waitFor();
  assert.ok(!existsSync(join(place, "hex-combat/archers-in-the-open.scenario.yaml")));
  await card(page, "Keep it").getByLabel("Played is").selectOption({ label: "A battle" });
  await card(page, "Keep it").getByLabel("turns").fill("3");
  await page.getByRole("button", { name: "Keep and play" }).click();
  await page.getByRole("heading", { name: "Which unit is used?" }).waitFor();
  assert.ok(await page.locator('.board [data-thing="archers"]').count());
  await page.locator(".line-of-play .spot").first().click();
  await page.getByText("The number is what it costs.").waitFor();
  await page.locator('.line-of-play .spot[aria-label$=", costs 1"]').first().waitFor();
  await page.keyboard.press("3");
  await page.getByRole("heading", { name: "Where does it march to?" }).waitFor();
  const scenario = readFileSync(join(place, "hex-combat/archers-in-the-open.scenario.yaml"), "utf8");
  assert.match(scenario, /^ruleset: "hex_combat.rules"\nprocedure: battle\nwith: \{"turns": 3\}\nstate:\n/);
  assert.match(scenario, /archers: \{owner: red, at: \[4, 3\], strength: 5, speed: \d\}/);
  assert.match(scenario, /\nscenarios:\n {2}"Archers in the open": \{\}\n$/);
  assert.match(readFileSync(join(place, "hex-combat/archers-in-the-open.state.yaml"), "utf8"), /^players: \[red, blue\]\nunits:\n/);
});

test("by keys alone, on an empty map of a ruleset without a scenario", async () => {
  const { page } = desk;
  for (const each of ["plays.scenario.yaml", "archers-in-the-open.scenario.yaml"]) rmSync(join(place, "hex-combat", each));
  await page.getByRole("combobox", { name: "Ruleset" }).selectOption({ label: "Plane skirmish" });
  await putUp(page, "Hex combat");
  await spot(page, "7,5").waitFor();
  await page.getByRole("button", { name: "New Unit" }).focus();
  await page.keyboard.press("Enter");
  await spot(page, "0,0").focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await spot(page, "1,0, unit_1").waitFor();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await spot(page, "2,0, unit_2").waitFor();
  await page.getByRole("button", { name: "Keep as a scenario" }).focus();
  await page.keyboard.press("Enter");
  await page.getByText(/The position is a scenario in hex-combat\/position-1\.scenario\.yaml/).waitFor();
  assert.ok(existsSync(join(place, "hex-combat/position-1.scenario.yaml")));
});

test("on the plane a base is put where it is pressed", async () => {
  const { page } = desk;
  await putUp(page, "Plane skirmish");
  await card(page, "Things").getByRole("button", { name: "scout" }).click();
  await page.locator(".position .board svg").first().click({ position: { x: 300, y: 200 } });
  await page.waitForFunction(() => [...document.querySelectorAll(".position-form input")].some((each) => /^\d+(\.\d)?,\d+(\.\d)?$/.test(each.value) && each.value !== "3,4"));
  assert.deepEqual(await barriers(page), []);
  await page.getByRole("button", { name: "Leave" }).click();
  await page.getByRole("heading", { name: "Begin a play" }).waitFor();
  assert.deepEqual(desk.complaints, []);
});
