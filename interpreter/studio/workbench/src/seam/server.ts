/** What answers the panes is `rulewright studio` on this machine, behind HTTP. */
import { type Engine, isGivenUp, type Line, Problem } from "./engine";

const SILENT = "The workbench does not answer. It was closed, or it is busy. Start `rulewright studio` in the folder again.";

export class Server implements Engine {
  async ask<T>(name: string, given: object, signal?: AbortSignal): Promise<T> {
    const headers = { "Content-Type": "application/json", "X-Rulewright": "1" };
    let answer: Response;
    try {
      answer = await fetch(`/api/${name}`, { method: "POST", headers, body: JSON.stringify(given), ...(signal ? { signal } : {}) });
    } catch (fault) {
      if (isGivenUp(fault)) throw fault;
      throw new Problem(SILENT, 0, {});
    }
    const data = (await answer.json().catch((fault: unknown) => {
      if (isGivenUp(fault)) throw fault;
      return {};
    })) as Record<string, unknown>;
    if (!answer.ok) throw new Problem(String(data["problem"] ?? "The workbench cannot do this."), answer.status, data);
    return data as T;
  }

  talk(): Line {
    return new SocketLine("/api/language");
  }

  watch(tab: string): Line {
    return new SocketLine(`/api/watch?tab=${tab}`);
  }
}

class SocketLine implements Line {
  onopen = (): void => undefined;
  onmessage: Line["onmessage"] = () => undefined;
  onclose = (): void => undefined;
  private readonly socket: WebSocket;

  constructor(path: string) {
    this.socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${path}`);
    this.socket.addEventListener("open", () => this.onopen());
    this.socket.addEventListener("message", (event) => this.onmessage(String(event.data)));
    this.socket.addEventListener("close", () => this.onclose());
  }

  get isOpen(): boolean {
    return this.socket.readyState === WebSocket.OPEN;
  }

  send(text: string): void {
    if (this.isOpen) this.socket.send(text);
  }

  close(): void {
    this.socket.close();
  }
}
