// Rows: a long list of which only what can be seen is in the page. All rows have the height of the CSS variable --row. One cell is
// active: the Tab key reaches it, arrow keys move it, and it keeps the focus while rows around it come and go.

const MARGIN = 4; // rows beyond the edges, so that scrolling shows no gaps

export class Rows {
  items = [];
  #viewport;
  #space;
  #draw;
  #keyOf;
  #drawn = new Map(); // key → { element, item, index }
  #active = { row: 0, cell: 0 };
  #frame = 0;

  // `draw(item)` gives the row's element, with focusable cells marked data-cell; `keyOf(item)` tells items apart.
  constructor(viewport, { draw, keyOf }) {
    this.#viewport = viewport;
    this.#draw = draw;
    this.#keyOf = keyOf;
    this.#space = document.createElement("div");
    this.#space.className = "space";
    this.#space.setAttribute("role", "presentation");
    viewport.append(this.#space);
    viewport.addEventListener("scroll", () => this.#soon(), { passive: true });
    viewport.addEventListener("keydown", (event) => this.#key(event));
    viewport.addEventListener("focusin", (event) => this.#focused(event.target));
    new ResizeObserver(() => this.#soon()).observe(viewport);
  }

  // What is drawn of an item that is the same object as before stays, unless `anew`.
  show(items, { anew = false } = {}) {
    this.items = items;
    if (this.#active.row >= items.length) this.#active.row = Math.max(0, items.length - 1);
    this.render(anew);
  }

  get height() {
    return parseFloat(getComputedStyle(this.#viewport).getPropertyValue("--row")) || 48;
  }

  render(anew = false) {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    const height = this.height;
    const hadFocus = this.#space.contains(document.activeElement);
    this.#space.style.height = `${this.items.length * height}px`;
    const top = this.#viewport.scrollTop;
    const first = Math.max(0, Math.floor(top / height) - MARGIN);
    const end = Math.min(this.items.length, Math.ceil((top + this.#viewport.clientHeight) / height) + MARGIN);
    const shown = new Map();
    for (let index = first; index < end; ++index) this.#place(index, height, anew, shown);
    // A row that has the focus stays although it is out of sight.
    const active = this.#active.row;
    if (hadFocus && active < this.items.length && (active < first || active >= end)) this.#place(active, height, anew, shown);
    for (const [key, row] of this.#drawn) if (shown.get(key)?.element !== row.element) row.element.remove();
    this.#drawn = shown;
    this.#order();
    this.#mark();
    if (hadFocus && !this.#space.contains(document.activeElement)) this.#activeCell()?.focus({ preventScroll: true });
  }

  focus() {
    this.#reveal();
    this.#activeCell()?.focus({ preventScroll: true });
  }

  #place(index, height, anew, shown) {
    const item = this.items[index];
    const key = this.#keyOf(item);
    let row = this.#drawn.get(key);
    if (!row || row.item !== item || anew) {
      row = { element: this.#draw(item, index), item, index: -1 };
      this.#space.append(row.element);
    }
    if (row.index !== index) {
      row.index = index;
      row.element.style.transform = `translateY(${index * height}px)`;
      const name = row.element.getAttribute("role") === "row" ? "aria-rowindex" : "aria-posinset";
      row.element.setAttribute(name, index + 1);
    } else {
      row.element.style.transform = `translateY(${index * height}px)`;
    }
    row.element.dataset.index = index;
    shown.set(key, row);
  }

  // Screen readers follow the order in the page, not the place on the screen. Only what is out of order is moved, and never what
  // has the focus, for that would lose it.
  #order() {
    const rows = [...this.#drawn.values()].sort((a, b) => a.index - b.index);
    let next = this.#space.firstElementChild;
    for (const row of rows) {
      if (row.element === next) next = next.nextElementSibling;
      else if (!row.element.contains(document.activeElement)) this.#space.insertBefore(row.element, next);
    }
  }

  #soon() {
    if (!this.#frame) this.#frame = requestAnimationFrame(() => this.render());
  }

  #cellsOf(row) {
    const item = this.items[row];
    const drawn = item === undefined ? undefined : this.#drawn.get(this.#keyOf(item));
    return drawn ? [...drawn.element.querySelectorAll("[data-cell]")] : [];
  }

  #activeCell() {
    const cells = this.#cellsOf(this.#active.row);
    return cells[Math.min(this.#active.cell, cells.length - 1)];
  }

  #mark() {
    const active = this.#activeCell() ?? this.#space.querySelector("[data-cell]");
    for (const cell of this.#space.querySelectorAll('[data-cell][tabindex="0"]')) if (cell !== active) cell.tabIndex = -1;
    if (active) active.tabIndex = 0;
  }

  #focused(target) {
    const cell = target.closest("[data-cell]");
    const row = cell?.closest("[data-index]");
    if (!row) return;
    this.#active = { row: Number(row.dataset.index), cell: [...row.querySelectorAll("[data-cell]")].indexOf(cell) };
    this.#mark();
  }

  #reveal() {
    const height = this.height;
    const top = this.#active.row * height;
    const view = this.#viewport;
    if (top < view.scrollTop) view.scrollTop = top;
    else if (top + height > view.scrollTop + view.clientHeight) view.scrollTop = top + height - view.clientHeight;
    this.render();
  }

  #key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const page = Math.max(1, Math.floor(this.#viewport.clientHeight / this.height) - 1);
    const cells = this.#cellsOf(this.#active.row).length;
    const steps = {
      ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1],
      PageDown: [page, 0], PageUp: [-page, 0], Home: [0, -cells], End: [0, cells],
    };
    const step = steps[event.key];
    if (!step || this.items.length === 0) return;
    event.preventDefault();
    const clamp = (value, most) => Math.min(Math.max(value, 0), most);
    this.#active = { row: clamp(this.#active.row + step[0], this.items.length - 1), cell: clamp(this.#active.cell + step[1], cells - 1) };
    this.focus();
  }
}
