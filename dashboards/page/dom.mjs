// Makes elements without parsing HTML, so that the service's data stays text, as the page's policy requires.

export const find = (id) => document.getElementById(id);

// Makes an element: for example element("td", { className: "number" }, "text", child).
export function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

// Writes only if the text differs, so that a selection or a screen reader's position is not lost.
export function set_text(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

// Replaces a select's options. Keeps the chosen option if it is still in the list.
export function set_options(select, options) {
  const key = JSON.stringify(options);
  if (select.dataset.options === key) return;
  select.dataset.options = key;
  const chosen = select.value;
  select.replaceChildren(...options.map(({ value, text, disabled = false }) =>
    element("option", { value, textContent: text, disabled })));
  if (options.some(({ value, disabled }) => value === chosen && !disabled)) select.value = chosen;
}

// Keeps the children of `parent` in the order of `items`. Makes a child once per key and then updates it, so
// that focus and scroll position stay.
export class KeyedList {
  #parent;
  #make;
  #update;
  #nodes = new Map();

  constructor(parent, make, update) {
    this.#parent = parent;
    this.#make = make;
    this.#update = update;
  }

  show(items, key_of) {
    const keys = new Set(items.map(key_of));
    for (const [key, node] of this.#nodes) {
      if (keys.has(key)) continue;
      node.remove();
      this.#nodes.delete(key);
    }
    let place = this.#parent.firstElementChild;
    for (const item of items) {
      const key = key_of(item);
      const node = this.#nodes.get(key) ?? this.#make(item);
      this.#nodes.set(key, node);
      this.#update(node, item);
      if (node === place) place = place.nextElementSibling;
      else this.#parent.insertBefore(node, place);
    }
  }
}
