/** The pane of rules, in a browser: what is typed, shown, mended, renamed, saved, merged and kept. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { barriers, browser, folder, pane, studio } from "./desk.mjs";

const place = folder("mel", "pig", "hex-combat");
const rules = join(place, "pig/pig.rules");
let server;
let desk;

before(async () => {
  server = await studio(place);
  desk = await browser(server.address);
  await desk.page.getByRole("button", { name: "pig/pig.rules" }).click();
  await desk.page.getByRole("textbox", { name: "Text of pig/pig.rules" }).waitFor();
  await desk.page.locator(".cm-is-keyword").first().waitFor();
});

after(async () => {
  await desk?.end();
  await server?.end();
});

const read = () => readFileSync(rules, "utf8");
const editor = () => desk.page.getByRole("textbox", { name: "Text of pig/pig.rules" });

/** Puts the cursor behind the first occurrence of some words, by searching for them as a person does. */
async function behind(words, page = desk.page) {
  await page.keyboard.press("Alt+t");
  await page.keyboard.press("Control+Home");
  await page.keyboard.press("Control+f");
  await page.getByRole("textbox", { name: "Find" }).waitFor();
  await page.keyboard.type(words);
  await page.keyboard.press("Enter");
  await page.keyboard.press("Escape");
  await page.keyboard.press("ArrowRight");
}

/** Waits until the server keeps such a draft: a text, or null where none is to be kept. */
function drafted(page, is) {
  return page.waitForResponse((answer) => answer.url().endsWith("/api/file/draft") && is(answer.request().postDataJSON().text));
}

async function saved() {
  await desk.page.keyboard.press("Control+s");
  await desk.page.locator("button:disabled", { hasText: "Save" }).waitFor();
}

test("a mistake is told beside the line, and a click mends it", async () => {
  const began = read();
  await behind("procedure");
  await desk.page.keyboard.type("x");
  const problem = desk.page.getByRole("region", { name: "Problems" }).getByRole("listitem").first();
  await problem.getByText("procedurex").first().waitFor();
  assert.match(await problem.textContent(), /^pig\/pig\.rules:\d+error RW\d{4}/);
  await problem.getByRole("button", { name: /procedure/ }).last().click();
  await desk.page.getByText("No problems.").waitFor();
  await desk.page.keyboard.press("Control+s");
  assert.equal(read(), began);
});

test("another place that a problem names has its line", async () => {
  const began = read();
  const lines = ['ruleset pig "Pig" revision "1"', 'procedure turn(roller: player) gives 0..6 "A turn":'];
  lines.push("  if count(players) = 2:", "    roll d6 as throw by roller", "  finish with throw.natural", "");
  writeFileSync(rules, lines.join("\n"));
  const problems = desk.page.getByRole("region", { name: "Problems" });
  await problems.getByText("line 3: throw is rolled in here").waitFor();
  writeFileSync(rules, began);
  await desk.page.getByText("No problems.").waitFor();
});

test("remedies are shown wherever the cursor is, and what was said is gone with the next key", async () => {
  const { page } = desk;
  const said = page.getByRole("contentinfo").getByRole("status");
  await behind("ruleset pig");
  await page.keyboard.press("Control+.");
  await said.getByText("There is no problem in pig/pig.rules.").waitFor();
  await behind("procedure");
  assert.equal(await said.innerText(), "");
  await page.keyboard.type("x");
  await page.getByRole("region", { name: "Problems" }).getByText("procedurex").first().waitFor();
  await page.keyboard.press("Control+Home");
  await page.keyboard.press("Control+.");
  const dialog = page.getByRole("dialog", { name: "Remedies" });
  assert.match(await dialog.innerText(), /There is no remedy for the line of the cursor/);
  assert.doesNotMatch(await dialog.innerText(), /`/);
  await dialog.getByRole("button", { name: /^Line \d+: Write procedure in place of procedurex/ }).click();
  await page.getByText("No problems.").waitFor();
});

test("a remedy that may change what rules mean is shown line by line before it is made, or left", async () => {
  const began = read();
  await behind("ruleset pig");
  await desk.page.keyboard.press("End");
  await desk.page.keyboard.press("Backspace");
  const remedy = desk.page.getByRole("region", { name: "Problems" }).getByRole("button", { name: 'Write " after 1' });
  const dialog = desk.page.getByRole("dialog");
  const [first] = began.split("\n");
  for (const decision of ["Cancel", "Make this change"]) {
    await remedy.click();
    await dialog.getByRole("row").filter({ hasText: "+" }).first().waitFor();
    assert.match(await dialog.getByRole("row").filter({ hasText: "−" }).innerText(), new RegExp(`${first.slice(0, -1)}$`));
    assert.match(await dialog.getByRole("row").filter({ hasText: "+" }).innerText(), new RegExp(`${first}$`));
    assert.deepEqual(await barriers(desk.page), []);
    await dialog.getByRole("button", { name: decision }).click();
    await dialog.waitFor({ state: "detached" });
    if (decision === "Cancel") assert.ok(await remedy.isVisible());
  }
  await desk.page.getByText("No problems.").waitFor();
  assert.ok(await desk.page.getByRole("button", { name: "Save", exact: true }).isDisabled());
  assert.equal(read(), began);
});

test("the margin shows where scenarios come, with their names, and where none comes", async () => {
  const began = read();
  const covers = desk.page.getByRole("button", { name: "What scenarios reach" });
  writeFileSync(rules, `${began}\nprocedure unplayed() "Nobody plays this":\n  nothing\n`);
  await desk.page.keyboard.press("Alt+t");
  await desk.page.keyboard.press("Control+End");
  await editor().getByText("unplayed").waitFor();
  await covers.click();
  await desk.page.locator(".cm-unreached[title='no scenario reaches this line']").first().waitFor();
  assert.equal(await covers.getAttribute("aria-pressed"), "true");
  await desk.page.getByText(/^Scenarios: \d+; they do not reach \d+ of \d+ places/).waitFor();
  assert.notEqual(await desk.page.locator(".cm-reached").first().getAttribute("title"), "");
  assert.deepEqual(await barriers(desk.page), []);
  await covers.click();
  await desk.page.locator(".cm-unreached").first().waitFor({ state: "detached" });
  writeFileSync(rules, began);
  await editor().getByText("unplayed").waitFor({ state: "detached" });
});

test("what may stand at the cursor is offered with its sort, and taken by a key", async () => {
  await behind("procedure");
  await desk.page.keyboard.press("End");
  await desk.page.keyboard.press("Enter");
  await desk.page.keyboard.press("Control+Space");
  const offered = desk.page.getByRole("listbox").getByRole("option");
  await offered.first().waitFor();
  assert.ok((await offered.count()) > 3);
  await desk.page.keyboard.press("Escape");
  await desk.page.getByRole("button", { name: "Back to the saved text" }).click();
  await desk.page.getByRole("button", { name: "Drop my changes" }).click();
  await desk.page.getByText("No problems.").waitFor();
});

test("words of the rules tell what they are, by the pointer and by a key", async () => {
  await behind("procedure ");
  await desk.page.keyboard.press("Control+i");
  await desk.page.getByRole("dialog", { name: "At the cursor" }).waitFor();
  await desk.page.keyboard.press("Escape");
});

test("saving writes the file whole, and the outline leads to its lines", async () => {
  await behind("ruleset pig");
  await desk.page.keyboard.press("End");
  await desk.page.keyboard.type("  # why? a remark");
  await saved();
  assert.match(read().split("\n")[0], / {2}# why\? a remark$/);
  await desk.page.getByRole("navigation", { name: "Outline" }).getByRole("button").nth(1).click();
  assert.ok(await editor().evaluate((each) => each === each.getRootNode().activeElement));
});

test("a change on the disk is taken over, and merged where both changed", async () => {
  writeFileSync(rules, read().replace("# why? a remark", "# another hand"));
  await editor().getByText("# another hand").waitFor();
  await desk.page.keyboard.press("Alt+t");
  await desk.page.keyboard.press("Control+End");
  await desk.page.keyboard.type("\n# at the end\n");
  writeFileSync(rules, read().replace("# another hand", "# a third hand"));
  await editor().getByText("# a third hand").waitFor();
  await saved();
  assert.match(read(), /# a third hand[\s\S]*# at the end/);
});

test("where both changed the same line, nothing is written before somebody decides", async () => {
  await behind("# a third hand");
  await desk.page.keyboard.type(", mine");
  writeFileSync(rules, read().replace("# a third hand", "# a third hand, theirs"));
  await desk.page.getByText("changed in lines that you changed here too").waitFor();
  await desk.page.keyboard.press("Control+s");
  const dialog = desk.page.getByRole("dialog");
  await dialog.getByText(", theirs").waitFor();
  assert.match(read(), /theirs/);
  await dialog.getByRole("button", { name: "Keep my text" }).click();
  await saved();
  assert.match(read(), /# a third hand, mine/);
  assert.doesNotMatch(read(), /theirs/);
});

test("two tabs do not fight: what one changes, the other shows when it is saved", async () => {
  const other = await desk.tab();
  await other.getByRole("button", { name: "pig/pig.rules" }).click();
  const text = other.getByRole("textbox", { name: "Text of pig/pig.rules" });
  await text.getByText(", mine").waitFor();
  await behind(", mine");
  await desk.page.keyboard.type(" and yours");
  await other.getByText("Another tab is changing this text").waitFor();
  assert.equal(await other.locator(".cm-content").getAttribute("contenteditable"), "false");
  await saved();
  await other.getByText("Another tab is changing this text").waitFor({ state: "detached" });
  assert.match(await text.innerText(), / and yours/);
  await other.close();
});

test("what was typed and not saved is there again after the tab is gone", async () => {
  const other = await desk.tab();
  await other.getByRole("button", { name: "pig/pig.rules" }).click();
  await other.locator(".cm-is-keyword").first().waitFor();
  await behind("and yours", other);
  const kept = drafted(other, (text) => text?.includes("and yours; a draft"));
  await other.keyboard.type("; a draft");
  await kept;
  await other.close({ runBeforeUnload: false });
  const third = await desk.tab();
  await third.getByRole("button", { name: "pig/pig.rules" }).click();
  await third.getByText("and yours; a draft").waitFor();
  assert.doesNotMatch(read(), /; a draft/);
  const dropped = drafted(third, (text) => text === null);
  await third.getByRole("button", { name: "Back to the saved text" }).click();
  await third.getByRole("button", { name: "Drop my changes" }).click();
  await dropped;
  await third.close();
});

test("a name is changed in all files, after what changes was shown", async () => {
  await desk.page.getByRole("button", { name: "mel_things.rules" }).click();
  await desk.page.getByRole("textbox", { name: "Text of mel/mel_things.rules" }).waitFor();
  await desk.page.locator(".cm-is-keyword").first().waitFor();
  await behind("morale");
  await desk.page.keyboard.press("F2");
  await desk.page.getByRole("textbox", { name: "New name" }).fill("courage");
  await desk.page.keyboard.press("Enter");
  const dialog = desk.page.getByRole("dialog", { name: "Rename morale to courage" });
  await dialog.getByText("mel/mel.rules", { exact: true }).waitFor();
  await dialog.getByRole("button", { name: "Rename" }).click();
  await desk.page.getByText(/Renamed in \d+ files/).waitFor();
  await saved();
  assert.match(readFileSync(join(place, "mel/mel.rules"), "utf8"), /courage/);
  assert.doesNotMatch(readFileSync(join(place, "mel/mel.rules"), "utf8"), /\bmorale\b/);
  await desk.page.getByText("No problems.").waitFor();
});

test("the chapter follows the cursor and leads back to the text", async () => {
  await desk.page.getByRole("button", { name: "mel/mel.rules", exact: true }).click();
  await desk.page.getByRole("textbox", { name: "Text of mel/mel.rules" }).waitFor();
  await desk.page.getByRole("button", { name: "Chapter", exact: true }).click();
  await behind("step MEL.50");
  await desk.page.locator(".about .lit", { hasText: "Determine the winner" }).waitFor();
  await desk.page.getByRole("button", { name: "Show the text of MEL.60", exact: false }).click();
  await desk.page.getByRole("navigation", { name: "Outline" }).locator("[aria-current]", { hasText: "MEL.60" }).waitFor();
});

test("the chart lights the step of the cursor and leads back to the text", async () => {
  await desk.page.getByRole("button", { name: "Chart", exact: true }).click();
  await behind("step MEL.50");
  await desk.page.locator(".step.lit[aria-label*='MEL.50']").waitFor();
  await desk.page.locator(".step[aria-label*='MEL.70']").focus();
  await desk.page.keyboard.press("Enter");
  await desk.page.getByRole("navigation", { name: "Outline" }).locator("[aria-current]", { hasText: "MEL.70" }).waitFor();
});

test("a scenario is written as a table of cases", async () => {
  const file = "pig/pig.scenario.yaml";
  await desk.page.locator(`[data-path="${file}"]`).click();
  await desk.page.getByRole("textbox", { name: `Text of ${file}` }).waitFor();
  await behind("a 1 takes it all");
  await desk.page.keyboard.press("Control+.");
  await desk.page.getByRole("button", { name: "Write it as a table of cases" }).click();
  await desk.page.getByRole("button", { name: "Make this change" }).click();
  await saved();
  const table = "    cases:\n      - [case, script, expect.result, expect.changes]\n      - [as before, [[5], yes, [6], yes, [1]], 0, {}]\n";
  assert.ok(readFileSync(join(place, file), "utf8").includes(`  a 1 takes it all:\n${table}`));
});

test("what changed on the disk while the line to the studio was cut is seen when it is back", async () => {
  let isDeaf = true;
  const lines = [];
  await desk.page.context().routeWebSocket(/\/api\/watch/, (line) => {
    const studio = line.connectToServer();
    if (isDeaf) studio.onMessage(() => {});
    lines.push(line);
  });
  const other = await desk.tab();
  await other.getByRole("button", { name: "pig/pig.rules" }).click();
  const text = other.getByRole("textbox", { name: "Text of pig/pig.rules" });
  await text.getByText("# at the end").waitFor();
  await desk.page.getByRole("button", { name: "pig/pig.rules" }).click();
  writeFileSync(rules, read().replace("# at the end", "# at the very end"));
  await editor().getByText("# at the very end").waitFor();
  assert.equal(await text.getByText("# at the very end").count(), 0);
  isDeaf = false;
  for (const line of lines.splice(0)) await line.close();
  await text.getByText("# at the very end").waitFor();
  await other.close();
});

/** What the text says in a line that holds some words. */
const lineOf = (words) => desk.page.locator(".cm-line", { hasText: words }).first().innerText();

async function dropped() {
  await desk.page.getByRole("button", { name: "Back to the saved text" }).click();
  await desk.page.getByRole("button", { name: "Drop my changes" }).click();
  await desk.page.locator("button:disabled", { hasText: "Save" }).waitFor();
}

async function opened(path) {
  await desk.page.locator(`[data-path="${path}"]`).click();
  await desk.page.getByRole("textbox", { name: `Text of ${path}` }).waitFor();
  await desk.page.locator(".cm-is-keyword").first().waitFor();
}

const HEXES = "hex-combat/hex_combat.rules";

test("a line below a colon begins deeper, and completion goes on while another line is wrong", async () => {
  await opened(HEXES);
  await behind('"A retreat"');
  await desk.page.keyboard.press("End");
  await desk.page.keyboard.press("Enter");
  await desk.page.keyboard.type("ask loser.owner whether away \"Away?\":");
  await desk.page.keyboard.press("Enter");
  await desk.page.keyboard.type("perfrm");
  assert.equal(await lineOf("perfrm"), "    perfrm");
  await behind("let column = odds");
  await desk.page.keyboard.press("Home");
  await desk.page.keyboard.type("let more = ");
  await desk.page.keyboard.press("Control+Space");
  await desk.page.getByRole("listbox").getByRole("option", { name: /^attack_strength/ }).waitFor();
  await desk.page.keyboard.press("Escape");
  await dropped();
  await desk.page.getByText("No problems.").waitFor();
});

test("what is inserted has the names of the ruleset, and Tab goes through its fields", async () => {
  const { page } = desk;
  await behind("measure units_left");
  await page.getByRole("button", { name: "Insert a roll to hit" }).click();
  await page.keyboard.type("volley");
  await page.keyboard.press("Tab");
  await page.keyboard.type("A volley");
  await page.keyboard.press("Escape");
  assert.match(await lineOf("procedure volley"), /^procedure volley\(shooter: Unit.*, target: Unit.*\) "A volley":$/);
  await page.getByRole("navigation", { name: "Outline" }).getByRole("button", { name: "A volley" }).waitFor();
  await page.getByText("No problems.").waitFor();
  await dropped();
});

test("a table is a grid: each edit of a cell is one change of its line, laid out as the formatter does", async () => {
  const { page } = desk;
  const grid = page.getByRole("region", { name: "Combat results" });
  await behind("tally die_roll");
  await grid.getByRole("combobox", { name: "6, 1:1" }).selectOption({ label: "Defender destroyed" });
  await page.getByText("● 1 edit").waitFor();
  await grid.getByRole("combobox", { name: "6, 1:1" }).press("Control+z");
  await page.locator("button:disabled", { hasText: "Save" }).waitFor();
  await grid.getByRole("combobox", { name: "6, 1:1" }).selectOption({ label: "Defender destroyed" });
  assert.deepEqual(await barriers(page), []);
  await grid.getByRole("button", { name: "Combat results as text" }).click();
  assert.equal(await lineOf("6 |"), "  6 | defender_back | defender_lost | defender_lost | defender_lost");
  await page.getByRole("button", { name: "Tidy the lines" }).click();
  await page.getByText("The lines are tidy already.").waitFor();
  await page.getByRole("button", { name: "Combat results as a grid" }).click();
  await grid.getByRole("textbox", { name: "Roll, row 4" }).fill("7");
  await page.keyboard.press("Tab");
  await page.getByRole("region", { name: "Problems" }).getByText(/gap|6/).first().waitFor();
  const wrong = grid.locator("th.wrong.error").filter({ has: page.getByRole("textbox", { name: "Roll, row 4" }) });
  await wrong.waitFor();
  assert.equal(await grid.locator(".wrong").count(), 1);
  assert.equal(await grid.getByRole("textbox", { name: "Roll, row 4" }).getAttribute("aria-invalid"), "true");
  await grid.locator(".cell-problem", { hasText: "roll must be 0..6" }).waitFor();
  assert.deepEqual(await barriers(page), []);
  await grid.getByRole("textbox", { name: "Roll, row 4" }).press("Control+z");
  await page.getByText("No problems.").waitFor();
  await wrong.waitFor({ state: "detached" });
  assert.ok(await grid.locator(".cell-problem").isHidden());
});

test("a scenario is played as one types, with what is different from the saved text", async () => {
  const { page } = desk;
  const live = page.getByRole("region", { name: "A scenario, played as you type" });
  await live.locator(".changed", { hasText: "Defender destroyed" }).waitFor();
  await live.getByText("It was: Combat results: Defender retreats", { exact: false }).waitFor();
  await live.getByText(/^Your edit shows in \d of \d+ scenarios\./).waitFor();
  await live.getByRole("img", { name: /Defender retreats 1\/3, Defender destroyed 1\/6$/ }).waitFor();
  assert.deepEqual(await barriers(page), []);
  assert.ok(await live.locator(".live-body").evaluate((each) => each.scrollWidth <= each.clientWidth));
  await live.getByRole("button", { name: /^Show the next/ }).click();
  await live.locator(".changed").first().waitFor();
  await behind("procedure turn");
  await page.keyboard.type("x(");
  await live.getByText("The text has mistakes.").waitFor();
  await dropped();
  await live.locator(".changed").first().waitFor({ state: "detached" });
});

test("the scenario that the cursor is in is the one that is played; a text that was not open begins at its top", async () => {
  const { page } = desk;
  await page.getByRole("navigation", { name: "Files" }).locator('[data-path="hex-combat/plays.scenario.yaml"]').click();
  await page.locator('.cm-content[aria-label$="plays.scenario.yaml"]').waitFor();
  assert.equal(await page.locator(".cm-scroller").evaluate((each) => each.scrollTop), 0);
  await page.getByRole("navigation", { name: "Outline" }).getByRole("button", { name: /^the lancers attack/ }).click();
  await page.locator(".cm-line", { hasText: "a six drives the defender back" }).click();
  await page.locator(".live option:checked", { hasText: "the lancers attack at even odds / a six drives the defender back" }).waitFor({ state: "attached" });
  await page.getByRole("navigation", { name: "Outline" }).getByRole("button", { name: /^who cannot retreat/ }).click();
  await page.locator(".live option:checked", { hasText: "who cannot retreat is lost" }).waitFor({ state: "attached" });
});

test("the console said nothing, and nothing left the machine", async () => {
  await pane(desk.page, "Rules");
  assert.deepEqual(desk.complaints, []);
});
