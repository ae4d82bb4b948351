/** Opens the workbench of a site: what the browser lacks is said, its parts are fetched, and its engine starts in the page. */
import { el, fill } from "../elements";
import { lacking } from "../engine/lacking";
import { type Engine, Problem } from "../seam/engine";
import { PageEngine } from "./engine";
import { parts, type Site } from "./parts";
import { Store } from "./store";

const FROM_DISK = "This page was opened from a disk, and a browser lets no such page load its parts. Put its folder on a web server; on this machine `python -m http.server` in the folder is one.";
const TWICE = "This workbench is open in another tab or window of this browser. Go on there, or close it and load this page again.";

/** Whether this page is a site rather than a page of `rulewright studio`. */
export function isSite(): boolean {
  return document.querySelector('meta[name="rulewright-engine"]') !== null;
}

export async function openSite(): Promise<Engine> {
  const trouble = location.protocol === "file:" ? FROM_DISK : lacking();
  if (trouble) throw new Problem(trouble, 0, {});
  if (!(await isAlone())) throw new Problem(TWICE, 0, {});
  const note = el("p", { class: "waits", role: "status" });
  const host = el("main", { class: "site-opens" }, el("h1", {}, "rulewright"), note);
  document.body.append(host);
  const says = (words: string): void => fill(note, words);
  try {
    says("The workbench is fetched …");
    const [site, unpacked, store] = await Promise.all([described(), parts(), Store.opened()]);
    keepOffline(site.digest);
    says("The workbench starts in this page …");
    const engine = new PageEngine(unpacked, site, store);
    await engine.open(await store.files());
    return engine;
  } catch (fault) {
    throw fault instanceof Problem ? fault : new Problem(`The workbench could not start in this page: ${lastLine(fault)}`, 0, {});
  } finally {
    host.remove();
  }
}

/** The last line of what went wrong: the lines before it tell where in the engine. */
function lastLine(fault: unknown): string {
  const words = fault instanceof Error ? fault.message : String(fault);
  return words.trim().split("\n").at(-1) ?? words;
}

async function described(): Promise<Site> {
  const answer = await fetch("site.json", { cache: "no-cache" });
  if (!answer.ok) throw new Error("its description is missing");
  return (await answer.json()) as Site;
}

/** Whether no other tab has this page open; both would keep their files in the same place. */
async function isAlone(): Promise<boolean> {
  if (!("locks" in navigator)) return true;
  return new Promise((resolve) => {
    void navigator.locks.request(`rulewright ${location.pathname}`, { ifAvailable: true }, (lock) => {
      resolve(lock !== null);
      return lock === null ? undefined : new Promise(() => undefined);
    });
  });
}

/** Has the browser keep the parts of this page, where it does so, for when there is no network. */
function keepOffline(digest: string): void {
  if (!("serviceWorker" in navigator) || !isSecureContext) return;
  navigator.serviceWorker.register(`offline.js?${digest}`).catch(() => undefined);
}
