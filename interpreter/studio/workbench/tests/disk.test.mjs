/** A site and the disk of its reader: a folder is opened by the browser's File System Access, edited, and what is saved stands in it. */
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { browser, folder, pane, site } from "./desk.mjs";

const PATIENCE = 120_000;
const starter = join(folder("hex-combat"), "hex-combat");
const texts = Object.fromEntries(readdirSync(starter, { withFileTypes: true }).filter((each) => each.isFile()).map((each) => [each.name, readFileSync(join(starter, each.name), "utf8")]));
const pig = { "pig.rules": readFileSync(join(folder("pig"), "pig/pig.rules"), "utf8") };
let served;
let desk;
let page;

before(async () => {
  served = await site();
  desk = await browser(served.address, {
    // a folder that the browser keeps stands for one of the disk: its handles are the same
    before: () => {
      globalThis.showDirectoryPicker = async ({ mode }) => {
        if (mode !== "readwrite") throw new Error(mode);
        return (await navigator.storage.getDirectory()).getDirectoryHandle(globalThis.chosenFolder);
      };
    },
  });
  ({ page } = desk);
  page.setDefaultTimeout(PATIENCE);
  await page.getByRole("heading", { name: "Begin near your game" }).waitFor();
});

after(async () => {
  await desk?.end();
  await served?.end();
});

/** Puts files into a folder; names with a slash stand in folders of it. */
const put = (name, files) => page.evaluate(async ([into, all]) => {
  const top = await (await navigator.storage.getDirectory()).getDirectoryHandle(into, { create: true });
  for (const [path, text] of Object.entries(all)) {
    const parts = path.split("/");
    let at = top;
    for (const each of parts.slice(0, -1)) at = await at.getDirectoryHandle(each, { create: true });
    const file = await (await at.getFileHandle(parts.at(-1), { create: true })).createWritable();
    await file.write(text);
    await file.close();
  }
}, [name, files]);

/** Waits until a file of a folder holds something. */
async function until(name, path, held) {
  for (let at = 0; at < 100; at += 1) {
    const now = await found(name).catch(() => ({})); // it is written just now
    if (held.test(now[path] ?? "")) return;
    await page.waitForTimeout(100);
  }
  throw new Error(`${path} does not hold ${held}`);
}

/** All files of a folder. */
const found = (name) => page.evaluate(async (of) => {
  const all = {};
  const walk = async (at, before_) => {
    for await (const each of at.values()) {
      if (each.kind === "directory") await walk(each, `${before_}${each.name}/`);
      else all[`${before_}${each.name}`] = await (await each.getFile()).text();
    }
  };
  await walk(await (await navigator.storage.getDirectory()).getDirectoryHandle(of), "");
  return all;
}, name);

async function open(name) {
  await pane(page, "Start");
  await page.evaluate((chosen) => { globalThis.chosenFolder = chosen; }, name);
  await page.getByRole("button", { name: "Open a folder…" }).click();
  await page.getByText(`What you save is written to the folder ${name} on your disk, too.`).waitFor();
}

/** Types a letter into the remark with which the rules begin, and saves. */
async function remarked(letter) {
  await pane(page, "Rules");
  await page.getByRole("textbox", { name: "Text of hex_combat.rules" }).waitFor();
  await page.locator(".cm-is-keyword").first().waitFor();
  await page.keyboard.press("Alt+t");
  await page.keyboard.press("Control+Home");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.type(letter);
  await page.keyboard.press("Control+s");
  await page.locator("button:disabled", { hasText: /^Save$/ }).waitFor();
}

test("a folder is opened, its rules are edited and played, and what is saved stands in it", async () => {
  const first = { ...texts, "notes/README.md": "# Notes\n", "picture.png": "no text", ".hidden.rules": "ruleset hidden" };
  await put("game", first);
  await open("game");
  await page.locator("#ruleset option", { hasText: "Hex combat" }).waitFor({ state: "attached" });
  await remarked("!");
  await until("game", "hex_combat.rules", /^#!/m);
  const now = await found("game");
  assert.deepEqual({ ...now, "hex_combat.rules": "" }, { ...first, "hex_combat.rules": "" });
  assert.equal(now["hex_combat.rules"], first["hex_combat.rules"].replace(/^#/m, "#!"));
});

test("a new file comes into the folder, and one that is written by others is read when the folder is opened again", async () => {
  await put("game", { "more.scenario.yaml": texts["plays.scenario.yaml"] });
  await open("game");
  await pane(page, "Rules");
  await page.getByRole("button", { name: "more.scenario.yaml" }).waitFor({ state: "attached" });
  await page.getByRole("button", { name: "New file…" }).evaluate((each) => each.click());
  await page.getByRole("dialog").getByRole("textbox").first().fill("kept/extra.md");
  await page.getByRole("dialog").locator("button[type=submit]").click();
  await page.getByRole("textbox", { name: "Text of kept/extra.md" }).waitFor();
  await page.keyboard.press("Alt+t");
  await page.keyboard.type("# Extra");
  await page.keyboard.press("Control+s");
  await until("game", "kept/extra.md", /^# Extra$/);
});

test("another folder is opened: nothing of it comes into the first one", async () => {
  const before_ = await found("game");
  await put("second", pig);
  await open("second");
  await page.locator("#ruleset option", { hasText: "Pig" }).waitFor({ state: "attached" });
  assert.deepEqual(await found("game"), before_);
  assert.deepEqual(await found("second"), pig);
});

test("a folder that cannot be written is told of, and the text is kept in the browser", async () => {
  await open("game");
  await page.locator("#ruleset").selectOption("hex_combat.rules");
  await page.evaluate(() => { FileSystemFileHandle.prototype.createWritable = () => Promise.reject(new DOMException("denied", "NotAllowedError")); });
  await remarked("?");
  await pane(page, "Start");
  await page.getByText("hex_combat.rules could not be written to game. It is kept in the browser; save all as an archive.").waitFor();
  await page.reload();
  await pane(page, "Rules");
  await page.locator("#ruleset").selectOption("hex_combat.rules");
  await page.locator(".cm-line", { hasText: /^#\?!/ }).first().waitFor();
});

test("nothing complained", () => assert.deepEqual(desk.complaints, []));
