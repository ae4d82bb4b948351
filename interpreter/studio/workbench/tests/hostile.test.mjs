/** A ruleset whose titles, reasons, scenarios, file names and commits are markup and scripts: every pane shows them as text, and runs nothing. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { browser, folder, pane, settled, studio } from "./desk.mjs";

const HOSTILE = [
  "<img src=x onerror=boom()>", "<script>boom()</script>", "</title><svg onload=boom()>", "</style><script>boom()</script>",
  "' onmouseover='boom()", "</svg><iframe srcdoc=boom()></iframe>", "<a href=javascript:boom()>x</a>", "--><base href=//example.org>",
  "</pre></table><form action=//example.org>", "<style>*{display:none}</style>", "&lt;img src=x onerror=boom()&gt;", "{{7*7}}${boom()}",
];
const place = folder("hex-combat");
const rules = join(place, "hex-combat/hex_combat.rules");
const git = (...words) => execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false", ...words], { cwd: place });
let server;
let desk;

before(async () => {
  let at = 0;
  const next = () => HOSTILE[at++ % HOSTILE.length];
  const text = readFileSync(rules, "utf8").replaceAll(/"([^"\n]*)"/g, (whole, said) => (said === "1" ? whole : `"${said} ${next()}"`));
  writeFileSync(rules, text);
  const plays = join(place, "hex-combat/plays.scenario.yaml");
  const named = readFileSync(plays, "utf8").replaceAll(/^ {2}(\w[\w ]*):$/gm, (whole, name) => (name === "state" ? whole : `  ${JSON.stringify(`${name} ${next()}`)}:`));
  writeFileSync(plays, named.replace(/^state:\n/m, "state:\n").replaceAll(/^ {2}"(units|field)[^\n]*:$/gm, "  $1:"));
  renameSync(plays, join(place, "hex-combat/'onload='boom()' &lt;b&gt;.scenario.yaml"));
  git("init", "-q");
  git("add", "-A");
  git("commit", "-qm", "<img src=x onerror=boom()><script>boom()</script>");
  writeFileSync(rules, text.replace("woods: -1 when", "woods: -2 when"));
  server = await studio(place);
  desk = await browser(server.address);
  await desk.page.addInitScript(() => {
    globalThis.ran = [];
    globalThis.boom = globalThis.alert = (...said) => globalThis.ran.push(said);
  });
  await desk.page.reload();
  desk.page.setDefaultTimeout(60_000);
});

after(async () => {
  await desk?.end();
  await server?.end();
});

/** Nothing ran, and nothing stands on the page that could; what is hostile stands there as text. */
async function showsText(page, said) {
  await settled(page);
  const found = await page.evaluate(() => {
    const wrong = [...globalThis.ran.map(String)];
    const texts = [];
    const walk = (root) => {
      for (const each of root.querySelectorAll("*")) {
        const own = each.localName === "script" || each.localName === "link" ? /^\/static\/|^data:,$/.test(each.getAttribute("src") ?? each.getAttribute("href") ?? "") : true;
        if (!own || /^(iframe|object|embed|base|style|math|foreignObject)$/.test(each.localName)) wrong.push(each.outerHTML.slice(0, 200));
        if (each.localName === "img" && each.src && !each.src.startsWith("data:")) wrong.push(each.outerHTML.slice(0, 200));
        for (const { name, value } of each.attributes) if (/^on|^(action|formaction|srcdoc)$/.test(name) || /^\s*javascript:/i.test(value)) wrong.push(`${each.localName} ${name}=${value}`);
        if (each.shadowRoot) walk(each.shadowRoot);
      }
      texts.push(root === document ? document.body.textContent : root.textContent);
    };
    walk(document);
    return { wrong, texts: texts.join("\n") };
  });
  assert.deepEqual(found.wrong, []);
  for (const each of said) assert.ok(found.texts.includes(each), `${each} is not shown`);
}

test("the text, the chapter and the chart show it", async () => {
  const { page } = desk;
  await pane(page, "Rules");
  await page.getByRole("heading", { name: "Procedures" }).first().waitFor();
  await showsText(page, ["<img src=x onerror=boom()>", "<a href=javascript:boom()>x</a>", "</style><script>boom()</script>"]);
  await page.getByRole("button", { name: "Chart", exact: true }).click();
  await page.locator(".chart svg").waitFor();
  await showsText(page, ["boom()"]);
  assert.match(await page.locator(".chart svg").textContent(), /boom\(\)/);
});

test("a play shows it: what is asked, what happened, why, the board", async () => {
  const { page } = desk;
  await pane(page, "Play");
  await page.locator(".play-start").getByRole("button", { name: "Play", exact: true }).click();
  await page.getByRole("group", { name: "What is asked" }).waitFor();
  for (let at = 0; at < 3; at += 1) {
    const answers = page.locator(".spot").or(page.locator(".answers button:visible"));
    await answers.first().click();
    await settled(page);
    if (await page.locator(".tray .roll").isVisible()) await page.keyboard.press("r");
    await settled(page);
  }
  await page.locator(".play-story button.told").last().click();
  await page.getByRole("button", { name: "Why?" }).last().click();
  await page.locator(".why").waitFor();
  assert.match(await page.locator(".play-story").textContent(), /boom\(\)/);
  await showsText(page, ["Which unit is used? "]);
});

test("scenarios show it: names, files, stories of those that fail", async () => {
  const { page } = desk;
  await pane(page, "Scenarios");
  await page.getByText(/≠ \d+ differs?/).first().waitFor();
  await showsText(page, ["'onload='boom()' &lt;b&gt;.scenario.yaml"]);
  assert.match(await page.locator(".scenes-list").textContent(), /boom\(\)/);
});

test("a comparison shows it: commits, edits, stories, odds, the change log", async () => {
  const { page } = desk;
  await pane(page, "Compare");
  await page.getByRole("combobox", { name: "Since" }).locator("option:checked", { hasText: "<img src=x onerror=boom()>" }).waitFor({ state: "attached" });
  await page.locator(".compare-card .compare-pair").or(page.locator(".compare-card .compare-none")).first().waitFor();
  assert.match(await page.locator(".pane-compare").textContent(), /boom\(\)/);
  await showsText(page, []);
  await page.getByRole("button", { name: "Stories and texts" }).click();
  await page.locator(".printed").waitFor();
  await showsText(page, ["boom()"]);
  await page.getByRole("button", { name: "Odds", exact: true }).last().click();
  await page.getByRole("button", { name: "Compare the odds" }).click();
  await page.locator(".shifts strong").waitFor({ timeout: 240_000 });
  await showsText(page, []);
  await page.getByRole("button", { name: "Change log" }).click();
  assert.match(await page.getByRole("textbox", { name: /Draft change log/ }).inputValue(), /boom\(\)/);
  await showsText(page, []);
});

test("odds show it, also in their pictures", async () => {
  const { page } = desk;
  await pane(page, "Odds");
  await page.locator(".odds-card svg").or(page.locator(".odds-refused")).first().waitFor();
  assert.match(await page.locator(".pane-odds").textContent(), /defender_lost|boom\(\)/);
  await showsText(page, []);
});

test("nothing complained, and nothing left this machine", () => {
  assert.deepEqual(desk.complaints.filter((each) => !/status of 422/.test(each)), []);
});
