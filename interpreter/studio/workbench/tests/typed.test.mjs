/** What is typed and not saved, in a browser: how it is indented, and what the panes say that show the saved text. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { barriers, browser, folder, pane, settled, studio } from "./desk.mjs";

const place = folder("pig");
const rules = join(place, "pig/pig.rules");
let server;
let desk;

before(async () => {
  server = await studio(place);
  desk = await browser(server.address);
  await desk.page.getByRole("button", { name: "pig/pig.rules" }).click();
  await desk.page.locator(".cm-is-keyword").first().waitFor();
});

after(async () => {
  await desk?.end();
  await server?.end();
});

const read = () => readFileSync(rules, "utf8");
const editor = () => desk.page.locator(".cm-content");
const shown = (title) => desk.page.locator(`.pane-${title}`);
const lit = () => desk.page.locator(".about .lit");

/** Puts the cursor behind the first occurrence of some words. */
async function behind(words) {
  const { page } = desk;
  await page.keyboard.press("Alt+t");
  await page.keyboard.press("Control+Home");
  await page.keyboard.press("Control+f");
  await page.getByRole("textbox", { name: "Find" }).waitFor();
  await page.keyboard.type(words);
  await page.keyboard.press("Enter");
  await page.keyboard.press("Escape");
  await page.keyboard.press("ArrowRight");
}

async function dropped() {
  await desk.page.getByRole("button", { name: "Back to the saved text" }).click();
  await desk.page.getByRole("button", { name: "Drop my changes" }).click();
  await desk.page.getByText("No problems.").waitFor();
}

/** The lines of the text that hold something, with their indentation; hints and lenses are none of it. */
async function typed(words) {
  const lines = await editor().locator(".cm-line").evaluateAll((all) => all.map((line) => {
    const copy = line.cloneNode(true);
    for (const each of copy.querySelectorAll(".cm-aside")) each.remove();
    return copy.textContent;
  }));
  return lines.filter((each) => words.test(each));
}

test("a line behind one that ends in a colon is indented, others keep their indentation, Backspace goes back", async () => {
  const { keyboard } = desk.page;
  await desk.page.keyboard.press("Alt+t");
  await keyboard.press("Control+End");
  const lines = ["procedure added(who: player):", "step 1 \"One\":", "when who.score > 3:  # why", "who.score := 1", "who.score := 2"];
  for (const each of lines) {
    await keyboard.press("Enter");
    await keyboard.insertText(each);
  }
  await keyboard.press("Enter");
  await keyboard.press("Backspace");
  await keyboard.press("Backspace");
  await keyboard.insertText("step 2 \"Two\":");
  assert.deepEqual(await typed(/added|"One"|# why|:= [12]|"Two"/), [
    "procedure added(who: player):",
    "  step 1 \"One\":",
    "    when who.score > 3:  # why",
    "      who.score := 1",
    "      who.score := 2",
    "  step 2 \"Two\":",
  ]);
  await dropped();
});

test("keyboards of phones indent too, which tell the page what they changed, not which key it was", async () => {
  const context = await desk.page.context().browser().newContext({ userAgent: "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 Chrome/130.0.0.0 Mobile Safari/537.36" });
  await context.addCookies(await desk.page.context().cookies());
  const page = await context.newPage();
  await page.goto(desk.page.url());
  await page.locator(".cm-is-keyword").first().waitFor();
  await page.locator(".cm-line", { hasText: "step 2" }).click();
  await page.keyboard.press("End");
  const input = (inputType) => page.locator(".cm-content").evaluate((each, sort) => each.dispatchEvent(new InputEvent("beforeinput", { inputType: sort, bubbles: true, cancelable: true })), inputType);
  const indented = (deep) => page.locator(".cm-content").evaluate(async (each, wanted) => {
    const line = () => [...each.querySelectorAll(".cm-line")].find((one) => one.textContent.includes("step 2"))?.nextElementSibling;
    for (let at = 0; at < 100 && line()?.textContent !== wanted; at++) await new Promise((done) => setTimeout(done, 50));
    return line()?.textContent;
  }, " ".repeat(deep));
  await input("insertParagraph");
  assert.equal(await indented(4), " ".repeat(4));
  await input("deleteContentBackward");
  assert.equal(await indented(2), " ".repeat(2));
  await context.close();
});

test("hints are told from the text, and stay while it is checked", async () => {
  const hint = editor().locator(".cm-aside").first();
  await hint.waitFor();
  assert.equal(await hint.evaluate((each) => getComputedStyle(each).fontStyle), "italic");
  assert.match(await hint.getAttribute("title"), /not part of the text/);
  await editor().evaluate((each) => {
    const count = () => each.querySelectorAll(".cm-aside").length;
    each.fewest = count();
    new MutationObserver(() => (each.fewest = Math.min(each.fewest, count()))).observe(each, { childList: true, subtree: true });
  });
  const many = await editor().locator(".cm-aside").count();
  await behind("procedure ");
  await desk.page.keyboard.type("%");
  await desk.page.getByRole("region", { name: "Problems" }).getByRole("listitem").first().waitFor();
  await dropped();
  assert.equal(await editor().evaluate((each) => each.fewest), many);
});

test("what is older than the text lights nothing, and says so where it can be seen", async () => {
  const { page } = desk;
  await behind("step 2");
  await lit().first().waitFor();
  await page.keyboard.press("Home");
  await page.keyboard.type("%");
  assert.equal(await lit().count(), 0);
  const note = page.getByText("The text has mistakes. This was made from the text before them.");
  await note.waitFor();
  assert.equal(await lit().count(), 0);
  const { top } = await page.locator(".about-body").evaluate((each) => {
    each.scrollTo(0, 1e6);
    return each.getBoundingClientRect();
  });
  assert.ok(Math.abs((await note.boundingBox()).y - top) < 8);
  await page.getByRole("button", { name: /^Show the text of/ }).first().click();
  await page.getByText("The text was changed after this chapter was made").waitFor();
  assert.deepEqual(await barriers(page), []);
  await dropped();
  await lit().first().waitFor();
});

test("panes that show the saved text say that another one is typed, and save it", async () => {
  const { page } = desk;
  const began = read();
  await pane(page, "Scenarios");
  await shown("scenarios").getByText(/^✓ \d+ pass(es)?$/).waitFor();
  await pane(page, "Play");
  await page.locator(".play-start button[type=submit]:enabled").first().click();
  await page.locator(".line-of-play .asking").first().waitFor();
  await pane(page, "Rules");
  await behind("ruleset pig");
  await page.keyboard.press("End");
  await page.keyboard.type("  # a remark");
  await pane(page, "Scenarios");
  await shown("scenarios").getByText("These are the results of the saved text; pig/pig.rules has changes that are not saved.").waitFor();
  assert.deepEqual(await barriers(page), []);
  await pane(page, "Odds");
  await settled(page);
  assert.equal(await shown("odds").getByText("not saved").count(), 0);
  await pane(page, "Play");
  await shown("play").getByText("This plays the saved text; pig/pig.rules has changes that are not saved.").waitFor();
  await pane(page, "Scenarios");
  await shown("scenarios").getByRole("button", { name: "Save and play" }).click();
  await shown("scenarios").getByText("not saved").waitFor({ state: "detached" });
  assert.equal(read(), began.replace("\n", "  # a remark\n"));
  await shown("scenarios").getByText(/^✓ \d+ pass(es)?$/).waitFor();
  await pane(page, "Play");
  assert.equal(await shown("play").getByText("not saved").count(), 0);
});

test("a text that was typed before the page was loaded again is not saved either", async () => {
  const { page } = desk;
  await pane(page, "Rules");
  await behind("# a remark");
  const kept = page.waitForResponse((answer) => answer.url().endsWith("/api/file/draft"));
  await page.keyboard.type(" more");
  await kept;
  await pane(page, "Scenarios");
  await page.reload();
  await shown("scenarios").getByText("pig/pig.rules has changes that are not saved").waitFor();
  await shown("scenarios").getByRole("button", { name: "Save and play" }).click();
  await shown("scenarios").getByText("not saved").waitFor({ state: "detached" });
  assert.match(read(), /# a remark more/);
});

test("a remedy of a scenario is a button beside its mistake, shown before it is made, and played", async () => {
  const { page } = desk;
  const file = join(place, "pig/pig.scenario.yaml");
  const began = readFileSync(file, "utf8");
  const wrong = began.replace("    script: [[1]]\n", "    script: {1/throws: [1]}\n");
  writeFileSync(file, wrong);
  await pane(page, "Scenarios");
  await page.getByText("did you mean 1/throw?").waitFor();
  await page.getByRole("button", { name: "Write 1/throw…" }).click();
  await page.getByRole("button", { name: "Make this change" }).click();
  await page.getByText("did you mean 1/throw?").waitFor({ state: "detached" });
  await shown("scenarios").getByText(/^✓ \d+ pass(es)?$/).waitFor();
  assert.equal(readFileSync(file, "utf8"), wrong.replace("1/throws:", "1/throw:"));
});

test("the console said nothing, and nothing left the machine", () => assert.deepEqual(desk.complaints, []));
