// Elements of the page, made without ever reading text as HTML.

// element("li", { class: "pod", role: "listitem", onclick: f }, "text", child, …). Members that are null or false are left out.
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

export const byId = (id) => document.getElementById(id);

export function setText(target, text) {
  if (target.textContent !== text) target.textContent = text;
}

// 75 → "1 min 15 s"; the two largest units.
export function duration(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  const units = [["d", 86400], ["h", 3600], ["min", 60], ["s", 1]];
  const first = units.findIndex(([, size]) => whole >= size);
  if (first < 0) return "0 s";
  let rest = whole;
  const parts = [];
  for (const [name, size] of units.slice(first, first + 2)) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(`${count} ${name}`);
  }
  return parts.join(" ");
}

export const plural = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;
