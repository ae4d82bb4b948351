/** What the panes ask the server, and what they tell each other. */
import type { Begins } from "./panes/play_start";

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

/** A place to show: lines and columns count from 1; `address` is of a rule, `name` of a scenario, `begins` a play. */
export interface Place {
  readonly path?: string;
  readonly line?: number;
  readonly column?: number;
  readonly address?: string;
  readonly name?: string;
  readonly begins?: Begins;
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

/** What the server refused, in its words. */
export class Problem extends Error {
  constructor(
    words: string,
    readonly status: number,
    readonly data: Readonly<Record<string, unknown>>,
  ) {
    super(words);
  }
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
  /** By path the versions of files that the panes have heard of. */
  private heard = new Map<string, string>();
  private readonly listeners: Listeners = { files: new Set(), saved: new Set(), changed: new Set(), ruleset: new Set(), unsaved: new Set(), tested: new Set() };

  constructor(
    /** The name of the folder, and its URI. */
    readonly folder: { readonly name: string; readonly root: string },
    /** Brings a pane to the front, to show a place. */
    readonly go: (pane: string, place?: Place) => void,
    /** Says something that a reader of the screen hears, too; a failure stays until it is put away. */
    readonly say: (words: string, fails?: boolean) => void,
  ) {}

  static async opened(go: Desk["go"], say: Desk["say"]): Promise<Desk> {
    const desk = new Desk(await asked<Desk["folder"]>("/api/folder", {}), go, say);
    await desk.refresh();
    desk.heard = desk.versions();
    desk.watch();
    return desk;
  }

  get<T>(path: string, query: Readonly<Record<string, string>> = {}, signal?: AbortSignal): Promise<T> {
    const search = new URLSearchParams(query).toString();
    return asked<T>(search ? `${path}?${search}` : path, signal ? { signal } : {});
  }

  post<T>(path: string, data: unknown, signal?: AbortSignal): Promise<T> {
    const headers = { "Content-Type": "application/json" };
    return asked<T>(path, { method: "POST", headers, body: JSON.stringify(data), ...(signal ? { signal } : {}) });
  }

  socket(path: string): WebSocket {
    return new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${path}`);
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
    this.files = (await this.get<{ files: File[] }>("/api/files")).files;
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
    return this.get<Text>("/api/file", { path });
  }

  /** Writes a file whole, if the disk still has the version that the text began with (null: no file); answers its version. */
  async write(path: string, text: string, version: string | null): Promise<string> {
    const made = await this.post<{ version: string }>("/api/file", { path, text, version, tab: this.tab });
    if (version === null || !this.files.some((each) => each.path === path)) await this.refresh();
    this.tell("saved", path);
    return made.version;
  }

  /** Keeps what is typed against a crash; null: nothing is to be kept. */
  async draft(path: string, text: string | null, version: string | null, tab = this.tab): Promise<void> {
    await this.post("/api/draft", { path, text, version, tab });
  }

  private versions(): Map<string, string> {
    return new Map(this.files.map((each) => [each.path, each.version]));
  }

  /** Hears of what changes; when the line to the studio is back, or there for the first time, of what changed meanwhile. */
  private watch(): void {
    const socket = this.socket(`/api/watch?tab=${this.tab}`);
    socket.addEventListener("open", () => void this.caughtUp());
    socket.addEventListener("message", (event) => {
      const { changed } = JSON.parse(String(event.data)) as { changed?: Heard["changed"] };
      if (changed) void this.refresh().then(() => this.others(changed));
    });
    socket.addEventListener("close", () => setTimeout(() => this.watch(), 1000));
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

/** Whether a question was taken back by who asked it. */
export function isGivenUp(fault: unknown): boolean {
  return fault instanceof DOMException && fault.name === "AbortError";
}

async function asked<T>(path: string, options: RequestInit): Promise<T> {
  const headers = { ...(options.headers as Record<string, string> | undefined), "X-Rulewright": "1" };
  let answer: Response;
  try {
    answer = await fetch(path, { ...options, headers });
  } catch (fault) {
    if (isGivenUp(fault)) throw fault;
    throw new Problem("The workbench does not answer. It was closed, or it is busy. Start `rulewright studio` in the folder again.", 0, {});
  }
  const data = (await answer.json().catch((fault: unknown) => {
    if (isGivenUp(fault)) throw fault;
    return {};
  })) as Record<string, unknown>;
  if (!answer.ok) throw new Problem(String(data["problem"] ?? "The workbench cannot do this."), answer.status, data);
  return data as T;
}
