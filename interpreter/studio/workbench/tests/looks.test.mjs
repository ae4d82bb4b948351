/** Every pane at three widths in both themes: nothing serious for the accessibility checker, nothing wider than the page.
 * Pictures of all go into the folder that DESK_PICTURES names, to be looked at. */
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { WIDTHS, barriers, browser, folder, pane, studio } from "./desk.mjs";

/** What is looked at, by the panes that show it. */
const PANES = { Start: "Start", Rules: "Rules", Chart: "Rules", "New play": "Play", Play: "Play", Scenarios: "Scenarios", Compare: "Compare", Odds: "Odds" };
const pictures = process.env.DESK_PICTURES;
/** At least so many pixels high is what a finger presses. */
const FINGER = 44;
let server;

before(async () => {
  server = await studio(folder("hex-combat", "mel"));
  if (pictures) mkdirSync(pictures, { recursive: true });
});

after(() => server?.end());

/** Brings a pane to where it shows what it is for. */
const SHOWN = {
  async Start(page) {
    await page.getByRole("heading", { name: "Finished rules to read and copy" }).waitFor();
  },
  async Rules(page) {
    await page.getByRole("button", { name: "Chapter", exact: true }).click();
    await page.getByRole("heading", { name: "Procedures" }).waitFor();
    await page.locator(".cm-is-keyword").first().waitFor();
  },
  async Chart(page) {
    await page.getByRole("button", { name: "Chart", exact: true }).click();
    await page.locator(".chart svg").waitFor();
    const paper = await page.locator(".chart rect.paper").first().evaluate((each) => getComputedStyle(each).fill);
    assert.equal(paper, await page.evaluate(() => getComputedStyle(document.body).backgroundColor));
  },
  async "New play"(page) {
    const start = page.locator(".play-start");
    if (await start.isHidden()) await page.locator(".crumb").getByRole("button", { name: "Begin elsewhere…", includeHidden: true }).first().evaluate((each) => each.click());
    await start.locator("option", { hasText: "scenario.yaml" }).first().waitFor({ state: "attached" });
  },
  async Play(page) {
    const begin = page.locator(".play-start").getByRole("button", { name: "Play", exact: true });
    await page.locator(".play-start option", { hasText: "scenario.yaml" }).or(page.locator(".asking")).first().waitFor({ state: "attached" });
    if (await begin.isVisible()) await begin.click();
    await page.getByRole("group", { name: "What is asked" }).waitFor();
  },
  async Compare(page) {
    await page.locator(".pane-compare").getByRole("heading", { name: "What changed for the players" }).waitFor();
  },
  async Odds(page) {
    await page.locator(".odds-card").first().waitFor();
    await page.locator(".odds-further .heat").waitFor();
  },
  async Scenarios(page) {
    await page.getByText(/✓ \d+ pass/).first().waitFor();
    await page.locator(".scene-boards .drawing").first().waitFor();
  },
};

/** What can be pressed and is lower than a finger needs. */
function low(page) {
  return page.locator("button:visible, select:visible, input:visible, summary:visible").evaluateAll((found, finger) => found
    .map((each) => (each.matches("[type=checkbox]") && each.closest("label")) || each)
    .filter((each) => each.getBoundingClientRect().height < finger - 0.5 && !each.closest(".cm-editor"))
    .map((each) => `${each.localName} ${each.textContent}`), FINGER);
}

for (const theme of ["light", "dark"]) {
  for (const [width, size] of Object.entries(WIDTHS)) {
    test(`${theme}, ${width}`, async () => {
      const desk = await browser(server.address, { size, theme });
      const { page } = desk;
      try {
        const wrong = [];
        for (const [each, title] of Object.entries(PANES)) {
          await pane(page, title);
          await SHOWN[each]?.(page);
          wrong.push(...(await barriers(page)).map((barrier) => `${each}: ${barrier}`));
          const over = await page.evaluate(() => Math.max(document.documentElement.scrollWidth, document.querySelector("main").scrollWidth) - innerWidth);
          assert.equal(await page.locator("main > section:visible").count(), 1, each);
          if (over > 0) wrong.push(`${each} is ${over} pixels wider than the page`);
          if (width === "phone") wrong.push(...(await low(page)).map((one) => `${each}: ${one} is too low for a finger`));
          if (width === "phone" && each === "Rules") {
            await page.getByRole("region", { name: "Problems" }).getByText("No problems.").waitFor();
            const { bottom } = await page.locator(".problems").evaluate((one) => one.getBoundingClientRect().toJSON());
            assert.ok(bottom <= size[1], "problems are in sight");
            assert.ok(await page.locator(".cm-line").first().evaluate((one) => parseFloat(getComputedStyle(one).textIndent) < 0), "broken lines hang");
          }
          if (pictures) await page.screenshot({ path: join(pictures, `${each.toLowerCase()}-${theme}-${width}.png`) });
        }
        assert.deepEqual(wrong, []);
        assert.deepEqual(desk.complaints, []);
      } finally {
        await desk.end();
      }
    });
  }
}

test("the board beside a question of odds is whole", async () => {
  const desk = await browser(server.address);
  await desk.page.locator("#ruleset").selectOption("mel/mel.rules");
  await pane(desk.page, "Odds");
  const board = desk.page.locator(".odds-board .drawing");
  await board.locator("svg").first().waitFor();
  const [inner, outer] = await Promise.all([board.locator("svg").first().boundingBox(), board.boundingBox()]);
  assert.ok(inner.y + inner.height <= outer.y + outer.height + 0.5, `${inner.height} of ${outer.height}`);
  await desk.end();
});

test("the page of keys names all keys, and Escape leaves it", async () => {
  const desk = await browser(server.address);
  await pane(desk.page, "Scenarios");
  await desk.page.keyboard.press("?");
  const dialog = desk.page.getByRole("dialog", { name: "Keys" });
  await dialog.getByText("Go to Odds").waitFor();
  assert.deepEqual(await barriers(desk.page), []);
  if (pictures) await desk.page.screenshot({ path: join(pictures, "keys.png") });
  await desk.page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await desk.page.keyboard.press("Alt+2");
  await desk.page.getByRole("textbox", { name: /Text of/ }).waitFor();
  await desk.end();
});
