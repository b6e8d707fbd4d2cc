// Draws a result: the text with its spans, calls, what is missing, alternatives, evidence, cost.
import { compact, make, slice, points, written } from "./text.js";

const percent = (value) => `${(100 * value).toFixed(value > 0.995 || value < 0.005 ? 1 : 0)} %`;
const short = (value) => (typeof value === "number" ? (Number.isInteger(value) ? String(value) : value.toFixed(3)) : String(value));

export function draw(target, utterance, result) {
  const parts = [text(utterance, result.calls)];
  for (const call of result.calls) parts.push(...drawCall(call));
  parts.push(make("h3", {}, "Confidence"), bar("the whole answer is right", result.confidence));
  if (result.alternatives.length > 1) {
    parts.push(make("h3", {}, "Alternatives"));
    for (const other of result.alternatives) parts.push(bar(other.calls.map(written).join("; "), other.confidence));
  }
  parts.push(...drawEvidence(result.explanation));
  const { tokens_evaluated: tokens, forward_passes: passes, seconds } = result.stats;
  parts.push(make("p", { class: "faint", id: "cost" }, `${Math.round(1000 * seconds)} ms; tokens evaluated: ${tokens}, forward passes: ${passes}`));
  target.replaceChildren(...parts);
}

/** The utterance, each span highlighted with its slot's name behind it. */
function text(utterance, calls) {
  const line = make("p", { class: "text", id: "highlighted" });
  const spans = calls.flatMap((call) => Object.entries(call.spans).map(([slot, [start, end]]) => ({ slot, start, end })));
  spans.sort((a, b) => a.start - b.start || b.end - a.end);
  const slots = [...new Set(spans.map((span) => span.slot))];
  let at = 0;
  for (const { slot, start, end } of spans) {
    if (start < at) continue;
    line.append(slice(utterance, at, start));
    line.append(make("mark", { class: `s${slots.indexOf(slot) % 6}` }, slice(utterance, start, end), make("small", {}, slot)));
    at = end;
  }
  line.append(slice(utterance, at, points(utterance).length));
  return line;
}

function drawCall(call) {
  const rest = written(call).slice(call.name.length);
  const parts = [make("pre", { class: "call" }, make("strong", {}, call.name), rest)];
  if (call.missing.length) parts.push(make("p", { class: "told missing" }, `Missing: ${call.missing.join(", ")}`));
  if (call.clarification) parts.push(make("p", { class: "told" }, `Ask: ${call.clarification}`));
  if (call.link) parts.push(make("p", { class: "told" }, "Link: ", make("code", {}, call.link)));
  return parts;
}

export function bar(label, value) {
  const inside = make("div", { class: "fill" });
  inside.style.width = `${Math.max(0, Math.min(1, value)) * 100}%`;
  const track = make("div", { class: "track", role: "img", "aria-label": percent(value) }, inside);
  return make("div", { class: "bar" }, make("code", {}, label), track, make("output", {}, percent(value)));
}

function drawEvidence(explanation) {
  const decided = explanation.exemplar === null ? "" : `: “${explanation.exemplar}”`;
  const parts = [make("h3", {}, "Why"), make("p", { class: "told", id: "decided" }, `Decided by ${explanation.decided_by}${decided}`)];
  if (explanation.functions.length) parts.push(table(explanation.functions));
  for (const row of explanation.slots) {
    const choices = row.choices.map(({ value, probability }) => bar(compact(value), probability));
    parts.push(make("details", {}, make("summary", {}, `${row.function}.${row.slot}: what it could be`), ...choices));
  }
  return parts;
}

function table(rows) {
  const columns = ["name", "probability", ...new Set(rows.flatMap((row) => Object.keys(row)))].filter((name, at, all) => all.indexOf(name) === at);
  const head = make("tr", {}, ...columns.map((name) => make("th", { scope: "col" }, name)));
  const body = rows.map((row) => make("tr", {}, ...columns.map((name) => make("td", {}, name in row ? short(row[name]) : ""))));
  const whole = make("table", { id: "evidence" }, make("thead", {}, head), make("tbody", {}, ...body));
  return make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Evidence for each function" }, whole);
}
