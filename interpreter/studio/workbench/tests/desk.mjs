/** Starts `rulewright studio` on a copy of a folder, and Chromium on its workbench. */
import { execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "../../../..");
const AXE = join(dirname(fileURLToPath(import.meta.url)), "../node_modules/axe-core/axe.min.js");
const OPTIONS = ["--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
const PROGRAM = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find(existsSync);

/** What Chromium says of a question that the server answered with a problem; the page shows the problem. */
const REFUSED = /^Failed to load resource: the server responded with a status of (400|409|413|422) /;

const PATIENCE = 60_000;

/** The sizes in which every pane is looked at: a desk, a tablet, a phone. */
export const WIDTHS = { desk: [1440, 900], tablet: [1024, 768], phone: [390, 844] };

/** A copy of shipped rulesets and starters in a folder of its own; no names: an empty folder. */
export function folder(...names) {
  const made = mkdtempSync(join(tmpdir(), "rulewright-desk-"));
  for (const each of names) {
    const from = [join(ROOT, "rulesets", each), join(ROOT, "interpreter/rulewright/starters", each)].find(existsSync);
    cpSync(from, join(made, each), { recursive: true });
  }
  return made;
}

/** The server of a folder: its address to open first, and `end`. */
export async function studio(place) {
  const python = process.env.RULEWRIGHT_PYTHON ?? "python";
  const cache = mkdtempSync(join(tmpdir(), "rulewright-cache-"));
  const environment = { ...process.env, XDG_CACHE_HOME: cache, PYTHONUNBUFFERED: "1" };
  const server = spawn(python, ["-m", "rulewright", "studio", "--no-browser", place], { env: environment });
  let said = "";
  const address = await new Promise((found, failed) => {
    const heard = (part) => {
      said += part;
      const line = /http:\/\/127\.0\.0\.1:\d+\/\S*/.exec(said);
      if (line) found(line[0]);
    };
    server.stdout.on("data", heard);
    server.stderr.on("data", heard);
    server.on("exit", () => failed(new Error(`the studio ended:\n${said}`)));
  });
  return {
    address,
    async end() {
      if (server.exitCode !== null || server.signalCode !== null) throw new Error(`the studio ended by itself (${server.exitCode ?? server.signalCode}):\n${said}`);
      const gone = new Promise((done) => server.on("exit", done));
      server.kill("SIGTERM");
      await gone;
      rmSync(cache, { recursive: true, force: true });
    },
  };
}

/** The workbench as a static site, handed out by Python's plain web server: its address, `end`, and `asked` of it so far. */
export async function site(...files) {
  const python = process.env.RULEWRIGHT_PYTHON ?? "python";
  const top = mkdtempSync(join(tmpdir(), "rulewright-site-"));
  execFileSync(python, ["-m", "rulewright", "studio", ...files, "--site", join(top, "site")]);
  const server = spawn(python, ["-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "-d", join(top, "site")]);
  const asked = [];
  const address = await new Promise((found, failed) => {
    const heard = (part) => {
      const line = /port (\d+)/.exec(String(part));
      if (line) found(`http://127.0.0.1:${line[1]}/`);
      for (const [, path] of String(part).matchAll(/"GET (\S+)/g)) asked.push(path);
    };
    server.stdout.on("data", heard);
    server.stderr.on("data", heard);
    server.on("exit", () => failed(new Error("the web server ended")));
  });
  const stop = async () => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const gone = new Promise((done) => server.on("exit", done));
    server.kill("SIGTERM");
    await gone;
  };
  return { address, asked, stop, end: async () => { await stop(); rmSync(top, { recursive: true, force: true }); } };
}

/**
 * A browser at a workbench. `complaints` are the errors of its console, faults of its page, and requests that leave this machine:
 * a test ends by asking that there are none.
 */
export async function browser(address, { size = WIDTHS.desk, theme = "light", before = null } = {}) {
  const program = await chromium.launch({ executablePath: PROGRAM, headless: true, args: OPTIONS, chromiumSandbox: false });
  const [width, height] = size;
  const context = await program.newContext({ viewport: { width, height }, colorScheme: theme, reducedMotion: "reduce", permissions: ["clipboard-read", "clipboard-write"] });
  if (before) await context.addInitScript(before);
  const complaints = [];
  const { origin } = new URL(address);
  const watched = (page) => {
    page.setDefaultTimeout(PATIENCE);
    page.on("console", (message) => {
      if (/^(error|warning)$/.test(message.type()) && !REFUSED.test(message.text())) complaints.push(`console: ${message.text()} (${message.location().url})`);
    });
    page.on("pageerror", (fault) => complaints.push(`fault: ${fault.stack ?? fault.message}`));
    page.on("request", (request) => {
      const url = new URL(request.url());
      if (url.origin !== origin && !/^(data|blob|about):$/.test(url.protocol)) complaints.push(`request: ${request.url()}`);
    });
    return page;
  };
  const page = watched(await context.newPage());
  await page.goto(address);
  return {
    page,
    complaints,
    /** Another tab of the same browser, at an address. */
    async tab(at = `${origin}/`) {
      const other = watched(await context.newPage());
      await other.goto(at);
      return other;
    },
    end: () => program.close(),
  };
}

/** Waits until nothing is asked that the page shows as busy. */
export async function settled(page) {
  await page.waitForFunction(() => !document.querySelector("main > section:not([hidden]) [aria-busy=true]"));
}

/** What the accessibility checker finds serious or worse, once the page has settled. */
export async function barriers(page) {
  await settled(page);
  await page.evaluate(readFileSync(AXE, "utf8"));
  const found = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  return found.violations
    .filter((each) => each.impact === "serious" || each.impact === "critical")
    .map((each) => `${each.id}: ${each.help}: ${each.nodes.map((node) => `${node.target.join(" ")} ${node.any.map((one) => one.message).join("; ")}`).slice(0, 5).join(" | ")}`);
}

/** Goes to a pane. */
export async function pane(page, title) {
  await page.getByRole("navigation", { name: "Panes" }).getByRole("button", { name: new RegExp(`^${title}`) }).click();
}

/** Goes on by Tab until something with this name has the focus, inside of what a selector finds if one is given. */
export async function tabTo(page, name, inside = "body") {
  for (let at = 0; at < 150; at++) {
    await page.keyboard.press("Tab");
    const said = await page.evaluate((selector) => {
      let found = document.activeElement;
      if (!found?.closest(selector)) return null;
      while (found?.shadowRoot?.activeElement) found = found.shadowRoot.activeElement;
      return (found?.getAttribute("aria-label") ?? found?.textContent ?? "").trim();
    }, inside);
    if (said !== null && name.test(said)) return;
  }
  throw new Error(`Tab never comes to ${name}`);
}
