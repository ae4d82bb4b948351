/** One box that finds panes, rules by their addresses or words, scenarios and files, and goes there. */
import { type Desk, type Outlined, Problem } from "./desk";
import { el, fill } from "./elements";

/** Something to go to: what it is called, and what else it can be found by. */
interface Target {
  readonly group: string;
  readonly title: string;
  readonly about: string;
  go(): void;
}

interface Listed {
  readonly scenarios: readonly { readonly file: string; readonly cases: readonly string[] }[];
}

const MOST_OF_GROUP = 6;
const MOST_OF_LINES = 8;
const GROUPS = ["Panes", "Rules", "Scenarios", "Files", "Lines"] as const;
/** What a box without words offers. */
const AT_FIRST: ReadonlySet<string> = new Set(["Panes", "Rules", "Scenarios"]);

export class FindBox {
  private readonly dialog = el("dialog", { class: "finding", label: "Find" });
  private readonly field = el("input", {
    type: "text", role: "combobox", label: "Find rules, scenarios, files and panes", placeholder: "Find a rule, a scenario, a file, a pane", autocomplete: "off", spellcheck: "false",
    "aria-expanded": "true", "aria-controls": "found", "aria-autocomplete": "list",
  });
  private readonly list = el("div", { id: "found", role: "listbox", label: "What was found" });
  private readonly told = el("p", { class: "faint", role: "status" });
  private targets: readonly Target[];
  private texts: readonly Outlined[] = [];
  private shown: readonly Target[] = [];
  private at = 0;
  private isWaiting = true;

  constructor(
    private readonly desk: Desk,
    panes: readonly { readonly title: string; readonly about: string; go(): void }[],
  ) {
    this.targets = [
      ...panes.map((each): Target => ({ group: "Panes", ...each })),
      ...desk.files.map((each): Target => ({ group: "Files", title: each.path, about: each.sort === "other" ? "" : each.sort, go: () => desk.go("rules", { path: each.path }) })),
    ];
    const close = (): void => {
      this.dialog.close();
      this.dialog.remove();
    };
    this.dialog.addEventListener("cancel", (event) => { event.preventDefault(); close(); });
    this.dialog.addEventListener("click", (event) => { if (event.target === this.dialog) close(); });
    this.field.addEventListener("input", () => { this.at = 0; this.show(); });
    this.field.addEventListener("keydown", (event) => this.key(event));
    this.dialog.append(this.field, this.list, this.told);
    document.body.append(this.dialog);
    this.dialog.showModal();
    this.field.focus();
    this.show();
    void this.gather();
  }

  /** What takes a moment to be known: scenarios, then what the rules declare. */
  private async gather(): Promise<void> {
    const { desk } = this;
    if (desk.ruleset !== null) {
      const listed = desk.ask<Listed>("play/choices", { path: desk.ruleset }).catch((fault: unknown): Listed => { if (fault instanceof Problem) return { scenarios: [] }; throw fault; });
      const outlined = desk.outline();
      const { scenarios } = await listed;
      this.add(scenarios.flatMap(({ file, cases }) => cases.map((name): Target => ({ group: "Scenarios", title: name, about: file, go: () => desk.go("scenarios", { path: file, name }) }))));
      this.texts = await outlined;
      this.add(this.texts.flatMap(({ path, rules }) => rules.map((each): Target => ({ group: "Rules", title: each.address, about: each.title, go: () => desk.go("rules", { path, line: each.line }) }))));
    }
    this.isWaiting = false;
    this.show();
  }

  private add(targets: readonly Target[]): void {
    this.targets = [...this.targets, ...targets];
    if (this.dialog.open) this.show();
  }

  private show(): void {
    const words = this.field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = words.length
      ? this.targets.flatMap((target) => { const rank = ranked(target, words); return rank === null ? [] : [{ target, rank }]; }).sort((one, other) => one.rank - other.rank).map(({ target }) => target)
      : this.targets.filter(({ group }) => AT_FIRST.has(group));
    const all = [...found, ...this.lines(words)];
    const groups = GROUPS.map((group) => ({ group, own: all.filter((each) => each.group === group).slice(0, group === "Lines" ? MOST_OF_LINES : MOST_OF_GROUP) })).filter(({ own }) => own.length);
    if (words.length) groups.sort((one, other) => all.indexOf(one.own[0] as Target) - all.indexOf(other.own[0] as Target));
    this.shown = groups.flatMap(({ own }) => own);
    this.at = Math.min(this.at, Math.max(0, this.shown.length - 1));
    fill(this.list, ...groups.map(({ group, own }) => el("div", { role: "group", label: group }, el("p", { class: "found-group", "aria-hidden": "true" }, group), ...own.map((each) => this.option(each)))));
    fill(this.told, this.shown.length ? (this.isWaiting ? "Reading the rules…" : "") : this.isWaiting ? "Reading the rules…" : "Nothing has this name, and no line has these words.");
    this.marked();
  }

  private option(target: Target): HTMLElement {
    const number = this.shown.indexOf(target);
    const made = el("div", { role: "option", id: `found-${number}`, class: "found" }, el("span", { class: target.group === "Lines" || target.group === "Rules" ? "code" : "" }, target.title), el("small", {}, target.about));
    made.addEventListener("click", () => this.take(target));
    made.addEventListener("pointermove", () => { if (this.at !== number) { this.at = number; this.marked(); } });
    return made;
  }

  /** Lines of the rules that have all the words, where none of them is found by its name. */
  private lines(words: readonly string[]): Target[] {
    if (!words.some((each) => each.length > 1)) return [];
    return this.texts.flatMap(({ path, text }) => text.split("\n").flatMap((line, at): Target[] => {
      const low = line.toLowerCase();
      return words.every((each) => low.includes(each)) ? [{ group: "Lines", title: line.trim(), about: `${path}:${at + 1}`, go: () => this.desk.go("rules", { path, line: at + 1 }) }] : [];
    }));
  }

  private marked(): void {
    for (const each of this.list.querySelectorAll("[role=option]")) each.setAttribute("aria-selected", String(each.id === `found-${this.at}`));
    const chosen = this.list.querySelector(`#found-${this.at}`);
    if (chosen) this.field.setAttribute("aria-activedescendant", chosen.id);
    else this.field.removeAttribute("aria-activedescendant");
    chosen?.scrollIntoView({ block: "nearest" });
  }

  private key(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && this.shown.length) {
      event.preventDefault();
      this.at = (this.at + step + this.shown.length) % this.shown.length;
      this.marked();
    } else if (event.key === "Enter") {
      event.preventDefault();
      const chosen = this.shown[this.at];
      if (chosen) this.take(chosen);
    }
  }

  private take(target: Target): void {
    this.dialog.close();
    this.dialog.remove();
    target.go();
  }
}

/** How well something fits the words, the least best; null where it has not all of them. */
function ranked({ title, about, group }: Target, words: readonly string[]): number | null {
  const name = title.toLowerCase().replaceAll("_", " ");
  const whole = `${title} ${name} ${about}`.toLowerCase();
  if (!words.every((each) => whole.includes(each))) return null;
  const [first = ""] = words;
  const last = name.split("/").at(-1) ?? name;
  const fit = name === words.join(" ") || title.toLowerCase() === first ? 0 : last.startsWith(first) ? 1 : name.startsWith(first) ? 2 : new RegExp(`\\b${first.replace(/\W/g, "\\$&")}`).test(name) ? 3 : name.includes(first) ? 4 : 5;
  return fit * 1000 + GROUPS.indexOf(group as (typeof GROUPS)[number]) * 100 + Math.min(99, title.length);
}
