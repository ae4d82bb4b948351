/** The picture of the workbench in README.md: `npm run picture` takes it anew, `front.test.mjs` compares it. */
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { argv } from "node:process";
import { fileURLToPath } from "node:url";
import { browser, folder, pane, settled, studio } from "./desk.mjs";

export const PICTURE = join(dirname(fileURLToPath(import.meta.url)), "../../../../.github/workbench.png");

/** The rules of the starter with hexes while a cell of its chart is changed: text and grid, the chapter, and a play that changes with it. As PNG. */
export async function taken(desk) {
  const { page } = desk;
  await pane(page, "Rules");
  await page.locator(".cm-is-keyword").first().waitFor();
  await page.locator(".live-told li").first().waitFor();
  await page.getByRole("navigation", { name: "Outline" }).getByRole("button", { name: "Combat results" }).click();
  await page.getByRole("combobox", { name: "6, 1:1" }).selectOption({ label: "Defender destroyed" });
  await page.locator(".live .changed", { hasText: "Defender destroyed" }).first().waitFor();
  await page.getByText(/^Your edit shows in/).waitFor();
  await page.locator(".live-odds .odds-bar").nth(1).waitFor();
  await page.locator(".about .lit td", { hasText: "Defender destroyed" }).nth(2).waitFor();
  await page.locator(".cm-line", { hasText: /^table combat/ }).evaluate((each) => {
    const scroller = each.closest(".cm-scroller");
    scroller.scrollTop += each.getBoundingClientRect().top - scroller.getBoundingClientRect().top - 200;
  });
  await settled(page);
  return page.screenshot();
}

/** A workbench of the size of the picture. */
export async function front() {
  const server = await studio(folder("hex-combat"));
  const desk = await browser(server.address, { size: [1440, 900] });
  return { desk, end: async () => { await desk.end(); await server.end(); } };
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  const { desk, end } = await front();
  writeFileSync(PICTURE, await taken(desk));
  await end();
}
