/** The texts that are open in this tab: what was typed, what the disk has, how both come together. */
import { ChangeSet, Compartment, EditorState, type Extension, type StateEffect, Text, type TransactionSpec } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { diff } from "@codemirror/merge";
import { type Desk, Problem } from "../desk";

const PAUSE = 200;

/** A text that is open. What the disk says otherwise than it began with is in `disk`, until it is merged. */
export class Document {
  readonly editable = new Compartment();
  state: EditorState;
  /** What the server of the language was told last, and its number. */
  told: Text;
  number = 0;
  isTold = false;
  view: EditorView | null = null;
  /** How far down it was scrolled when it was shown last. */
  scrolled: StateEffect<unknown> | null = null;
  /** What is on the disk now, where it cannot be brought together with what was typed; text null: the file is gone. */
  disk: { readonly text: string | null; readonly version: string | null } | null = null;
  /** Whether another tab is changing it. */
  isElsewhere = false;
  private waits: ReturnType<typeof setTimeout> | null = null;
  private kept: string | null = null;
  /** What is being kept: one after the other, so that the last that was typed stays. */
  private keeping: Promise<void> = Promise.resolve();

  constructor(
    readonly path: string,
    readonly uri: string,
    /** The text as it was saved last, with the version of it; version null: a file that is not there yet. */
    public saved: string,
    public version: string | null,
    typed: string,
    extensions: (document: Document) => Extension,
  ) {
    const ends = /\r\n/.test(saved) && !/(^|[^\r])\n/.test(saved) ? "\r\n" : "\n";
    this.state = EditorState.create({
      doc: typed,
      extensions: [EditorState.lineSeparator.of(ends), this.editable.of([]), extensions(this)],
    });
    this.told = this.state.doc;
    this.kept = typed === saved ? null : typed;
  }

  get current(): EditorState {
    return this.view?.state ?? this.state;
  }

  /** The text, with the ends of line that the file has. */
  get text(): string {
    return this.current.sliceDoc();
  }

  get isChanged(): boolean {
    return this.version === null || this.text !== this.saved;
  }

  change(spec: TransactionSpec): void {
    if (this.view) this.view.dispatch(spec);
    else this.state = this.state.update(spec).state;
  }

  /** Takes another text, by the changes that lead to it, so that cursor and history stay. */
  become(text: string): void {
    const to = Text.of(text.split(this.current.lineBreak === "\n" ? "\n" : /\r?\n/));
    const changes = led(this.current.doc, to);
    if (!changes.empty) this.change({ changes, userEvent: "disk" });
  }

  /** Keeps what is typed against a crash, soon. */
  keep(desk: Desk, at = PAUSE): void {
    if (this.waits !== null) return;
    this.waits = setTimeout(() => {
      this.waits = null;
      const text = this.isChanged ? this.text : null;
      if (text === this.kept) return;
      this.kept = text;
      const { version } = this;
      this.keeping = this.keeping
        .then(() => desk.draft(this.path, text, version))
        .catch((fault: unknown) => {
          this.kept = null;
          desk.say(fault instanceof Problem ? fault.message : "What you typed could not be kept.", true);
        });
    }, at);
  }

  /** Whether what is typed is kept, so that nothing is lost if the tab ends now. */
  get isKept(): boolean {
    return this.waits === null && (this.kept ?? this.saved) === this.text;
  }
}

/** The changes that lead from one text to another. */
function led(from: Text, to: Text): ChangeSet {
  const before = from.toString();
  const after = to.toString();
  const changes = diff(before, after, { scanLimit: 500, timeout: 200 }).map((each) => ({
    from: each.fromA,
    to: each.toA,
    insert: to.slice(each.fromB, each.toB),
  }));
  return ChangeSet.of(changes, before.length);
}

export interface Hunk {
  readonly from: number;
  readonly to: number;
  readonly fromB: number;
  readonly toB: number;
}

/** The lines in which two texts differ: each line is one character to `diff`. */
export function hunks(before: readonly string[], after: readonly string[]): Hunk[] {
  const numbers = new Map<string, string>();
  const coded = (lines: readonly string[]): string =>
    lines
      .map((line) => {
        let found = numbers.get(line);
        if (found === undefined) numbers.set(line, (found = String.fromCharCode(0x4e00 + (numbers.size % 0x9000))));
        return found;
      })
      .join("");
  return diff(coded(before), coded(after), { scanLimit: 1000, timeout: 500 }).map(({ fromA, toA, fromB, toB }) => ({
    from: fromA,
    to: toA,
    fromB,
    toB,
  }));
}

/** All open texts. Two tabs do not fight: who changes a text tells the others, in which it cannot be typed meanwhile. */
export class Documents {
  readonly open = new Map<string, Document>();
  private readonly tabs = new BroadcastChannel("rulewright-texts");
  private readonly loading = new Map<string, Promise<Document>>();
  private readonly saying: Set<string> = new Set();
  /** What other tabs say, one after the other: what one has saved stands here before it can be typed in here. */
  private turns: Promise<void> = Promise.resolve();

  constructor(
    private readonly desk: Desk,
    private readonly extensions: (document: Document) => Extension,
    /** Hears that the state of a text is another: changed, saved, in conflict, changed elsewhere. */
    private readonly heard: (document: Document) => void,
  ) {
    this.tabs.addEventListener("message", (event: MessageEvent<{ path: string; is: "changed" | "done" | "asked"; version?: string | null }>) => {
      const { path, is, version } = event.data;
      const found = this.open.get(path);
      if (!found) return;
      if (is === "asked") {
        if (this.saying.has(path)) this.tabs.postMessage({ path, is: "changed" });
        return;
      }
      this.turns = this.turns
        .then(() => (is === "done" ? this.met(path, version ?? found.version) : undefined))
        .catch(() => undefined) // the line to the studio tells it again
        .then(() => this.elsewhere(found, is === "changed"));
    });
    addEventListener("pagehide", () => {
      for (const path of this.saying) this.tabs.postMessage({ path, is: "done" });
    });
    addEventListener("beforeunload", (event) => {
      if ([...this.open.values()].some((each) => !each.isKept)) event.preventDefault();
    });
    desk.on("changed", (changed) => {
      for (const each of changed) void this.met(each.path, each.version);
    });
  }

  uri(path: string): string {
    return `${this.desk.folder.root}/${path.split("/").map(encodeURIComponent).join("/")}`;
  }

  path(uri: string): string | null {
    const root = `${this.desk.folder.root}/`;
    return uri.startsWith(root) ? uri.slice(root.length).split("/").map(decodeURIComponent).join("/") : null;
  }

  get(path: string): Promise<Document> {
    const found = this.open.get(path);
    if (found) return Promise.resolve(found);
    let loading = this.loading.get(path);
    if (!loading) {
      loading = this.load(path).finally(() => this.loading.delete(path));
      this.loading.set(path, loading);
    }
    return loading;
  }

  private async load(path: string): Promise<Document> {
    const read = await this.desk.read(path);
    const { draft } = read;
    const isOlder = draft !== null && draft.version !== read.version;
    const [saved, version] = isOlder ? [draft.base ?? read.text, draft.version] : [read.text, read.version];
    const document = new Document(path, this.uri(path), saved, version, draft?.text ?? read.text, this.extensions);
    this.open.set(path, document);
    this.tabs.postMessage({ path, is: "asked" });
    if (draft) {
      await this.desk.draft(path, draft.text, draft.version);
      await this.desk.draft(path, null, null, draft.tab);
      this.desk.say(`${path}: the text you typed and never saved is back.`);
      if (isOlder) await this.other(document, read.version === null ? null : read.text, read.version);
      this.tell(document);
    }
    return document;
  }

  /** Hears that a text was typed in. */
  typed(document: Document): void {
    document.keep(this.desk);
    this.tell(document);
    this.heard(document);
  }

  private tell(document: Document): void {
    if (document.isChanged === this.saying.has(document.path)) return;
    if (document.isChanged) this.saying.add(document.path);
    else this.saying.delete(document.path);
    this.tabs.postMessage({ path: document.path, is: document.isChanged ? "changed" : "done", version: document.version });
  }

  /** Lets a text be typed in here or not, because another tab changes it. */
  elsewhere(document: Document, is: boolean): void {
    if (document.isElsewhere === is || (is && document.isChanged && this.saying.has(document.path))) return;
    document.isElsewhere = is;
    document.change({
      effects: document.editable.reconfigure(is ? [EditorState.readOnly.of(true), EditorView.editable.of(false)] : []),
    });
    this.heard(document);
  }

  /** Writes all that was changed; answers the paths that could not be written, because the disk has another text. */
  async save(paths: readonly string[] = [...this.open.keys()]): Promise<string[]> {
    const left: string[] = [];
    for (const path of paths) {
      const document = this.open.get(path);
      if (!document?.isChanged || document.isElsewhere) continue;
      const text = document.text;
      try {
        const version = await this.desk.write(path, text, document.version);
        document.saved = text;
        document.version = version;
        document.disk = null;
        document.keep(this.desk, 0);
        this.tell(document);
      } catch (fault) {
        if (!(fault instanceof Problem) || fault.status !== 409) throw fault;
        left.push(path);
        await this.other(document, textOf(fault.data["text"]), textOf(fault.data["version"]));
      }
      this.heard(document);
    }
    return left;
  }

  /** Meets another version on the disk. */
  private async met(path: string, version: string | null): Promise<void> {
    const document = this.open.get(path);
    if (!document || document.version === version) return;
    if (version === null) await this.other(document, null, null);
    else {
      const read = await this.desk.read(path);
      if (read.version !== document.version) await this.other(document, read.text, read.version);
    }
    this.heard(document);
  }

  private async other(document: Document, text: string | null, version: string | null): Promise<void> {
    const mine = document.isChanged ? document.text : null;
    if (text !== null && mine !== null && mine !== text) {
      const made = await this.desk.ask<Merged>("file/merge", { base: document.saved, mine, theirs: text });
      if (made.conflicts.length === 0 && document.text === mine) {
        this.begins(document, text, version, made.text);
        this.desk.say(`${document.path}: the file on the disk changed too. The text now has both changes.`);
        return;
      }
    }
    if (text === null || (mine !== null && mine !== text)) document.disk = { text, version };
    else {
      this.begins(document, text, version, text);
      if (mine === null) this.desk.say(`${document.path}: read again, because the file on the disk changed.`);
    }
  }

  /** The text begins with another one on the disk from now on. */
  private begins(document: Document, saved: string, version: string | null, text: string): void {
    document.saved = saved;
    document.version = version;
    document.disk = null;
    document.become(text);
    this.typed(document);
  }

  /** Ends a conflict: the text is now this one, made in sight of what the disk has. */
  settle(document: Document, text: string): void {
    const disk = document.disk;
    if (!disk) return;
    this.begins(document, disk.text ?? "", disk.version, text);
  }

  /** Puts a text away, with what was typed in it. */
  drop(document: Document): void {
    document.become(document.saved);
    this.typed(document);
    if (document.version === null) this.open.delete(document.path);
  }
}

interface Merged {
  readonly text: string;
  readonly conflicts: readonly unknown[];
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
