/** A client of its own, to be killed: has a folder open, says so, and waits. */

import { join } from "node:path";

import { activate } from "../src/extension";
import * as editor from "./editor";

async function main(folder: string, command: string): Promise<void> {
  editor.seen.settings.set("rulewright.command", JSON.parse(command));
  editor.open(folder);
  await activate({ subscriptions: [], extensionUri: editor.Uri.file(folder) } as any);
  await editor.workspace.openTextDocument(join(folder, "duel.rules"));
  process.stdout.write("open\n");
}

void main(process.argv[2] ?? "", process.argv[3] ?? "");
