import { type Desk, type Open, type Pane, Problem } from "../desk";
import { drawing } from "../drawing";
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
  title: "A small ruleset",
  about: "One procedure of three steps, with its tests. Take it if no other starter is near the game you have in mind.",
};

export const pane: Pane = {
  name: "start",
  title: "Start",
  open(host: HTMLElement, desk: Desk): Open {
    const list = el("div", {}, el("p", { class: "faint" }, "Loading …"));
    const mine = el("div", {});
    const listed = (): void => fill(mine, ...yours(desk));
    const leave = [desk.on("files", listed), desk.on("ruleset", listed)];
    listed();
    fill(host, mine, list);
    desk
      .get<{ sources: Source[] }>("/api/start/gallery")
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

/** The rulesets that are there already. */
function yours(desk: Desk): Node[] {
  const rulesets = desk.rulesets();
  if (!rulesets.length) {
    const words = "There is no ruleset in this folder yet. Choose the one nearest to your game. You get a copy, and change it rule by rule.";
    return [el("h2", {}, "Begin"), el("p", {}, words)];
  }
  const opened = (path: string, where: string): void => {
    desk.choose(path);
    desk.go(where);
  };
  const rows = rulesets.map((path) =>
    el(
      "li",
      { class: "row" },
      el("code", {}, path),
      button("Edit", () => opened(path, "rules"), { label: `Edit ${path}` }),
      button("Play", () => opened(path, "play"), { label: `Play ${path}` }),
    ),
  );
  return [el("h2", {}, "In this folder"), el("ul", { class: "list yours" }, ...rows)];
}

function gallery(desk: Desk, sources: readonly Source[]): Node[] {
  const starters = sources.filter((each) => each.sort === "starter");
  const rulesets = sources.filter((each) => each.sort === "ruleset");
  const cards = (each: readonly Source[]): HTMLElement => el("ul", { class: "list gallery" }, ...each.map((one) => card(desk, one)));
  return [
    el("h2", {}, "Starters"),
    el("p", { class: "faint" }, "Small rulesets with a board and scenarios, made to be changed. You can play a copy at once."),
    cards([...starters, EMPTY]),
    el("h2", {}, "Finished rulesets"),
    el("p", { class: "faint" }, "Rulesets that come with rulewright, with all their tests."),
    cards(rulesets),
  ];
}

function card(desk: Desk, source: Source): HTMLElement {
  const body = el("div", { class: "row" });
  const first = button("Make a copy", () => ask(), { label: source.name ? `Make a copy of ${source.title}` : "Make a copy of a small ruleset" });
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
            made(desk, source, folded(name.value, "my-game"))
              .then(() => fill(body, first))
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
      el("div", { class: "row" }, make, button("Cancel", () => { fill(body, first); first.focus(); })),
      wrong,
    );
    fill(body, form);
    name.focus();
    name.select();
  };
  fill(body, first);
  return el(
    "li",
    { class: "card" },
    source.board === null ? null : drawing(source.board, `The board of ${source.title}`).host,
    el("h3", {}, source.title),
    el("p", {}, ...coded(source.about.replaceAll(/\*(?=\S)([^*`]*)\*/g, "$1"))),
    body,
  );
}

/** A name that no folder has yet. */
function free(desk: Desk, wanted: string): string {
  const taken = new Set(desk.files.map((each) => each.path.split("/")[0]));
  for (let at = 1; ; at += 1) {
    const name = at === 1 ? wanted : `${wanted}-${at}`;
    if (!taken.has(name)) return name;
  }
}

async function made(desk: Desk, source: Source, name: string): Promise<void> {
  const found = await desk.post<Made>("/api/start/make", { name, source: source.name });
  await desk.refresh();
  if (found.ruleset) desk.choose(found.ruleset);
  desk.say(`Made ${name}: ${found.files.length} files.`);
  desk.go("play", found.play ? { begins: found.play } : undefined);
}
