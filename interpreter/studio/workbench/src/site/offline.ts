/** Keeps the parts of a site in the browser and answers with them where there is no network; other parts come with another digest. */
interface Waits extends Event {
  waitUntil(promise: Promise<unknown>): void;
}
interface Asks extends Waits {
  readonly request: Request;
  respondWith(answer: Promise<Response>): void;
}
interface Scope {
  readonly registration: { readonly scope: string };
  skipWaiting(): Promise<void>;
  readonly clients: { claim(): Promise<void> };
  addEventListener(name: "install" | "activate", does: (event: Waits) => void): void;
  addEventListener(name: "fetch", does: (event: Asks) => void): void;
}

const scope = self as unknown as Scope;
const PARTS = ["./", "workbench.js", "workbench.css", "site.json", "licences.txt", ...["worker", "machine", "library", "more", "modules", "page"].map((each) => `parts/${each}.bin`)];
const place = (path: string): string => new URL(path, scope.registration.scope).pathname;
const prefix = (): string => `rulewright ${scope.registration.scope} `;
const cached = (): string => prefix() + location.search;

scope.addEventListener("install", (event) => {
  event.waitUntil(caches.open(cached()).then((kept) => kept.addAll(PARTS)).then(() => scope.skipWaiting()));
});

scope.addEventListener("activate", (event) => {
  const others = caches.keys().then((names) => Promise.all(names.filter((each) => each.startsWith(prefix()) && each !== cached()).map((each) => caches.delete(each))));
  event.waitUntil(others.then(() => scope.clients.claim()));
});

/** What names the other parts is asked of the network first; the others are of one digest and never change. */
scope.addEventListener("fetch", (event) => {
  const { pathname, origin } = new URL(event.request.url);
  if (event.request.method !== "GET" || origin !== location.origin) return;
  const path = PARTS.find((each) => place(each) === pathname) ?? (place("index.html") === pathname ? "./" : undefined);
  if (path === undefined) return;
  event.respondWith(answered(event.request, path));
});

async function answered(request: Request, path: string): Promise<Response> {
  const kept = await caches.open(cached());
  const found = await kept.match(new URL(path, scope.registration.scope).href);
  if (found && path.startsWith("parts/")) return found;
  try {
    return await fetch(request);
  } catch (fault) {
    if (found) return found;
    throw fault;
  }
}
