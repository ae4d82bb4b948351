/** Small helpers to build what a pane shows. Nothing that a ruleset says is ever read as markup. */

export type Child = Node | string | null | undefined | false;

type Properties = {
  class?: string;
  id?: string;
  role?: string;
  title?: string;
  label?: string;
  on?: Partial<{ [K in keyof HTMLElementEventMap]: (event: HTMLElementEventMap[K]) => void }>;
} & { [attribute: string]: unknown };

/** An element: attributes by their names, `label` for its name to a screen reader, `on` for what it hears. */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Properties = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "on") {
      for (const [event, heard] of Object.entries(value as Record<string, EventListener>)) made.addEventListener(event, heard);
    } else if (name === "label") made.setAttribute("aria-label", String(value));
    else if (name in made && typeof value === "boolean") (made as unknown as Record<string, unknown>)[name] = value;
    else made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...shown(children));
  return made;
}

function shown(children: readonly Child[]): (Node | string)[] {
  return children.filter((each): each is Node | string => each !== null && each !== undefined && each !== false);
}

/** A time in seconds since 1970, as it is said today, or with its day. */
export function when(seconds: number): string {
  const at = new Date(seconds * 1000);
  const pad = (number: number): string => String(number).padStart(2, "0");
  const day = at.toDateString() === new Date().toDateString() ? "today" : `${at.getFullYear()}-${pad(at.getMonth() + 1)}-${pad(at.getDate())}`;
  return `${day} ${pad(at.getHours())}:${pad(at.getMinutes())}`;
}

/** A text of which what stands between back quotes is code. */
export function coded(text: string): Child[] {
  const parts = text.split("`");
  return parts.length % 2 ? parts.map((each, at) => (at % 2 ? el("code", {}, each) : each)) : [text];
}

/** Puts others in place of what an element holds. */
export function fill(host: Element, ...children: Child[]): void {
  host.replaceChildren(...shown(children));
}

/** Scrolls what was just shown into view, from its beginning where it is taller than the window. */
export function reveal(node: Element): void {
  const { top, bottom } = node.getBoundingClientRect();
  node.scrollIntoView({ block: bottom - top > innerHeight * 0.8 ? "start" : "nearest" });
}

/** A button; `primary` is what the pane is there for. */
export function button(says: string, press: () => void, properties: Properties & { primary?: boolean } = {}): HTMLButtonElement {
  const { primary, ...others } = properties;
  const sort = [primary ? "primary" : "", others.class ?? ""].join(" ").trim();
  const made = el("button", { type: "button", ...others, class: sort || undefined }, ...coded(says));
  made.addEventListener("click", press);
  return made;
}

/** A choice among named values, with its label. */
export function choice(
  label: string,
  values: readonly (readonly [value: string, says: string])[],
  chosen: string,
  choose: (value: string) => void,
): HTMLLabelElement {
  const list = el("select", {}, ...values.map(([value, says]) => el("option", { value }, says)));
  list.value = chosen;
  list.addEventListener("change", () => choose(list.value));
  return el("label", { class: "field" }, el("span", {}, label), list);
}

/** A dialog over the page; answers which button was pressed, null where it was left. The first button is the one for Enter. */
export function ask<V extends string>(
  title: string,
  body: Child[],
  buttons: readonly (readonly [value: V, says: string])[],
): Promise<V | null> {
  return new Promise((answer) => {
    const dialog = el("dialog", { "aria-labelledby": "dialog-title" });
    const leave = (value: V | null): void => {
      dialog.close();
      dialog.remove();
      answer(value);
    };
    const form = el(
      "form",
      { method: "dialog" },
      el("h2", { id: "dialog-title" }, ...coded(title)),
      el("div", { class: "dialog-body", tabindex: "0", role: "group", label: title.replaceAll("`", "") }, ...body),
      el(
        "div",
        { class: "row end" },
        ...buttons.map(([value, says], at) =>
          el("button", { type: at === 0 ? "submit" : "button", class: at === 0 ? "primary" : undefined, on: { click: (event) => { event.preventDefault(); leave(value); } } }, ...coded(says)),
        ),
      ),
    );
    dialog.append(form);
    dialog.addEventListener("cancel", () => leave(null));
    document.body.append(dialog);
    dialog.showModal();
  });
}

const DRAWN = new Set(
  ("svg g defs symbol use title desc path rect circle ellipse line polyline polygon text tspan textPath marker pattern clipPath mask " +
    "linearGradient radialGradient stop").split(" "),
);
const WRITTEN = new Set(
  ("a abbr article aside b blockquote br caption cite code col colgroup dd del details dfn div dl dt em figcaption figure footer h1 h2 h3 " +
    "h4 h5 h6 header hr i ins kbd li main mark nav ol p pre q s samp section small span strong sub summary sup table tbody td tfoot th " +
    "thead time tr u ul var wbr").split(" "),
);
export const SVG = "http://www.w3.org/2000/svg";

/** An element of a drawing. */
export function svgElement(tag: string, attributes: Readonly<Record<string, string | number>>, ...children: Element[]): SVGElement {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.append(...children);
  return made;
}

/** What the policy of the page would refuse aloud while a text is parsed, and `cleaned` leaves out anyway. */
const STYLES = /<style\b[\s\S]*?<\/style\s*>|\sstyle\s*=\s*("[^"]*"|'[^']*')/gi;
/** What only a page of its own can do: print itself, without the labels of clauses. */
const PAPER_TOOLS = /<form class="tools">[\s\S]*?<\/form>/g;

/** Keeps of a tree what only shows something: no scripts, handlers, styles of its own, or ways out of the page. */
function cleaned(node: Element, into: Document): Element | null {
  const drawn = node.namespaceURI === SVG;
  if (!(drawn ? DRAWN.has(node.localName) : WRITTEN.has(node.localName))) return null;
  const made = drawn ? into.createElementNS(SVG, node.localName) : into.createElement(node.localName);
  for (const { name, value } of node.attributes) {
    if (/^on/i.test(name) || name === "style" || name.includes(":")) continue;
    if (name === "href" ? !value.startsWith("#") : /url\s*\((?!\s*["']?#)/i.test(value)) continue;
    if (name === "src" || name === "srcset" || name === "action" || name === "xmlns") continue;
    made.setAttribute(name, value);
  }
  for (const child of node.childNodes) {
    if (child instanceof Element) {
      const kept = cleaned(child, into);
      if (kept) made.append(kept);
    } else if (child.nodeType === Node.TEXT_NODE) made.append(child.textContent ?? "");
  }
  return made;
}

/** A small sign of lines, for the eye alone: each stretch after a space is a path of its own. */
export function icon(lines: string, size = 24): SVGElement {
  const paths = lines.split(" M").map((each) => svgElement("path", { d: each.startsWith("M") ? each : `M${each}` }));
  return svgElement("svg", { viewBox: `0 0 ${size} ${size}`, class: "line-icon", "aria-hidden": "true", focusable: "false" }, ...paths);
}

/** A drawing of the server as an element; null where the text is none. */
export function svg(text: string): SVGSVGElement | null {
  const root = new DOMParser().parseFromString(text.replace(STYLES, ""), "image/svg+xml").documentElement;
  const made = root.localName === "svg" ? cleaned(root, document) : null;
  return made instanceof SVGSVGElement ? made : null;
}

/** What a page of the server says in its body (or in `main` of it), as elements. */
export function page(text: string): DocumentFragment {
  const read = new DOMParser().parseFromString(text.replace(STYLES, "").replace(PAPER_TOOLS, ""), "text/html");
  const made = document.createDocumentFragment();
  for (const child of (read.querySelector("main") ?? read.body).childNodes) {
    if (child instanceof Element) {
      const kept = cleaned(child, document);
      if (kept) made.append(kept);
    } else if (child.nodeType === Node.TEXT_NODE) made.append(child.textContent ?? "");
  }
  return made;
}
