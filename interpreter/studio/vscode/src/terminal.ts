/** Command lines of rulewright, shown and run in a terminal of the editor. */

import { dirname, relative } from "node:path";

import * as vscode from "vscode";

/** The words that start rulewright. */
export function program(): [string, ...string[]] {
  const [first, ...rest] = vscode.workspace.getConfiguration("rulewright").get<string[]>("command") ?? [];
  return [first ?? "rulewright", ...rest];
}

/** Where a file is looked at from: its folder of the workspace, else the folder that it lies in. */
export function home(file: vscode.Uri): string {
  return vscode.workspace.getWorkspaceFolder(file)?.uri.fsPath ?? dirname(file.fsPath);
}

/** A file as a command line names it, from its home. */
export function named(file: vscode.Uri): string {
  const found = relative(home(file), file.fsPath) || ".";
  return found.startsWith("-") ? `./${found}` : found;
}

/** Saves what is open and runs a command line at the home of a file; words reach it as they are, through no shell. */
export async function run(verb: string, file: vscode.Uri, words: string[]): Promise<void> {
  if (!(await vscode.workspace.saveAll(false))) return;
  const [command, ...first] = program();
  const task = new vscode.Task(
    { type: "rulewright", verb },
    vscode.workspace.getWorkspaceFolder(file) ?? vscode.TaskScope.Workspace,
    verb,
    "rulewright",
    new vscode.ProcessExecution(command, [...first, verb, ...words], { cwd: home(file) }),
    [],
  );
  task.presentationOptions = { reveal: vscode.TaskRevealKind.Always, focus: true, panel: vscode.TaskPanelKind.Dedicated };
  await vscode.tasks.executeTask(task);
}
