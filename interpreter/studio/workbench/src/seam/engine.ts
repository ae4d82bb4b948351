/** The seam between the panes and what answers them, wherever that runs: on this machine behind HTTP, or in this page. */

import type { Desk } from "../desk";

/** What was refused, in words. */
export class Problem extends Error {
  constructor(
    words: string,
    readonly status: number,
    readonly data: Readonly<Record<string, unknown>>,
  ) {
    super(words);
  }
}

/** Whether a question was taken back by who asked it. */
export function isGivenUp(fault: unknown): boolean {
  return fault instanceof DOMException && fault.name === "AbortError";
}

/** A line that carries texts both ways; whoever opens it hears what it says. */
export interface Line {
  onopen: () => void;
  onmessage: (text: string) => void;
  onclose: () => void;
  readonly isOpen: boolean;
  send(text: string): void;
  close(): void;
}

/** The way between the files of a page and the disk of whoever reads it. */
export interface Disk {
  /** What can be done there, to be shown. */
  panel(desk: Desk): HTMLElement;
}

export interface Engine {
  /** The reply to a request by its name; a `Problem` where it is refused, an `AbortError` where it was taken back. */
  ask<T>(name: string, given: object, signal?: AbortSignal): Promise<T>;
  /** A line to the language server. */
  talk(): Line;
  /** A line on which this tab hears of files that change. */
  watch(tab: string): Line;
  /** The files of this page, where the engine has no folder of its own. */
  readonly disk?: Disk;
}
