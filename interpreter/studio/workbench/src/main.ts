/** The shell of the workbench: the bar of panes, what is said, keys, the theme. */
import { Desk, isGivenUp, type Key, type Open, type Pane, type Place, Problem } from "./desk";
import { ask, button, type Child, coded, el, fill, icon } from "./elements";
import { FindBox } from "./find_box";
import { pane as compare } from "./panes/compare";
import { pane as odds } from "./panes/odds";
import { pane as play } from "./panes/play";
import { pane as rules } from "./panes/rules";
import { pane as scenarios } from "./panes/scenarios";
import { copied, pane as start } from "./panes/start";
import { Tour } from "./panes/tour";
import { ShareDialog } from "./share_dialog";
import { Server } from "./seam/server";
import { isSite, openSite } from "./site/open";

const PANES: readonly Pane[] = [start, rules, play, scenarios, compare, odds];
/** What stands for a pane at the foot of a phone. */
const SIGNS: Readonly<Record<string, string>> = {
  start: "M4 11l8-7 8 7v9h-5v-6H9v6H4z",
  rules: "M5 4h11l3 3v13H5zM8 9h8M8 13h8M8 17h5",
  play: "M12 3l8 4.5v9L12 21l-8-4.5v-9zM9.5 12a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0-5 0",
  scenarios: "M4 6h3M4 12h3M4 18h3M10 6h10M10 12h10M10 18h10",
  compare: "M4 5h6v14H4zM14 5h6v14h-6zM10 12h4",
  odds: "M4 20V10M10 20V4M16 20v-8M21 20H3",
};

const opened = new Map<string, { readonly host: HTMLElement; readonly open: Open }>();
const status = el("p", { class: "said", role: "status", "aria-live": "polite" });
const alarm = el("div", { class: "alarm", role: "alert" });
const panes = el("main", { id: "panes", tabindex: "-1" });
const tabs = new Map<string, HTMLButtonElement>();
/** How far down each pane is scrolled that was put behind another. */
const scrolled = new Map<string, number>();
let current = "";

function say(words: string, fails = false): void {
  if (!fails) {
    fill(status, ...coded(words));
    return;
  }
  fill(alarm, el("p", {}, ...coded(words)), button("Close", () => fill(alarm)));
}

/** What was said of a deed stands until the next one; what goes on says itself when it is over. */
for (const next of ["pointerdown", "keydown"]) addEventListener(next, () => { if (!status.textContent?.endsWith("…")) fill(status); }, true);

const dark = matchMedia("(prefers-color-scheme: dark)");

/** The theme that was chosen here, else the one of the system. */
function isDark(): boolean {
  const kept = localStorage.getItem("theme");
  return kept === "dark" || (kept !== "light" && dark.matches);
}

function paint(): void {
  document.documentElement.dataset["theme"] = isDark() ? "dark" : "light";
}

paint();
dark.addEventListener("change", paint);

/** What a fault of a promise that nobody waits for says; one that was given up says nothing. */
addEventListener("unhandledrejection", (event) => {
  const fault: unknown = event.reason;
  if (isGivenUp(fault)) event.preventDefault();
  else if (fault instanceof Problem) {
    event.preventDefault();
    say(fault.message, true);
  }
});

/** `Ctrl+Shift+s`, from what was pressed. */
function pressed(event: KeyboardEvent): string {
  const held = [event.ctrlKey || event.metaKey ? "Ctrl" : "", event.altKey ? "Alt" : ""];
  if (event.shiftKey && event.key.length > 1) held.push("Shift");
  const key = event.altKey && /^Digit\d$/.test(event.code) ? event.code.slice(5) : event.key;
  return [...held, key.length === 1 && !event.altKey && !event.ctrlKey && !event.metaKey ? key : key.length === 1 ? key.toLowerCase() : key]
    .filter(Boolean)
    .join("+");
}

/** Whether somebody writes; the editor stands in a tree of its own, from which events come as from its host. */
function typing(event: KeyboardEvent): boolean {
  const target = event.composedPath()[0];
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}

function ownKeys(): Key[] {
  return [
    ...PANES.map((each, at) => ({ keys: `Alt+${at + 1}`, says: `Go to ${each.title}`, run: () => bring(each.name) })),
    { keys: "Ctrl+k", says: "Find rules, scenarios, files and panes", run: find },
    { keys: "?", says: "Show all keys (F1 while you type)", run: () => void keysPage() },
    { keys: "F1", says: "Show all keys", run: () => void keysPage() },
  ];
}

async function keysPage(): Promise<void> {
  const list = (keys: readonly Key[]): HTMLElement =>
    el("dl", { class: "keys" }, ...keys.flatMap((each) => [el("dt", {}, el("kbd", {}, each.keys)), el("dd", {}, each.says)]));
  const about = PANES.filter((each) => opened.get(each.name)?.open.keys?.length).flatMap((each) => [
    el("h3", {}, each.title),
    list(opened.get(each.name)?.open.keys ?? []),
  ]);
  await ask("Keys", [el("h3", {}, "Everywhere"), list(ownKeys().filter((each) => each.keys !== "F1")), ...about], [["done", "Close"]]);
}

addEventListener("keydown", (event) => {
  if (event.defaultPrevented || document.querySelector("dialog[open]")) return;
  const keys = pressed(event);
  const bare = !/^(Ctrl|Alt)\+|^F\d/.test(keys);
  if (bare && typing(event)) return;
  const found = [...(opened.get(current)?.open.keys ?? []), ...ownKeys()].find((each) => each.keys === keys && each.run);
  if (!found?.run) return;
  event.preventDefault();
  found.run();
});

let desk: Desk;

function made(pane: Pane, hidden = false): { readonly host: HTMLElement; readonly open: Open } {
  const host = el("section", { class: `pane pane-${pane.name}`, label: pane.title, hidden });
  panes.append(host);
  const shown = { host, open: pane.open(host, desk) };
  opened.set(pane.name, shown);
  return shown;
}

function bring(name: string, place?: Place): void {
  const pane = PANES.find((each) => each.name === name);
  if (!pane) return;
  const isOther = current !== name;
  if (isOther) {
    fill(alarm);
    scrolled.set(current, panes.scrollTop);
  }
  current = name;
  for (const [each, { host }] of opened) host.hidden = each !== name;
  let shown = opened.get(name);
  if (shown) shown.open.front?.();
  else shown = made(pane);
  if (isOther) panes.scrollTop = scrolled.get(name) ?? 0;
  for (const [each, tab] of tabs) {
    if (each === name) tab.setAttribute("aria-current", "page");
    else tab.removeAttribute("aria-current");
  }
  document.title = `${pane.title} · ${desk.folder.name} · rulewright studio`;
  const hash = `#${name}`;
  if (!location.hash.startsWith(hash)) history.replaceState(null, "", hash);
  if (place) shown.open.show?.(place);
}

/** `Hex combat`, of the path of a ruleset; its path where two are called so. */
function called(path: string): string {
  const stem = (each: string): string => (each.split("/").at(-1) ?? each).replace(/\.rules$/, "");
  const words = stem(path).replaceAll(/[_-]+/g, " ");
  const isAlone = desk.rulesets().filter((each) => stem(each) === stem(path)).length < 2;
  return isAlone ? `${words.charAt(0).toUpperCase()}${words.slice(1)}` : path.replace(/\.rules$/, "");
}

function rulesetChoice(): HTMLElement {
  const list = el("select", { id: "ruleset" });
  const made = el("label", { class: "field" }, el("span", { class: "sr" }, "Ruleset"), list);
  const filled = (): void => {
    fill(list, ...desk.rulesets().map((each) => el("option", { value: each, title: each }, called(each))));
    list.value = desk.ruleset ?? "";
    made.hidden = list.options.length === 0;
  };
  list.addEventListener("change", () => desk.choose(list.value));
  desk.on("files", filled);
  desk.on("ruleset", filled);
  filled();
  return made;
}

function find(): void {
  if (!opened.has(rules.name)) made(rules, true); // it knows what the rules declare
  new FindBox(desk, [
    ...PANES.map((each, at) => ({ title: each.title, about: `Alt+${at + 1}`, go: () => bring(each.name) })),
    { title: "Share", about: "a page to play", go: share },
    { title: "Keys", about: "all of them", go: () => void keysPage() },
  ]);
}

function share(): void {
  if (desk.ruleset === null) say("There is no ruleset here yet. The pane Start makes one.");
  else new ShareDialog(desk, desk.ruleset);
}

/** A button of the bar: its sign alone where there is little room. */
function tool(says: string, sign: string, press: () => void, key: string, look: string): HTMLButtonElement {
  const made = button("", press, { class: `tool ${look}`, title: key ? `${says} (${key})` : says });
  made.append(icon(sign), el("span", {}, says));
  if (key) made.append(el("kbd", { class: "key", "aria-hidden": "true" }, key));
  return made;
}

/** Files that are dropped anywhere are plays that came back; a browser would leave the workbench for them. */
function takeDropped(): void {
  let over = 0;
  const carriesFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") ?? false;
  const marked = (by: number): void => {
    over = Math.max(0, over + by);
    document.body.classList.toggle("dropping", over > 0);
  };
  const heard = (name: "dragenter" | "dragover" | "dragleave" | "drop", deed: (event: DragEvent) => void): void =>
    addEventListener(name, (event) => {
      if (!carriesFiles(event)) return;
      event.preventDefault();
      event.stopPropagation();
      deed(event);
    }, true);
  heard("dragenter", () => marked(1));
  heard("dragleave", () => marked(-1));
  heard("dragover", () => undefined);
  heard("drop", (event) => {
    marked(-over);
    bring(scenarios.name, { returned: [...(event.dataTransfer?.files ?? [])] });
  });
}

function themes(): HTMLElement {
  const half = icon("M12 4a8 8 0 1 0 0 16a8 8 0 1 0 0-16");
  const filled = icon("M12 4v16a8 8 0 0 0 0-16z").firstElementChild;
  filled?.classList.add("half");
  if (filled) half.append(filled);
  const made = button("", () => {
    localStorage.setItem("theme", isDark() ? "light" : "dark");
    paint();
    made.setAttribute("aria-pressed", String(isDark()));
  }, { class: "quiet", id: "theme", label: "Dark theme", title: "Dark or light", "aria-pressed": String(isDark()) });
  dark.addEventListener("change", () => made.setAttribute("aria-pressed", String(isDark())));
  made.append(half);
  return made;
}

function brand(): HTMLElement {
  const made = button("", () => bring("start"), { class: "brand", label: "rulewright, to Start" });
  made.append(icon("M14 2l10.4 6v12L14 26 3.6 20V8z M9 19.5L19 9.5M11 13.5l2 2M13.5 11l3 3M8.8 15.8l2 2", 28), el("span", {}, "rulewright"));
  return made;
}

function tabbed(pane: Pane, failing = 0): Child[] {
  const badge = failing ? el("span", { class: "badge" }, el("span", { class: "sr" }, ", "), String(failing), el("span", { class: "sr" }, ` ${failing === 1 ? "differs" : "differ"}`)) : null;
  return [icon(SIGNS[pane.name] ?? ""), pane.title, badge];
}

function bar(): HTMLElement {
  for (const [at, each] of PANES.entries()) {
    const tab = button("", () => bring(each.name), { title: `Alt+${at + 1}`, class: "tab" });
    fill(tab, ...tabbed(each));
    tabs.set(each.name, tab);
  }
  return el(
    "header",
    { class: "top" },
    el("a", { class: "skip", href: "#panes", on: { click: (event) => { event.preventDefault(); panes.focus(); } } }, "Skip to the pane"),
    brand(),
    el("h1", { class: "sr" }, desk.folder.name),
    rulesetChoice(),
    el("nav", { class: "tabs", label: "Panes" }, ...tabs.values()),
    el("div", { class: "top-tools" },
      tool("Find", "M10.5 4a6.5 6.5 0 1 0 0 13a6.5 6.5 0 1 0 0-13 M15.5 15.5L20 20", find, /Mac|iP(hone|ad)/.test(navigator.platform) ? "⌘K" : "Ctrl K", "quiet"),
      tool("Share", "M12 4v11 M7.5 8.5L12 4l4.5 4.5 M5 13v7h14v-7", share, "", ""),
      button("?", () => void keysPage(), { class: "quiet", label: "Keys", title: "Keys (?)" }), themes()),
  );
}

try {
  desk = await Desk.opened(isSite() ? await openSite() : new Server(), bring, say);
  desk.mend = (edits) => {
    made(rules, true);
    return desk.mend(edits);
  };
  desk.type = (path, edit) => {
    made(rules, true);
    return desk.type(path, edit);
  };
  desk.on("saved", () => {
    if (!opened.has(scenarios.name)) made(scenarios, true);
  });
  desk.on("tested", (failing) => {
    const tab = tabs.get(scenarios.name);
    if (tab) fill(tab, ...tabbed(scenarios, failing ?? 0));
  });
  takeDropped();
  desk.share = share;
  const tour = (desk.tour = new Tour(desk, copied));
  document.body.append(bar(), tour.bar, alarm, panes, el("footer", { class: "foot" }, status));
  const wanted = location.hash.slice(1).split("/")[0] ?? "";
  bring(PANES.some((each) => each.name === wanted) ? wanted : desk.ruleset === null ? "start" : "rules");
  if (!opened.has(rules.name) && desk.files.some((each) => each.draft)) made(rules, true);
} catch (fault) {
  document.body.append(alarm);
  say(fault instanceof Problem ? fault.message : "The workbench could not open. Load the page again.", true);
  if (!(fault instanceof Problem)) throw fault;
}
