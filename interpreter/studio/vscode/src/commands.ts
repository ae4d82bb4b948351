/** The commands: what a person chooses, as command lines. */

import { dirname } from "node:path";

import * as vscode from "vscode";

import { named, run } from "./terminal";

const SCENARIOS = ".scenario.yaml";

/** The commands by name, as the language server is told of them. */
export const COMMANDS = {
  "rulewright.play": play,
  "rulewright.test": test,
  "rulewright.compare": compare,
  "rulewright.odds": odds,
  "rulewright.scenarios": peek,
};

/** Where dice and answers come from when odds are worked out. */
const DECIDED = [
  { label: "Dice fall as they may, players choose at random", words: ["--no-script", "--policy", "random"] },
  { label: "Dice fall as they may, players choose the first answer", words: ["--no-script", "--policy", "first"] },
  { label: "Dice and answers that the scenario has stay as they are", words: [] },
];

interface Choice extends vscode.QuickPickItem {
  file: vscode.Uri;
}

/** Plays a scenario at the terminal; where there is none, the procedure, whose command line says what it needs. */
async function play(at?: string | vscode.Uri, procedure?: string): Promise<void> {
  const file = here(at);
  if (file === undefined) return;
  const offered = await scenarios(file);
  if (offered.length === 0) {
    await run("play", file, [named(file), ...(procedure === undefined ? [] : [procedure])]);
    return;
  }
  const chosen = await choose(offered, "Which scenario do you play?");
  if (chosen !== undefined) await run("play", file, [named(chosen.file), chosen.label, "--no-script"]);
}

/** Plays the scenarios of a file, or all beside the rules. */
async function test(at?: string | vscode.Uri): Promise<void> {
  const file = here(at);
  if (file !== undefined) await run("test", file, [named(isScenarios(file) ? file : folder(file))]);
}

/** Says what is different for players since the last commit. */
async function compare(at?: string | vscode.Uri): Promise<void> {
  const file = here(at);
  if (file !== undefined) await run("diff", file, ["--git", "HEAD", named(file)]);
}

/** Works out how likely each value of an expression is at the end of a scenario. */
async function odds(at?: string | vscode.Uri): Promise<void> {
  const file = here(at);
  if (file === undefined) return;
  const offered = await scenarios(file);
  if (offered.length === 0) {
    await vscode.window.showInformationMessage("Odds begin with a scenario, and there is none beside these rules.");
    return;
  }
  const chosen = await choose(offered, "Odds of which scenario?");
  if (chosen === undefined) return;
  const of = await vscode.window.showInputBox({
    title: "Odds of what?",
    prompt: "A value at the end, such as a thing and its attribute; empty for the ways it may end.",
    ignoreFocusOut: true,
  });
  if (of === undefined) return;
  const decided = await vscode.window.showQuickPick(DECIDED, { title: "Who throws and decides?" });
  if (decided === undefined) return;
  const asked = of.trim() === "" ? [] : [`--of=${of.trim()}`];
  await run("odds", file, [named(chosen.file), chosen.label, ...decided.words, ...asked]);
}

interface At {
  line: number;
  character: number;
}

interface Place {
  uri: string;
  range: { start: At };
}

/** Shows the scenarios that begin with a procedure, as places that the language server found, below the procedure. */
async function peek(uri: string, _procedure: string, places: Place[], below: At): Promise<void> {
  const position = (at: At): vscode.Position => new vscode.Position(at.line, at.character);
  const found = places.map((each) => new vscode.Location(vscode.Uri.parse(each.uri, true), position(each.range.start)));
  await vscode.commands.executeCommand("editor.action.showReferences", vscode.Uri.parse(uri, true), position(below), found);
}

function here(at: string | vscode.Uri | undefined): vscode.Uri | undefined {
  const found = typeof at === "string" ? vscode.Uri.parse(at, true) : (at ?? vscode.window.activeTextEditor?.document.uri);
  if (found?.scheme === "file") return found;
  void vscode.window.showInformationMessage("Open a file of rules or scenarios first, and save it.");
  return undefined;
}

function isScenarios(file: vscode.Uri): boolean {
  return file.path.endsWith(SCENARIOS);
}

function folder(file: vscode.Uri): vscode.Uri {
  return vscode.Uri.file(dirname(file.fsPath));
}

/** The scenarios of a file, or of all files beside the rules: the names that the language server finds in them. */
async function scenarios(file: vscode.Uri): Promise<Choice[]> {
  const beside = new vscode.RelativePattern(folder(file), `*${SCENARIOS}`);
  const files = isScenarios(file) ? [file] : await vscode.workspace.findFiles(beside);
  const found: Choice[] = [];
  for (const each of [...files].sort((one, other) => (one.path < other.path ? -1 : 1))) {
    await vscode.workspace.openTextDocument(each);
    const symbols = await vscode.commands.executeCommand<vscode.DocumentSymbol[] | undefined>(
      "vscode.executeDocumentSymbolProvider",
      each,
    );
    found.push(...leaves(symbols ?? []).map((label) => ({ label, description: named(each), file: each })));
  }
  return found;
}

/** The names of cases, which are not those of the groups around them. */
function leaves(symbols: vscode.DocumentSymbol[], above = ""): string[] {
  return symbols.flatMap((each) => {
    const name = above === "" ? each.name : `${above} / ${each.name}`;
    return each.children.length > 0 ? leaves(each.children, name) : [name];
  });
}

async function choose(offered: Choice[], title: string): Promise<Choice | undefined> {
  return offered.length === 1 ? offered[0] : vscode.window.showQuickPick(offered, { title, matchOnDescription: true });
}
