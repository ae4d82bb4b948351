/** *Undo this change* on a card of a comparison: the old text of that change stands in the rules again, not saved; the others stay. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { barriers, browser, folder, pane, settled, studio } from "./desk.mjs";

const place = folder("hex-combat");
const rules = join(place, "hex-combat/hex_combat.rules");
const git = (...words) => execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false", ...words], { cwd: place });
let edited;
let server;
let desk;

before(async () => {
  git("init", "-q");
  git("add", "-A");
  git("commit", "-qm", "as it was");
  edited = readFileSync(rules, "utf8")
    .replace("woods: -1 when", "woods: -2 when")
    .replace("4..5 | nothing_comes | defender_back | defender_back", "4..5 | nothing_comes | defender_back | defender_lost")
    .replace("6 | defender_back | defender_back | defender_lost", "6 | defender_back | defender_lost | defender_lost")
    .replace('  enter once: moves <= 1 "one hex"\n', "");
  writeFileSync(rules, edited);
  server = await studio(place);
  desk = await browser(server.address);
});

after(async () => {
  await desk?.end();
  await server?.end();
});

const card = (page, name) => page.locator(".compare-card", { has: page.getByRole("heading", { name }) });

/** Undoes the change of a card; answers the text of the rules as it is typed then. */
async function undone(page, name) {
  await card(page, name).getByRole("button", { name: "Undo this change" }).click();
  await page.getByText("It is not saved yet.").waitFor();
  await card(page, name).waitFor({ state: "detached" });
  await settled(page);
  const drafted = await page.evaluate(async () => (await fetch("/api/file", { method: "POST", headers: { "Content-Type": "application/json", "X-Rulewright": "1" }, body: JSON.stringify({ path: "hex-combat/hex_combat.rules" }) })).json());
  return drafted.drafts[0].text;
}

test("one change is put back, a changed line, a row beside another, a removed line", async () => {
  const { page } = desk;
  await pane(page, "Compare");
  await card(page, /woods/).waitFor();
  assert.equal(await page.getByRole("button", { name: "Undo this change" }).count(), await page.locator(".compare-card").count());
  assert.deepEqual(await barriers(page), []);
  const first = await undone(page, /woods/);
  assert.equal(first, edited.replace("woods: -2 when", "woods: -1 when"));
  assert.equal(readFileSync(rules, "utf8"), edited, "nothing is saved by it");
  const second = await undone(page, /one hex/);
  assert.equal(second, first.replace('  enter away: distance(entered, foe.at) >= 2 "not beside the enemy"\n', '  enter away: distance(entered, foe.at) >= 2 "not beside the enemy"\n  enter once: moves <= 1 "one hex"\n'));
  await pane(page, "Rules");
  await page.getByText("2 edits").waitFor();
  assert.deepEqual(desk.complaints, []);
});
