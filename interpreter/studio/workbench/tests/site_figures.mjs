/** Measures the workbench as a static site: `npm run figures:site`. It asserts nothing; a loaded machine takes longer. */
import { readFileSync } from "node:fs";
import { browser, pane, site } from "./desk.mjs";

const since = (begun) => `${((performance.now() - begun) / 1000).toFixed(1)} s`;
const rows = [];
const put = (what, is) => { rows.push([what, is]); console.log(`${what}: ${is}`); };

/** Processes of this browser that run pages and workers: the site's, and two of Chromium's own for its bar and in reserve. */
async function renderers() {
  const session = await page.context().browser().newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  await session.detach();
  return processInfo.filter((each) => each.type === "renderer").map((each) => each.id);
}

/** The memory of the site's, which is the largest, as the task manager of Chromium counts it. */
async function memory() {
  const held = (await renderers()).map((pid) => {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return ["RssAnon", "VmSwap"].reduce((sum, name) => sum + Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0), 0);
  });
  return `${Math.round(Math.max(...held) / 1000)} MB`;
}

/** Seconds of processor that they have used, which other work on the machine does not lengthen. */
async function used() {
  let sum = 0;
  for (const pid of await renderers()) {
    const [user, system] = /\) (.*)/s.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))[1].split(" ").slice(11, 13).map(Number);
    sum += (user + system) / 100;
  }
  return sum;
}

const served = await site();
let begun = performance.now();
let before = 0;
const desk = await browser(served.address, { before: watch });
const { page } = desk;
page.setDefaultTimeout(300_000);
const usable = () => page.getByRole("heading", { name: "Begin near your game" }).waitFor();

/** Notes in the page how long each command line takes that the second worker runs. */
function watch() {
  const noted = (globalThis.noted = []);
  const waits = new Map();
  const { postMessage } = Worker.prototype;
  let worker = null;
  /** Runs a command line in the second worker, and answers how many seconds it took. */
  globalThis.run = (words) => new Promise((done) => {
    const begun = performance.now();
    const number = 1_000_000 + Math.floor(Math.random() * 1_000_000);
    worker.addEventListener("message", ({ data }) => { if (data.number === number) done((performance.now() - begun) / 1000); });
    postMessage.call(worker, { number, request: JSON.stringify({ do: "run", text: JSON.stringify({ arguments: words, texts: {}, said: "", aside: "/tmp/rulewright/figures", changes: {} }) }) });
  });
  Worker.prototype.postMessage = function (message, ...more) {
    const request = message?.request && JSON.parse(message.request);
    if (request?.do === "run") {
      worker = this;
      waits.set(message.number, [JSON.parse(request.text).arguments[0], performance.now()]);
      this.addEventListener("message", ({ data }) => {
        const [verb, begun] = waits.get(data.number) ?? [];
        if (verb && data.reply !== undefined && data.kind === undefined) noted.push([verb, (performance.now() - begun) / 1000]);
        if (data.kind === undefined) waits.delete(data.number);
      });
    }
    return postMessage.call(this, message, ...more);
  };
}

await usable();
put("first visit to a usable page", `${since(begun)}, of processor ${(await used()).toFixed(1)} s`);
put("memory then", await memory());
await page.getByRole("button", { name: "Make it mine: Risk combat" }).or(page.getByRole("button", { name: /^Make it mine: .*Risk/ })).first().click();
begun = performance.now();
await page.getByRole("button", { name: "Make the copy and play" }).click();
await page.getByRole("group", { name: "What is asked" }).waitFor();
put("a copy of Risk to its first question", since(begun));
begun = performance.now();
await pane(page, "Rules");
await page.getByText("No problems.").waitFor();
put("the rules to their first check", since(begun));
begun = performance.now();
await pane(page, "Scenarios");
await page.getByText(/✓ \d+ pass/).first().waitFor();
put("its scenarios, played for the first time", since(begun));
put("memory then", await memory());
const ruleset = await page.locator("#ruleset").inputValue();
const question = ["odds", "--format", "json", "--of=result", "--no-script", "--", `${ruleset.replace(/[^/]*$/, "")}border.scenario.yaml`, "three dice against two"];
for (const each of ["asked", "asked again", "asked once more"]) {
  before = await used();
  const took = await page.evaluate((given) => globalThis.run(given), question);
  put(`odds of the battle in the worker, ${each}`, `${took.toFixed(2)} s, of processor ${((await used()) - before).toFixed(2)} s`);
}
put("command lines of the second worker", (await page.evaluate(() => globalThis.noted)).map(([verb, took]) => `${verb} ${took.toFixed(2)} s`).join(", "));
put("memory then", await memory());
before = await used();
begun = performance.now();
await page.reload();
await pane(page, "Start");
await usable();
put("second visit to a usable page", `${since(begun)}, of processor ${((await used()) - before).toFixed(1)} s`);
put("memory then", await memory());
console.log(desk.complaints);
await desk.end();
await served.end();
