/** Names of folders and files, from any that a person types. */

/** Small letters, digits, `_` and `-`, a letter first; `instead` stands before what begins otherwise. */
export function folded(name: string, instead: string): string {
  const plain = name.toLowerCase().replaceAll("ß", "ss").normalize("NFKD").replace(/[\p{M}'’]/gu, "");
  const found = plain.replace(/[^a-z0-9_]+/g, "-").replace(/^[-_]+|-+$/g, "").slice(0, 60);
  return /^[a-z]/.test(found) ? found : [instead, found].filter(Boolean).join("-");
}

/** The path of a file with an ending, such as `.scenario.yaml`: in the folders that were typed, else in a given one, which ends in `/`. */
export function filed(typed: string, ending: string, folder: string): string {
  const parts = typed.trim().split("/");
  const last = parts.pop() ?? "";
  const stem = last.replace(/(\.scenario)?\.ya?ml$|(\.save)?\.json$/i, "");
  const name = `${/^[A-Za-z0-9_][\w.-]*$/.test(stem) ? stem : folded(stem, "play")}${ending}`;
  return parts.length ? [...parts, name].join("/") : `${folder}${name}`;
}
