/** A base that is placed on the plane: how far it may go, its arc and its lines of sight follow it, as far as the rules ask about them. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { barriers, browser, folder, pane, settled, studio } from "./desk.mjs";

let server;
let desk;

before(async () => {
  server = await studio(folder("plane-skirmish"));
  desk = await browser(server.address);
});

after(async () => {
  await desk?.end();
  await server?.end();
});

test("reach, arc and sight are shown where the base stands, and change as it moves and turns", async () => {
  const { page } = desk;
  await pane(page, "Play");
  await page.locator(".positions").getByRole("button", { name: "the skirmish" }).click();
  await page.getByRole("heading", { name: "Who acts?" }).waitFor();
  await page.locator('.spot[aria-label*="brute"]').first().click();
  await page.locator(".ghost").waitFor();
  const here = page.getByRole("region", { name: "From here" });
  await here.getByText("guard").waitFor();
  const scale = await page.evaluate(async () => {
    const rings = [...document.querySelectorAll(".drawing")].map((each) => each.shadowRoot?.querySelector(".ghost-reach")).filter(Boolean);
    return Number(rings[0].getAttribute("r"));
  });
  assert.equal(scale / 40, 4, "its stride");
  assert.equal(await page.locator(".ghost-lines line").count(), 3);
  await here.getByText(/guard \d+\.\d in away, in sight, ahead/).waitFor();
  for (let at = 0; at < 18; at += 1) await page.keyboard.press("]");
  await here.getByText(/guard \d+\.\d in away, not ahead/).waitFor();
  await settled(page);
  assert.deepEqual(await barriers(page), []);
  await page.locator(".ghost").focus();
  await page.keyboard.press("Enter");
  await page.locator(".ghost").waitFor({ state: "detached" });
  assert.deepEqual(desk.complaints, []);
});
