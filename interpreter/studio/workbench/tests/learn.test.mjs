/** The pages to learn from, followed in the workbench: the texts are those of the pages, and each word in bold there is met on the screen. */
import assert from "node:assert/strict";
import { cpSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { browser, folder, pane, studio } from "./desk.mjs";

const LEARN = join(dirname(fileURLToPath(import.meta.url)), "../../../../grammar/learn");
const place = folder();
let server;
let desk;
let page;
/** The words of the screen that a page names. */
let met = new Set();

before(async () => {
  server = await studio(place);
  desk = await browser(server.address);
  ({ page } = desk);
});

after(async () => {
  await desk?.end();
  await server?.end();
});

const words = (name) => readFileSync(join(LEARN, name), "utf8");
const read = (path) => readFileSync(join(place, path), "utf8");

/** The blocks of a page for a file, in order. */
function blocks(name, sort, path) {
  return [...words(name).matchAll(new RegExp(`^\`\`\`${sort} ${path}\\n([\\s\\S]*?)^\`\`\`$`, "gm"))].map((each) => each[1]);
}

/** A text with the lines of a diff. */
function changed(text, diff) {
  const side = (sign) => diff.split("\n").filter((each) => each && (each[0] === sign || each[0] === " ")).map((each) => `${each.slice(1)}\n`).join("");
  assert.equal(text.split(side("-")).length, 2);
  return text.replace(side("-"), side("+"));
}

/** Says that a page names such words, and answers them. */
function named(...said) {
  for (const each of said) met.add(each);
  return said[0];
}

/** Ends a page: its words in bold are those that were met. */
function followed(name) {
  const said = new Set([...words(name).matchAll(/\*\*([^*]+)\*\*/g)].map((each) => each[1]).filter((each) => each !== "bold"));
  assert.deepEqual([...said].sort(), [...met].sort());
  met = new Set();
}

const editor = (path) => page.getByRole("textbox", { name: `Text of ${path}` });
const press = (name, inside = page) => inside.getByRole("button", { name: named(name), exact: true }).click();
const to = (title) => pane(page, named(title));
const start = () => page.locator(".play-start");
const problems = () => page.getByRole("region", { name: "Problems" });
const story = () => page.getByRole("group", { name: "What is asked" });

/** Puts a text in the place of the one that is shown, as somebody who pastes it. */
async function written(path, text) {
  await editor(path).click();
  await page.keyboard.press("Control+a");
  await page.evaluate((each) => navigator.clipboard.writeText(each), text);
  await page.keyboard.press("Control+v");
}

async function saved(path, text) {
  await press("Save");
  await page.locator("button:disabled", { hasText: /^Save$/ }).waitFor();
  assert.equal(read(path), text);
}

async function made(path, text) {
  await press("New file…");
  await page.getByRole("dialog").getByRole("textbox").fill(path);
  await press("Make the file");
  await editor(path).waitFor();
  await written(path, text);
  await saved(path, text);
}

/** Begins a play with a seed. */
async function begun(seed) {
  await to("Play");
  if (await start().isHidden()) await page.getByRole("button", { name: "Begin elsewhere…" }).click();
  if (!(await page.getByLabel("Seed").isVisible())) await page.getByText("Dice, readings, overlays").click();
  await page.getByLabel(named("Seed")).fill(seed);
  await press("Play", start());
  await page.locator(".asked").first().waitFor();
  await rolled();
  await story().getByText("Roll again?").waitFor();
}

/** Rolls as long as dice are to be rolled. */
async function rolled() {
  const roll = page.locator(".tray .roll").getByRole("button", { name: named("Roll") });
  for (let at = 0; at < 20 && (await roll.isVisible()); at += 1) {
    const lines = await page.locator(".play-story").innerText();
    await roll.click();
    await page.waitForFunction((old) => document.querySelector(".play-story")?.innerText !== old, lines);
  }
}

async function answered(says) {
  named(says);
  const lines = await page.locator(".play-story").innerText();
  await story().getByRole("button", { name: new RegExp(`^\\d\\s+${says}$`) }).click();
  await page.waitForFunction((old) => document.querySelector(".play-story")?.innerText !== old, lines);
  await rolled();
}

async function chosen(ruleset) {
  const label = page.locator("label.field", { hasText: /^Ruleset/ });
  await label.locator("select").selectOption({ label: ruleset });
}

/** Chooses a ruleset that was copied beside the others, as a file manager does. */
async function copied(name) {
  cpSync(join(place, "pig"), join(place, name), { recursive: true });
  await page.locator("#ruleset option", { hasText: `${name}/pig` }).waitFor({ state: "attached" });
  await chosen(named(`${name}/pig`));
}

const SHOWN = (name) => new Set(words(name).match(/^  red gains .*$/gm)?.map((each) => each.trim()));

test("1: rules and a scenario are written, and played", async () => {
  const name = "1-first-game.md";
  for (const each of ["Begin near your game", "Finished rules to read and copy"]) await page.getByRole("heading", { name: named(each) }).waitFor();
  await to("Rules");
  for (const [sort, path] of [["rules", "pig/pig.rules"], ["yaml", "pig/pig.scenario.yaml"]]) {
    await made(path, blocks(name, sort, path)[0]);
    await page.getByText(named("No problems.")).waitFor();
  }
  named("Dice, readings, overlays");
  await to("Play");
  await page.getByText("Dice, readings, overlays").click();
  await begun("70");
  await answered("yes");
  await answered("no");
  await page.getByRole("heading", { name: named("What happened") }).or(page.getByText("What happened")).first().waitFor();
  for (const each of SHOWN(name)) await page.locator(".play-story").getByText(each).waitFor();
  await page.getByRole("button", { name: named("Take back") }).waitFor();
  await to("Start");
  followed(name);
});

test("2: a rule is changed, a slip is found and mended", async () => {
  const name = "2-first-edit.md";
  const path = "house/pig.rules";
  const [rule, bound, back] = blocks(name, "diff", path);
  await to("Rules");
  await copied("house");
  await editor(path).waitFor();
  await written(path, changed(read(path), rule));
  await problems().getByText(named("1 problem"), { exact: true }).waitFor();
  await problems().getByRole("button", { name: `${named("Write kept in place of kep")}…` }).click();
  await press("Make this change");
  await page.getByText("No problems.").waitFor();
  const mended = changed(read(path), rule).replace("kep ", "kept ");
  await saved(path, mended);
  await written(path, changed(mended, bound));
  await problems().getByText("a jump back needs a bound").waitFor();
  await press("Back to the saved text");
  await press("Drop my changes");
  await page.getByText("No problems.").waitFor();
  assert.equal(changed(changed(mended, bound), back), mended);
  await press("Tidy the lines");
  await begun("5");
  while (await story().getByRole("button", { name: /^1\s+yes$/ }).isVisible()) await answered("yes");
  for (const each of SHOWN(name)) await page.locator(".play-story").getByText(each).waitFor();
  followed(name);
});

test("3: scenarios are tested, accepted, watched, and what they reach is shown", async () => {
  const name = "3-first-test.md";
  const path = "house/pig.scenario.yaml";
  const [text] = blocks(name, "yaml", path);
  const [mended, more] = blocks(name, "diff", path);
  await to("Rules");
  await page.getByText(named("Files"), { exact: true }).waitFor();
  await page.getByRole("button", { name: named("house/pig.rules"), exact: true }).waitFor();
  named("pig.scenario.yaml");
  await page.locator(`[data-path="${path}"]`).click();
  await editor(path).waitFor();
  await written(path, text);
  await saved(path, text);
  await to("Scenarios");
  await page.getByText(named("≠ 1 differs")).first().waitFor();
  const scene = page.locator(".scene");
  await scene.getByText("red gains 21 score: 0 → 21").waitFor();
  assert.equal(await scene.getByRole("button", { name: /^As text/ }).innerText(), named("As text"));
  await page.locator(".scene-row .thumb").first().waitFor({ state: "detached" }); // a game without a board has no empty pictures
  await press("This is what I want now…");
  await press("Write them");
  await page.getByText("✓ 3 pass").first().waitFor();
  assert.equal(read(path), changed(text, mended));
  await page.getByText("≠ 1 differs").waitFor({ state: "detached" });
  await page.locator(".scene-row", { hasText: "twenty have to be kept" }).click();
  await scene.getByRole("button", { name: "Play from here: twenty have to be kept" }).click();
  await page.locator(".crumb", { hasText: "twenty have to be kept" }).waitFor();
  named("Play from here");
  await to("Rules");
  await press("house/pig.rules");
  await editor("house/pig.rules").waitFor();
  await press("What scenarios reach");
  await page.getByText("The scenarios reach all of this text.").waitFor();
  await page.locator(`[data-path="${path}"]`).click();
  await editor(path).waitFor();
  await written(path, changed(read(path), more));
  await saved(path, changed(changed(text, mended), more));
  followed(name);
});

test("4: the rulesets are compared; a name is changed, and nothing else", async () => {
  const name = "4-first-comparison.md";
  const screen = page.locator("pre.screen");
  const compared = async () => {
    await to("Compare");
    await page.locator("main > section:not([hidden]) label.field", { hasText: /^Since/ }).locator("select").selectOption({ label: named("pig/pig.rules") });
    named("Since");
    await page.locator(".compare-parts").getByRole("button", { name: named("As text") }).click();
    await screen.getByText("PLAY").or(screen.getByText("SCENARIOS")).first().waitFor();
    return screen.innerText();
  };
  const shown = words(name);
  const lines = (text) => text.split("\n").filter((each) => /^( 1 \*|SCENARIOS|PLAY)/.test(each)).map((each) => each.replace(/ {3}--.*$/, ""));
  const same = (text, part) => { for (const each of lines(text)) assert.ok(part.includes(each), each); };
  const [first, second, third] = [...shown.matchAll(/^```console\n([\s\S]*?)^```$/gm)].map((each) => each[1]);
  await chosen("house/pig");
  same(await compared(), first);
  await page.locator(".compare-parts").getByRole("button", { name: "Changes" }).click();
  await page.locator(".compare-sum").getByText("scenarios can be compared").waitFor();
  await page.getByRole("region", { name: "Scenarios that are not compared" }).getByText("it has no answers").waitFor();
  await press("Stories and texts");
  await page.locator(".compare-parts").getByRole("button", { name: "As text" }).click();
  await screen.getByText("none of 1").waitFor();
  cpSync(join(place, "house/pig.scenario.yaml"), join(place, "pig/pig.scenario.yaml"));
  await press("Compare again");
  await screen.getByText("2 of 5").waitFor();
  same(await screen.innerText(), second);
  await copied("renamed");
  await to("Rules");
  const path = "renamed/pig.rules";
  await editor(path).waitFor();
  await page.locator(".cm-is-keyword").first().waitFor();
  await page.keyboard.press("Alt+t");
  await page.keyboard.press("Control+Home");
  await page.keyboard.press("Control+f");
  await page.getByRole("textbox", { name: "Find" }).waitFor();
  await page.keyboard.type("kept");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Escape");
  await page.keyboard.press("F2");
  await page.getByRole("textbox", { name: "New name" }).fill("sum");
  await press("Show what changes");
  await press("Rename");
  await page.getByText(/Renamed in 1 file/).waitFor();
  await saved(path, read("pig/pig.rules").replaceAll("kept", "sum"));
  same(await compared(), third);
  followed(name);
  assert.deepEqual(desk.complaints, []);
});
