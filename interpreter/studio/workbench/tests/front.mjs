/** The picture of the workbench in README.md: `npm run picture` takes it anew, `front.test.mjs` compares it. */
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { argv } from "node:process";
import { fileURLToPath } from "node:url";
import { browser, folder, pane, settled, studio } from "./desk.mjs";

export const PICTURE = join(dirname(fileURLToPath(import.meta.url)), "../../../../.github/workbench.png");

/** The rules of `mel` at MEL.60, with the chapter beside them, as PNG. */
export async function taken(desk) {
  const { page } = desk;
  await pane(page, "Rules");
  await page.getByRole("button", { name: "Chapter", exact: true }).click();
  await page.locator(".cm-is-keyword").first().waitFor();
  await page.locator(".cm-content").click();
  await page.keyboard.press("Control+f");
  await page.getByRole("textbox", { name: "Find" }).waitFor();
  await page.keyboard.type("Push and follow up");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Escape");
  for (const key of ["ArrowDown", "ArrowUp"]) for (let times = 0; times < (key === "ArrowDown" ? 14 : 12); times++) await page.keyboard.press(key);
  await page.locator(".chapter, section").getByText("Push and follow up").last().waitFor();
  await settled(page);
  return page.screenshot();
}

/** A workbench of the size of the picture. */
export async function front() {
  const server = await studio(join(folder("mel"), "mel"));
  const desk = await browser(server.address, { size: [1200, 750] });
  return { desk, end: async () => { await desk.end(); await server.end(); } };
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  const { desk, end } = await front();
  writeFileSync(PICTURE, await taken(desk));
  await end();
}
