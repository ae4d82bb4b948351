/** The panes Play and Scenarios, in a browser: by mouse and by keyboard, what if, seats, why, recorded, failing, accepted. */
import assert from "node:assert/strict";
import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { barriers, browser, folder, pane, studio } from "./desk.mjs";

const STARTERS = join(dirname(fileURLToPath(import.meta.url)), "../../../rulewright/starters");
const place = folder("mel", "auction");
cpSync(join(STARTERS, "plane-skirmish"), join(place, "plane"), { recursive: true });
const rules = join(place, "mel/mel.rules");
let server;
let desk;

before(async () => {
  server = await studio(place);
  desk = await browser(server.address);
  desk.page.setDefaultTimeout(90_000);
});

after(async () => {
  await desk?.end();
  await server?.end();
});

/** Begins a scenario of a file in the pane Play. */
async function begin(page, ruleset, file, scenario) {
  await page.locator("#ruleset").selectOption(ruleset);
  await pane(page, "Play");
  const start = page.locator(".play-start");
  if (await start.isHidden()) await page.getByRole("button", { name: "Begin elsewhere…" }).click();
  await start.locator(`option[value="${file}"]`).waitFor({ state: "attached" });
  await start.locator("select", { has: page.locator(`option[value="${file}"]`) }).selectOption(file);
  if (scenario) await start.locator("select").nth(2).selectOption(scenario);
  await start.locator("button[type=submit]").first().click();
  await start.waitFor({ state: "hidden" });
  await page.locator(".asked").first().waitFor();
}

const asked = (page, line = 0) => page.locator(".line-of-play").nth(line).locator(".asked").innerText();

async function until(page, words, line = 0) {
  await page.waitForFunction(([said, at]) => document.querySelectorAll(".line-of-play")[at]?.querySelector(".asked")?.textContent.includes(said), [words, line]);
}

test("a play by keys and by pointing at a hex, and what if", async () => {
  const { page } = desk;
  await begin(page, "mel/mel.rules", "mel/mel.scenario.yaml", "the pushed unit's player picks the hex");
  for (const [question, key] of [["red: Use Tactical", "2"], ["blue: Use Tactical", "2"]]) {
    await until(page, question);
    await page.keyboard.press(key);
  }
  await until(page, "Attack Test");
  await page.locator(".play-question").getByLabel("by attacker").fill("0");
  await page.locator(".play-question").getByLabel("by defender").fill("0");
  await page.keyboard.press("Enter");
  await until(page, "Push the losing unit?");
  await page.keyboard.press("1");
  await until(page, "Stand your ground");
  await page.keyboard.press("2");
  await until(page, "Where does the unit go?");
  assert.equal(await page.locator(".drawing polygon.spot:not(.refused)").count(), await page.locator(".answers button").count());
  const numbers = (await page.locator(".answers button, .refused li s").allTextContents()).map((each) => Number(/^\d+/.exec(each)));
  assert.deepEqual(numbers.sort((one, other) => one - other), numbers.map((_, at) => at + 1));
  assert.deepEqual(await barriers(page), []);
  assert.deepEqual(await page.locator(".drawing .spot[tabindex='0']").count(), 1);
  await page.locator(".drawing polygon.spot:not(.refused)").first().click();
  await until(page, "The play is over");

  await page.keyboard.press("w");
  await page.locator("#what-if").selectOption({ index: 1 });
  await page.getByRole("button", { name: "Begin", exact: true }).click();
  await until(page, "Where does the unit go?", 1);
  await page.locator(".line-of-play").nth(1).locator(".spot:not(.refused)").nth(1).click();
  await until(page, "The play is over", 1);
  const ends = await page.locator(".line-of-play .asking .ending").allInnerTexts();
  assert.match(ends[0], /hammer\s*\(0, 0\) → \(0, -1\)/);
  assert.match(ends[1], /hammer\s*\(0, 0\) → \(-1, 0\)/);
  const next = page.getByRole("group", { name: "What to do next" });
  assert.deepEqual(await next.getByRole("button").allTextContents(), ["Play again", "Again with the same dice", "Keep this play", "See the odds of this", "Share…"]);

  await page.reload();
  await until(page, "The play is over", 1);
  await page.locator(".line-of-play").nth(1).getByRole("button", { name: "Close" }).click();
  await page.waitForFunction(() => document.querySelectorAll(".line-of-play").length === 1);
});

test("why, and the line of the rules", async () => {
  const { page } = desk;
  const line = page.locator(".play-story button.told", { hasText: "hammer loses 1 Morale Token" });
  await line.click();
  await page.getByRole("button", { name: "Why?" }).click();
  assert.match(await page.locator(".why").innerText(), /Winner: anvil/);
  await page.locator(".told-more:visible .place").click();
  await page.getByRole("textbox", { name: "Text of mel/mel.rules" }).waitFor();
});

test("a play is a scenario, which fails as a story when the rules are changed", async () => {
  const { page } = desk;
  await pane(page, "Play");
  await page.getByRole("button", { name: "Keep as a scenario" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await page.getByText("The play is now a scenario in mel/recorded-1.scenario.yaml.").waitFor();
  assert.ok(existsSync(join(place, "mel/recorded-1.scenario.yaml")));

  await pane(page, "Scenarios");
  await page.getByRole("searchbox").fill("recorded");
  const recorded = page.locator(".scene-row", { hasText: "recorded" });
  await recorded.locator(".outcome.passed").waitFor();
  await recorded.click();
  const before_ = readFileSync(rules, "utf8");
  writeFileSync(rules, before_.replace("lost: take 1 from loser.morale", "lost: take 1 from winner.morale"));
  await recorded.locator(".outcome.failed").waitFor();
  assert.match(await page.locator(".scene-told .differs").innerText(), /anvil loses 1 Morale Token/);
  await page.getByRole("button", { name: /^It differs at mel\/mel\.rules:\d+/ }).waitFor();
  assert.deepEqual(await barriers(page), []);
  await page.getByRole("button", { name: "This is what I want now…" }).click();
  assert.match(await page.locator(".difference").innerText(), /\+ .*morale/);
  await page.getByRole("button", { name: "Write them" }).click();
  await recorded.locator(".outcome.passed").waitFor();

  await pane(page, "Play");
  await page.getByRole("button", { name: "Play it again with the rules as they are now" }).click();
  await page.locator(".play-story", { hasText: "anvil loses 1 Morale Token" }).waitFor();
});

test("a seat is sent nothing that it may not see", async () => {
  const { page } = desk;
  await begin(page, "auction/auction.rules", "auction/auction.scenario.yaml");
  await page.locator("#seat").selectOption("blue");
  await page.waitForURL(/\/blue$/);
  const red = await desk.tab(page.url().replace(/\/blue$/, "/red"));
  const sent = [];
  red.on("response", async (answer) => { if (answer.url().includes("/api/play/")) sent.push(await answer.text().catch(() => "")); });
  await red.locator(".asked").first().waitFor();
  for (const each of [red, page]) {
    await each.getByRole("button", { name: /^7/ }).or(each.getByText("at another seat")).first().waitFor();
  }
  await red.getByRole("button", { name: /^4/ }).first().click();
  sent.length = 0;
  await page.getByRole("button", { name: /^7/ }).first().click();
  await red.waitForFunction(() => /over|green/i.test(document.querySelector(".asked")?.textContent ?? ""));
  assert.ok(sent.length > 0);
  for (const each of sent.filter((text) => !text.includes("revealed"))) assert.doesNotMatch(each, /"7"/);
  await red.close();
});

test("a place on the plane is pointed at", async () => {
  const { page } = desk;
  await begin(page, "plane/plane_skirmish.rules", "plane/plays.scenario.yaml", "how far a fighter goes");
  const base = page.getByRole("button", { name: /^scout at .*Enter sets it down/ });
  await base.waitFor();
  const stood = await base.getAttribute("aria-label");
  const drawing = page.locator(".pane-play .drawing svg").first();
  let box = await drawing.boundingBox();
  for (; box === null; box = await drawing.boundingBox()) await page.waitForTimeout(50); // it is being drawn anew
  const { x, y, width, height } = box;
  await page.mouse.move(x + width * 0.3, y + height * 0.3);
  await page.mouse.wheel(0, 100);
  const moved = await base.getAttribute("aria-label");
  assert.notEqual(moved, stood);
  assert.match(moved, /turned to 95 degrees/);
  await base.focus();
  await page.keyboard.press("ArrowRight");
  assert.notEqual(await base.getAttribute("aria-label"), moved);
  await page.keyboard.press("[");
  assert.match(await base.getAttribute("aria-label"), /turned to 90 degrees/);
  assert.match(await page.getByLabel("turned, °").inputValue(), /^90$/);
  assert.equal(await page.getByRole("button", { name: "Answer none" }).count(), 0);
  assert.deepEqual(await barriers(page), []);
  await page.keyboard.press("Enter");
  await page.locator(".play-story", { hasText: "scout" }).waitFor();
  assert.deepEqual(await barriers(page), []);
});

test("an answer given while the page looks what others did is not lost", async () => {
  const { page } = desk;
  await begin(page, "mel/mel.rules", "mel/mel.scenario.yaml", "the pushed unit's player picks the hex");
  await until(page, "red: Use Tactical");
  const go = {};
  go.on = new Promise((done) => { go.now = done; });
  const isLook = (request) => request.url().endsWith("/api/play/ask") && request.postDataJSON().do === "see";
  await page.route("**/api/play/wait", (route) => route.fulfill({ json: { version: 999_999, gone: false } }), { times: 1 });
  await page.route("**/api/play/ask", async (route) => {
    if (isLook(route.request())) await go.on;
    await route.continue();
  });
  const looks = page.waitForRequest(isLook);
  await page.keyboard.press("2");
  await until(page, "blue: Use Tactical");
  await looks;
  await page.keyboard.press("2");
  await page.waitForTimeout(300);
  assert.match(await asked(page), /blue:\s+Use Tactical/);
  go.now();
  await until(page, "Attack Test");
  await page.unroute("**/api/play/ask");
});

test("no page complained, and nothing was asked of another machine", () => {
  assert.deepEqual(desk.complaints.filter((each) => !each.includes("Request timed out") && !each.includes("[lsp]")), []);
});
