// What the page knows of a domain: its functions, their slots, and what spans may be called.

const JSON_TYPES = ["string", "integer", "number", "boolean", "null", "array", "object", "slot_label"];

export const slotsOf = (spec) => spec.parameters?.properties ?? {};

/** Groups of entity keys for a select: types first, then each function's slots. */
export function entityKeys(functions) {
  const types = new Set();
  for (const spec of functions) {
    for (const schema of Object.values(slotsOf(spec))) {
      if (typeof schema.type === "string" && !JSON_TYPES.includes(schema.type)) types.add(schema.type);
    }
  }
  const slots = functions.map((spec) => [spec.label, Object.keys(slotsOf(spec)).map((slot) => `${spec.label}.${slot}`)]);
  return [["types", [...types]], ...slots].filter(([, keys]) => keys.length);
}

export function expectationKeys(functions) {
  return functions
    .map((spec) => [spec.label, Object.keys(slotsOf(spec)).map((slot) => [JSON.stringify([slot, spec.label]), `${slot} of ${spec.label}`])])
    .filter(([, keys]) => keys.length);
}

/** A slot in words: its type, whether it is required, what it is for. */
export function slotLine(name, schema, required) {
  const kind = schema.enum ? schema.enum.map(String).join(" | ") : [].concat(schema.type ?? schema.format ?? "value").join(" or ");
  return `${name}${required.includes(name) ? " (required)" : ""}: ${kind}${schema.description ? ` – ${schema.description}` : ""}`;
}

/** The utterance with its spans as slots: a template to start an exemplar from. */
export function template(letters, spans) {
  const escaped = (part) => part.join("").replaceAll("<", "\\<").replaceAll(">", "\\>");
  let at = 0;
  let text = "";
  for (const { slot, start, end } of [...spans].sort((a, b) => a.start - b.start)) {
    if (start < at) continue;
    text += `${escaped(letters.slice(at, start))}< ${slot} >`;
    at = end;
  }
  return text + escaped(letters.slice(at));
}

/** The exemplars document with one more, in whichever of its forms it is written. */
export function withExemplar(document, owner, mode, utterance) {
  if (Array.isArray(document)) return [...document, { funcId: owner, exemplars: [{ type: mode, utterance }] }];
  const kind = mode === "implies" ? "normal" : "negative";
  return { ...document, [owner]: [...(document[owner] ?? []), { template: utterance, owner_mode: kind }] };
}
