/** Shared pages, opened from the disk without a network: played to the end by mouse, by keys and on a phone, sent back, and read again. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { barriers } from "./desk.mjs";

const HERE = dirname(fileURLToPath(import.meta.url));
const STARTERS = join(HERE, "../../../rulewright/starters");
const PYTHON = process.env.RULEWRIGHT_PYTHON ?? "python";
const PROGRAM = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find(existsSync);
const PATIENCE = 120_000;
const place = mkdtempSync(join(tmpdir(), "rulewright-share-"));

after(() => rmSync(place, { recursive: true, force: true }));

function shared(name, ruleset, ...scenarios) {
  const file = join(place, name);
  execFileSync(PYTHON, ["-m", "rulewright", "share", ruleset, ...scenarios, "--to", file]);
  return file;
}

/** The page of a file, in a browser without a network; `complaints` as in desk.mjs, and whatever is asked of anything but the file itself. */
async function opened(file, { size = [1280, 800], touch = false, scheme = "light" } = {}) {
  const program = await chromium.launch({ executablePath: PROGRAM, headless: true, args: ["--disable-gpu", "--no-first-run"], chromiumSandbox: false });
  const context = await program.newContext({ offline: true, viewport: { width: size[0], height: size[1] }, hasTouch: touch, colorScheme: scheme, reducedMotion: "reduce", acceptDownloads: true });
  const page = await context.newPage();
  const complaints = [];
  page.setDefaultTimeout(PATIENCE);
  page.on("console", (message) => { if (/^(error|warning)$/.test(message.type())) complaints.push(`console: ${message.text()}`); });
  page.on("pageerror", (fault) => complaints.push(`fault: ${fault.message}`));
  page.on("request", (request) => { if (!/^(blob|data):/.test(request.url()) && request.url() !== pathToFileURL(file).href) complaints.push(`request: ${request.url()}`); });
  await page.goto(pathToFileURL(file).href);
  return { page, complaints, end: () => program.close() };
}

const begin = (page) => page.getByRole("button", { name: "Begin", exact: true });
const bar = (page, name) => page.locator(".bar").getByRole("button", { name });
const said = (page) => page.locator(".panel").evaluate((panel) => panel.textContent);

/** Does something, and waits until the page shows what came of it. */
async function done(page, deed) {
  const before = await page.locator(".table").getAttribute("data-shown");
  await deed();
  await page.waitForFunction((was) => document.querySelector(".table")?.dataset.shown !== was && !document.querySelector(".table")?.hasAttribute("aria-busy"), before);
}

/** The first question stands in the page; the engine shows it once more when it is there. */
async function ready(page) {
  await page.locator(".table[data-shown='2']").waitFor();
}

const isOver = (page) => page.locator(".head").getByText("It is over").isVisible();

/** Plays by the first answer until it is over. */
async function playOn(page, press) {
  for (let answers = 0; answers < 200; answers += 1) {
    if (await isOver(page)) return answers;
    await done(page, press);
  }
  throw new Error("the play does not end");
}

async function sentBack(page, name) {
  await page.locator(".panel").getByRole("button", { name: "Send back what happened" }).click();
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save the file" }).click()]);
  const file = join(place, name);
  await download.saveAs(file);
  return file;
}

/** Fills in what a table elsewhere decides, or presses the first answer. */
async function byMouse(page) {
  const panel = page.locator(".panel");
  for (const field of await panel.locator(".play-question input[type=text]:visible").all()) if (!(await field.inputValue())) await field.fill("1");
  const shown = panel.locator("[data-first]:visible, button[type=submit]:visible, .play-question button:visible");
  await (await shown.count() ? shown.first() : page.locator(".drawing .spot:not(.refused)").first()).click();
}

test("the hex starter by mouse: board, die, undo, why, remark, reload, sent back and read again", async () => {
  const hexes = join(place, "hexes");
  cpSync(join(STARTERS, "hex-combat"), hexes, { recursive: true });
  const file = shared("hexes.html", hexes, "the battle");
  const desk = await opened(file);
  const { page, complaints } = desk;
  await page.getByLabel("Name of red").fill("Ada");
  await page.getByLabel("Name of blue").fill("</script><img src=x>");
  assert.deepEqual(await barriers(page), []);
  await begin(page).click();
  await page.locator(".drawing .spot").first().waitFor();
  assert.deepEqual(await barriers(page), []);
  await ready(page);
  await done(page, () => page.locator(".drawing .spot").first().click());
  await done(page, () => bar(page, "Undo").click());
  await done(page, () => page.locator(".choice[data-first]").click());
  await bar(page, "Remark").click();
  await page.getByLabel("Your remark").fill("Why <b>so far</b>?");
  assert.deepEqual(await barriers(page), []);
  await page.getByRole("button", { name: "Keep the remark" }).click();
  await bar(page, "Why?").click();
  await page.locator(".story .told").last().click();
  await page.locator(".story .why p").first().waitFor();
  await page.keyboard.press("Escape");
  await bar(page, "Rules").click();
  await page.getByRole("dialog").getByText("Combat results").first().waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
  const before = await said(page);
  await page.reload();
  await page.getByRole("button", { name: /^Go on with the play/ }).click();
  await ready(page);
  assert.equal((await page.locator(".asked").innerText()).length > 0 && before.includes(await page.locator(".asked").innerText()), true);
  assert.ok((await playOn(page, () => byMouse(page))) > 10);
  assert.deepEqual(await barriers(page), []);
  const back = await sentBack(page, "ada.play.json");
  assert.deepEqual(complaints, []);
  await desk.end();
  const sent = JSON.parse(readFileSync(back, "utf8"));
  assert.equal(sent.remarks[0].text, "Why <b>so far</b>?");
  assert.equal(sent.noted.some((each) => each.sort === "back") && sent.noted.some((each) => each.sort === "why"), true);
  assert.equal(sent.end.outcome, "ended");
  const read = spawnSync(PYTHON, ["-m", "rulewright", "share", hexes, "--back", back, "--to", join(hexes, "ada.scenario.yaml")], { encoding: "utf8" });
  assert.equal(read.status, 0, read.stdout + read.stderr);
  assert.match(read.stdout, /ends as it did/);
  execFileSync(PYTHON, ["-m", "rulewright", "test", join(hexes, "ada.scenario.yaml")]);
});

test("Risk by keys alone, with real dice", async () => {
  const desk = await opened(shared("risk.html", "risk", "three dice against two"));
  const { page, complaints } = desk;
  await page.getByLabel("Real dice, I type").focus();
  await page.keyboard.press("Space");
  await begin(page).focus();
  await page.keyboard.press("Enter");
  await ready(page);
  await playOn(page, async () => {
    const use = page.getByRole("button", { name: "Use these dice" });
    if (await use.isVisible()) {
      await use.focus();
      await page.keyboard.press("Enter");
    } else await page.keyboard.press("1");
  });
  assert.deepEqual(complaints, []);
  await desk.end();
});

test("MEL on a phone in the dark: targets, no sideways scroll, to the end", async () => {
  const desk = await opened(shared("mel.html", "mel", "every pool has dice of its own"), { size: [390, 844], touch: true, scheme: "dark" });
  const { page, complaints } = desk;
  await begin(page).click();
  await ready(page);
  assert.deepEqual(await barriers(page), []);
  const small = await page.evaluate(() => [...document.querySelectorAll("button, select, summary, input:not([type=checkbox], [type=radio])")].filter((each) => each.checkVisibility() && each.getBoundingClientRect().height < 52).map((each) => each.textContent));
  assert.deepEqual(small, []);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
  await playOn(page, () => byMouse(page));
  assert.deepEqual(await barriers(page), []);
  assert.deepEqual(complaints, []);
  await desk.end();
});

test("a hand is shown to nobody but its player, and the curtain falls where the page is left", async () => {
  const desk = await opened(shared("cards.html", join(STARTERS, "card-turn"), "the campaign"), { size: [390, 844] });
  const { page, complaints } = desk;
  await begin(page).click();
  await ready(page);
  for (let at = 0; at < 20 && !(await page.locator(".curtain").isVisible()); at += 1) await done(page, () => byMouse(page));
  assert.equal(await page.locator(".choice").count(), 0);
  assert.deepEqual(await barriers(page), []);
  await done(page, () => page.locator(".curtain button").click());
  assert.ok((await page.locator(".choice").count()) > 0);
  await done(page, () => page.getByRole("button", { name: "Hide" }).click());
  assert.equal(await page.locator(".choice").count(), 0);
  assert.deepEqual(complaints, []);
  await desk.end();
});

test("on a phone: a second tap on Begin answers nothing, Back closes a sheet, a play lies beside its board, a fault is told, and the same is played again", async () => {
  const gap = join(place, "gap");
  cpSync(join(STARTERS, "hex-combat"), gap, { recursive: true });
  writeFileSync(join(gap, "hex_combat.rules"), readFileSync(join(gap, "hex_combat.rules"), "utf8").replace("woods: -1 when defender", "woods: -2 when defender"));
  const desk = await opened(shared("gap.html", gap, "woods help the defender"), { size: [390, 844], touch: true });
  const { page, complaints } = desk;
  await page.getByLabel("Real dice, I type").check({ force: true });
  const { x, y } = await begin(page).boundingBox();
  await page.touchscreen.tap(x + 20, y + 20);
  await page.touchscreen.tap(x + 20, y + 20);
  await ready(page);
  await page.locator(".news").getByText("The odds: 2:1").waitFor();
  assert.equal(await page.locator(".asked").innerText(), "red rolls");
  await page.locator(".consequences").getByText("Defender retreats").waitFor();
  assert.doesNotMatch(await said(page), /nothing/);
  await bar(page, "Menu").click();
  await page.goBack();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await bar(page, "Rules").click();
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
  await page.setViewportSize({ width: 740, height: 360 });
  const [board, panel] = await Promise.all([".boards", ".panel"].map((each) => page.locator(each).boundingBox()));
  assert.ok(board.width > 300 && panel.x >= board.x + board.width);
  await page.setViewportSize({ width: 390, height: 844 });
  await done(page, () => page.locator(".faces .die").first().tap());
  await page.getByText("A value came up that the rules have no place for: −1, where 0 to 6 is possible.").waitFor();
  assert.match(await said(page), /1 answer, 0 remarks/);
  assert.deepEqual(await barriers(page), []);
  await page.getByRole("button", { name: "Play again" }).click();
  assert.ok(await page.getByLabel("Real dice, I type").isChecked());
  assert.equal(await page.getByRole("button", { name: /^Go on/ }).count(), 0);
  await begin(page).waitFor();
  assert.deepEqual(complaints, []);
  await desk.end();
});

/** A page of the hex starter; `before` runs in it first, a page after the first in the same browser. */
async function hexes(desk, before) {
  const page = desk ? await desk.page.context().newPage() : (desk = await opened(fileOfHexes())).page;
  page.setDefaultTimeout(PATIENCE);
  if (before) await page.addInitScript(before);
  if (before || page.url() === "about:blank") await page.goto(pathToFileURL(fileOfHexes()).href);
  return { ...desk, page };
}

function fileOfHexes() {
  const file = join(place, "hexes.html");
  return existsSync(file) ? file : shared("hexes.html", join(STARTERS, "hex-combat"), "the battle");
}

const answered = (page) => done(page, () => byMouse(page));

test("two tabs keep their plays apart, and one play goes on in one tab", async () => {
  const desk = await hexes();
  const { page: one, complaints } = desk;
  await begin(one).click();
  await ready(one);
  await answered(one);
  const { page: other } = await hexes(desk);
  await other.getByRole("button", { name: "Begin a new play" }).click();
  await ready(other);
  await answered(one);
  await answered(other);
  const { page: third } = await hexes(desk);
  await third.getByText("More", { exact: true }).click();
  await third.getByRole("button", { name: "Forget the 2 plays kept here" }).waitFor();
  assert.equal(await third.getByRole("button", { name: /^Go on with/ }).count(), 2);
  await third.getByRole("button", { name: /^Go on with the play of/ }).click();
  await ready(third);
  await other.getByText("This play goes on in another tab").waitFor();
  assert.deepEqual(await barriers(other), []);
  await answered(one);
  await answered(third);
  const seen = await third.locator(".asked").innerText();
  await other.getByRole("button", { name: "Go on here instead" }).click();
  await ready(other);
  assert.equal(await other.locator(".asked").innerText(), seen);
  await third.getByText("This play goes on in another tab").waitFor();
  await answered(other);
  assert.deepEqual(complaints, []);
  await desk.end();
});

test("a page that may keep nothing says so, and hands the play out as a file that it goes on from", async () => {
  const desk = await hexes(null, () => Object.defineProperty(globalThis, "localStorage", { get() { throw new DOMException("denied", "SecurityError"); } }));
  const { page, complaints } = desk;
  await page.getByText("This browser keeps nothing for this page").waitFor();
  await begin(page).click();
  await ready(page);
  await answered(page);
  await page.getByRole("button", { name: "Not kept" }).click();
  assert.deepEqual(await barriers(page), []);
  await page.getByRole("button", { name: "Save the play" }).click();
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save the file" }).click()]);
  await download.saveAs(join(place, "handed.json"));
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
  const asked = await page.locator(".asked").innerText();
  page.on("dialog", (each) => void each.accept());
  await page.reload();
  await page.getByText("More", { exact: true }).click();
  const chosen = async (file) => {
    const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.getByRole("button", { name: "Go on from a file" }).click()]);
    await chooser.setFiles(file);
  };
  writeFileSync(join(place, "strange.json"), '{"version": 1}');
  await chosen(join(place, "strange.json"));
  await page.getByText("This file does not belong to this page").waitFor();
  await chosen(join(place, "handed.json"));
  await ready(page);
  assert.equal(await page.locator(".asked").innerText(), asked);
  assert.deepEqual(complaints, []);
  await desk.end();
});

test("a page without room left says so, and one without what it needs says what", async () => {
  const desk = await hexes(null, () => { Storage.prototype.setItem = () => { throw new DOMException("full", "QuotaExceededError"); }; });
  const { page, complaints } = desk;
  page.on("dialog", (each) => void each.accept());
  await begin(page).click();
  await ready(page);
  await answered(page);
  await page.getByRole("button", { name: "Not kept" }).click();
  await page.getByText("There is no room left in this browser").first().waitFor();
  assert.deepEqual(complaints, []);
  for (const name of ["DecompressionStream", "Worker", "WebAssembly"]) {
    await page.addInitScript((each) => { delete globalThis[each]; }, name);
    await page.reload();
    await page.getByText("This browser is too old to play here").waitFor();
    assert.match(await page.locator("#play").innerText(), new RegExp(name === "Worker" ? "workers" : name));
  }
  await desk.end();
});

test("a page that slept goes on, also where the device ended its engine", async () => {
  const desk = await hexes(null, () => {
    const Plain = globalThis.Worker;
    globalThis.workers = [];
    globalThis.Worker = class extends Plain {
      constructor(address) {
        super(address);
        globalThis.workers.push(this);
      }
    };
  });
  const { page, complaints } = desk;
  await begin(page).click();
  await ready(page);
  await answered(page);
  const session = await page.context().newCDPSession(page);
  await session.send("Page.setWebLifecycleState", { state: "frozen" });
  await session.send("Page.setWebLifecycleState", { state: "active" });
  await answered(page);
  const asked = await page.locator(".asked").innerText();
  await page.evaluate(() => {
    globalThis.workers.at(-1).terminate();
    const now = Date.now;
    Object.defineProperty(document, "hidden", { get: () => globalThis.sleeps, configurable: true });
    globalThis.sleeps = true;
    document.dispatchEvent(new Event("visibilitychange"));
    Date.now = () => now() + 60_000;
    globalThis.sleeps = false;
    document.dispatchEvent(new Event("visibilitychange"));
  });
  await page.waitForFunction(() => globalThis.workers.length === 2);
  await page.getByText("The engine starts again").waitFor({ state: "hidden" });
  assert.equal(await page.locator(".asked").innerText(), asked);
  await answered(page);
  assert.deepEqual(complaints, []);
  await desk.end();
});
