// What the scheduler has told: nodes and pods by name, brought up to date by the events of a stream. A node or pod that has not
// changed stays the same object, so that whoever draws can tell by comparing.

export const STATES = ["free", "held", "shared", "releasing", "foreign", "unhealthy"];

export class Fleet {
  nodes = new Map();
  pods = new Map();
  placeable = [];
  reservation = null;
  leader = false;
  synced = false;
  time = "";
  #texts = new WeakMap();

  replace(whole) {
    this.nodes = new Map(whole.nodes.map((node) => [node.node, node]));
    this.pods = new Map(whole.pods.map((pod) => [pod.uid, pod]));
    this.#head(whole);
  }

  change(change) {
    for (const name of change.nodesGone ?? []) this.nodes.delete(name);
    for (const node of change.nodes ?? []) this.nodes.set(node.node, node);
    for (const uid of change.podsGone ?? []) this.pods.delete(uid);
    for (const pod of change.pods ?? []) this.pods.set(pod.uid, pod);
    this.#head(change);
  }

  #head(message) {
    this.time = message.time;
    this.leader = message.leader;
    this.synced = message.synced;
    if (message.placeable !== undefined) this.placeable = message.placeable;
    if (message.reservation !== undefined) this.reservation = message.reservation;
  }

  // GPUs by state. What a plugin gave to pods of others is counted off the free ones, since nobody knows which they are.
  count() {
    const counts = Object.fromEntries(STATES.map((state) => [state, 0]));
    for (const node of this.nodes.values()) {
      for (const [state, count] of Object.entries(countNode(node))) counts[state] += count;
    }
    return counts;
  }

  isReserved(node, device) {
    const kept = this.reservation;
    if (!kept || kept.node !== node.node) return false;
    return !kept.gpuIds || kept.gpuIds.includes(device.id);
  }

  // Nodes that have the text somewhere and a GPU in one of the states, in the order that is wished for.
  select({ text, states, order }) {
    const wanted = text.trim().toLowerCase();
    const found = [...this.nodes.values()].filter((node) =>
      (wanted === "" || this.#textOf(node).includes(wanted)) &&
      (states.size === 0 || [...states].some((state) => countNode(node)[state] > 0)));
    const weight = {
      name: () => 0,
      free: (node) => -countNode(node).free,
      trouble: (node) => -(countNode(node).unhealthy * 1000 + countNode(node).releasing + (node.cordoned ? 500 : 0)),
    }[order];
    return found.sort((a, b) => weight(a) - weight(b) || compare(a.node, b.node));
  }

  // Those that have waited longest first.
  waiting(reason) {
    return [...this.pods.values()].filter((pod) => reason === "" || label(pod) === reason)
      .sort((a, b) => compare(a.waitingSince ?? a.created, b.waitingSince ?? b.created) || compare(a.uid, b.uid));
  }

  #textOf(node) {
    let text = this.#texts.get(node);
    if (text === undefined) {
      text = [node.node, ...node.devices.map(deviceText)].join("\n").toLowerCase();
      this.#texts.set(node, text);
    }
    return text;
  }
}

// What a search looks at in one GPU.
export function deviceText(device) {
  const holders = device.holders.map((holder) => `${podName(holder.pod)} ${holder.claim ?? ""}`);
  return [device.model ?? "", device.uuid ?? "", device.healthReason ?? "", ...holders].join("\n");
}

export const podName = (pod) => `${pod.namespace}/${pod.name}`;

// The one word for why a pod is not bound.
export const label = (pod) => pod.reason ?? pod.phase;

const counted = new WeakMap();

export function countNode(node) {
  let counts = counted.get(node);
  if (counts) return counts;
  counts = Object.fromEntries(STATES.map((state) => [state, 0]));
  for (const device of node.devices) ++counts[device.state];
  counts.foreign = Math.min(counts.free, node.foreignGpus);
  counts.free -= counts.foreign;
  counted.set(node, counts);
  return counts;
}

// [[name, devices], …] in the order of the first GPU; an island without a name is each GPU's own.
export function islands(node) {
  const found = new Map();
  for (const device of node.devices) {
    const key = device.island ?? `\n${device.id}`;
    if (!found.has(key)) found.set(key, []);
    found.get(key).push(device);
  }
  return [...found].map(([key, devices]) => [key.startsWith("\n") ? "" : key, devices]);
}

// As people count: node-2 before node-10.
const compare = new Intl.Collator("en", { numeric: true }).compare;
