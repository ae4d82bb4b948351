/** Plays that came back from a shared page: opened and dropped in the workbench, played again, kept as scenarios, counted; hostile ones show their text alone. */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { barriers, browser, folder, pane, settled, studio } from "./desk.mjs";
import { returned } from "./returned.mjs";

const HOSTILE = "<img src=x onerror=boom()></blockquote><script>boom()</script>";
const place = folder("hex-combat");
const rules = join(place, "hex-combat/hex_combat.rules");
const inbox = mkdtempSync(join(tmpdir(), "rulewright-inbox-"));
const said = (text, after, kind = "Unclear") => ({ kind, text, who: "blue", after, asked: "Where does it march to?", address: "turn/1", at: 5 });
let server;
let desk;

before(async () => {
  const ruleset = join(place, "hex-combat");
  const taken = { sort: "back", about: "red: Which unit is used? lancers", after: 1, address: "", at: 1 };
  const played = returned(join(inbox, "ada.play.json"), ruleset, "the battle", { names: { red: "Ada", blue: "Ben" }, remarks: [said("Why not past the pikes?", 3), said("That was fun.", 9, "Fun")], noted: [taken] });
  writeFileSync(join(inbox, "cut.play.json"), JSON.stringify({ ...played, end: { ...played.end, outcome: "ended", story: [...played.end.story.slice(0, -1), "pikes are victorious"], state: {} } }));
  writeFileSync(join(inbox, "hostile.play.json"), JSON.stringify({
    ...played, scenario: HOSTILE, revision: HOSTILE, names: { [HOSTILE]: HOSTILE }, remarks: [{ ...said(HOSTILE, 2, HOSTILE), who: HOSTILE, asked: HOSTILE, address: HOSTILE }],
    noted: [{ ...taken, about: HOSTILE }], end: { outcome: HOSTILE, story: [HOSTILE, `1  ${HOSTILE}`], state: null, script: [{ at: HOSTILE, by: HOSTILE, answer: HOSTILE }] },
  }));
  writeFileSync(join(inbox, "<b>strange.json"), '{"format": "something else"}');
  server = await studio(place);
  desk = await browser(server.address);
  await desk.page.addInitScript(() => {
    globalThis.ran = [];
    globalThis.boom = globalThis.alert = (...words) => globalThis.ran.push(words);
  });
  await desk.page.reload();
});

after(async () => {
  await desk?.end();
  await server?.end();
  rmSync(inbox, { recursive: true, force: true });
});

async function opened(page, ...names) {
  const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.getByRole("button", { name: "Open plays that came back…" }).click()]);
  await chooser.setFiles(names.map((each) => join(inbox, each)));
}

const shown = (page) => page.getByRole("region", { name: "The chosen scenario" });

/** Lets go of files over the page, as a file manager does. */
async function dropped(page, ...names) {
  const files = names.map((name) => ({ name, text: readFileSync(join(inbox, name), "utf8") }));
  const given = await page.evaluateHandle((all) => {
    const data = new DataTransfer();
    for (const each of all) data.items.add(new File([each.text], each.name, { type: "application/json" }));
    return data;
  }, files);
  for (const event of ["dragenter", "dragover", "drop"]) await page.dispatchEvent("main", event, { dataTransfer: given });
}

test("a play that was dropped is a story with remarks at their moments, and becomes a scenario that passes", async () => {
  const { page } = desk;
  await pane(page, "Rules");
  await dropped(page, "ada.play.json");
  await page.getByRole("heading", { name: "Plays that came back" }).waitFor();
  await shown(page).getByText("✓ ends as it did").waitFor();
  await shown(page).getByText("red Ada, blue Ben · 30 answers · 16 minutes").waitFor();
  const story = shown(page).getByRole("region", { name: "What happened" });
  const lines = await story.locator("li").allTextContents();
  const at = lines.findIndex((each) => each.includes("Why not past the pikes?"));
  assert.ok(at > 3 && at < lines.findIndex((each) => each.includes("That was fun.")) && /A turn \(blue\)/.test(lines[at - 1] + lines[at - 2] + lines[at - 3]), lines.slice(at - 4, at + 2).join("\n"));
  await shown(page).getByText("Taken back").waitFor();
  await shown(page).getByText("Offered and never chosen").waitFor();
  await shown(page).getByRole("button", { name: "Go to its moment" }).first().click();
  assert.match(await page.evaluate(() => document.activeElement?.textContent ?? ""), /Why not past the pikes/);
  assert.deepEqual(await barriers(page), []);
  await shown(page).getByRole("button", { name: "Keep as a scenario…" }).click();
  await page.getByLabel("Name or file").fill("plays");
  await page.getByRole("button", { name: "Keep it" }).click();
  await page.getByRole("alert").getByText("is there already").waitFor();
  await page.getByLabel("Name or file").fill("Ada and Ben");
  await page.getByRole("button", { name: "Keep it" }).click();
  await page.getByText("The play is now a scenario in hex-combat/ada-and-ben.scenario.yaml.").waitFor();
  const written = readFileSync(join(place, "hex-combat/ada-and-ben.scenario.yaml"), "utf8");
  assert.match(written, /^# A play of 'the battle' that came back, red Ada, blue Ben/);
  assert.match(written, /\n# remark of blue, unclear, after 3 answers, at 'Where does it march to\?': Why not past the pikes\?\n/);
  await page.getByText("13 pass").first().waitFor();
  await shown(page).getByRole("heading", { name: "ada and ben" }).waitFor();
  await settled(page);
});

test("several are counted together; where one differs, and what is no play, is said", async () => {
  const { page } = desk;
  await opened(page, "cut.play.json", "<b>strange.json");
  await page.getByRole("alert").getByText("<b>strange.json does not hold a play").waitFor();
  await shown(page).getByText("≠ now ends differently").waitFor();
  await shown(page).getByText("pikes are victorious").first().waitFor();
  await page.getByRole("button", { name: /^All of them together/ }).click();
  await shown(page).getByRole("region", { name: "Plays that now end differently" }).getByRole("button", { name: "the battle" }).waitFor();
  await shown(page).getByText("1 × pikes are victorious").waitFor();
  assert.deepEqual(await barriers(page), []);
  const text = readFileSync(rules, "utf8");
  writeFileSync(rules, text.replace("inner procedure fall_back", "# edited\ninner procedure fall_back").replace("ask mover for target in units where can_attack(unit, target)", "ask mover for target in units where not can_attack(unit, target)"));
  await shown(page).getByText("2 plays now end differently").waitFor();
  writeFileSync(rules, text);
  await shown(page).getByText("1 play now ends differently").first().waitFor();
});

test("a hostile play shows its text and nothing else", async () => {
  const { page } = desk;
  await opened(page, "hostile.play.json");
  await shown(page).getByText("has no scenario of this name").waitFor();
  await shown(page).getByText(HOSTILE).first().waitFor();
  await page.getByRole("button", { name: /^All of them together/ }).click();
  await shown(page).getByText(HOSTILE).first().waitFor();
  assert.deepEqual(await page.evaluate(() => [...globalThis.ran, ...[...document.querySelectorAll(".scene img, .scene script, .scenes-list img")].map((each) => each.outerHTML)]), []);
  await page.getByRole("button", { name: "Put them away" }).click();
  await page.getByRole("heading", { name: "Plays that came back" }).waitFor({ state: "detached" });
  assert.equal(existsSync(join(place, "hex-combat/hostile.scenario.yaml")), false);
  assert.deepEqual(desk.complaints, []);
});
