/** What the browser keeps of a site: files by their paths. Where it keeps nothing, all lasts as long as the page. */

const FILES = "files";

export class Store {
  /** Why nothing is kept, in words; empty where all is. */
  trouble = "";

  private constructor(private readonly database: IDBDatabase | null) {}

  static async opened(): Promise<Store> {
    try {
      const name = `rulewright ${location.pathname}`;
      const asked = indexedDB.open(name, 1);
      asked.onupgradeneeded = () => asked.result.createObjectStore(FILES);
      return new Store(await done(asked));
    } catch {
      const store = new Store(null);
      store.trouble = "This browser keeps nothing for this page. Save your files as an archive before you close it.";
      return store;
    }
  }

  /** All files, in base64. */
  async files(): Promise<Record<string, string>> {
    if (!this.database) return {};
    const store = this.database.transaction(FILES).objectStore(FILES);
    const [paths, contents] = await Promise.all([done(store.getAllKeys()), done(store.getAll() as IDBRequest<string[]>)]);
    return Object.fromEntries(paths.map((path, at) => [String(path), contents[at] ?? ""]));
  }

  /** Writes what changed; null: it is gone. Answers whether it is kept. */
  async save(changes: Readonly<Record<string, string | null>>): Promise<boolean> {
    if (!this.database) return false;
    try {
      const transaction = this.database.transaction(FILES, "readwrite");
      for (const [path, content] of Object.entries(changes)) {
        if (content === null) transaction.objectStore(FILES).delete(path);
        else transaction.objectStore(FILES).put(content, path);
      }
      await ended(transaction);
      this.trouble = "";
      return true;
    } catch {
      this.trouble = "The browser has no room left for this page, so the last changes are not kept. Save your files as an archive.";
      return false;
    }
  }
}

function done<T>(asked: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    asked.onsuccess = () => resolve(asked.result);
    asked.onerror = () => reject(asked.error ?? new Error("nothing is kept"));
  });
}

function ended(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onerror = transaction.onabort = () => reject(transaction.error ?? new Error("nothing is kept"));
  });
}

/** Bytes of a text in base64, and back. */
export function bytes(text: string): Uint8Array<ArrayBuffer> {
  const raw = atob(text);
  const made = new Uint8Array(raw.length);
  for (let at = 0; at < raw.length; at += 1) made[at] = raw.charCodeAt(at);
  return made;
}

export function base64(content: Uint8Array): string {
  let raw = "";
  for (let at = 0; at < content.length; at += 0x8000) raw += String.fromCharCode(...content.subarray(at, at + 0x8000));
  return btoa(raw);
}
