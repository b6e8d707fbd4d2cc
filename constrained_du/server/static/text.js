// Text and elements. The page's offsets are UTF-16 units, the server's are code points; all
// text enters the page as text, never as markup.

export const points = (text) => Array.from(text);

/** UTF-16 offset → code points before it. */
export const toPoints = (text, units) => points(text.slice(0, units)).length;

/** Code point offset → UTF-16 offset. */
export const toUnits = (text, count) => points(text).slice(0, count).join("").length;

export const slice = (text, start, end) => points(text).slice(start, end).join("");

export const byId = (id) => document.getElementById(id);

/** An element with attributes (`on…` are listeners, `class` is the class) and children, texts among them. */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children);
  return element;
}

export const option = (value, text = value) => make("option", { value }, text);

export function fill(select, groups) {
  const before = select.value;
  select.replaceChildren(
    ...groups.flatMap(([label, values]) =>
      label === null ? values.map((value) => option(...[].concat(value)))
        : [make("optgroup", { label }, ...values.map((value) => option(...[].concat(value))))]),
  );
  if ([...select.options].some((one) => one.value === before)) select.value = before;
}

export const compact = (value) => (value === undefined ? "(left out)" : JSON.stringify(value));

export const written = (call) => {
  const values = Object.entries(call.arguments).map(([slot, value]) => `${slot}=${compact(value)}`);
  for (const [slot, pairs] of Object.entries(call.operators ?? {})) {
    for (const [operator, value] of pairs) values.push(`${slot} ${operator} ${compact(value)}`);
  }
  return `${call.name}(${values.join(", ")})`;
};
