// Puts the page together: the stream of events, what the user has chosen, and who draws what.

import { byId, duration, element, plural, setText } from "./elements.js";
import { Detail } from "./detail.js";
import { Fleet, STATES } from "./fleet.js";
import { Grid } from "./grid.js";
import { Waiting } from "./waiting.js";

const SILENCE = 5000; // ms without an event after which the data is called old
const AGAIN = 3000; // ms until a stream that was refused is asked for again

const fleet = new Fleet();
const chosen = { text: "", states: new Set(), order: "name", reason: "" };
const grid = new Grid(fleet, (about) => detail.open(about));
const waiting = new Waiting((about) => detail.open(about));
const detail = new Detail(fleet, (about) => (about.kind === "pod" ? waiting : grid).focus());
let heard = null; // when the last event came, by performance.now()
let reservation = null;

// --- drawing

function draw() {
  const isOther = JSON.stringify(fleet.reservation) !== JSON.stringify(reservation);
  reservation = fleet.reservation;
  const nodes = fleet.select(chosen);
  setText(byId("node-count"), nodes.length === fleet.nodes.size ? String(nodes.length) : `${nodes.length} of ${fleet.nodes.size}`);
  setText(byId("waiting-count"), String(fleet.pods.size));
  grid.show(nodes, { text: chosen.text, anew: isOther });
  waiting.show(fleet.waiting(chosen.reason), fleet.pods.values());
  drawStates();
  drawPlaceable();
  detail.update();
  document.title = fleet.pods.size > 0 ? `GPU fleet – ${plural(fleet.pods.size, "pod")} without a place` : "GPU fleet";
}

function drawStates() {
  const counts = fleet.count();
  for (const state of STATES) setText(byId(`count-${state}`), String(counts[state]));
}

function drawPlaceable() {
  const table = byId("placeable");
  const head = table.tHead.rows[0];
  if (head.cells.length !== fleet.placeable.length + 1) {
    for (const row of table.rows) while (row.cells.length > 1) row.deleteCell(1);
    for (const { size } of fleet.placeable) {
      head.append(element("th", { scope: "col" }, String(size)));
      for (const row of table.tBodies[0].rows) row.append(element("td", { "data-size": size }));
    }
  }
  for (const row of table.tBodies[0].rows) {
    fleet.placeable.forEach((entry, i) => setText(row.cells[i + 1], String(entry[row.dataset.topology])));
  }
}

// --- the stream

function connect() {
  const stream = new EventSource("api/v1/fleet/stream");
  const hear = (name, take) => stream.addEventListener(name, (event) => {
    take(JSON.parse(event.data));
    heard = performance.now();
    setConnection("live");
    draw();
    tick();
  });
  hear("fleet", (whole) => fleet.replace(whole));
  hear("change", (change) => fleet.change(change));
  stream.addEventListener("error", () => {
    setConnection("lost");
    if (stream.readyState !== EventSource.CLOSED) return; // tries again by itself
    setTimeout(connect, AGAIN);
  });
}

function setConnection(state) {
  document.body.dataset.connection = state;
  const words = { connecting: "Connecting…", live: "Live", silent: "No news", lost: "Connection lost, trying again" };
  setText(byId("connection"), words[state]);
  tell();
}

// What the reader must know about everything else here.
function tell() {
  const state = document.body.dataset.connection;
  const parts = [];
  if (heard !== null && (state === "lost" || state === "silent")) {
    parts.push(`What you see is from ${new Date(fleet.time).toLocaleTimeString("en-GB")} and may have changed.`);
  }
  if (heard !== null && !fleet.synced) parts.push("The scheduler has not seen the whole cluster yet.");
  if (heard !== null && fleet.synced && !fleet.leader) parts.push("This replica does not decide; it shows its own view.");
  setText(byId("notice"), parts.join(" "));
  byId("notice").hidden = parts.length === 0;
}

function tick() {
  if (heard === null) return;
  const age = performance.now() - heard;
  if (age >= SILENCE && document.body.dataset.connection === "live") setConnection("silent");
  tell();
  setText(byId("age"), age < 1500 ? "data is current" : `data is ${duration(age / 1000)} old`);
  waiting.tick(Date.now());
}

// --- what the user chooses

function makeStates() {
  for (const state of STATES) {
    const button = element("button", { type: "button", class: "state", "data-state": state, "aria-pressed": "false" },
      element("span", { class: "swatch", "aria-hidden": "true", "data-state": state }),
      element("span", {}, state), element("strong", { id: `count-${state}` }, "–"));
    button.addEventListener("click", () => {
      if (!chosen.states.delete(state)) chosen.states.add(state);
      button.setAttribute("aria-pressed", chosen.states.has(state));
      draw();
    });
    byId("states").append(button);
  }
}

const THEMES = ["system", "light", "dark"];

function setTheme(theme) {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  byId("theme").textContent = `Theme: ${theme}`;
  try {
    localStorage.setItem("theme", theme);
  } catch { /* not kept, then */ }
}

function startTheme() {
  let theme = "system";
  try {
    theme = localStorage.getItem("theme") ?? "system";
  } catch { /* as the system */ }
  setTheme(THEMES.includes(theme) ? theme : "system");
  byId("theme").addEventListener("click", () => {
    const now = byId("theme").textContent.replace("Theme: ", "");
    setTheme(THEMES[(THEMES.indexOf(now) + 1) % THEMES.length]);
  });
}

function listen() {
  for (const [id, name] of [["search", "text"], ["order", "order"], ["reason", "reason"]]) {
    byId(id).addEventListener("input", (event) => {
      chosen[name] = event.target.value;
      draw();
    });
  }
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target.matches("input, select, textarea");
    if (event.key === "/" && !isTyping) {
      event.preventDefault();
      byId("search").focus();
    } else if (event.key === "Escape" && detail.isOpen) {
      detail.close();
    }
  });
}

makeStates();
startTheme();
listen();
connect();
setInterval(tick, 1000);
