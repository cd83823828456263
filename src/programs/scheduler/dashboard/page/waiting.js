// The pods that have no place yet, each with the reason.

import { byId, duration, element } from "./elements.js";
import { label, podName } from "./fleet.js";
import { Rows } from "./rows.js";

export class Waiting {
  #rows;
  #reasons = "";

  constructor(open) {
    const viewport = byId("waiting");
    this.#rows = new Rows(viewport, { draw: (pod) => this.#row(pod), keyOf: (pod) => pod.uid });
    viewport.addEventListener("click", (event) => {
      const row = event.target.closest("[data-uid]");
      if (row) open({ kind: "pod", uid: row.dataset.uid });
    });
  }

  show(pods, all) {
    this.#showReasons(all);
    byId("waiting").toggleAttribute("data-empty", pods.length === 0);
    this.#rows.show(pods);
    for (const row of byId("waiting").querySelectorAll("[data-uid]")) row.setAttribute("aria-setsize", pods.length);
  }

  // Times go on although nothing happens.
  tick(now) {
    for (const time of byId("waiting").querySelectorAll("[data-since]")) {
      time.textContent = duration((now - Date.parse(time.dataset.since)) / 1000);
    }
  }

  focus() {
    this.#rows.focus();
  }

  #showReasons(all) {
    const counts = new Map();
    for (const pod of all) counts.set(label(pod), (counts.get(label(pod)) ?? 0) + 1);
    const select = byId("reason");
    if (select.value !== "" && !counts.has(select.value)) counts.set(select.value, 0);
    const options = [...counts].sort(([a], [b]) => a.localeCompare(b));
    const text = JSON.stringify(options);
    if (text === this.#reasons) return;
    this.#reasons = text;
    const chosen = select.value;
    select.replaceChildren(element("option", { value: "" }, "all"),
      ...options.map(([reason, count]) => element("option", { value: reason }, `${reason} (${count})`)));
    select.value = chosen;
  }

  #row(pod) {
    const since = pod.waitingSince ?? pod.created;
    return element("div", { class: "pod", role: "listitem", "data-uid": pod.uid },
      element("button", { type: "button", "data-cell": true, tabindex: -1 },
        element("span", { class: "pod-name" }, podName(pod)),
        element("span", { class: "reason" }, label(pod)),
        element("span", { class: "since", "data-since": since }, duration((Date.now() - Date.parse(since)) / 1000)),
        element("span", { class: "message" }, pod.message ?? "its turn is to come")));
  }
}
