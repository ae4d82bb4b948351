/** The TextMate grammar, on every shipped text: each word has the colour of what the language reads it as. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { OnigScanner, OnigString, loadWASM } from "vscode-oniguruma";
import { INITIAL, Registry, parseRawGrammar } from "vscode-textmate";

interface Told {
  text: string;
  tokens: [line: number, start: number, end: number, sort: string][];
}

const PLACE = "syntaxes/rulewright.tmLanguage.json";
const SORTS: [beginning: string, sort: string][] = [
  ["comment", "comment"],
  ["string", "string"],
  ["constant.numeric", "number"],
  ["constant.language", "keyword"],
  ["entity.other.attribute-name.clause", "cite"],
  ["keyword.operator.word", "keyword"],
  ["keyword.operator", "sign"],
  ["keyword", "keyword"],
  ["invalid", "invalid"],
];
const UNLIKE = [
  "table oddity(n: d66) gives 0..3 \"What is odd about it\":: d66 is a name, and coloured as number",
  "ask all players as p for order in {Order.march, hold, fire} \"Which order do you give?\": order is a name, and coloured as keyword",
];

const sortOf = (scopes: string[]): string => SORTS.find(([beginning]) => scopes.at(-1)?.startsWith(beginning))?.[1] ?? "name";

test("shipped texts are coloured as they are read", async () => {
  await loadWASM(readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm")).buffer as ArrayBuffer);
  const registry = new Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns: string[]) => new OnigScanner(patterns),
      createOnigString: (text: string) => new OnigString(text),
    }),
    loadGrammar: async () => parseRawGrammar(readFileSync(PLACE, "utf8"), PLACE),
  });
  const grammar = await registry.loadGrammar("source.rulewright");
  assert.ok(grammar);
  const told: Record<string, Told> = JSON.parse(readFileSync(process.env["RULEWRIGHT_TOKENS"] ?? "", "utf8"));
  const unlike: string[] = [];
  let judged = 0;
  for (const { text, tokens } of Object.values(told)) {
    let stack = INITIAL;
    const lines = text.split("\n");
    const coloured = lines.map((line) => {
      const found = grammar.tokenizeLine(line, stack);
      stack = found.ruleStack;
      return found.tokens;
    });
    for (const [number, start, end, sort] of tokens) {
      const line = lines[number] ?? "";
      const over = (coloured[number] ?? []).filter(
        (each) => line.slice(Math.max(start, each.startIndex), Math.min(end, each.endIndex)).trim() !== "",
      );
      judged += 1;
      const colours = [...new Set(over.map((each) => sortOf(each.scopes)))].join(" and ");
      if (colours !== sort) unlike.push(`${line.trim()}: ${line.slice(start, end)} is a ${sort}, and coloured as ${colours}`);
    }
  }
  assert.ok(judged > 20_000, `${judged} words`);
  assert.deepEqual(unlike, UNLIKE);
});
