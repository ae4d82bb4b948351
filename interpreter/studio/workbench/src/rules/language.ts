/** The server of the language, over a line: what it is told of the open texts, and what it knows of them. */
import { LSPClient, LSPPlugin, Workspace, type WorkspaceFile, hoverTooltips, serverCompletion, signatureHelp } from "@codemirror/lsp-client";
import { ChangeSet, Text, type TransactionSpec } from "@codemirror/state";
import type { EditorView } from "@codemirror/view";
import type * as lsp from "vscode-languageserver-protocol";
import type { Desk } from "../desk";
import type { Line } from "../seam/engine";
import { page } from "../elements";
import type { Document, Documents } from "./documents";

const TIMEOUT = 120_000;
const SETTLED = 300;

class OpenFile implements WorkspaceFile {
  readonly languageId: string;

  constructor(readonly document: Document) {
    this.languageId = document.path.endsWith(".rules") ? "rulewright" : "yaml";
  }

  get uri(): string {
    return this.document.uri;
  }

  get version(): number {
    return this.document.number;
  }

  get doc(): Text {
    return this.document.told;
  }

  getView(): EditorView | null {
    return this.document.view;
  }
}

/** The open texts, as the client wants them: one that is open stays so, shown or not. */
class Texts extends Workspace {
  files: OpenFile[] = [];

  constructor(
    client: LSPClient,
    private readonly documents: Documents,
    private readonly show: (path: string) => Promise<EditorView | null>,
  ) {
    super(client);
  }

  override getFile(uri: string): OpenFile | null {
    const path = this.documents.path(uri);
    return this.files.find((each) => each.document.path === path) ?? null;
  }

  /** Makes the server know a text. */
  known(document: Document): OpenFile {
    const found = this.getFile(document.uri);
    if (found) return found;
    const file = new OpenFile(document);
    document.told = document.current.doc;
    document.number++;
    this.files.push(file);
    this.client.didOpen(file);
    return file;
  }

  override syncFiles(): { file: OpenFile; prevDoc: Text; changes: ChangeSet }[] {
    const made: { file: OpenFile; prevDoc: Text; changes: ChangeSet }[] = [];
    for (const file of this.files) {
      const { document } = file;
      const doc = document.current.doc;
      if (doc === document.told) continue;
      const plugin = document.view && LSPPlugin.get(document.view);
      const prevDoc = document.told;
      const changes = plugin
        ? plugin.unsyncedChanges
        : ChangeSet.of({ from: 0, to: prevDoc.length, insert: doc }, prevDoc.length);
      document.told = doc;
      document.number++;
      plugin?.clear();
      made.push({ file, prevDoc, changes });
    }
    return made;
  }

  override async requestFile(uri: string): Promise<OpenFile | null> {
    const path = this.documents.path(uri);
    return path === null ? null : this.known(await this.documents.get(path));
  }

  override openFile(uri: string): void {
    const path = this.documents.path(uri);
    const document = path === null ? undefined : this.documents.open.get(path);
    if (document) this.known(document);
  }

  /** A text that is not shown stays open while it is changed: the server goes on checking what was typed. */
  override closeFile(uri: string): void {
    const file = this.getFile(uri);
    if (file && !file.document.isChanged) this.forget(file);
  }

  private forget(file: OpenFile): void {
    this.files = this.files.filter((each) => each !== file);
    this.client.didClose(file.uri);
  }

  /** Closes what is neither shown nor changed any more. */
  tidy(): void {
    for (const file of this.files) if (!file.document.view && !file.document.isChanged) this.forget(file);
  }

  override updateFile(uri: string, update: TransactionSpec): void {
    this.getFile(uri)?.document.change(update);
  }

  override displayFile(uri: string): Promise<EditorView | null> {
    const path = this.documents.path(uri);
    return path === null ? Promise.resolve(null) : this.show(path);
  }
}

/** One edit of one file, its text before and after. */
export interface Edited {
  readonly document: Document;
  readonly after: string;
  readonly changes: readonly { readonly from: number; readonly to: number; readonly insert: Text }[];
}

export class Language {
  readonly client: LSPClient;
  /** What is wrong with each file, by its path. */
  readonly problems = new Map<string, readonly lsp.Diagnostic[]>();
  private texts!: Texts;
  private handler: ((message: string) => void) | null = null;
  private readonly others = new Set<string>();
  private tells: ReturnType<typeof setTimeout> | null = null;
  private isEnded = false;
  private line: Line | null = null;

  constructor(
    private readonly desk: Desk,
    private readonly documents: Documents,
    show: (path: string) => Promise<EditorView | null>,
    /** Hears that something else is wrong with a file than before. */
    private readonly told: (path: string) => void,
    private readonly connected: (is: boolean) => void,
  ) {
    this.client = new LSPClient({
      rootUri: desk.folder.root,
      timeout: TIMEOUT,
      initializationOptions: { commands: ["rulewright.play"] },
      workspace: (client) => (this.texts = new Texts(client, documents, show)),
      sanitizeHTML: (html) => {
        const host = document.createElement("div");
        host.append(page(html));
        return host.innerHTML;
      },
      notificationHandlers: {
        "textDocument/publishDiagnostics": (_, params: lsp.PublishDiagnosticsParams) => this.published(params),
        "window/logMessage": () => true,
        "window/showMessage": (_, params: lsp.ShowMessageParams) => {
          desk.say(params.message, params.type === 1);
          return true;
        },
      },
      extensions: [serverCompletion(), hoverTooltips(), signatureHelp()],
    });
    this.connect();
  }

  private connect(): void {
    const line = this.desk.talk();
    this.line = line;
    line.onopen = () => {
      this.connected(true);
      this.client.connect({
        send: (message) => line.send(message),
        subscribe: (handler) => (this.handler = handler),
        unsubscribe: () => (this.handler = null),
      });
    };
    line.onmessage = (text) => this.handler?.(text);
    line.onclose = () => {
      if (this.isEnded) return;
      this.connected(false);
      if (this.client.connected) this.client.disconnect();
      setTimeout(() => this.connect(), 1000);
    };
  }

  close(): void {
    this.isEnded = true;
    this.line?.close();
  }

  private published(params: lsp.PublishDiagnosticsParams): boolean {
    const path = this.documents.path(params.uri);
    if (path !== null) {
      this.problems.set(path, params.diagnostics);
      this.told(path);
    }
    return true;
  }

  /** Makes the server know a text, shown or not. */
  know(document: Document): void {
    this.texts.known(document);
  }

  /** Tells the server soon that files of the disk are others; many of them at once. */
  changed(paths: readonly string[]): void {
    for (const each of paths) this.others.add(each);
    if (this.tells !== null) clearTimeout(this.tells);
    this.tells = setTimeout(() => {
      this.tells = null;
      this.client.sync();
      this.texts.tidy();
      const changes = [...this.others].map((path) => ({ uri: this.documents.uri(path), type: 2 }));
      this.others.clear();
      this.client.notification("workspace/didChangeWatchedFiles", { changes });
    }, SETTLED);
  }

  /** Asks about a text as it is now; null where the server cannot say. */
  async ask<T>(method: string, document: Document, more: object = {}): Promise<T | null> {
    this.client.sync();
    const params = { textDocument: { uri: document.uri }, ...more };
    return this.client.request<object, T | null>(method, params).catch((fault: unknown) => {
      if (fault instanceof Error) return null; // the line is gone, or time is over
      throw fault;
    });
  }

  position(document: Document, offset: number): lsp.Position {
    const line = document.current.doc.lineAt(offset);
    return { line: line.number - 1, character: offset - line.from };
  }

  offset(document: Document, place: lsp.Position): number {
    return offsetIn(document.current.doc, place);
  }

  /** Remedies for what is wrong in a stretch of a text. */
  async remedies(document: Document, range: lsp.Range, found: readonly lsp.Diagnostic[]): Promise<lsp.CodeAction[]> {
    return (await this.ask<lsp.CodeAction[]>("textDocument/codeAction", document, { range, context: { diagnostics: found } })) ?? [];
  }

  /** What edits of the server would make of texts, which are opened for it. */
  async edited(edit: lsp.WorkspaceEdit): Promise<Edited[]> {
    const made: Edited[] = [];
    for (const [uri, edits] of Object.entries(edit.changes ?? {})) {
      const path = this.documents.path(uri);
      if (path === null || edits.length === 0) continue;
      const document = await this.documents.get(path);
      const changes = edits.map((each) => ({
        from: this.offset(document, each.range.start),
        to: this.offset(document, each.range.end),
        insert: Text.of(each.newText.split("\n")),
      }));
      const doc = ChangeSet.of(changes, document.current.doc.length).apply(document.current.doc);
      made.push({ document, changes, after: doc.toString() });
    }
    return made;
  }

  /** Makes edits in the open texts; nothing is saved by it. */
  make(edits: readonly Edited[]): void {
    for (const { document, changes } of edits) {
      document.change({ changes: [...changes], userEvent: "input.complete", scrollIntoView: true });
      this.know(document);
      this.documents.typed(document);
    }
    this.client.sync();
  }
}

export function offsetIn(doc: Text, place: lsp.Position): number {
  if (place.line >= doc.lines) return doc.length;
  const line = doc.line(place.line + 1);
  return Math.min(line.from + place.character, line.to);
}
