// Elements of the page. Text of peers becomes text nodes only, never markup.

import { visible } from "./text.js";

export const byId = (id) => document.getElementById(id);

// Makes an element with a class and children. Strings become text.
export function make(tag, name, ...children) {
  const node = document.createElement(tag);
  if (name) node.className = name;
  for (const child of children.flat()) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : visible(String(child)));
  }
  return node;
}

export function button(label, act, name) {
  const node = make("button", name, label);
  node.type = "button";
  node.addEventListener("click", act);
  return node;
}

// Sets the text of an element if it has changed: the same text costs no layout.
export function write(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

// Makes a box that is closed until a person opens it. Its content is made when it is first opened.
export function folded(label, content, name) {
  const box = make("details", name, make("summary", "", label));
  box.addEventListener("toggle", () => {
    if (box.open && box.childElementCount === 1) box.append(content());
  });
  return box;
}
