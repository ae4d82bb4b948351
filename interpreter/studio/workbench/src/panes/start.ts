import { type Desk, type Open, type Pane, Problem } from "../desk";
import { die } from "../dice";
import { thumbnail } from "../drawing";
import { button, coded, el, fill } from "../elements";
import { folded } from "../names";
import type { Begins } from "./play_start";

interface Source {
  readonly name: string;
  readonly sort: "starter" | "ruleset";
  readonly title: string;
  readonly about: string;
  /** Of a starter its board as SVG. */
  readonly board: string | null;
  /** Of a starter what one learns from it. */
  readonly learn: string;
}

interface Made {
  readonly files: readonly string[];
  readonly ruleset: string | null;
  /** What to play first. */
  readonly play: Begins | null;
}

/** What stands for a game without a board. */
const SIX = { faces: ["1", "2", "3", "4", "5", "6"] };
/** So many boards are asked for. */
const MOST_BOARDS = 12;

/** What is made where nothing is copied. */
const EMPTY: Source = {
  name: "",
  sort: "starter",
  board: null,
  learn: "",
  title: "A small ruleset",
  about: "One procedure of three steps, with its tests. Take it if no other starter is near the game you have in mind.",
};

export const pane: Pane = {
  name: "start",
  title: "Start",
  open(host: HTMLElement, desk: Desk): Open {
    const list = el("div", {}, el("p", { class: "faint" }, "Loading …"));
    const mine = el("div", {});
    const steps = el("ol", { class: "list" });
    const boards = new Boards(desk, () => listed());
    let tested: number | null = null;
    const listed = (): void => {
      const held = mine.contains(document.activeElement) ? document.activeElement?.getAttribute("aria-label") : null;
      fill(mine, ...yours(desk, boards, tested));
      if (held) [...mine.querySelectorAll("button")].find((each) => each.getAttribute("aria-label") === held)?.focus();
      fill(steps, ...(desk.tour?.list() ?? []));
      if (!host.hidden) void boards.load();
    };
    const judged = (differs: number | null): void => {
      tested = differs;
      listed();
    };
    const leave = [desk.on("files", listed), desk.on("ruleset", () => judged(null)), desk.on("unsaved", listed), desk.on("tested", judged)];
    listed();
    fill(host, hero(desk, steps), desk.engine.disk?.panel(desk) ?? null, mine, list);
    desk
      .ask<{ sources: Source[] }>("start/gallery")
      .then(({ sources }) => fill(list, ...gallery(desk, sources)))
      .then(() => boards.begin())
      .catch((fault: unknown) => {
        if (!(fault instanceof Problem)) throw fault;
        fill(list, el("p", { class: "bad" }, ...coded(fault.message)));
      });
    return {
      front: listed,
      close: () => {
        boards.close();
        for (const each of leave) each();
        fill(host);
      },
    };
  },
};

/** What is known of a ruleset of this folder: its title, and the board where its first scenario begins. */
interface Known {
  readonly title: string;
  readonly board: string | null;
}

/** The boards of the rulesets of this folder, asked for one after the other, the chosen one first. */
class Boards {
  private readonly known = new Map<string, Known>();
  private isBegun = false;
  private isLoading = false;
  private isClosed = false;

  constructor(
    private readonly desk: Desk,
    private readonly shown: () => void,
  ) {}

  of(path: string): Known | undefined {
    return this.known.get(this.key(path));
  }

  /** Asks for them from now on: what is more wanted was asked for first. */
  begin(): Promise<void> {
    this.isBegun = true;
    return this.load();
  }

  close(): void {
    this.isClosed = true;
  }

  async load(): Promise<void> {
    if (!this.isBegun || this.isLoading || this.isClosed) return;
    const { desk } = this;
    const wanted = [...new Set([...(desk.ruleset ? [desk.ruleset] : []), ...desk.rulesets()])].slice(0, MOST_BOARDS);
    const next = wanted.find((each) => !this.known.has(this.key(each)));
    if (next === undefined) return;
    const key = this.key(next);
    this.isLoading = true;
    try {
      this.known.set(key, await this.read(next));
    } catch (fault) {
      if (!(fault instanceof Problem)) throw fault;
      this.known.set(key, { title: "", board: null });
    } finally {
      this.isLoading = false;
    }
    if (!this.isClosed) this.shown();
  }

  private async read(path: string): Promise<Known> {
    const { title, scenarios } = await this.desk.ask<{ title: string; scenarios: readonly { readonly file: string; readonly cases: readonly string[]; readonly refused: readonly string[] }[] }>("play/choices", { path });
    for (const { file, cases, refused } of scenarios) {
      const name = cases.find((each) => !refused.includes(each));
      if (name === undefined) continue;
      const { scenes } = await this.desk.ask<{ scenes: readonly { readonly name: string; readonly boards: readonly { readonly begins: string }[] }[] }>("scenarios/scenes", { file, name });
      return { title, board: (scenes.find((each) => each.name === name) ?? scenes[0])?.boards[0]?.begins ?? null };
    }
    return { title, board: null };
  }

  /** A ruleset as its files are now. */
  private key(path: string): string {
    return [path, ...this.desk.files.filter((each) => each.ruleset === path).map((each) => each.version)].join(" ");
  }
}

const LEAD =
  "You write in plain structured English. rulewright finds the gaps, plays the game with you, works out the odds, and shows what each edit changes for the players.";

function hero(desk: Desk, steps: HTMLElement): HTMLElement {
  return el("section", { class: "hero", label: "What this is" },
    el("div", {},
      el("h2", { class: "headline" }, "Write your game’s rules once. Play them, test them, know the odds."),
      el("p", { class: "lead" }, LEAD),
      el("div", { class: "row" }, button("Take the two-minute tour", () => void desk.tour?.take(0), { primary: true, class: "big" }),
        desk.ruleset === null ? null : button("Go on writing", () => desk.go("rules"), { class: "big" }))),
    el("section", { class: "card tour", label: "The tour" },
      el("h3", {}, "Two minutes, one changed rule"),
      el("p", { class: "faint" }, "With counters on a map of hexes, in a copy of your own."),
      steps));
}

/** The rulesets that are there already: the chosen one with its board and how it stands, the others below it. */
function yours(desk: Desk, boards: Boards, tested: number | null): Node[] {
  const rulesets = desk.rulesets();
  if (!rulesets.length) return [];
  const opened = (path: string, where: string): void => {
    desk.choose(path);
    desk.go(where);
  };
  const chosen = rulesets.find((each) => each === desk.ruleset) ?? rulesets[0];
  const row = (path: string): HTMLElement => {
    const known = boards.of(path);
    const isChosen = path === chosen;
    const isEdited = desk.files.some((each) => (each.ruleset ?? each.path) === path && (each.draft || desk.unsaved.includes(each.path)));
    const states = [isEdited ? el("span", { class: "mark" }, "● edited, not saved") : null,
      !isChosen || tested === null ? null : el("span", { class: tested ? "bad" : "good" }, tested ? `≠ ${tested} ${tested === 1 ? "scenario differs" : "scenarios differ"}` : "✓ all scenarios pass")];
    return el("li", { class: isChosen ? "chosen" : undefined },
      el("figure", { "aria-hidden": "true" }, known?.board ? thumbnail(known.board, "") : known ? el("span", { class: "no-board" }, ...["5", "2"].map((each) => die(each, SIX))) : null),
      el("span", { class: "yours-words" }, el("b", {}, known?.title || named(path)), el("small", {}, el("code", {}, path)), states.some(Boolean) ? el("small", { class: "row yours-state" }, ...states) : null),
      el("span", { class: "row" },
        button(isChosen ? "Continue writing" : "Edit", () => opened(path, "rules"), { label: `${isChosen ? "Continue writing" : "Edit"} ${path}`, primary: isChosen }),
        button("Play", () => opened(path, "play"), { label: `Play ${path}` }),
        button("What changed", () => opened(path, "compare"), { label: `What changed in ${path}` })));
  };
  return [el("section", { label: "Continue" }, el("h2", { class: "section" }, "Continue"),
    el("ul", { class: "list yours card" }, ...[...rulesets].sort((one, other) => Number(other === chosen) - Number(one === chosen)).map(row)))];
}

/** `Hex combat`, of the path of a ruleset. */
function named(path: string): string {
  const words = (path.split("/").at(-1) ?? path).replace(/\.rules$/, "").replaceAll(/[_-]/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function gallery(desk: Desk, sources: readonly Source[]): Node[] {
  const starters = sources.filter((each) => each.sort === "starter");
  const rulesets = sources.filter((each) => each.sort === "ruleset");
  return [
    el("section", { label: "Starters" },
      el("div", { class: "section row" }, el("h2", {}, "Begin near your game"), el("p", { class: "faint" }, "Small games, ready to play. Make one yours, and change it rule by rule.")),
      el("ul", { class: "list gallery" }, ...starters.map((one) => card(desk, one))),
      el("ul", { class: "list finished" }, row(desk, EMPTY))),
    el("section", { label: "Finished rulesets" },
      el("div", { class: "section row" }, el("h2", {}, "Finished rules to read and copy"), el("p", { class: "faint" }, "They come with rulewright, with all their tests.")),
      el("ul", { class: "list finished" }, ...rulesets.map((one) => row(desk, one)))),
  ];
}

/** What `about` says, without the signs of its source. */
function about(source: Source): string {
  return source.about.replaceAll(/\*(?=\S)([^*`]*)\*/g, "$1");
}

function card(desk: Desk, source: Source): HTMLElement {
  const plays = source.board === null ? null
    : button("Play it", () => desk.go("play", { begins: { source: source.name } }), { primary: true, label: `Play it: ${source.title}` });
  const picture = source.board === null ? null : thumbnail(source.board, `The board of ${source.title}`);
  return el("li", { class: "card starter" },
    picture ? el("figure", {}, picture) : null,
    el("div", {},
      el("h3", {}, source.title),
      el("p", { class: "game" }, ...coded(about(source).split(/(?<=\.) /).slice(0, 2).join(" "))),
      source.learn ? el("p", { class: "learn" }, el("b", {}, "You learn "), source.learn, ".") : null,
      copying(desk, source, plays)));
}

function row(desk: Desk, source: Source): HTMLElement {
  const [first] = about(source).split(/(?<=\.) /);
  return el("li", {}, el("div", {}, el("b", {}, source.title), el("small", {}, ...coded(first ?? ""))), copying(desk, source, null));
}

/** The button that makes a copy, and the form that it opens; beside it what can be done without a copy. */
function copying(desk: Desk, source: Source, beside: HTMLElement | null): HTMLElement {
  const body = el("div", { class: "row" });
  const first = button("Make it mine", () => ask(), { label: `Make it mine: ${source.title}` });
  const closed = (): void => fill(body, beside, first);
  const ask = (): void => {
    const name = el("input", { size: "28", value: free(desk, source.name ? `my-${source.name}` : "my-game"), required: true, spellcheck: "false", autocomplete: "off" });
    const told = el("p", { class: "faint", "aria-live": "polite" });
    name.addEventListener("input", () => fill(told, ...coded(folded(name.value, "my-game") === name.value.trim() ? "" : `Its folder will be \`${folded(name.value, "my-game")}\`.`)));
    const wrong = el("p", { class: "bad", role: "alert" });
    const make = button("Make the copy and play", () => undefined, { primary: true, type: "submit" });
    const form = el(
      "form",
      {
        class: "making",
        on: {
          submit: (event) => {
            event.preventDefault();
            make.disabled = true;
            made(desk, source.name, folded(name.value, "my-game"))
              .then(closed)
              .catch((fault: unknown) => {
                if (!(fault instanceof Problem)) throw fault;
                fill(wrong, ...coded(fault.message));
              })
              .finally(() => (make.disabled = false));
          },
        },
      },
      el("label", { class: "field" }, el("span", {}, "Name of the copy"), name),
      told,
      el("div", { class: "row" }, make, button("Cancel", () => { closed(); first.focus(); })),
      wrong,
    );
    fill(body, form);
    name.focus();
    name.select();
  };
  closed();
  return body;
}

/** A name that no folder has yet. */
function free(desk: Desk, wanted: string): string {
  const taken = new Set(desk.files.map((each) => each.path.split("/")[0]));
  for (let at = 1; ; at += 1) {
    const name = at === 1 ? wanted : `${wanted}-${at}`;
    if (!taken.has(name)) return name;
  }
}

/** Makes a copy of a starter under a free name, and begins to play it. */
export function copied(desk: Desk, source: string): Promise<void> {
  return made(desk, source, free(desk, `my-${source}`));
}

async function made(desk: Desk, source: string, name: string): Promise<void> {
  const found = await desk.ask<Made>("start/make", { name, source });
  await desk.refresh();
  if (found.ruleset) desk.choose(found.ruleset);
  desk.say(`Made ${name}: ${found.files.length} files.`);
  desk.go("play", found.play ? { begins: { ...found.play, dice: "ask" } } : undefined);
}
