/** Plays and rulesets in a browser: a play stands under its own ruleset, those that are over are listed apart, `play from here` begins. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { browser, folder, pane, studio } from "./desk.mjs";

const place = folder("mel", "auction");
const LONE = `ruleset lone "Lone" revision "1"

kind Knight, knights:
  owner: player
  health: 0..9
  speed: 0..9

procedure rest(who: Knight) "A rest":
  step 1 "Rest":
    ask who.owner whether sure "Sure?"
    if sure:
      add up to 1 to who.health
`;
mkdirSync(join(place, "lone"));
writeFileSync(join(place, "lone/lone.rules"), LONE);
let server;
let desk;
let page;

before(async () => {
  server = await studio(place);
  desk = await browser(server.address);
  ({ page } = desk);
  page.setDefaultTimeout(40_000);
});

after(async () => {
  await desk?.end();
  await server?.end();
});

const ruleset = () => page.locator("#ruleset");
const shown = () => page.locator(".line-of-play");
const waiting = (says) => page.locator(".play-start details", { has: page.locator("summary", { hasText: says }) });
const edited = page_ => page_.getByText("The rules were edited since this play began.");
const heard = async () => { await page.waitForResponse((each) => each.url().endsWith("/api/files")); await page.waitForTimeout(300); };

/** Begins the first scenario of the ruleset that is chosen. */
async function begin() {
  const start = page.locator(".play-start");
  if (await start.isHidden()) await page.getByRole("button", { name: "Begin elsewhere…" }).click();
  await start.locator("button[type=submit]:enabled").first().click();
  await page.locator(".asked").first().waitFor();
}

test("another ruleset is chosen: the play is put aside, and comes back under its own ruleset", async () => {
  await ruleset().selectOption("mel/mel.rules");
  await pane(page, "Play");
  await page.locator('.play-start option[value="mel/mel.scenario.yaml"]').waitFor({ state: "attached" });
  await begin();
  await ruleset().selectOption("auction/auction.rules");
  assert.equal(await shown().count(), 0);
  assert.ok(!(await page.locator(".crumb").innerText()).includes("mel"));
  await waiting("Plays that are not over: 1").getByRole("button", { name: /^Go on with mel\/mel\.scenario\.yaml/ }).click();
  await page.locator(".asked").first().waitFor();
  assert.equal(await ruleset().inputValue(), "mel/mel.rules");
});

test("only edits of its own rules are told beside a play", async () => {
  const other = join(place, "auction/auction.rules");
  await Promise.all([heard(), writeFileSync(other, `${readFileSync(other, "utf8")}# more\n`)]);
  assert.equal(await edited(page).count(), 0);
  const own = join(place, "mel/mel_things.rules");
  writeFileSync(own, `${readFileSync(own, "utf8")}# more\n`);
  await edited(page).waitFor();
});

test("a copy is made and played: the play before it is not shown meanwhile", async () => {
  const go = {};
  go.on = new Promise((done) => { go.now = done; });
  await page.route("**/api/play/begin", async (route) => { await go.on; await route.continue(); });
  await pane(page, "Start");
  await page.getByRole("button", { name: "Make it mine: Hex combat" }).click();
  await page.getByLabel("Name of the copy").fill("hexes");
  const asked = page.waitForRequest("**/api/play/begin");
  await page.keyboard.press("Enter");
  await asked;
  await page.waitForTimeout(500);
  assert.equal(await ruleset().inputValue(), "hexes/hexes.rules");
  assert.equal(await shown().count(), 0);
  assert.equal(await edited(page).count(), 0);
  go.now();
  await page.getByText("Which unit is used?").first().waitFor();
  await page.unroute("**/api/play/begin");
  assert.equal(await edited(page).count(), 0);
});

test("a play that is over is listed apart from those that are not ended", async () => {
  await pane(page, "Play");
  await ruleset().selectOption("auction/auction.rules");
  await page.locator('.play-start option[value="auction/auction.scenario.yaml"]').waitFor({ state: "attached" });
  const start = page.locator(".play-start");
  await start.locator("select", { has: page.locator('option[value="auction/auction.scenario.yaml"]') }).selectOption("auction/auction.scenario.yaml");
  await start.locator("select", { has: page.locator("option", { hasText: "a bid of 1 is enough" }) }).selectOption("the most of money and of lots is 99, and a bid of 1 is enough");
  await start.getByText("Dice, readings, overlays").click();
  await start.getByRole("checkbox", { name: /script/ }).check();
  const [reply] = await Promise.all([page.waitForResponse("**/api/play/begin"), start.locator("button[type=submit]").first().click()]);
  assert.equal((await reply.json()).moment.asks, null);
  await shown().getByText("The play is over").waitFor();
  await ruleset().selectOption("mel/mel.rules");
  await waiting("Plays that are over: 1").getByRole("button", { name: /^Look at auction\/auction\.scenario\.yaml/ }).waitFor();
  assert.equal(await waiting("Plays that are not over").getByText("auction").count(), 0);
  await waiting("Plays that are over: 1").getByRole("button", { name: /^Remove auction/ }).click();
  await waiting("Plays that are over").waitFor({ state: "detached" });
});

/** Presses what stands above the first procedure of a text. */
async function fromHere(rules) {
  await ruleset().selectOption(rules);
  await pane(page, "Rules");
  await page.getByRole("textbox", { name: `Text of ${rules}` }).waitFor();
  await page.locator(".cm-lenses").getByRole("button", { name: "play from here" }).first().click();
}

test("play from here begins with a scenario of the procedure, else with a state, else says what is missing", async () => {
  await fromHere("auction/auction.rules");
  await page.locator(".crumb").getByText("The auction of a lot").waitFor();
  await page.locator(".asked").first().waitFor();
  assert.equal(await ruleset().inputValue(), "auction/auction.rules");
  await fromHere("lone/lone.rules");
  await page.locator(".play-start .bad").getByText("No scenario begins with rest, and this folder has no state to begin with.").waitFor();
  assert.equal(await shown().count(), 0);
  writeFileSync(join(place, "lone/field.state.yaml"), "players: [red]\nknights:\n  bors: {owner: red, health: 3, speed: 2}\n");
  await page.locator('.play-start option[value="lone/field.state.yaml"]').waitFor({ state: "attached" });
  await fromHere("lone/lone.rules");
  await page.locator('.play-start select[name="who"]').waitFor();
  await page.locator(".play-start button[type=submit]").first().click();
  await page.locator(".asked").getByText("Sure?").waitFor();
});

test("rules that were mended can be played again", async () => {
  const rules = join(place, "lone/lone.rules");
  writeFileSync(rules, LONE.replace("procedure", "procedur"));
  await pane(page, "Rules");
  await heard();
  await pane(page, "Play");
  await page.locator(".play-start .bad").getByText("procedur").first().waitFor();
  writeFileSync(rules, LONE);
  await page.locator(".play-start .bad:empty").waitFor({ state: "attached" });
  await page.locator('.play-start select[name="who"]').waitFor({ state: "attached" });
});

test("advice is proposed for what the play can change", async () => {
  const most = page.getByLabel("Advice to get the most of");
  assert.equal(await most.getAttribute("placeholder"), "such as the bors’ health");
  assert.deepEqual(await page.locator("#worths-0 option").evaluateAll((each) => each.map((one) => one.value)), ["bors.health"]);
});

test("the ruleset that was chosen is there after a reload", async () => {
  await ruleset().selectOption("auction/auction.rules");
  await page.reload();
  await page.locator('#ruleset option[value="auction/auction.rules"]').waitFor({ state: "attached" });
  assert.equal(await ruleset().inputValue(), "auction/auction.rules");
  await ruleset().selectOption("lone/lone.rules");
});

test("no page complained", () => {
  assert.deepEqual(desk.complaints.filter((each) => !each.includes("Request timed out") && !each.includes("[lsp]")), []);
});
