/** Editing sessions: the extension in an editor without a window, its language client, and the language server. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

import type * as vscode from "vscode";

import { activate, deactivate } from "../src/extension";
import * as editor from "./editor";

const DICE = "\u{1F3B2}\u{1F3B2}";
const RULES = `ruleset duel "Duel" revision "1"

kind Knight, knights "A knight":
  owner: player
  health: 0..9

term worn(k: Knight) gives flag means k.health < 3 "${DICE} worn"

procedure strike(striker: Knight, target: Knight) "A strike":
  step 1 "Roll":
    roll d6 as blow by striker.owner
    if blow.natural >= 4 and not worn(striker):
      take up to 2 from target.health
`;
const SUITE = `procedure: strike
with: {striker: gawain, target: mordred}
state:
  players: [red, blue]
  knights:
    gawain: {owner: red, health: 5}
    mordred: {owner: blue, health: 2}
scenarios:
  a hit:
    script: {1/blow: 5}
    expect: {changes: {knights: {mordred: {health: 0}}}}
  a miss:
    script: {1/blow: 2}
    expect: {changes: {}}
`;
const ODDS = ["odds", "duel.scenario.yaml", "a hit", "--no-script", "--policy", "random", "--of=mordred.vigour"];
const top = mkdtempSync(join(tmpdir(), "rulewright-session-"));
const command = (process.env["RULEWRIGHT"] ?? "rulewright").split(" ");

function folder(name: string): string {
  const made = join(top, name);
  mkdirSync(made);
  writeFileSync(join(made, "duel.rules"), RULES);
  writeFileSync(join(made, "duel.scenario.yaml"), SUITE);
  return made;
}

async function until<T>(does: () => T | undefined | false | Promise<T | undefined | false>, what: string): Promise<T> {
  for (let tried = 0; tried < 400; tried += 1) {
    const found = await does();
    if (found !== undefined && found !== false) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`waited in vain for ${what}`);
}

/** The problems of a document, once their first lines are these. */
async function problems(document: editor.Document, ...wanted: string[]): Promise<vscode.Diagnostic[]> {
  const uri = document.uri.toString();
  const said = (): string[] | undefined => editor.seen.diagnostics.get(uri)?.map((each) => each.message.split("\n")[0] ?? "");
  await until(() => JSON.stringify(said()) === JSON.stringify(wanted), `${JSON.stringify(wanted)}; said ${JSON.stringify(said())}`);
  return editor.seen.diagnostics.get(uri) ?? [];
}

const open = (place: string): Promise<editor.Document> => editor.workspace.openTextDocument(place);
const words = (hover: any): string => [hover.contents].flat().map((each) => each.value).join("\n");

let one = "";
let two = "";

before(async () => {
  [one, two] = [folder("one"), folder("two")];
  editor.seen.settings.set("rulewright.command", command);
  editor.open(one, two);
  await activate({ subscriptions: [], extensionUri: editor.Uri.file(top) } as any);
});
after(async () => {
  await deactivate();
  rmSync(top, { recursive: true, force: true });
});

test("typing breaks a rule, is told so, and mends it", async () => {
  const rules = await open(join(one, "duel.rules"));
  await problems(rules);
  editor.type(rules, "if blow.natural >= 4", "if (blow.natural >= 4");
  const [found] = await problems(rules, "`(` is not closed");
  assert.equal(rules.getText(found?.range), "(");
  editor.type(rules, "if (blow", "if blow");
  await problems(rules);
});

test("a remedy is an edit, placed behind characters beyond the first plane", async () => {
  const rules = await open(join(one, "duel.rules"));
  editor.type(rules, `"${DICE} worn"`, `"${DICE} worn"  # ${DICE}`);
  editor.type(rules, "from target.health", "from target.healht");
  const [found] = await until(async () => {
    const all = editor.seen.diagnostics.get(rules.uri.toString()) ?? [];
    return all.length === 1 && all[0]?.message.includes("healht") ? all : undefined;
  }, "a misspelt attribute");
  assert.equal(rules.getText(found?.range), "healht");
  const context = { diagnostics: [found], triggerKind: 1, only: undefined };
  const fixes = await editor.ask("CodeActions", "provideCodeActions", rules, found?.range, context);
  await editor.workspace.applyEdit(fixes[0].edit);
  assert.match(rules.content, /from target\.health\n/);
  await problems(rules);
});

test("a term is told, found and renamed behind characters beyond the first plane", async () => {
  const rules = await open(join(one, "duel.rules"));
  editor.type(rules, `means k.health < 3 "${DICE} worn"`, `means "${DICE}" = "${DICE}" and k.health < 3 "${DICE} worn"`);
  await problems(rules);
  const place = editor.at(rules, "k.health < 3", 3);
  const hover = await editor.ask("Hover", "provideHover", rules, place);
  assert.equal(rules.getText(hover.range), "health");
  const [target] = await editor.ask("Definition", "provideDefinition", rules, place);
  assert.equal(rules.getText(target.range), "health");
  assert.equal(target.range.start.line, 4);
  const edit = await editor.ask("Rename", "provideRenameEdits", rules, place, "vigour");
  await editor.workspace.applyEdit(edit);
  const suite = await open(join(one, "duel.scenario.yaml"));
  assert.ok(rules.content.includes(`"${DICE}" = "${DICE}" and k.vigour < 3 "${DICE} worn"`), rules.content);
  assert.match(suite.content, /mordred: \{owner: blue, vigour: 2\}/);
  await problems(rules);
  await problems(suite);
});

test("what may stand at the cursor, colours, hints, symbols and lenses", async () => {
  const rules = await open(join(one, "duel.rules"));
  editor.type(rules, "not worn(striker)", "striker.");
  const offered = await editor.ask("CompletionItem", "provideCompletionItems", rules, editor.at(rules, "and striker.", 12));
  const labels = offered.items.map((each: any) => each.label);
  assert.ok(labels.includes("vigour") && labels.includes("owner"), labels.join());
  editor.type(rules, "and striker.", "and not worn(striker)");
  await problems(rules);
  const tokens = await editor.ask("DocumentSemanticTokens", "provideDocumentSemanticTokens", rules);
  assert.ok(tokens.data.length > 100 && tokens.data.length % 5 === 0);
  const symbols = await editor.ask("DocumentSymbol", "provideDocumentSymbols", rules);
  assert.ok(symbols.some((each: any) => each.name === "strike"));
  const lenses = await editor.ask("CodeLens", "provideCodeLenses", rules);
  assert.deepEqual(
    lenses.map((each: any) => [each.command.title, each.command.command]),
    [["play from here", "rulewright.play"], ["2 scenarios begin here", "rulewright.scenarios"]],
  );
  const shown: any[] = [];
  editor.seen.commands.set("editor.action.showReferences", (...places) => shown.push(...places));
  await editor.commands.executeCommand(lenses[1].command.command, ...lenses[1].command.arguments);
  const suite = await open(join(one, "duel.scenario.yaml"));
  assert.equal(rules.lineAt(shown[1]).text, 'procedure strike(striker: Knight, target: Knight) "A strike":');
  assert.deepEqual(shown[2].map((each: any) => suite.lineAt(each.range.start).text), ["  a hit:", "  a miss:"]);
  assert.deepEqual(await editor.ask("DocumentFormattingEdit", "provideDocumentFormattingEdits", rules, { tabSize: 2, insertSpaces: true }), []);
});

test("what one folder says is not heard in the other", async () => {
  const there = await open(join(two, "duel.rules"));
  await problems(there);
  editor.type(there, "health: 0..9", "health: 0..99");
  const said = async (): Promise<string> => words(await editor.ask("Hover", "provideHover", there, editor.at(there, "target.health", 8)));
  await until(async () => (await said()).includes("0..99"), "what is said of health");
  const here = await open(join(one, "duel.rules"));
  assert.match(here.content, /vigour: 0\.\.9\n/);
  editor.open(one);
  editor.close(there);
  await problems(here);
  editor.open(one, two);
});

test("a request that is cancelled is not answered, and the session goes on", async () => {
  const rules = await open(join(one, "duel.rules"));
  const asked = Array.from({ length: 20 }, () => {
    const source = new editor.CancellationTokenSource();
    const answer = editor.seen.providers.get("Reference").provideReferences(rules, editor.at(rules, "worn("), {}, source.token);
    source.cancel();
    return answer.catch((fault: unknown) => fault);
  });
  const answers = await Promise.all(asked);
  assert.ok(answers.every((each) => each === null || each instanceof Error), String(answers.filter(Boolean)));
  const found = await editor.ask("Reference", "provideReferences", rules, editor.at(rules, "worn("), { includeDeclaration: true });
  assert.equal(found.length, 2);
});

test("commands are command lines in a terminal", async () => {
  const file = editor.Uri.file(join(one, "duel.rules"));
  const ran = async (name: string, ...more: unknown[]): Promise<string[]> => {
    await editor.commands.executeCommand(name, ...more);
    const { execution } = editor.seen.tasks.pop() as any;
    assert.equal(execution.options.cwd, one);
    assert.deepEqual([execution.process, ...execution.args.slice(0, command.length - 1)], command);
    return execution.args.slice(command.length - 1);
  };
  editor.seen.answers.push((offered) => offered[1]);
  assert.deepEqual(await ran("rulewright.play", file.toString(), "strike"), ["play", "duel.scenario.yaml", "a miss", "--no-script"]);
  assert.deepEqual(await ran("rulewright.test", file), ["test", "."]);
  assert.deepEqual(await ran("rulewright.compare", file), ["diff", "--git", "HEAD", "duel.rules"]);
  editor.seen.answers.push((offered) => offered[0], (offered) => offered[0]);
  editor.seen.inputs.push("mordred.vigour");
  assert.deepEqual(await ran("rulewright.odds", file), [...ODDS]);
});

test("each command line is one that rulewright takes", async () => {
  const said = async (...line: string[]): Promise<string> => {
    const [first, ...rest] = command;
    const child = spawn(first ?? "", [...rest, ...line], { cwd: one });
    let out = "";
    for await (const part of child.stdout) out += part;
    return out;
  };
  assert.match(await said(...ODDS), /0\s+50\.000 %\s+1\/2/);
  assert.match(await said("test", "."), /2 passed/);
});

test("a server that is killed is started again, and knows what is open", async () => {
  const rules = await open(join(one, "duel.rules"));
  process.kill(await server(process.pid), "SIGKILL");
  await until(async () => {
    const again = await server(process.pid).catch(() => undefined);
    return again !== undefined && editor.seen.providers.has("Hover");
  }, "another server");
  editor.type(rules, "if blow.natural", "if [blow.natural");
  await problems(rules, "`[` is not closed");
  editor.type(rules, "if [blow.natural", "if blow.natural");
  await problems(rules);
});

test("a server whose client is killed ends", async () => {
  const lone = spawn(process.execPath, [join(__dirname, "lone.js"), two, JSON.stringify(command)], { stdio: "pipe" });
  await new Promise((resolve) => lone.stdout.once("data", resolve));
  const orphan = await server(lone.pid ?? 0);
  lone.kill("SIGKILL");
  await until(() => !alive(orphan), "the end of the server");
});

test("without a server the editor says so in words", async () => {
  editor.seen.settings.set("rulewright.command", ["no-such-rulewright"]);
  await editor.commands.executeCommand("rulewright.restart");
  assert.deepEqual(editor.seen.complaints, ["`no-such-rulewright lsp` cannot be started, so nothing is checked while you type."]);
});

/** The process of the server that another started. */
async function server(parent: number): Promise<number> {
  const children = readFileSync(`/proc/${parent}/task/${parent}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number);
  const found = children.find((each) => readFileSync(`/proc/${each}/cmdline`, "utf8").includes("\0lsp\0"));
  if (found === undefined) throw new Error("there is no server");
  return found;
}

function alive(process_: number): boolean {
  try {
    return !/^State:\s*Z/m.test(readFileSync(`/proc/${process_}/status`, "utf8"));
  } catch {
    return false;
  }
}
