/**
 * What answers the panes of a site: the same engine in this page. One worker is the desk: it answers requests, holds the files and
 * is the language server; the other one works out what takes long, and is ended where somebody stops it. Files are kept in the browser.
 */
import { type Engine, type Line, Problem } from "../seam/engine";
import { type Disk, FolderOnDisk } from "./disk";
import { ingredients, Program, type Site, type Unpacked } from "./parts";
import type { Store } from "./store";

const KEPT = "/kept";
const ASIDE = "/tmp/rulewright";
/** When the second worker begins. */
const AHEAD_MS = 1500;
const NOT_FETCHED = "The parts of a shared page could not be fetched. Try again once there is a network.";
const BROKEN = "The workbench in this page has stopped. Load the page again: what you saved is there.";

interface Reply {
  readonly number: number;
  readonly status?: number;
  readonly data: Record<string, unknown>;
}

export class PageEngine implements Engine {
  readonly disk: Disk;
  private readonly desk: Program;
  private worker: Program | null = null;
  private number = 0;
  private readonly asked = new Map<number, { answer(data: unknown): void; fail(fault: Error): void }>();
  private language: PageLine | null = null;
  private news: PageLine | null = null;
  private readonly folder: string;

  constructor(
    private readonly unpacked: Unpacked,
    private readonly site: Site,
    private readonly store: Store,
  ) {
    this.folder = `/home/${site.name}`;
    this.disk = new FolderOnDisk(this, store, this.folder);
    this.desk = new Program(unpacked, (kind, text) => this.heard(kind, text), () => this.broke());
  }

  /** Opens the desk with the files that are kept; then, beside it, what works out the rest. */
  async open(files: Readonly<Record<string, string>>): Promise<void> {
    const begins = Object.keys(files).length ? files : Object.fromEntries(Object.entries(this.site.files).map(([path, content]) => [`${this.folder}/${path}`, content]));
    await this.desk.have({ do: "open_desk", folder: this.folder, kept: KEPT, aside: ASIDE, files: JSON.stringify(begins) });
    if (begins !== files) await this.store.save(begins);
    setTimeout(() => { this.worker ??= this.begun(); }, AHEAD_MS);
  }

  ask<T>(name: string, given: object, signal?: AbortSignal): Promise<T> {
    this.number += 1;
    const { number } = this;
    return new Promise<T>((answer, fail) => {
      if (signal?.aborted) return fail(new DOMException("taken back", "AbortError"));
      this.asked.set(number, { answer: answer as (data: unknown) => void, fail });
      signal?.addEventListener("abort", () => {
        if (!this.asked.delete(number)) return;
        void this.tell({ do: "leave", number });
        fail(new DOMException("taken back", "AbortError"));
      });
      void this.tell({ do: "ask", number, name, given: JSON.stringify(given) });
    });
  }

  talk(): Line {
    this.language = new PageLine((text) => void this.tell({ do: "say", text }));
    void this.tell({ do: "talk" });
    return this.language.opened();
  }

  watch(tab: string): Line {
    this.news = new PageLine(() => undefined);
    void this.tell({ do: "watch", tab });
    return this.news.opened();
  }

  private async tell(request: Readonly<Record<string, unknown>> & { readonly do: string }): Promise<void> {
    await this.desk.have(request).catch(() => undefined);
  }

  private heard(kind: string, text: string): void {
    if (kind === "reply") this.replied(JSON.parse(text) as Reply);
    else if (kind === "language") this.language?.onmessage(text);
    else if (kind === "news") this.news?.onmessage(text);
    else if (kind === "store") this.changed(JSON.parse(text) as Record<string, string | null>);
    else if (kind === "run") void this.run(text);
    else if (kind === "stop") this.renew();
  }

  private replied({ number, status, data }: Reply): void {
    const asked = this.asked.get(number);
    this.asked.delete(number);
    if (status === undefined) asked?.answer(data);
    else asked?.fail(new Problem(String(data["problem"] ?? "The workbench cannot do this."), status, data));
  }

  private changed(changes: Readonly<Record<string, string | null>>): void {
    void this.store.save(changes).then(() => this.disk.changed(changes));
  }

  private begun(): Program {
    const worker: Program = new Program(this.unpacked, (kind, text) => {
      if (kind === "progress") void this.tell({ do: "note_progress", text });
    }, () => { if (worker === this.worker) this.lost(); });
    void worker.have({ do: "open_worker", folder: this.folder, aside: ASIDE }).catch(() => undefined);
    return worker;
  }

  private async run(command: string): Promise<void> {
    const worker = (this.worker ??= this.begun());
    const [verb, ...words] = (JSON.parse(command) as { readonly arguments: readonly string[] }).arguments;
    const files = verb === "share" && !words.some((each) => each.startsWith("--back")) ? await ingredients().catch(() => null) : {};
    if (!files) return this.tell({ do: "take_result", text: JSON.stringify({ exit: 2, out: "", err: NOT_FETCHED, changes: {} }) });
    try {
      const text = await worker.have({ do: "run", text: command }, files);
      if (worker === this.worker) await this.tell({ do: "take_result", text });
    } catch {
      if (worker === this.worker) this.lost();
    }
  }

  /** Ends what is being worked out; the next question finds a new worker, which knows of no files yet. */
  private renew(): void {
    this.worker?.end();
    this.worker = this.begun();
  }

  /** The worker has ended by itself. */
  private lost(): void {
    this.renew();
    void this.tell({ do: "forget_worker" });
  }

  private broke(): void {
    for (const each of this.asked.values()) each.fail(new Problem(BROKEN, 0, {}));
    this.asked.clear();
  }
}

class PageLine implements Line {
  onopen = (): void => undefined;
  onmessage: Line["onmessage"] = () => undefined;
  onclose = (): void => undefined;
  isOpen = true;

  constructor(private readonly said: (text: string) => void) {}

  /** Itself; it says that it is open once whoever opened it listens. */
  opened(): this {
    queueMicrotask(() => this.onopen());
    return this;
  }

  send(text: string): void {
    if (this.isOpen) this.said(text);
  }

  close(): void {
    this.isOpen = false;
  }
}
