// Measures what a shared page costs whoever opens it: `npm run figures`, or `node tests/figures.mjs desk` for the desk alone.
// It prints a table beside the floors and aims that were set; on a machine that does other work, times are longer.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const PYTHON = process.env.RULEWRIGHT_PYTHON ?? "python";
const PROGRAM = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find(existsSync);
const TICK_MS = 10;
const PATIENCE = 300_000;
const SCENARIO = "nine dice may be rolled again, one after the other";
const SEED = "1";
const SITES = { desk: { size: [1280, 800], slower: 1 }, phone: { size: [390, 844], slower: 4 } };
const FIRST = { desk: ["6 s", "2.5 s"], phone: ["20 s", "8 s"] };
const NEXT = { desk: ["150 ms", "50 ms"], phone: ["500 ms", "150 ms"] };

/**
 * Runs in the page before all else: notes when an answer was pressed, when the worker had replied, when the next question was painted.
 * Chromium slows the thread of the page, not its workers: their replies are held back as long as a slower processor would have needed.
 */
function watch(slower) {
  const noted = (globalThis.figures = { opened: performance.now(), answers: [], now: null });
  const Plain = globalThis.Worker;
  globalThis.Worker = class extends Plain {
    asked = new Map();
    heard = null;
    last = 0; // when it really replied
    free = 0; // when a slower one would have
    constructor(address) {
      super(address);
      this.addEventListener("message", (event) => {
        const real = performance.now();
        const { at, what } = this.asked.get(event.data.number) ?? { at: real, what: "" };
        const due = (this.free = Math.max(at, this.free) + slower * (real - Math.max(at, this.last)));
        this.last = real;
        const deliver = () => {
          if (what === "prepare" && event.data.reply?.includes("true")) noted.prepared = true;
          if (noted.now && ["answer", "throw"].includes(what)) noted.now.python = performance.now() - at;
          this.heard?.(event);
        };
        if (slower === 1) deliver();
        else setTimeout(deliver, due - real);
      });
    }
    set onmessage(heard) {
      this.heard = heard;
    }
    postMessage(message, ...rest) {
      this.asked.set(message.number, { at: performance.now(), what: message.request ? JSON.parse(message.request).do : "start" });
      super.postMessage(message, ...rest);
    }
  };
  const usable = (table) => {
    const { now } = noted;
    if (!now || now.shown || table.dataset.shown === now.before || table.hasAttribute("aria-busy")) return;
    now.shown = performance.now();
    requestAnimationFrame(() => setTimeout(() => {
      now.total = performance.now() - now.at;
      now.rolling = document.querySelectorAll(".rolling").length;
      noted.answers.push(now);
      noted.now = null;
    }));
  };
  new MutationObserver(() => {
    const table = document.querySelector(".table");
    if (table) usable(table);
  }).observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ["data-shown", "aria-busy"] });
  addEventListener("click", (event) => {
    if (event.target.textContent === "Begin") noted.begun = performance.now();
    const table = event.target.closest?.(".table");
    if (table && event.isTrusted) noted.now = { at: performance.now(), before: table.dataset.shown, what: event.target.closest("button")?.className ?? "" };
  }, true);
}

/** Memory of the process that runs the page and its worker, in MB, as the task manager of Chromium counts it. */
function memory(pid) {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return ["RssAnon", "VmSwap"].reduce((sum, name) => sum + Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0), 0) / 1000;
}

/** The process of the page: of those that run pages the one with a worker. */
async function findProcess(program) {
  const session = await program.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  await session.detach();
  return processInfo.filter((each) => each.type === "renderer").map((each) => each.id).find((each) => Object.keys(threads(each)).includes("worker"));
}

/** Milliseconds of processor that the thread of the page and that of its worker have used; other work on the machine is not in them. */
function threads(pid) {
  const used = {};
  for (const each of readdirSync(`/proc/${pid}/task`)) {
    const [, name, rest] = /\((.*)\) (.*)/s.exec(readFileSync(`/proc/${pid}/task/${each}/stat`, "utf8")) ?? [];
    const what = Number(each) === pid ? "page" : name?.startsWith("DedicatedWorker") ? "worker" : "";
    const [user, system] = (rest ?? "").split(" ").slice(11, 13).map(Number);
    if (what) used[what] = (used[what] ?? 0) + TICK_MS * (user + system);
  }
  return used;
}

async function opened(file, { size, slower }) {
  const program = await chromium.launch({ executablePath: PROGRAM, headless: true, args: ["--disable-gpu", "--no-first-run"], chromiumSandbox: false });
  const context = await program.newContext({ offline: true, viewport: { width: size[0], height: size[1] }, hasTouch: slower > 1 });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  await page.addInitScript(watch, slower);
  const session = await context.newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate: slower });
  await page.goto(pathToFileURL(file).href);
  return { program, page };
}

/** Milliseconds from the opening of the page to what it shows now. */
const PAINTED = () => new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(performance.now() - figures.opened))));

const median = (given) => [...given].sort((one, other) => one - other)[Math.floor(given.length / 2)] ?? 0;

/** A whole play by the first answer of each question, from opening the file. */
async function played(file, scenario, site) {
  const { program, page } = await opened(file, site);
  const begin = page.getByRole("button", { name: "Begin", exact: true });
  await begin.waitFor();
  const seen = await page.evaluate(PAINTED);
  if (scenario) await page.locator("#scenario").selectOption(scenario);
  await page.getByText("More", { exact: true }).click();
  await page.getByLabel("Seed of the dice").fill(SEED);
  await begin.click();
  await page.locator(".panel .asked").waitFor();
  const first = seen + await page.evaluate(PAINTED) - await page.evaluate(() => figures.begun - figures.opened);
  await page.locator(".table[data-shown='2']").waitFor();
  const ready = await page.evaluate(() => performance.now() - figures.opened);
  const pid = await findProcess(program);
  const start = threads(pid);
  await page.waitForFunction(() => figures.prepared);
  const before = threads(pid);
  for (let answers = 1; !(await page.locator(".head").getByText("It is over").isVisible()); answers += 1) {
    await page.locator(".panel [data-first], .panel .play-question button:visible").first().click();
    await page.waitForFunction((wanted) => figures.answers.length >= wanted, answers);
  }
  const { answers } = await page.evaluate(() => figures);
  const after = threads(pid);
  const used = memory(pid);
  await program.close();
  const rolls = answers.filter((each) => each.what.includes("throw"));
  return {
    seen, first, ready, used, count: answers.length,
    total: median(answers.map((each) => each.total)), worst: Math.max(...answers.map((each) => each.total)),
    python: median(answers.map((each) => each.python)), slowest: Math.max(...answers.map((each) => each.python)),
    drawn: median(answers.map((each) => each.total - each.python)), roll: median(rolls.map((each) => each.total)), rolls: rolls.length,
    start, cost: { page: (after.page - before.page) / answers.length, worker: (after.worker - before.worker) / answers.length },
    rolling: rolls.some((each) => each.rolling),
  };
}

const seconds = (given) => `${(given / 1000).toFixed(1)} s`;
const ms = (given) => `${Math.round(given)} ms`;

async function main() {
  const place = mkdtempSync(join(tmpdir(), "rulewright-figures-"));
  const rows = [];
  const put = (what, is, [floor, aim] = ["", ""]) => {
    rows.push([what, is, floor, aim]);
    console.log([what.padEnd(58), is.padStart(18), floor.padStart(8), aim.padStart(8)].join("  "));
  };
  try {
    console.log(`${cpus().length} processors, ${loadavg()[0].toFixed(1)} of them busy with other work\n`);
    put("", "measured", ["floor", "aim"]);
    const files = Object.fromEntries(["risk", "mel"].map((name) => {
      const file = join(place, `${name}.html`);
      execFileSync(PYTHON, ["-m", "rulewright", "share", name, "--to", file]);
      put(`size of the shared file, ${name}`, `${(statSync(file).size / 1e6).toFixed(1)} MB`, ["12 MB", "8 MB"]);
      return [name, file];
    }));
    for (const name of process.argv.slice(2).length ? process.argv.slice(2) : Object.keys(SITES)) {
      const is = await played(files.mel, SCENARIO, SITES[name]);
      put(`${name}: opened to the page that can be begun`, seconds(is.seen));
      put(`${name}: opened to the first question on the screen`, seconds(is.first), FIRST[name]);
      put(`${name}: opened to an engine that answers`, seconds(is.ready));
      if (name === "desk") put(`${name}:   processor that it took, page and worker`, `${seconds(is.start.page)}, ${seconds(is.start.worker)}`);
      put(`${name}: an answer to the next question, median of ${is.count}`, ms(is.total), NEXT[name]);
      put(`${name}:   the slowest of them`, ms(is.worst));
      put(`${name}:   of it Python, median and slowest`, `${ms(is.python)}, ${ms(is.slowest)}`);
      put(`${name}:   of it drawing the page`, ms(is.drawn));
      if (name === "desk") put(`${name}:   processor that it took, page and worker`, `${ms(is.cost.page)}, ${ms(is.cost.worker)}`);
      put(`${name}:   where dice are rolled, median of ${is.rolls}`, ms(is.roll));
      put(`${name}:   the next question is there while the die still rolls`, is.rolling ? "yes" : "no");
      put(`${name}: memory of the page and its worker after the play`, `${Math.round(is.used)} MB`, ["400 MB", "250 MB"]);
    }
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

await main();
