// Builds the workbench into the package: `npm run build`; `node build.mjs FOLDER` builds it elsewhere, to be compared.
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const target = process.argv[2] ?? join(here, "../../rulewright/studio/static");

/** The files that a bundle is made of, by their paths from here: what `tests/packaging/test_workbench.py` takes the digest of. */
function sources() {
  const found = ["build.mjs", "index.html", "package-lock.json", "package.json", "tsconfig.json"];
  for (const each of readdirSync(join(here, "src"), { recursive: true, withFileTypes: true })) {
    if (each.isFile()) found.push(relative(here, join(each.parentPath, each.name)).split(sep).join("/"));
  }
  return found.sort((one, other) => (one < other ? -1 : 1));
}

function digest() {
  const hash = createHash("sha256");
  for (const name of sources()) {
    const text = readFileSync(join(here, name));
    hash.update(`${name}\n${text.length}\n`).update(text);
  }
  return hash.digest("hex");
}

/** The licence of each package of which something is in the bundle. */
function licences(metafile) {
  const names = new Set();
  for (const each of Object.keys(metafile.inputs)) {
    const name = /^(?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(each)?.[1];
    if (name) names.add(name);
  }
  const parts = [...names].sort().map((name) => {
    const folder = join(here, "node_modules", name);
    const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
    if (!file) throw new Error(`no licence text in ${name}`);
    return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
  });
  return `The workbench contains parts of these packages.\n\n${parts.join(`\n${"-".repeat(72)}\n\n`)}`;
}

mkdirSync(target, { recursive: true });
const { metafile } = await build({
  absWorkingDir: here,
  entryPoints: { workbench: "src/main.ts" },
  outdir: target,
  bundle: true,
  format: "esm",
  target: "es2022",
  minify: true,
  legalComments: "none",
  metafile: true,
  logLevel: "warning",
});
await build({
  absWorkingDir: here,
  entryPoints: { share: "src/share/main.ts", offline: "src/site/offline.ts" },
  outdir: target,
  bundle: true,
  format: "iife",
  target: "es2022",
  minify: true,
  legalComments: "none",
  logLevel: "warning",
});
await build({
  absWorkingDir: here,
  entryPoints: { workbench: "src/style.css", share: "src/share/share.css" },
  outdir: target,
  bundle: true,
  target: "es2022",
  minify: true,
  logLevel: "warning",
});
cpSync(join(here, "index.html"), join(target, "index.html"));
writeFileSync(join(target, "licences.txt"), licences(metafile));
writeFileSync(join(target, "built.json"), `${JSON.stringify({ sources: digest() }, null, 2)}\n`);
