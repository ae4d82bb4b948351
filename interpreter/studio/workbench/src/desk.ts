/** What the panes ask the server, and what they tell each other. */
import type { Engine, Line } from "./seam/engine";
import type { Begins } from "./panes/play_start";
import type { Tour } from "./panes/tour";

export { isGivenUp, Problem } from "./seam/engine";

/** A file of the folder. */
export interface File {
  readonly path: string;
  readonly sort: string;
  /** The ruleset that it belongs to, by its path, if any. */
  readonly ruleset: string | null;
  readonly version: string;
  /** Whether something was typed into it, in any tab, and not saved. */
  readonly draft: boolean;
}

/** A text as the disk has it; `draft` is what was typed and never saved, by a tab that is gone, `base` what the file held then. */
export interface Text {
  readonly path: string;
  readonly text: string;
  /** None where only what was typed is left of the file. */
  readonly version: string | null;
  readonly draft: { readonly text: string; readonly version: string | null; readonly base: string | null; readonly tab: string } | null;
}

/** A place to show: lines and columns count from 1; `address` is of a rule, `name` of a scenario, `begins` a play, `returned` files of plays that came back, `since` the time after whose first save of the rules a comparison begins. */
export interface Place {
  readonly path?: string;
  readonly line?: number;
  readonly column?: number;
  readonly address?: string;
  readonly name?: string;
  readonly begins?: Begins;
  readonly returned?: readonly globalThis.File[];
  /** In seconds since 1970. */
  readonly since?: number;
}

/** An edit of a saved file, as a remedy has it: lines and columns count from 1, columns in whole characters. */
export interface Edit {
  readonly place: { readonly file: string; readonly line: number; readonly column: number; readonly end_line: number; readonly end_column: number };
  readonly replacement: string;
  readonly safe: boolean;
}

/** A key of a pane: `keys` as in `Ctrl+Shift+s` or `n`; one without a modifier is not heard while somebody types. */
export interface Key {
  readonly keys: string;
  readonly says: string;
  /** Nothing where the pane hears the key itself, and it is only told of. */
  readonly run?: () => void;
}

/** A text of the rules as it is typed, and what it declares. */
export interface Outlined {
  readonly path: string;
  readonly text: string;
  readonly rules: readonly { readonly address: string; readonly title: string; readonly line: number }[];
}

export interface Open {
  readonly keys?: readonly Key[];
  /** Shows a place that another pane points to. */
  show?(place: Place): void;
  /** What is to be done when the pane comes to the front again. */
  front?(): void;
  close(): void;
}

export interface Pane {
  readonly name: string;
  readonly title: string;
  open(host: HTMLElement, desk: Desk): Open;
}

interface Heard {
  /** Other files are there than before, or others of them. */
  files: readonly File[];
  /** A file was saved in this tab. */
  saved: string;
  /** Files of the disk are others, by whoever's hand; version null: gone. */
  changed: readonly { readonly path: string; readonly version: string | null }[];
  /** Another ruleset is worked on. */
  ruleset: string | null;
  /** Other texts than before are typed and not saved. */
  unsaved: readonly string[];
  /** The scenarios were played: how many of them do not pass; null where that is not known any more. */
  tested: number | null;
}

type Listeners = { [K in keyof Heard]: Set<(what: Heard[K]) => void> };

export class Desk {
  files: readonly File[] = [];
  /** What the server calls this tab. */
  readonly tab: string = crypto.randomUUID();
  /** The ruleset that all panes are about, by its path. */
  ruleset: string | null = null;
  /** The files into which something was typed in this tab and not saved. */
  unsaved: readonly string[] = [];
  /** Saves them; answers whether all of them are saved now. The pane of the rules sets it. */
  save: () => Promise<boolean> = () => Promise.resolve(true);
  /** Makes the edits of a remedy in files of which no other text is typed, shown first unless they are safe, and saves them. The pane of the rules sets it. */
  mend: (edits: readonly Edit[]) => Promise<void> = () => Promise.resolve();
  /** Types an edit of a text, which is not saved by it; false where the edit answers null. The pane of the rules sets it. */
  type: (path: string, edit: (text: string) => string | null) => Promise<boolean> = () => Promise.resolve(false);
  /** Opens what makes a page of the ruleset to share. The shell sets it. */
  share: () => void = () => undefined;
  /** The tour through the panes. */
  tour: Tour | null = null;
  /** The texts of the ruleset as they are typed, with what they declare. The pane of the rules sets it. */
  outline: () => Promise<readonly Outlined[]> = () => Promise.resolve([]);
  /** By path the versions of files that the panes have heard of. */
  private heard = new Map<string, string>();
  private readonly listeners: Listeners = { files: new Set(), saved: new Set(), changed: new Set(), ruleset: new Set(), unsaved: new Set(), tested: new Set() };

  constructor(
    readonly engine: Engine,
    /** The name of the folder, and its URI. */
    readonly folder: { readonly name: string; readonly root: string },
    /** Brings a pane to the front, to show a place. */
    readonly go: (pane: string, place?: Place) => void,
    /** Says something that a reader of the screen hears, too; a failure stays until it is put away. */
    readonly say: (words: string, fails?: boolean) => void,
  ) {}

  static async opened(engine: Engine, go: Desk["go"], say: Desk["say"]): Promise<Desk> {
    const desk = new Desk(engine, await engine.ask<Desk["folder"]>("folder", {}), go, say);
    await desk.refresh();
    desk.heard = desk.versions();
    desk.watch();
    return desk;
  }

  /** Asks the engine: one request by its name; what it refuses is a `Problem`. */
  ask<T>(name: string, given: object = {}, signal?: AbortSignal): Promise<T> {
    return this.engine.ask<T>(name, given, signal);
  }

  /** A line to the language server, both ways; it is over when it is closed. */
  talk(): Line {
    return this.engine.talk();
  }

  on<K extends keyof Heard>(event: K, heard: (what: Heard[K]) => void): () => void {
    this.listeners[event].add(heard);
    return () => this.listeners[event].delete(heard);
  }

  tell<K extends keyof Heard>(event: K, what: Heard[K]): void {
    for (const each of [...this.listeners[event]]) each(what);
  }

  /** Asks what files there are. */
  async refresh(): Promise<void> {
    this.files = (await this.ask<{ files: File[] }>("files")).files;
    const rulesets = this.rulesets();
    const last = sessionStorage.getItem("ruleset");
    if (this.ruleset === null || !rulesets.includes(this.ruleset)) this.choose(last !== null && rulesets.includes(last) ? last : rulesets[0] ?? null);
    this.tell("files", this.files);
  }

  /** The rulesets of the folder, by their paths. */
  rulesets(): string[] {
    return this.files.filter((each) => each.sort === "rules" && (each.ruleset ?? each.path) === each.path).map((each) => each.path);
  }

  choose(ruleset: string | null): void {
    if (ruleset === this.ruleset) return;
    this.ruleset = ruleset;
    if (ruleset !== null) sessionStorage.setItem("ruleset", ruleset);
    this.tell("ruleset", ruleset);
  }

  read(path: string): Promise<Text> {
    return this.ask<Text>("file", { path });
  }

  /** Writes a file whole, if the disk still has the version that the text began with (null: no file); answers its version. */
  async write(path: string, text: string, version: string | null): Promise<string> {
    const made = await this.ask<{ version: string }>("file/save", { path, text, version, tab: this.tab });
    if (version === null || !this.files.some((each) => each.path === path)) await this.refresh();
    this.tell("saved", path);
    return made.version;
  }

  /** Keeps what is typed against a crash; null: nothing is to be kept. */
  async draft(path: string, text: string | null, version: string | null, tab = this.tab): Promise<void> {
    await this.ask("file/draft", { path, text, version, tab });
  }

  private versions(): Map<string, string> {
    return new Map(this.files.map((each) => [each.path, each.version]));
  }

  /** Hears of what changes; when the line to the studio is back, or there for the first time, of what changed meanwhile. */
  private watch(): void {
    const line = this.engine.watch(this.tab);
    line.onopen = () => void this.caughtUp();
    line.onmessage = (text) => {
      const { changed } = JSON.parse(text) as { changed?: Heard["changed"] };
      if (changed) void this.refresh().then(() => this.others(changed));
    };
    line.onclose = () => setTimeout(() => this.watch(), 1000);
  }

  private async caughtUp(): Promise<void> {
    await this.refresh();
    const now = this.versions();
    const paths = [...new Set([...this.heard.keys(), ...now.keys()])].filter((each) => this.heard.get(each) !== now.get(each));
    if (paths.length > 0) this.others(paths.map((path) => ({ path, version: now.get(path) ?? null })));
  }

  private others(changed: Heard["changed"]): void {
    for (const { path, version } of changed) {
      if (version === null) this.heard.delete(path);
      else this.heard.set(path, version);
    }
    this.tell("changed", changed);
  }
}
