// The panel about one thing: a GPU, a node, or a pod that waits. What the fleet does not say is asked for when it is opened.

import { byId, element, plural } from "./elements.js";
import { countNode, islands, podName } from "./fleet.js";

export class Detail {
  #fleet;
  #closed;
  #about = null; // { kind, … } as it was opened
  #shown = null; // the node or pod it was drawn from

  // `closed(about)` gives the focus back.
  constructor(fleet, closed) {
    this.#fleet = fleet;
    this.#closed = closed;
    byId("detail-close").addEventListener("click", () => this.close());
  }

  get isOpen() {
    return this.#about !== null;
  }

  open(about) {
    this.#about = about;
    this.#shown = null;
    byId("detail").hidden = false;
    this.update();
    byId("detail-title").focus();
  }

  close() {
    const about = this.#about;
    this.#about = null;
    byId("detail").hidden = true;
    if (about) this.#closed(about);
  }

  // After the fleet has changed: drawn again if that is about this.
  update() {
    if (!this.#about) return;
    const isPod = this.#about.kind === "pod";
    const now = isPod ? this.#fleet.pods.get(this.#about.uid) : this.#fleet.nodes.get(this.#about.node);
    if (now === this.#shown && now !== undefined) return;
    if (now === undefined) {
      if (this.#shown) byId("detail-body").prepend(gone(isPod));
      this.#shown = null;
      return;
    }
    this.#shown = now;
    if (isPod) this.#showPod(now);
    else if (this.#about.id === null) this.#showNode(now);
    else this.#showGpu(now);
  }

  #draw(title, ...parts) {
    byId("detail-title").textContent = title;
    byId("detail-body").replaceChildren(...parts.filter(Boolean));
  }

  #showGpu(node) {
    const device = node.devices.find((each) => each.id === this.#about.id);
    if (!device) return this.#draw(`GPU ${this.#about.id} of ${node.node}`, element("p", {}, "The node no longer reports it."));
    const kept = this.#fleet.isReserved(node, device) ? this.#fleet.reservation : null;
    const later = element("div", {});
    this.#draw(`GPU ${device.id} of ${node.node}`,
      list([["state", device.state], ["reserved for", kept?.pod], ["reserved since", time(kept?.since)], ["model", device.model],
        ["memory", device.memoryMiB && `${device.memoryMiB.toLocaleString("en")} MiB`], ["island", device.island],
        ["health", [device.health, device.healthReason].filter(Boolean).join(": ")], ["UUID", device.uuid]]),
      element("h3", {}, device.holders.length > 0 ? "Held by" : "Held by nobody"),
      ...device.holders.map((holder) => list([["pod", podName(holder.pod)], ["claim", holder.claim], ["mode", holder.mode],
        ["created", time(holder.created)], ["known from", holder.evidence.join(", ")]])),
      later);
    return this.#ask(`api/v1/gpus/${encodeURIComponent(node.node)}`, later, (answer) => linksOf(answer, device.id));
  }

  #showNode(node) {
    const later = element("div", {});
    const counts = countNode(node);
    this.#draw(node.node,
      list([["GPUs", String(node.devices.length)],
        ...Object.entries(counts).filter(([, count]) => count > 0).map(([state, count]) => [state, String(count)]),
        ["islands", islands(node).map(([name, devices]) => `${name || "–"}: ${devices.map((d) => d.id).join(" ")}`).join("; ")],
        ["cordoned", node.cordoned && "yes: no new pods"], ["agent", node.agent ? "reports" : "none: only the number of GPUs is known"],
        ["GPUs reach containers", node.handover],
        ["reserved for", this.#fleet.reservation?.node === node.node ? this.#fleet.reservation.pod : null]]),
      later);
    return this.#ask(`api/v1/gpus/${encodeURIComponent(node.node)}`, later, matrixOf);
  }

  #showPod(pod) {
    const later = element("div", {});
    this.#draw(podName(pod),
      list([["phase", pod.phase], ["claim", pod.claim], ["node", pod.node], ["GPUs", pod.gpuIds?.join(" ")],
        ["created", time(pod.created)], ["waits since", time(pod.waitingSince)],
        ["tried", pod.attempts !== undefined && `${plural(pod.attempts, "time")} without success`]]),
      later);
    if (pod.phase !== "waiting") return;
    const path = `api/v1/explain/${encodeURIComponent(pod.namespace)}/${encodeURIComponent(pod.name)}`;
    this.#ask(path, later, explanationOf);
  }

  async #ask(path, place, draw) {
    const about = this.#about;
    place.replaceChildren(element("p", { class: "asking" }, "Asking…"));
    let parts;
    try {
      const response = await fetch(path, { cache: "no-store" });
      const answer = await response.json();
      parts = response.ok ? draw(answer) : [element("p", { class: "failed" }, answer.message)];
    } catch {
      parts = [element("p", { class: "failed" }, "No answer: the connection is lost.")];
    }
    if (about === this.#about) place.replaceChildren(...parts);
  }
}

function list(pairs) {
  const known = pairs.filter(([, value]) => value);
  return element("dl", {}, ...known.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]));
}

function time(text) {
  return text ? new Date(text).toLocaleString("en-GB", { timeZoneName: "short" }) : null;
}

function gone(isPod) {
  return element("p", { class: "notice", role: "status" }, isPod ? "It no longer waits." : "The node is gone.");
}

function linkText(link) {
  const kind = link.count ? `${link.type} ×${link.count}` : `PCIe ${link.pcie}`;
  return link.bandwidthGBps ? `${kind}, ${link.bandwidthGBps} GB/s` : kind;
}

function linksOf(answer, id) {
  const links = answer.devices.find((device) => device.id === id)?.links ?? [];
  if (links.length === 0) return [];
  return [element("h3", {}, "Links"),
    list(links.map((link) => [`to GPU ${link.peer}`, linkText(link)]))];
}

function matrixOf(answer) {
  const devices = answer.devices.filter((device) => device.links);
  if (devices.length < 2) return [];
  const cell = (device, peer) => {
    if (device === peer) return "·";
    const link = device.links.find((each) => each.peer === peer.id);
    return link ? (link.count ? `${link.type === "xGMI" ? "X" : "NV"}${link.count}` : link.pcie) : "";
  };
  return [element("h3", {}, "Links"),
    element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Links between the GPUs" },
      element("table", { class: "matrix" },
        element("thead", {}, element("tr", {}, element("td", {}), ...devices.map((d) => element("th", { scope: "col" }, String(d.id))))),
        element("tbody", {}, ...devices.map((device) => element("tr", {}, element("th", { scope: "row" }, String(device.id)),
          ...devices.map((peer) => element("td", {}, cell(device, peer)))))))),
    element("p", { class: "keys" }, "NV4: four NVLinks, X1: one xGMI link; else the nearest common part of the PCIe tree.")];
}

function explanationOf(answer) {
  if (answer.fits) return [element("p", {}, "It fits: its turn is to come.")];
  if (!answer.reason) return [];
  const items = (entries, draw) => element("ul", {}, ...entries.map((entry) => element("li", {}, draw(entry))));
  const parts = [element("h3", {}, `Why it waits: ${answer.reason}`), element("p", { id: "explanation" }, answer.message)];
  if (answer.wouldStart.length > 0) {
    parts.push(element("h3", {}, "Any one of these would let it start"), items(answer.wouldStart, (change) => change.text));
  }
  if (answer.nodes.length > 0) {
    parts.push(element("h3", {}, "Node by node"), items(answer.nodes.slice(0, 50), (node) => `${node.node}: ${node.message}`));
    if (answer.nodes.length > 50) parts.push(element("p", {}, `and ${answer.nodes.length - 50} more`));
  }
  if (answer.reservation) {
    parts.push(element("p", {}, `${answer.reservation.node} is kept for ${answer.reservation.pod}.`));
  }
  return parts;
}
