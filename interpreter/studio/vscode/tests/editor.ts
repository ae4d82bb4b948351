/** An editor without a window, in the place of the module `vscode`: documents, folders, questions and tasks, as tests move them.
 *
 * Plain data classes are those of jest-mock-vscode; what the client of the language server asks for beside them is here.
 */

import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { createVSCodeMock } from "jest-mock-vscode";
import type * as vscode from "vscode";

const base: any = createVSCodeMock({ fn: (does: unknown) => does ?? (() => undefined), spyOn: () => undefined } as any);
const { Uri, Position, Range, EventEmitter, Disposable } = base;

/** What tests see and set of the editor. */
export const seen = {
  providers: new Map<string, any>(),
  commands: new Map<string, (...words: any[]) => unknown>(),
  diagnostics: new Map<string, vscode.Diagnostic[]>(),
  tasks: [] as any[],
  errors: [] as string[],
  complaints: [] as string[],
  picks: [] as { offered: any[]; answer: (offered: any[]) => any }[],
  inputs: [] as (string | undefined)[],
  answers: [] as ((offered: any[]) => any)[],
  settings: new Map<string, unknown>(),
  watched: new EventEmitter() as vscode.EventEmitter<vscode.Uri>,
};

class Text {
  version = 1;
  isClosed = false;
  isDirty = false;
  readonly isUntitled = false;
  readonly eol = 1;
  readonly encoding = "utf8";
  constructor(
    readonly uri: vscode.Uri,
    readonly languageId: string,
    public content: string,
  ) {}
  get fileName(): string {
    return this.uri.fsPath;
  }
  get lineCount(): number {
    return this.content.split("\n").length;
  }
  getText(range?: vscode.Range): string {
    return range === undefined ? this.content : this.content.slice(this.offsetAt(range.start), this.offsetAt(range.end));
  }
  offsetAt(at: vscode.Position): number {
    const lines = this.content.split("\n").slice(0, at.line);
    return lines.reduce((sum, each) => sum + each.length + 1, 0) + at.character;
  }
  positionAt(offset: number): vscode.Position {
    const lines = this.content.slice(0, offset).split("\n");
    return new Position(lines.length - 1, lines.at(-1)?.length ?? 0);
  }
  lineAt(at: number | vscode.Position): { text: string } {
    return { text: this.content.split("\n")[typeof at === "number" ? at : at.line] ?? "" };
  }
  async save(): Promise<boolean> {
    writeFileSync(this.fileName, this.content);
    this.isDirty = false;
    fire("onDidSaveTextDocument", this);
    return true;
  }
}

export type Document = Text;

const events = new Map<string, vscode.EventEmitter<any>>();
const emitter = (name: string): vscode.EventEmitter<any> => {
  const found = events.get(name) ?? new EventEmitter();
  events.set(name, found);
  return found;
};
export const fire = (name: string, event: unknown): void => emitter(name).fire(event);

/** An object whose events are there by their names, and whose other parts are given. */
function eventful(parts: Record<string, unknown>): any {
  return new Proxy(parts, {
    get: (held, name: string) => (name in held || !/^on(Did|Will)/.test(name) ? held[name] : emitter(name).event),
  });
}

export const documents: Document[] = [];
let folders: vscode.WorkspaceFolder[] = [];

/** Has some folders open, and tells who listens what was added and removed. */
export function open(...paths: string[]): void {
  const before = folders;
  folders = paths.map((each, index) => ({ uri: Uri.file(each), name: each.split("/").at(-1) ?? "", index }));
  const apart = (one: vscode.WorkspaceFolder[], other: vscode.WorkspaceFolder[]): vscode.WorkspaceFolder[] =>
    one.filter((each) => !other.some((known) => known.uri.fsPath === each.uri.fsPath));
  fire("onDidChangeWorkspaceFolders", { added: apart(folders, before), removed: apart(before, folders) });
}

/** Types a text in the place of another, as one change of the document. */
export function type(document: Document, old: string, written: string): void {
  const start = document.content.indexOf(old);
  if (start < 0) throw new Error(`there is no ${old}`);
  replace(document, new Range(document.positionAt(start), document.positionAt(start + old.length)), written);
}

/** Puts a text in the place of a range. */
export function replace(document: Document, range: vscode.Range, text: string): void {
  const [rangeOffset, end] = [document.offsetAt(range.start), document.offsetAt(range.end)];
  document.content = document.content.slice(0, rangeOffset) + text + document.content.slice(end);
  document.version += 1;
  document.isDirty = true;
  const change = { range, rangeOffset, rangeLength: end - rangeOffset, text };
  fire("onDidChangeTextDocument", { document, contentChanges: [change], reason: undefined });
}

/** Closes a document. */
export function close(document: Document): void {
  documents.splice(documents.indexOf(document), 1);
  document.isClosed = true;
  fire("onDidCloseTextDocument", document);
}

/** The position of a text in a document, so many code units on. */
export function at(document: Document, needle: string, plus = 0): vscode.Position {
  const offset = document.content.indexOf(needle);
  if (offset < 0) throw new Error(`there is no ${needle}`);
  return document.positionAt(offset + plus);
}

async function openTextDocument(what: vscode.Uri | string): Promise<Document> {
  const uri = typeof what === "string" ? Uri.file(what) : what;
  const found = documents.find((each) => each.uri.fsPath === uri.fsPath);
  if (found !== undefined) return found;
  const language = uri.path.endsWith(".rules") ? "rulewright" : "yaml";
  const document = new Text(uri, language, readFileSync(uri.fsPath, "utf8")) as unknown as Document;
  documents.push(document);
  fire("onDidOpenTextDocument", document);
  return document;
}

const folderOf = (uri: vscode.Uri): vscode.WorkspaceFolder | undefined =>
  folders.find((each) => uri.fsPath === each.uri.fsPath || uri.fsPath.startsWith(`${each.uri.fsPath}/`));

function fits(selector: any, document: Document): number {
  const one = (each: any): number =>
    typeof each === "string" ? fits({ language: each }, document) : (each.language ?? document.languageId) === document.languageId ? 10 : 0;
  return Math.max(0, ...(Array.isArray(selector) ? selector : [selector]).map(one));
}

export const workspace = eventful({
  textDocuments: documents,
  notebookDocuments: [],
  isTrusted: true,
  get workspaceFolders() {
    return folders;
  },
  getWorkspaceFolder: folderOf,
  getConfiguration: (section: string) => ({
    get: (key: string, otherwise?: unknown) => seen.settings.get(`${section}.${key}`) ?? otherwise,
    has: () => false,
    inspect: () => undefined,
  }),
  createFileSystemWatcher: () => ({
    onDidChange: seen.watched.event,
    onDidCreate: new EventEmitter().event,
    onDidDelete: new EventEmitter().event,
    dispose: () => undefined,
  }),
  openTextDocument,
  saveAll: async () => (await Promise.all(documents.filter((each) => each.isDirty).map((each) => each.save()))).every(Boolean),
  findFiles: async (pattern: { baseUri: vscode.Uri; pattern: string }) =>
    readdirSync(pattern.baseUri.fsPath)
      .filter((each) => each.endsWith(pattern.pattern.slice(1)))
      .map((each) => Uri.file(join(pattern.baseUri.fsPath, each))),
  applyEdit: async (edit: vscode.WorkspaceEdit) => {
    for (const [uri, edits] of edit.entries()) {
      const document = await openTextDocument(uri);
      for (const each of [...edits].sort((one, other) => other.range.start.compareTo(one.range.start))) {
        replace(document, each.range, each.newText);
      }
    }
    return true;
  },
});

export const languages = new Proxy(
  {
    match: fits,
    getLanguages: async () => ["rulewright", "yaml"],
    createDiagnosticCollection: () => ({
      set: (uri: vscode.Uri, found: vscode.Diagnostic[]) => seen.diagnostics.set(uri.toString(), found),
      delete: (uri: vscode.Uri) => seen.diagnostics.delete(uri.toString()),
      clear: () => seen.diagnostics.clear(),
      dispose: () => undefined,
    }),
  } as Record<string, unknown>,
  {
    get: (held, name: string) =>
      held[name] ??
      ((_: unknown, provider: unknown) => {
        const sort = name.replace(/^register|Provider$/g, "");
        seen.providers.set(sort, provider);
        return new Disposable(() => seen.providers.delete(sort));
      }),
  },
) as any;

const channel = (): any => ({
  logLevel: 3,
  onDidChangeLogLevel: new EventEmitter().event,
  ...Object.fromEntries(["append", "appendLine", "clear", "show", "dispose", "trace", "debug", "info", "warn"].map((each) => [each, () => undefined])),
  error: (said: unknown) => seen.errors.push(String(said)),
});

export const window = eventful({
  ...Object.fromEntries(["showInformationMessage", "showWarningMessage"].map((each) => [each, async () => undefined])),
  showErrorMessage: async (said: string) => {
    seen.complaints.push(said);
  },
  createOutputChannel: channel,
  visibleTextEditors: [],
  tabGroups: eventful({ all: [], onDidChangeTabs: new EventEmitter().event }),
  withProgress: async (_: unknown, does: any) => does({ report: () => undefined }, new CancellationTokenSource().token),
  showQuickPick: async (offered: any[]) => seen.answers.shift()?.(offered),
  showInputBox: async () => seen.inputs.shift(),
});

export const commands = {
  registerCommand: (name: string, does: (...words: any[]) => unknown) => {
    seen.commands.set(name, does);
    return new Disposable(() => seen.commands.delete(name));
  },
  executeCommand: async (name: string, ...words: any[]) => {
    if (name === "vscode.executeDocumentSymbolProvider") {
      return ask("DocumentSymbol", "provideDocumentSymbols", await openTextDocument(words[0]));
    }
    return seen.commands.get(name)?.(...words);
  },
};

/** Asks a provider of the language server, as the editor would. */
export async function ask(sort: string, does: string, ...words: any[]): Promise<any> {
  return seen.providers.get(sort)?.[does](...words, new CancellationTokenSource().token, { triggerKind: 0 });
}

export const tasks = { executeTask: async (task: unknown) => void seen.tasks.push(task) };

export class CancellationTokenSource {
  private readonly cancelled = new EventEmitter();
  readonly token: any = { isCancellationRequested: false, onCancellationRequested: this.cancelled.event };
  cancel(): void {
    this.token.isCancellationRequested = true;
    this.cancelled.fire(undefined);
  }
  dispose(): void {}
}

/** A class that keeps what it is made of, under some names. */
const holding = (...names: string[]): any =>
  class {
    constructor(...values: unknown[]) {
      names.forEach((name, number) => Object.assign(this, { [name]: values[number] }));
    }
  };

export const Hover = holding("contents", "range");
export const SignatureHelp = class {
  signatures = [];
};
export const SignatureInformation = holding("label", "documentation");
export const ParameterInformation = holding("label", "documentation");
export const InlayHint = holding("position", "label", "kind");
export const InlayHintLabelPart = holding("value");
export const Task = holding("definition", "scope", "name", "source", "execution", "matchers");
export const ProcessExecution = holding("process", "args", "options");
export const RelativePattern = class {
  readonly baseUri: vscode.Uri;
  constructor(
    where: vscode.Uri | vscode.WorkspaceFolder,
    readonly pattern: string,
  ) {
    this.baseUri = "uri" in where ? where.uri : where;
  }
};
export const CancellationError = class extends Error {};
export const InlineCompletionItem = holding("insertText", "range");
export const InlineValueText = holding("range", "text");
export const CodeActionTriggerKind = { Invoke: 1, Automatic: 2 };
export const InlayHintKind = { Type: 1, Parameter: 2 };
export const TextDocumentChangeReason = { Undo: 1, Redo: 2 };
export const env = { language: "en", appName: "test", openExternal: async () => true };
export const l10n = { t: (said: string) => said };
export const extensions = { getExtension: () => undefined };
export const notebooks = {};
export const version = "1.91.0";
export const {
  CallHierarchyItem, CodeAction, CodeActionKind, CodeLens, Color, ColorInformation, CompletionItem, CompletionItemKind,
  CompletionItemTag, CompletionList, CompletionTriggerKind, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity,
  DiagnosticTag, DocumentHighlight, DocumentLink, DocumentSymbol, EndOfLine, FileType, FoldingRange, FoldingRangeKind,
  Location, LogLevel, MarkdownString, ProgressLocation, Selection, SelectionRange, SemanticTokens, SemanticTokensEdit,
  SemanticTokensEdits, SemanticTokensLegend, SignatureHelpTriggerKind, SnippetString, SymbolInformation, SymbolKind, SymbolTag,
  TaskPanelKind, TaskRevealKind, TaskScope, TextDocumentSaveReason, TextEdit, ThemeColor, TypeHierarchyItem, ViewColumn,
  WorkspaceEdit,
} = base;
export { Disposable, EventEmitter, Position, Range, Uri };
