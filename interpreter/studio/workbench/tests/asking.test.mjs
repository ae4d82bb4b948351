/** The panes Start, Compare and Odds, in a browser: a copy is made and played, a change compared, odds asked, drawn and kept. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { barriers, browser, folder, pane, studio } from "./desk.mjs";

const place = folder();
const git = (...words) => execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false", ...words], { cwd: place });
let server;
let desk;

before(async () => {
  git("init", "-q");
  server = await studio(place);
  desk = await browser(server.address);
  desk.page.setDefaultTimeout(120_000);
});

after(async () => {
  await desk?.end();
  await server?.end();
});

test("an empty folder opens on the gallery, and a starter is copied and played at once", async () => {
  const { page } = desk;
  await page.getByRole("heading", { name: "Starters" }).waitFor();
  await page.getByRole("img", { name: "The board of Hex combat" }).waitFor();
  assert.deepEqual(await barriers(page), []);
  await page.getByRole("button", { name: "Make a copy of Hex combat" }).press("Enter");
  assert.equal(await page.getByLabel("Name of the copy").inputValue(), "my-hex-combat");
  await page.getByLabel("Name of the copy").fill("7 Höhen's Skirmish!");
  await page.getByText("Its folder will be my-game-7-hohens-skirmish.").waitFor();
  await page.getByLabel("Name of the copy").fill(" Hexes ");
  await page.getByText("Its folder will be hexes.").waitFor();
  await page.keyboard.press("Enter");
  await page.getByText("Which unit is used?").first().waitFor();
  assert.ok(existsSync(join(place, "hexes/hexes.rules")));
  assert.equal(await page.locator("#ruleset").inputValue(), "hexes/hexes.rules");
});

test("hexes are listed row by row; who asks for advice of nothing is offered what the ruleset counts", async () => {
  const { page } = desk;
  await page.locator(".answers button").first().click();
  await page.getByText("Where does it march to?").first().waitFor();
  const hexes = (await page.locator(".answers button").allInnerTexts()).map((each) => /^(\d+) +\((\d+), (\d+)\)$/.exec(each).slice(1).map(Number));
  assert.equal(hexes.length, 21);
  assert.deepEqual(hexes.map(([number]) => number), hexes.map((_, at) => at + 1));
  assert.deepEqual(hexes, [...hexes].sort((one, other) => one[2] - other[2] || one[1] - other[1]));
  await page.getByRole("button", { name: "Show advice" }).click();
  await page.getByText("What does the player want the most of?").waitFor();
  assert.deepEqual(await barriers(page), []);
  await page.getByRole("button", { name: "units_left(red)", exact: true }).click();
  await page.locator(".play-said").getByText("no advice").waitFor();
  assert.equal(await page.getByLabel("Advice to get the most of").inputValue(), "units_left(red)");
  assert.equal(await page.locator(".alarm").innerText(), "");
});

test("a copy is compared with the starter that it was copied from; without it, nothing is proposed", async () => {
  const { page } = desk;
  await pane(page, "Compare");
  const sides = page.getByRole("combobox", { name: "with" });
  await sides.waitFor();
  const compares = page.locator(".pane-compare button.primary");
  assert.equal(await sides.evaluate((each) => each.selectedOptions[0].textContent), "hex-combat");
  await compares.click();
  await page.locator(".screen").waitFor();
  assert.match(await page.locator(".screen").textContent(), /hex-combat/);
  assert.doesNotMatch(await page.locator(".pane-compare").innerText(), /starters\//);
  const readme = readFileSync(join(place, "hexes/README.md"), "utf8");
  writeFileSync(join(place, "hexes/README.md"), readme.replace(/^A copy of .*$/m, ""));
  await page.reload();
  assert.equal(await sides.evaluate((each) => each.selectedOptions[0].textContent), "choose what to compare with");
  assert.ok(await compares.isDisabled());
  await sides.selectOption({ label: "plane-skirmish" });
  assert.ok(await compares.isEnabled());
  await page.reload();
  await pane(page, "Play");
});

test("a changed rule is compared with the commit before it, by keys alone", async () => {
  const { page } = desk;
  git("add", "-A");
  git("commit", "-qm", "The battle as it began");
  const rules = join(place, "hexes/hexes.rules");
  writeFileSync(rules, readFileSync(rules, "utf8").replace("woods: -1 when", "woods: -2 when"));
  await page.keyboard.press("Alt+5");
  await page.getByRole("combobox", { name: "with" }).locator("option:checked", { hasText: "The battle as it began" }).waitFor({ state: "attached" });
  await page.keyboard.press("Control+Enter");
  await page.locator(".screen").waitFor();
  assert.match(await page.locator(".screen").textContent(), /PLAY CHANGED {2}1 rule differs/);
  assert.match(await page.locator(".screen").textContent(), /The roll on the chart: woods: -1 → -2/);
  const listed = page.locator(".pane-compare details.scenarios");
  const many = Number(/SCENARIOS {2}(\d+) of/.exec(await page.locator(".screen").textContent())[1]);
  assert.deepEqual(await listed.locator("summary").allTextContents(), ["Scenarios that end differently:"]);
  assert.equal(await listed.locator("li").count(), many);
  assert.equal(await listed.locator("li").first().isVisible(), false);
  assert.deepEqual(await barriers(page), []);
  await page.getByRole("button", { name: "Stories and texts" }).press("Enter");
  await page.locator(".printed").getByText("the play").first().waitFor();
  await page.locator(".printed").getByRole("link", { name: /^new \d+$/ }).first().click();
  assert.deepEqual(await barriers(page), []);
  await page.locator(".pane-compare").getByRole("button", { name: "Odds", exact: true }).press("Enter");
  assert.equal(await page.locator(".shifts").getByLabel("What to find out").getAttribute("placeholder"), "everything the ruleset declares");
  await page.getByRole("button", { name: "Compare the odds" }).press("Enter");
  await page.locator(".shifts strong").waitFor();
  assert.match(await page.locator(".shifts strong").textContent(),
    /^Odds: change for \d+ of \d+ starting positions?(; unknown for \d+)?\. Where the scenario does not choose, the first legal answer is given\.$/);
  await page.setViewportSize({ width: 390, height: 844 });
  assert.deepEqual(await barriers(page), []);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.getByRole("button", { name: "Change log" }).press("Enter");
  assert.match(await page.getByRole("textbox", { name: /Draft change log/ }).inputValue(), /^# Hexes: from commit [0-9a-f]{12} to what is saved\n/);
  await page.getByRole("button", { name: "Copy" }).click();
  assert.match(await page.evaluate(() => navigator.clipboard.readText()), /^# Hexes/);
});

test("a comparison can be stopped", async () => {
  const { page } = desk;
  await page.locator(".pane-compare button.primary").click();
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByText("The comparison was stopped.").waitFor();
  assert.ok(await page.locator(".pane-compare button.primary").isEnabled());
});

test("a kept question is asked again, drawn with its table, and varied as a heat map", async () => {
  const { page } = desk;
  await pane(page, "Odds");
  await page.getByRole("combobox", { name: "Begin with" }).waitFor();
  assert.equal(await page.getByRole("textbox", { name: "What to find out at the end", exact: true }).or(page.getByRole("combobox", { name: "What to find out at the end", exact: true })).inputValue(), "result = defender_lost");
  await page.getByRole("button", { name: "Work out the odds", exact: true }).click();
  await page.locator(".odds-drawn section").nth(1).waitFor();
  assert.match(await page.locator(".odds-drawn table").first().textContent(), /yes\s*16\.667 %\s*1\/6/);
  assert.ok(await page.locator(".odds-drawn svg rect").first().isVisible());
  assert.deepEqual(await barriers(page), []);
  const fields = page.locator(".odds-question");
  for (const [label, such] of [["What to find out at the end, 3", "units_left(red)"], ["What to vary", "attacker.strength=1..6"], ["Who plays for the best result", "red: units_left(red)"], ["How one player chooses", "red=first"]]) {
    const field = fields.getByLabel(label, { exact: true });
    await fields.locator(`input[placeholder="${such}"][aria-label="${label}"]`).waitFor({ state: "attached" });
    const before = await field.inputValue();
    if (!(await field.isVisible())) await page.getByText("More: best play").click();
    await field.fill(such);
    await page.getByRole("button", { name: "Work out the odds", exact: true }).click();
    await page.getByText("The answer is below.").waitFor();
    await field.fill(before);
  }
  const varies = page.getByLabel("What to vary", { exact: true });
  await varies.last().fill("lancers.strength=3..5");
  await page.getByLabel("What to vary, 2", { exact: true }).fill("rangers.strength=1..3");
  await page.getByRole("combobox", { name: "Show" }).selectOption("grid");
  await page.keyboard.press("Control+Enter");
  await page.getByText("9 starts").first().waitFor({ state: "attached" });
  await page.locator(".odds-drawn svg.odds-chart").first().waitFor();
});

test("a question is kept beside the rules, and a refused one says what to do", async () => {
  const { page } = desk;
  await page.getByRole("combobox", { name: "Show" }).selectOption("values");
  await page.getByRole("textbox", { name: "Name of the file" }).fill("hexes/falling.scenario.yaml");
  await page.getByRole("button", { name: "Keep the question" }).click();
  await page.getByText("The question is kept in hexes/falling.scenario.yaml.").waitFor();
  assert.match(readFileSync(join(place, "hexes/falling.scenario.yaml"), "utf8"), /lancers\.strength 5, rangers\.strength 3/);
  const from = page.getByRole("combobox", { name: "Begin with" });
  await from.selectOption(await from.locator("option", { hasText: "woods help the defender" }).getAttribute("value"));
  await page.getByRole("combobox", { name: "Who chooses", exact: true }).selectOption("");
  await page.getByRole("checkbox", { name: /script/ }).check();
  await page.getByRole("button", { name: "Work out the odds", exact: true }).click();
  await page.locator(".odds-answer [role=alert]").getByText("the choice `Where does it retreat to?` is left open").waitFor();
  const refused = await page.locator(".odds-answer [role=alert]").textContent();
  assert.match(refused, /add “Who chooses: the first legal answer”, “Who chooses: each legal answer equally likely” or “Who plays for the best result”: `PLAYER:EXPRESSION`/);
  assert.doesNotMatch(refused, /--/);
});

test("nothing complained, and nothing left this machine", () => {
  assert.deepEqual(desk.complaints.filter((each) => !/status of 422/.test(each)), []);
});
