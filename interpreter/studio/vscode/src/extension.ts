/** The extension: starts the language server, and knows the commands. */

import * as vscode from "vscode";
import { LanguageClient, type LanguageClientOptions } from "vscode-languageclient/node";

import { COMMANDS } from "./commands";
import { program } from "./terminal";

const SET_UP = "Show How";
let client: LanguageClient | undefined;

/** Called by the editor when a folder with rules is opened; answers once the server listens, or cannot be started. */
export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const page = vscode.Uri.joinPath(context.extensionUri, "README.md");
  const restart = async (): Promise<void> => {
    await deactivate();
    await start(page);
  };
  const commands = { ...COMMANDS, "rulewright.restart": restart };
  for (const [name, does] of Object.entries(commands)) {
    context.subscriptions.push(vscode.commands.registerCommand(name, does));
  }
  context.subscriptions.push(
    vscode.workspace.onDidChangeConfiguration(async (changed) => {
      if (changed.affectsConfiguration("rulewright.command")) await restart();
    }),
  );
  await start(page);
}

/** Called by the editor before it ends; answers once the server has ended. */
export async function deactivate(): Promise<void> {
  const ending = client;
  client = undefined;
  if (ending?.needsStop()) await ending.stop();
}

async function start(page: vscode.Uri): Promise<void> {
  const [command, ...words] = program();
  const options: LanguageClientOptions = {
    documentSelector: [
      { scheme: "file", language: "rulewright" },
      { scheme: "file", language: "yaml" },
      { scheme: "file", pattern: "**/rulewright.toml" },
    ],
    initializationOptions: { commands: Object.keys(COMMANDS) },
    synchronize: { fileEvents: vscode.workspace.createFileSystemWatcher("**/*.{rules,yaml,yml,json,toml}") },
  };
  const starting = new LanguageClient("rulewright", "Rulewright", { command, args: [...words, "lsp"] }, options);
  client = starting;
  const log = starting.error;
  starting.error = (said, data) => log.call(starting, said, data, false); // why it cannot be started is said below, once
  try {
    await starting.start();
    starting.error = log;
  } catch {
    client = undefined;
    void complain(`\`${[command, ...words, "lsp"].join(" ")}\` cannot be started`, page);
  }
}

async function complain(what: string, page: vscode.Uri): Promise<void> {
  const chosen = await vscode.window.showErrorMessage(`${what}, so nothing is checked while you type.`, SET_UP);
  if (chosen === SET_UP) await vscode.commands.executeCommand("markdown.showPreview", page);
}
