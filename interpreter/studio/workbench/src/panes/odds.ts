import type { Desk, Open, Pane } from "../desk";
import { el, fill } from "../elements";

export const pane: Pane = {
  name: "odds",
  title: "Odds",
  open(host: HTMLElement, _desk: Desk): Open {
    fill(host, el("p", {}, "This pane is still empty."));
    return { close: () => fill(host) };
  },
};
