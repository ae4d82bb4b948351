/** Answers of the command in the words of a pane: what is an option there is called as the pane calls its field. */

/** What fields are called, by options or by an option with a value: `policy`, `policy first`. */
export type Fields = Readonly<Record<string, string>>;

const OPTION = /`--([a-z-]+)(?:[ =]([^`]+))?`|--([a-z-]+)(?: (?:N|FILE)\b)?/g;
/** What stands for whatever is typed there. */
const ANY = /^(N|FILE|EXPRESSION)$/;

/** A text with the names of fields in place of options. */
export function named(text: string, fields: Fields): string {
  return text.replaceAll(OPTION, (whole: string, quoted: string | undefined, value: string | undefined, bare: string | undefined) => {
    const option = quoted ?? bare ?? "";
    const exactly = fields[`${option} ${value ?? ""}`];
    const field = exactly ?? fields[option];
    if (field === undefined) return whole;
    const said = value === undefined || exactly !== undefined || ANY.test(value) ? "" : `: \`${value.replace(/^(['"])(.*)\1$/, "$2")}\``;
    return `“${field}”${said}`;
  });
}
