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
    const listed = (): void => {
      fill(mine, ...yours(desk));
      fill(steps, ...tour(desk));
    };
    const leave = [desk.on("files", listed), desk.on("ruleset", listed)];
    listed();
    fill(host, hero(desk, steps), mine, list);
    desk
      .ask<{ sources: Source[] }>("start/gallery")
      .then(({ sources }) => fill(list, ...gallery(desk, sources)))
      .catch((fault: unknown) => {
        if (!(fault instanceof Problem)) throw fault;
        fill(list, el("p", { class: "bad" }, ...coded(fault.message)));
      });
    return {
      close: () => {
        for (const each of leave) each();
        fill(host);
      },
    };
  },
};

const LEAD =
  "You write in plain structured English. rulewright finds the gaps, plays the game with you, works out the odds, and shows what each edit changes for the players.";

function hero(desk: Desk, steps: HTMLElement): HTMLElement {
  return el("section", { class: "hero", label: "What this is" },
    el("div", {},
      el("h2", { class: "headline" }, "Write your game’s rules once. Play them, test them, know the odds."),
      el("p", { class: "lead" }, LEAD),
      el("div", { class: "row" }, button("Take the two-minute tour", () => void begun(desk), { primary: true, class: "big" }),
        desk.ruleset === null ? null : button("Go on writing", () => desk.go("rules"), { class: "big" }))),
    el("section", { class: "card tour", label: "The tour" },
      el("h3", {}, "Two minutes, one changed rule"),
      el("p", { class: "faint" }, "With counters on a map of hexes, in a copy of your own."),
      steps));
}

const TOURED = "hex-combat";
/** What the tour changes in the chart: at even odds a six destroys the defender. */
const ROW = "  6 | defender_back | defender_back |";
const CHANGED = "  6 | defender_back | defender_lost |";

/** The copy that the tour works on, if it was made. */
function toured(desk: Desk): string | null {
  return desk.rulesets().find((each) => each.endsWith("/hex_combat.rules")) ?? null;
}

async function begun(desk: Desk): Promise<void> {
  const path = toured(desk);
  if (path === null) return made(desk, TOURED, free(desk, `my-${TOURED}`));
  desk.choose(path);
  desk.go("play", { begins: { path: path.replace(/[^/]*$/, "plays.scenario.yaml"), name: "the battle", scripted: false, dice: "ask" } });
}

async function changed(desk: Desk, path: string): Promise<void> {
  const { text } = await desk.read(path);
  const lines = text.split("\n");
  const at = lines.findIndex((each) => each.startsWith(ROW));
  desk.choose(path);
  if (at < 0) {
    desk.say("The chart was changed already.");
    return desk.go("rules", { path, line: Math.max(1, lines.findIndex((each) => each.startsWith(CHANGED)) + 1) });
  }
  const column = ROW.indexOf("defender_back", ROW.indexOf("defender_back") + 1) + 1;
  await desk.mend([{ place: { file: path, line: at + 1, column, end_line: at + 1, end_column: column + "defender_back".length }, replacement: "defender_lost", safe: false }]);
  desk.go("rules", { path, line: at + 1 });
}

/** The four steps of the tour; all but the first need its copy. */
function tour(desk: Desk): Node[] {
  const path = toured(desk);
  const go = (pane: string): void => {
    if (path !== null) desk.choose(path);
    desk.go(pane);
  };
  const bar = el("span", { class: "small-bar", role: "img", label: "no effect, defender retreats, defender destroyed" }, ...["o-1", "o-3", "o-4", "o-5"].map((each) => el("i", { class: each })));
  const steps: readonly (readonly [title: string, says: string, does: string, run: () => void, sign: Node | null])[] = [
    ["March and attack", "Drag the lancers beside the rangers, and roll.", "Begin", () => void begun(desk), die("4", { side: "red" })],
    ["Change one word in the chart", "At even odds, a six destroys the defender.", "Change it", () => { if (path !== null) void changed(desk, path); }, null],
    ["See which scenario notices", "A six drove the defender back: one differs now.", "Look", () => go("scenarios"), null],
    ["See what it does to the odds", "Destroyed: never before, one time in six now.", "Work them out", () => go("odds"), bar],
  ];
  return steps.map(([title, says, does, run, sign], at) => {
    const press = button(does, run, { label: `${does}: ${title}` });
    press.disabled = at > 0 && path === null;
    return el("li", {}, el("span", { class: "count" }, String(at + 1)), el("span", { class: "step-words" }, el("b", {}, title), el("small", {}, says)), sign, press);
  });
}

/** The rulesets that are there already. */
function yours(desk: Desk): Node[] {
  const rulesets = desk.rulesets();
  if (!rulesets.length) return [];
  const opened = (path: string, where: string): void => {
    desk.choose(path);
    desk.go(where);
  };
  const rows = rulesets.map((path) =>
    el(
      "li",
      {},
      el("span", {}, el("b", {}, named(path)), el("small", {}, el("code", {}, path), desk.files.some((each) => each.ruleset === path && each.draft) ? " · edited, not saved" : null)),
      el("span", { class: "row" }, button("Edit", () => opened(path, "rules"), { label: `Edit ${path}`, primary: path === desk.ruleset }), button("Play", () => opened(path, "play"), { label: `Play ${path}` }), button("What changed", () => opened(path, "compare"), { label: `What changed in ${path}` })),
    ),
  );
  return [el("section", { label: "Continue" }, el("h2", { class: "section" }, "Continue"), el("ul", { class: "list yours card" }, ...rows))];
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
    const name = el("input", { value: free(desk, source.name ? `my-${source.name}` : "my-game"), required: true, spellcheck: "false", autocomplete: "off" });
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

async function made(desk: Desk, source: string, name: string): Promise<void> {
  const found = await desk.ask<Made>("start/make", { name, source });
  await desk.refresh();
  if (found.ruleset) desk.choose(found.ruleset);
  desk.say(`Made ${name}: ${found.files.length} files.`);
  desk.go("play", found.play ? { begins: { ...found.play, dice: "ask" } } : undefined);
}
