/** Bundles the extension, or with `--tests` its tests, and lists the licences of all that is in the bundle. */

import { copyFile, mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";

import { build } from "esbuild";

const common = { bundle: true, platform: "node", target: "node18", format: "cjs", sourcemap: true, logLevel: "warning" };

if (process.argv.includes("--tests")) {
  await build({
    ...common,
    entryPoints: ["tests/grammar.test.ts", "tests/session.test.ts", "tests/lone.ts"],
    outdir: "dist/tests",
    alias: { vscode: "./tests/editor.ts" },
    external: ["vscode-oniguruma", "jest-mock-vscode"],
  });
} else {
  await rm("dist", { recursive: true, force: true });
  const made = await build({
    ...common,
    entryPoints: ["src/extension.ts"],
    outfile: "dist/extension.js",
    external: ["vscode"],
    minify: true,
    metafile: true,
  });
  await mkdir("dist", { recursive: true });
  await copyFile("../../../LICENSE", "LICENSE.txt");
  await writeFile("licences.txt", await licences(Object.keys(made.metafile.inputs)));
}

/** The names, versions and licences of the packages that files are from, in order. */
async function licences(files) {
  const found = files.map((each) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(each)?.[1]).filter(Boolean);
  const parts = await Promise.all([...new Set(found)].sort().map(told));
  return `The extension has these parts of others in it.\n\n${parts.join("\n")}`;
}

async function told(place) {
  const { name, version, license } = JSON.parse(await readFile(`${place}/package.json`, "utf8"));
  const file = (await readdir(place)).find((each) => /^licen[cs]e/i.test(each));
  if (file === undefined || license === undefined) throw new Error(`${name} has no licence`);
  const text = (await readFile(`${place}/${file}`, "utf8")).replaceAll("\r\n", "\n").trim();
  return `== ${name} ${version}: ${license}\n\n${text}\n`;
}
