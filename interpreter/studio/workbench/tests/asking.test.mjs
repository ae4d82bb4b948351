/** The panes Start, Compare and Odds, in a browser: a copy is made and played, a change compared, odds asked, drawn and kept. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { barriers, browser, folder, pane, settled, studio } from "./desk.mjs";

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
  await page.getByRole("heading", { name: "Begin near your game" }).waitFor();
  await page.getByRole("img", { name: "The board of Hex combat" }).waitFor();
  assert.deepEqual(await barriers(page), []);
  await page.getByRole("button", { name: "Make it mine: Hex combat" }).press("Enter");
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
  await page.locator(".spot").first().click();
  await page.getByText("Where does it march to?").first().waitFor();
  await page.keyboard.press("l");
  const hexes = (await page.locator(".answers button").allInnerTexts()).map((each) => /^(\d+) +\((\d+), (\d+)\)$/.exec(each).slice(1).map(Number));
  assert.equal(hexes.length, 21);
  assert.deepEqual(hexes.map(([number]) => number), hexes.map((_, at) => at + 1));
  assert.deepEqual(hexes, [...hexes].sort((one, other) => one[2] - other[2] || one[1] - other[1]));
  await page.getByRole("button", { name: "Show advice" }).click();
  await page.getByText("What does the player want the most of?").waitFor();
  assert.deepEqual(await barriers(page), []);
  await page.getByRole("button", { name: "units left (red)", exact: true }).click();
  await page.locator(".play-said").getByText("no advice").waitFor();
  assert.equal(await page.getByLabel("Advice to get the most of").inputValue(), "units_left(red)");
  assert.equal(await page.locator(".alarm").innerText(), "");
});

test("a copy is compared with the starter that it was copied from; without it, nothing is proposed", async () => {
  const { page } = desk;
  await pane(page, "Compare");
  const sides = page.getByRole("combobox", { name: "Since" });
  await sides.waitFor();
  const compares = page.locator(".pane-compare").getByRole("button", { name: "Compare again" });
  assert.equal(await sides.evaluate((each) => each.selectedOptions[0].textContent), "hex-combat, the starter");
  await page.locator(".compare-told > *").first().waitFor();
  assert.doesNotMatch(await page.locator(".pane-compare").innerText(), /starters\//);
  const readme = readFileSync(join(place, "hexes/README.md"), "utf8");
  writeFileSync(join(place, "hexes/README.md"), readme.replace(/^A copy of .*$/m, ""));
  await page.reload();
  assert.equal(await sides.evaluate((each) => each.selectedOptions[0].textContent), "choose what to compare with");
  assert.ok(await compares.isDisabled());
  await sides.selectOption({ label: "plane-skirmish, a starter" });
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
  await page.getByRole("combobox", { name: "Since" }).locator("option:checked", { hasText: "The battle as it began" }).waitFor({ state: "attached" });
  const card = page.locator(".compare-card");
  await card.locator(".compare-pair").waitFor();
  assert.match(await card.textContent(), /The roll on the chart: woods.*[-−]1 → [-−]2/);
  assert.match(await card.locator(".compare-stops").textContent(), /1 of the 6 faces of a die now stops the play\./);
  assert.deepEqual(await card.locator("h4").allTextContents(), ["Before", "After"]);
  assert.match(await card.locator("footer").textContent(), /After your scenario woods help the defender/);
  await card.locator(".odds-bar").nth(1).waitFor();
  assert.match(await card.locator(".odds-bar").nth(1).getAttribute("aria-label"), /cannot be carried on.* 1\/6, No effect 1\/3, Defender retreats 1\/2/);
  const sums = page.locator(".compare-sum dt");
  assert.equal(await sums.first().textContent(), "1 rule");
  const many = Number(/^(\d+) of/.exec(await sums.nth(1).textContent())[1]);
  assert.equal(await page.getByRole("region", { name: "Scenarios that play differently" }).getByRole("listitem").count(), many);
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
  await page.locator(".pane-compare").getByRole("button", { name: "Compare again" }).click();
  await page.locator(".pane-compare").getByRole("button", { name: "Stop" }).first().click();
  await page.getByText(/The (comparison was|odds were) stopped\./).waitFor();
});

test("a question is a sentence to fill in; its answer is a headline, a chart and numbers, at once", async () => {
  const { page } = desk;
  await pane(page, "Odds");
  const odds = page.locator(".pane-odds");
  const blank = (label) => odds.locator(".odds-sentence").getByLabel(label, { exact: true });
  await odds.locator(".odds-card.stacked svg .odds-column").nth(5).waitFor();
  assert.equal(await blank("What becomes of it").inputValue(), "defender_lost");
  assert.deepEqual(await blank("What becomes of it").locator("option").allTextContents(), ["is Attacker retreats", "is No effect", "is Defender retreats", "is Defender destroyed", "is any of them"]);
  assert.equal(await blank("What is varied").inputValue(), "guards.strength");
  assert.equal(await odds.locator(".odds-head h3").textContent(), "Never below strength 3, an even chance from 5");
  assert.deepEqual(await odds.locator("table").first().locator("th[scope=col]").allTextContents(), ["Strength", "Defender destroyed", "Defender retreats", "No effect", "Attacker retreats"]);
  assert.match(await odds.locator("table").first().locator("tr").nth(3).textContent(), /^3\s*1\/6 16\.7 %\s*2\/3/);
  assert.deepEqual(await barriers(page), []);
  await odds.locator(".odds-column").first().focus();
  await page.keyboard.press("ArrowRight");
  await odds.locator(".odds-read strong", { hasText: "Strength 2" }).waitFor();
  await odds.locator("table.heat").waitFor();
  await odds.getByRole("button", { name: "16.7 %" }).press("Enter");
  await odds.locator(".odds-read").getByText("50.0 %").first().waitFor();
  await odds.getByRole("button", { name: "1/6", exact: true }).press("Enter");
  for (const attacker of ["lancers", "guards"]) { // who takes part is varied, and nobody else
    await blank("The attacker").selectOption(attacker);
    assert.equal(await blank("What is varied").inputValue(), `${attacker}.strength`);
  }
  await blank("What it is about").selectOption("rangers");
  await odds.locator(".odds-head h3", { hasText: "Never below strength 3" }).waitFor();
  await odds.locator(".odds-legend", { hasText: "yes" }).waitFor();
  await blank("What is varied").selectOption("");
  await odds.locator(".odds-head h3", { hasText: "1 chance in 6 that the rangers are out of play" }).waitFor();
  await blank("What it is about").selectOption("units_left(blue)");
  await odds.locator(".odds-head h3", { hasText: "On average 1.83" }).waitFor();
  await blank("What becomes of it").selectOption("least");
  await blank("How much").fill("2");
  await blank("How much").press("Tab");
  await odds.locator(".odds-head h3", { hasText: "5 chances in 6 that units left (blue) is at least 2" }).waitFor();
  await odds.getByText("The answer in words").click();
  await odds.locator(".odds-words pre").getByText("on average 1.833").waitFor();
  await blank("The attacker").selectOption("pikes");
  await odds.getByRole("heading", { name: "The play cannot begin like this" }).waitFor();
  await odds.getByText("a unit attacks an enemy beside it").waitFor();
  assert.deepEqual(await barriers(page), []);
  await blank("The attacker").selectOption("guards");
  await blank("What it is about").selectOption("result");
});

test("two things vary as a grid; what the sentence cannot say is typed", async () => {
  const { page } = desk;
  const odds = page.locator(".pane-odds");
  const blank = (label) => odds.locator(".odds-sentence").getByLabel(label, { exact: true });
  await blank("What is varied").selectOption("lancers.strength");
  await odds.getByRole("button", { name: "+ and when…" }).click();
  await odds.locator(".odds-heat").waitFor();
  await odds.getByText("36 starts").waitFor();
  await blank("What is varied").last().selectOption("");
  await odds.locator(".odds-card.stacked").waitFor();
  await odds.getByText("More: best play").click();
  const fields = page.locator(".odds-more");
  for (const [label, such] of [["Find out at once, too", "units_left(red)"], ["Vary, too", "attacker.speed=1..6"], ["Who plays for the best result", "red: units_left(red)"], ["How one player chooses", "red=first"]]) {
    const field = fields.getByLabel(label, { exact: true });
    await fields.locator(`input[aria-label="${label}"][placeholder]`).waitFor({ state: "attached" });
    await field.fill(such);
    await odds.getByRole("button", { name: "Work out the odds", exact: true }).click();
    await settled(page);
    await odds.locator(".odds-head h3").waitFor();
    await field.fill("");
  }
  await blank("What it is about").selectOption("own");
  await blank("In the words of the rules").fill("count(units) > 3");
  await blank("In the words of the rules").press("Enter");
  await odds.locator("svg[aria-label*='“count(units) > 3” holds']").or(odds.getByText("Whatever the strength")).first().waitFor();
  await blank("In the words of the rules").fill("count(unitz)");
  await blank("In the words of the rules").press("Enter");
  await odds.getByRole("alert").getByText("unitz").first().waitFor();
  await blank("What it is about").selectOption("result");
});

test("a question is kept beside the rules, its picture is taken away, and a refused one says what to do", async () => {
  const { page } = desk;
  const odds = page.locator(".pane-odds");
  await odds.locator(".odds-card svg").first().waitFor();
  for (const kind of ["SVG", "PNG"]) {
    const file = page.waitForEvent("download");
    await odds.getByText("Picture", { exact: true }).click();
    await odds.getByRole("button", { name: `Save as ${kind}` }).click();
    const saved = readFileSync(await (await file).path());
    if (kind === "SVG") assert.match(saved.toString(), /^<svg [^]*Defender|^<svg [^]*1\/6/);
    else assert.equal(saved.subarray(1, 4).toString(), "PNG");
  }
  await odds.getByRole("button", { name: "Keep", exact: true }).click();
  await page.getByRole("textbox", { name: "Name of the file" }).fill("hexes/falling.scenario.yaml");
  await page.getByRole("dialog").getByRole("button", { name: "Keep", exact: true }).click();
  await page.getByText("The question is kept in hexes/falling.scenario.yaml.").waitFor();
  assert.match(readFileSync(join(place, "hexes/falling.scenario.yaml"), "utf8"), /lancers\.strength 5/);
  const from = odds.getByLabel("Begins as in");
  await from.selectOption(await from.locator("option", { hasText: "woods help the defender" }).getAttribute("value"));
  await odds.getByLabel("Who chooses").selectOption("");
  await odds.getByRole("alert").getByText("the choice Where does it retreat to? is left open").waitFor();
  const refused = await odds.getByRole("alert").textContent();
  assert.doesNotMatch(refused, /--/);
  await odds.getByRole("button", { name: "Let the first legal answer be given" }).click();
  await odds.locator(".odds-head h3").waitFor();
  await odds.getByText("Leave out the script").click();
  await odds.getByText("The script gives attack/1/throw: 6. So this is not left to chance.").waitFor();
  await odds.getByRole("button", { name: "Leave it to chance" }).click();
  await odds.getByText("So this is not left to chance").waitFor({ state: "detached" });
});

test("nothing complained, and nothing left this machine", () => {
  assert.deepEqual(desk.complaints.filter((each) => !/status of 422/.test(each)), []);
});
