/** The files of a site and the disk of whoever reads it: a folder that is opened stays as it is here, else files come and go as an archive. */
import type { Desk } from "../desk";
import { button, coded, el, fill } from "../elements";
import { type Disk as Panel, type Engine, Problem } from "../seam/engine";
import { base64, bytes, type Store } from "./store";

export interface Disk extends Panel {
  /** Hears which files of the page were written; null: they are gone. */
  changed(changes: Readonly<Record<string, string | null>>): void;
}

interface Handle {
  readonly kind: "file" | "directory";
  readonly name: string;
}
interface FileHandle extends Handle {
  getFile(): Promise<File>;
  createWritable(): Promise<{ write(content: Uint8Array): Promise<void>; close(): Promise<void> }>;
}
interface FolderHandle extends Handle {
  values(): AsyncIterable<Handle>;
  getDirectoryHandle(name: string, options: { create: boolean }): Promise<FolderHandle>;
  getFileHandle(name: string, options: { create: boolean }): Promise<FileHandle>;
  removeEntry(name: string): Promise<void>;
}
type Picker = (options: { mode: "readwrite" }) => Promise<FolderHandle>;

const ENDINGS = /\.(rules|ya?ml|json|csv|md|toml|svg)$/i;
const TAKEN = ".rules,.yaml,.yml,.json,.csv,.md,.toml,.zip";
const MOST_BYTES = 1_000_000;
const MOST_FILES = 2000;
const DEEPEST = 8;

export class FolderOnDisk implements Disk {
  private open: FolderHandle | null = null;
  private writing: Promise<void> = Promise.resolve();
  /** Files that could not be written to the open folder. */
  private readonly unwritten = new Set<string>();
  private readonly said = el("p", { class: "faint", role: "status" });

  constructor(
    private readonly engine: Engine,
    private readonly store: Store,
    private readonly folder: string,
  ) {}

  panel(desk: Desk): HTMLElement {
    const picker = (globalThis as { showDirectoryPicker?: Picker }).showDirectoryPicker;
    this.tell();
    return el("section", { class: "card site-files", label: "Your files" },
      el("h2", { class: "section" }, "Your files"),
      el("p", {}, "All of this runs in your browser. Nothing you write leaves it, and your files are kept in it for the next time."),
      el("div", { class: "row" },
        picker ? button("Open a folder…", () => void this.attempt(desk, () => this.openFolder(desk, picker))) : null,
        button(picker ? "Add files…" : "Open files or an archive…", () => this.choose(desk)),
        button("Save all as an archive", () => void this.attempt(desk, () => this.archive()))),
      this.said);
  }

  changed(changes: Readonly<Record<string, string | null>>): void {
    const { open } = this;
    this.tell();
    if (!open) return;
    for (const [path, content] of Object.entries(changes)) {
      if (!path.startsWith(`${this.folder}/`)) continue;
      const place = path.slice(this.folder.length + 1);
      this.writing = this.writing.then(() => write(open, place, content)).then(() => this.unwritten.delete(place), () => this.unwritten.add(place)).then(() => this.tell());
    }
  }

  private tell(): void {
    const { open, unwritten } = this;
    const lacking = open && unwritten.size ? `${[...unwritten].map((each) => `\`${each}\``).join(", ")} could not be written to ${open.name}. ${unwritten.size === 1 ? "It is" : "They are"} kept in the browser; save all as an archive.` : "";
    this.said.classList.toggle("bad", lacking !== "");
    fill(this.said, ...coded(this.store.trouble || lacking || (open ? `What you save is written to the folder ${open.name} on your disk, too. What other programs write there is seen when you open it again.` : "")));
  }

  private async attempt(desk: Desk, does: () => Promise<void>): Promise<void> {
    try {
      await does();
    } catch (fault) {
      if (fault instanceof DOMException && fault.name === "AbortError") return;
      desk.say(fault instanceof Problem ? fault.message : "The browser does not let this page do that.", true);
    }
  }

  private async openFolder(desk: Desk, picker: Picker): Promise<void> {
    const chosen = await picker({ mode: "readwrite" });
    const files: Record<string, string> = {};
    for await (const [path, file] of walk(chosen, "", 0)) {
      if (Object.keys(files).length >= MOST_FILES) break;
      files[path] = base64(new Uint8Array(await file.arrayBuffer()));
    }
    await this.writing;
    this.unwritten.clear();
    this.open = null; // what comes from this folder is not written into the one that was open
    await this.take(desk, files);
    this.open = chosen;
    this.tell();
  }

  private choose(desk: Desk): void {
    const chosen = el("input", { type: "file", multiple: true, accept: TAKEN });
    chosen.addEventListener("change", () => void this.attempt(desk, async () => {
      const files: Record<string, string> = {};
      for (const each of chosen.files ?? []) files[each.name] = base64(new Uint8Array(await each.arrayBuffer()));
      await this.take(desk, files);
    }));
    chosen.click();
  }

  private async take(desk: Desk, files: Readonly<Record<string, string>>): Promise<void> {
    const { taken, left_out: left } = await this.engine.ask<{ taken: readonly string[]; left_out: readonly string[] }>("page/take", { files });
    await desk.refresh();
    const first = desk.rulesets().find((each) => taken.includes(each));
    if (first) desk.choose(first);
    desk.say(`Opened ${taken.length} ${taken.length === 1 ? "file" : "files"}${left.length ? `; left out, because they are not rules or scenarios: ${left.slice(0, 5).join(", ")}${left.length > 5 ? " …" : ""}` : "."}`);
  }

  private async archive(): Promise<void> {
    const { name, content } = await this.engine.ask<{ name: string; content: string }>("page/pack", {});
    const address = URL.createObjectURL(new Blob([bytes(content)], { type: "application/zip" }));
    const link = el("a", { href: address, download: name });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
  }
}

async function* walk(folder: FolderHandle, before: string, depth: number): AsyncGenerator<[string, File]> {
  for await (const each of folder.values()) {
    if (each.name.startsWith(".") || each.name === "node_modules") continue;
    const path = `${before}${each.name}`;
    if (each.kind === "directory") {
      if (depth < DEEPEST) yield* walk(each as FolderHandle, `${path}/`, depth + 1);
    } else if (ENDINGS.test(each.name)) {
      const file = await (each as FileHandle).getFile();
      if (file.size <= MOST_BYTES) yield [path, file];
    }
  }
}

async function write(top: FolderHandle, path: string, content: string | null): Promise<void> {
  const parts = path.split("/");
  const name = parts.pop() ?? "";
  let folder = top;
  for (const each of parts) folder = await folder.getDirectoryHandle(each, { create: content !== null });
  if (content === null) return folder.removeEntry(name);
  const file = await (await folder.getFileHandle(name, { create: true })).createWritable();
  await file.write(bytes(content));
  await file.close();
}
