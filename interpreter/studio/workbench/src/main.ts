/** The shell of the workbench: the bar of panes, what is said, keys, the theme. */
import { Desk, isGivenUp, type Key, type Open, type Pane, type Place, Problem } from "./desk";
import { ask, button, coded, el, fill } from "./elements";
import { pane as compare } from "./panes/compare";
import { pane as odds } from "./panes/odds";
import { pane as play } from "./panes/play";
import { pane as rules } from "./panes/rules";
import { pane as scenarios } from "./panes/scenarios";
import { pane as start } from "./panes/start";

const PANES: readonly Pane[] = [start, rules, play, scenarios, compare, odds];
const THEMES = ["system", "light", "dark"] as const;
type Theme = (typeof THEMES)[number];

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

function theme(): Theme {
  const kept = localStorage.getItem("theme");
  return THEMES.find((each) => each === kept) ?? "system";
}

const dark = matchMedia("(prefers-color-scheme: dark)");

function paint(): void {
  const chosen = theme();
  document.documentElement.dataset["theme"] = chosen === "system" ? (dark.matches ? "dark" : "light") : chosen;
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

function rulesetChoice(): HTMLElement {
  const list = el("select", { id: "ruleset" });
  const made = el("label", { class: "field" }, el("span", {}, "Ruleset"), list);
  const filled = (): void => {
    fill(list, ...desk.rulesets().map((each) => el("option", { value: each }, each.replace(/\.rules$/, ""))));
    list.value = desk.ruleset ?? "";
    made.hidden = list.options.length === 0;
  };
  list.addEventListener("change", () => desk.choose(list.value));
  desk.on("files", filled);
  desk.on("ruleset", filled);
  filled();
  return made;
}

function bar(): HTMLElement {
  for (const [at, each] of PANES.entries()) {
    tabs.set(each.name, button(each.title, () => bring(each.name), { title: `Alt+${at + 1}`, class: "tab" }));
  }
  const themes = el("select", { id: "theme" }, ...THEMES.map((each) => el("option", { value: each }, `${each[0]?.toUpperCase()}${each.slice(1)}`)));
  themes.value = theme();
  themes.addEventListener("change", () => {
    localStorage.setItem("theme", themes.value);
    paint();
  });
  return el(
    "header",
    { class: "bar" },
    el("a", { class: "skip", href: "#panes", on: { click: (event) => { event.preventDefault(); panes.focus(); } } }, "Skip to the pane"),
    el("h1", {}, desk.folder.name),
    el("nav", { label: "Panes" }, ...tabs.values()),
    rulesetChoice(),
    el("label", { class: "field" }, el("span", {}, "Theme"), themes),
    button("Keys", () => void keysPage(), { title: "?" }),
  );
}

try {
  desk = await Desk.opened(bring, say);
  desk.mend = (edits) => {
    made(rules, true);
    return desk.mend(edits);
  };
  desk.on("saved", () => {
    if (!opened.has(scenarios.name)) made(scenarios, true);
  });
  desk.on("tested", (failing) => {
    const tab = tabs.get(scenarios.name);
    if (tab) fill(tab, scenarios.title, failing ? el("span", { class: "bad" }, ` ${failing}\u202f✗`) : null);
  });
  document.body.append(bar(), alarm, panes, el("footer", { class: "foot" }, status));
  const wanted = location.hash.slice(1).split("/")[0] ?? "";
  bring(PANES.some((each) => each.name === wanted) ? wanted : desk.ruleset === null ? "start" : "rules");
  if (!opened.has(rules.name) && desk.files.some((each) => each.draft)) made(rules, true);
} catch (fault) {
  document.body.append(alarm);
  say(fault instanceof Problem ? fault.message : "The workbench could not open. Load the page again.", true);
  if (!(fault instanceof Problem)) throw fault;
}
