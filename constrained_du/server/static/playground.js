// The page's one state and what its controls do to it.
import { ask, Problem } from "./server.js";
import { draw } from "./result.js";
import { entityKeys, expectationKeys, slotLine, slotsOf, template, withExemplar } from "./domain.js";
import { byId, fill, make, points, slice, toPoints, toUnits } from "./text.js";

const state = { base: "", domain: "", functions: [], marks: [], expectations: [], result: null, asked: "", turn: 0, looking: 0 };
const EDITORS = ["specs", "exemplars", "recognizers"];

function tell(problem) {
  const line = byId("problem");
  line.hidden = problem === null;
  line.textContent = problem === null ? "" : `${problem.param ? `${problem.param}: ` : ""}${problem.message}`;
}

/** Runs something that may fail; the page says what failed and goes on. */
async function attempt(label, work) {
  byId("busy").textContent = label;
  try {
    tell(null);
    return await work();
  } catch (problem) {
    tell(problem);
    return null;
  } finally {
    byId("busy").textContent = "";
  }
}

// ---- domains -------------------------------------------------------------------------------

async function start() {
  const { domains } = await ask("/playground/domains");
  const named = (example) => domains.filter((one) => one.example === example).map((one) => one.name);
  fill(byId("domain"), [["served", named(false)], ["examples", named(true)]].filter(([, names]) => names.length));
  await choose(byId("domain").value);
}

async function choose(name) {
  const found = await ask(`/playground/domains/${encodeURIComponent(name)}`);
  state.base = name;
  show(found);
  for (const editor of EDITORS) byId(editor).value = JSON.stringify(found.documents[editor] ?? null, null, 1);
  byId("compiled").textContent = "";
  byId("result").replaceChildren(make("p", { class: "faint" }, "The call appears here."));
  byId("teaching").hidden = true;
  state.result = null;
}

/** Takes over a domain's functions: the selects, the list, what was marked for another one. */
function show(found) {
  Object.assign(state, { domain: found.domain, functions: found.functions });
  fill(byId("mark-key"), entityKeys(found.functions));
  fill(byId("expect-key"), expectationKeys(found.functions));
  const labels = found.functions.map((spec) => spec.label);
  fill(byId("choice"), [[null, ["auto", "required", "none"]], ["always", labels]]);
  fill(byId("teach-function"), [[null, labels]]);
  const keys = new Set([...byId("mark-key").options].map((one) => one.value));
  state.marks = state.marks.filter((mark) => keys.has(mark.key));
  state.expectations = state.expectations.filter(([slot, label]) => {
    const spec = found.functions.find((one) => one.label === label);
    return spec && slot in slotsOf(spec);
  });
  drawFunctions();
  drawChips();
  look();
}

function drawFunctions() {
  const off = new Set([...document.querySelectorAll("#functions input:not(:checked)")].map((box) => box.value));
  byId("function-count").textContent = state.functions.length;
  byId("functions").replaceChildren(...state.functions.map((spec) => {
    const box = make("input", { type: "checkbox", value: spec.label, checked: !off.has(spec.label) });
    const slots = Object.entries(slotsOf(spec)).map(([name, schema]) => make("p", {}, slotLine(name, schema, spec.parameters?.required ?? [])));
    return make("li", {}, make("label", {}, box, spec.label), spec.description ? make("p", {}, spec.description) : "", ...slots);
  }));
}

// ---- marking -------------------------------------------------------------------------------

function selection() {
  const box = byId("utterance");
  const [start, end] = [box.selectionStart, box.selectionEnd].map((at) => toPoints(box.value, at));
  return start < end ? { start, end, text: slice(box.value, start, end) } : null;
}

let held = null; // the last selection: it outlives the focus going to the select beside it

function noteSelection() {
  if (document.activeElement === byId("utterance")) held = selection();
  byId("selected").textContent = held ? `“${held.text}”` : "nothing selected";
  byId("mark").disabled = !held || !byId("mark-key").value;
}

function mark() {
  const value = byId("mark-value").value;
  state.marks.push({ key: byId("mark-key").value, ...held, value: value === "" ? null : value });
  byId("mark-value").value = "";
  drawChips();
}

/** Marks stay as long as the text under them does. */
function keepMarks() {
  const text = byId("utterance").value;
  const before = state.marks.length;
  state.marks = state.marks.filter((one) => slice(text, one.start, one.end) === one.text);
  if (state.marks.length !== before) drawChips();
}

function drawChips() {
  const chip = (text, list, index) => make("button", { type: "button", class: "chip", "aria-label": `Remove ${text}`,
    onclick: () => { list.splice(index, 1); drawChips(); } }, text, " ✕");
  byId("marks").replaceChildren(...state.marks.map((one, at) =>
    chip(`“${one.text}” is ${one.key}${one.value === null ? "" : ` = ${one.value}`}`, state.marks, at)));
  byId("expectations").replaceChildren(...state.expectations.map(([slot, label], at) => chip(`${slot} of ${label}`, state.expectations, at)));
}

/** Shows what stands out in the text; pressing one selects it for marking. */
async function look() {
  const turn = (state.looking += 1);
  const utterance = byId("utterance").value;
  let spans = [];
  if (utterance.trim()) {
    const body = { domain: state.domain, utterance, ...(byId("now").value ? { now: byId("now").value } : {}) };
    spans = (await ask("/playground/recognised", body).catch(() => ({ spans: [] }))).spans;
  }
  if (turn === state.looking) byId("found").replaceChildren(...spans.map((one) => recognisedChip(utterance, one)));
}

function recognisedChip(utterance, { start, end, kind, value }) {
  const said = slice(utterance, start, end);
  const take = () => {
    const box = byId("utterance");
    box.focus();
    box.setSelectionRange(toUnits(utterance, start), toUnits(utterance, end));
    if ([...byId("mark-key").options].some((one) => one.value === kind)) byId("mark-key").value = kind;
    byId("mark-value").value = value !== undefined && value !== said ? value : "";
    noteSelection();
  };
  return make("button", { type: "button", class: "chip", onclick: take }, make("b", {}, said), ` ${kind}${value !== undefined && value !== said ? ` = ${value}` : ""}`);
}

// ---- asking --------------------------------------------------------------------------------

function question() {
  const entities = {};
  for (const { key, start, end, value } of state.marks) (entities[key] ??= []).push(value === null ? [start, end] : [start, end, value]);
  const boxes = [...document.querySelectorAll("#functions input")];
  const body = {
    domain: state.domain,
    utterance: byId("utterance").value,
    tool_choice: byId("choice").value,
    max_calls: Number(byId("max-calls").value) || 1,
    n_best: Number(byId("n-best").value) || 1,
    history: byId("history").value.split("\n").filter((line) => line.trim()),
    expectations: state.expectations,
  };
  if (state.marks.length) body.entities = entities;
  if (byId("now").value) body.now = byId("now").value;
  if (boxes.some((box) => !box.checked)) body.functions = boxes.filter((box) => box.checked).map((box) => box.value);
  return body;
}

async function understand() {
  const turn = (state.turn += 1);
  await attempt("thinking …", async () => {
    const body = question();
    const result = await ask("/playground/convert", body).catch(async (problem) => {
      if (!(problem instanceof Problem) || problem.code !== "domain_gone") throw problem;
      await compile();
      return ask("/playground/convert", { ...body, domain: state.domain });
    });
    if (turn !== state.turn) return;
    Object.assign(state, { result, asked: body.utterance });
    draw(byId("result"), body.utterance, result);
    suggest();
  });
}

// ---- editing -------------------------------------------------------------------------------

function suggest() {
  const best = state.result.calls[0];
  byId("teaching").hidden = false;
  if (state.functions.some((spec) => spec.label === best.name)) byId("teach-function").value = best.name;
  writeTemplate();
}

/** Spans of the answer, and those marked, that the chosen function has slots for. */
function writeTemplate() {
  const label = byId("teach-function").value;
  const spec = state.functions.find((one) => one.label === label);
  const known = spec ? slotsOf(spec) : {};
  const found = Object.entries(state.result.calls[0].spans).map(([slot, [start, end]]) => ({ slot, start, end }));
  const marked = state.marks.map(({ key, start, end }) => {
    const slot = key.startsWith(`${label}.`) ? key.slice(label.length + 1) : key;
    const typed = Object.keys(known).find((name) => known[name].type === slot);
    return { slot: slot in known ? slot : typed ?? slot, start, end };
  });
  const spans = [...marked, ...found].filter(({ slot }) => slot in known);
  byId("teach-text").value = template(points(state.asked), spans);
}

function edited(name) {
  try {
    return JSON.parse(byId(name).value || "null");
  } catch (problem) {
    throw new Problem(0, { message: `no JSON (${problem.message})`, param: name });
  }
}

async function compile() {
  byId("compiled").textContent = "compiling …";
  try {
    const body = { base: state.base, specs: edited("specs") };
    for (const name of ["exemplars", "recognizers"]) if (edited(name) !== null) body[name] = edited(name);
    const found = await ask("/playground/compile", body);
    show(found);
    const told = found.warnings.length ? `; ${found.warnings.join("; ")}` : "";
    byId("compiled").textContent = `${found.functions.length} functions, ${found.seconds.toFixed(1)} s${told}`;
  } catch (problem) {
    byId("compiled").textContent = "not compiled";
    throw problem;
  }
}

async function teach() {
  const before = byId("exemplars").value;
  await attempt("compiling …", async () => {
    const more = withExemplar(edited("exemplars") ?? [], byId("teach-function").value, byId("teach-mode").value, byId("teach-text").value);
    byId("exemplars").value = JSON.stringify(more, null, 1);
    try {
      await compile();
    } catch (problem) {
      byId("exemplars").value = before;
      throw problem;
    }
    byId("utterance").value = state.asked;
  }).then(() => byId("problem").hidden && understand());
}

// ---- controls ------------------------------------------------------------------------------

const on = (id, event, work) => byId(id).addEventListener(event, work);
const submitted = (work) => (event) => { event.preventDefault(); work(); };

function localTime() {
  const now = new Date();
  return new Date(now.getTime() - 60000 * now.getTimezoneOffset()).toISOString().slice(0, 19);
}

let pause = 0;
on("domain", "change", () => attempt("loading …", () => choose(byId("domain").value)));
on("theme", "click", () => {
  const dark = getComputedStyle(document.documentElement).colorScheme === "dark" || (!document.documentElement.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.theme = dark ? "light" : "dark";
});
on("ask", "submit", submitted(understand));
on("utterance", "keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) { event.preventDefault(); understand(); }
});
on("utterance", "input", () => { held = null; noteSelection(); keepMarks(); clearTimeout(pause); pause = setTimeout(look, 250); });
for (const event of ["select", "keyup", "mouseup"]) on("utterance", event, noteSelection);
document.addEventListener("selectionchange", noteSelection);
on("mark-key", "change", noteSelection);
on("mark", "click", mark);
on("expect", "click", () => { if (byId("expect-key").value) state.expectations.push(JSON.parse(byId("expect-key").value)); drawChips(); });
on("now-clock", "click", () => { byId("now").value = localTime(); look(); });
on("now-none", "click", () => { byId("now").value = ""; look(); });
on("teach-function", "change", writeTemplate);
on("teach", "submit", submitted(teach));
on("editors", "submit", submitted(() => attempt("compiling …", compile)));
on("editors", "keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); attempt("compiling …", compile); }
});
attempt("loading …", start);
