/** What this browser lacks to play here, in words; null where it has all. */
export function lacking(): string | null {
  const missing = [
    typeof WebAssembly === "undefined" && "WebAssembly",
    typeof Worker === "undefined" && "workers",
    typeof DecompressionStream === "undefined" && "a way to unpack what is packed in it (DecompressionStream)",
  ].filter(Boolean);
  return missing.length ? `This browser is too old to play here: it lacks ${missing.join(" and ")}. Chrome or Edge 103, Firefox 113 and Safari 16.4, or newer, have it.` : null;
}
