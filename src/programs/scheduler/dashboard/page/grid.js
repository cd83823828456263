// The nodes: a row each, with its islands and in them the GPUs.

import { byId, element, plural } from "./elements.js";
import { countNode, deviceText, islands, podName } from "./fleet.js";
import { Rows } from "./rows.js";

export class Grid {
  #fleet;
  #rows;
  #wanted = "";

  // `open({ node, id })` shows a GPU, `open({ node })` the node.
  constructor(fleet, open) {
    this.#fleet = fleet;
    const viewport = byId("grid");
    this.#rows = new Rows(viewport, { draw: (node) => this.#row(node), keyOf: (node) => node.node });
    const openCell = (target) => {
      const cell = target.closest("[data-cell]");
      const row = cell?.closest("[data-node]");
      if (!row) return false;
      open({ kind: "gpu", node: row.dataset.node, id: cell.dataset.gpu === undefined ? null : Number(cell.dataset.gpu) });
      return true;
    };
    viewport.addEventListener("click", (event) => openCell(event.target));
    viewport.addEventListener("keydown", (event) => {
      if ((event.key === "Enter" || event.key === " ") && openCell(event.target)) event.preventDefault();
    });
  }

  show(nodes, { text, anew }) {
    const wanted = text.trim().toLowerCase();
    const isOtherText = wanted !== this.#wanted;
    this.#wanted = wanted;
    byId("grid").setAttribute("aria-rowcount", nodes.length);
    this.#rows.show(nodes, { anew: anew || isOtherText });
  }

  focus() {
    this.#rows.focus();
  }

  #row(node) {
    const counts = countNode(node);
    const notes = [node.cordoned && "cordoned", !node.agent && "no agent"].filter(Boolean);
    if (counts.foreign > 0) notes.push(`${counts.foreign} used by others`);
    notes.push(...new Set(node.devices.map((device) => device.model).filter(Boolean)));
    const summary = `${counts.free} of ${node.devices.length} free`;
    return element("div", { class: "node", role: "row", "data-node": node.node },
      element("div", { class: "name", role: "rowheader", "data-cell": true, tabindex: -1, title: node.node },
        element("span", { class: "text" }, node.node),
        element("span", { class: "notes" }, notes.join(", "))),
      element("div", { class: "islands", role: "presentation" },
        ...islands(node).map(([name, devices]) => this.#island(node, name, devices))),
      element("div", { class: "summary", role: "gridcell" }, summary));
  }

  #island(node, name, devices) {
    const isDrawn = devices.length > 1;
    return element("div", { class: isDrawn ? "island" : "single", role: "presentation", title: isDrawn && `island ${name}` },
      ...devices.map((device) => this.#cell(node, device, isDrawn ? name : "")));
  }

  #cell(node, device, island) {
    const isReserved = this.#fleet.isReserved(node, device);
    const isFound = this.#wanted !== "" && deviceText(device).toLowerCase().includes(this.#wanted);
    const told = describe(device, { isReserved, island });
    return element("div", {
      class: "gpu", role: "gridcell", "data-cell": true, tabindex: -1, "data-gpu": device.id, "data-state": device.state,
      "data-reserved": isReserved, "data-found": isFound, "aria-label": told, title: told,
    }, element("span", { "aria-hidden": "true" }, device.state === "unhealthy" ? "✕" : String(device.id)));
  }
}

// "GPU 3, held by team/a, reserved, island 0"
function describe(device, { isReserved, island }) {
  const holders = device.holders.map((holder) => podName(holder.pod));
  const who = holders.length > 3 ? plural(holders.length, "pod") : holders.join(" and ");
  const parts = [`GPU ${device.id}`, holders.length > 0 ? `${device.state} by ${who}` : device.state];
  if (device.healthReason) parts.push(device.healthReason);
  if (isReserved) parts.push("reserved");
  if (island) parts.push(`island ${island}`);
  return parts.join(", ");
}
