// Talks to the server: JSON there and back, problems as Problem, a key where one is asked for.
import { byId } from "./text.js";

export class Problem extends Error {
  constructor(status, error) {
    super(error?.message ?? `the server answered with status ${status}`);
    this.status = status;
    this.code = error?.code;
    this.param = error?.param;
  }
}

const KEY = "constrained_du.key";

export async function ask(path, body) {
  for (let tries = 0; ; tries += 1) {
    const headers = { accept: "application/json" };
    const key = sessionStorage.getItem(KEY);
    if (key) headers.authorization = `Bearer ${key}`;
    if (body !== undefined) headers["content-type"] = "application/json";
    let answer;
    try {
      answer = await fetch(path, { method: body === undefined ? "GET" : "POST", headers, body: body && JSON.stringify(body) });
    } catch {
      throw new Problem(0, { message: "the server cannot be reached - is it still running?" });
    }
    const document = await answer.json().catch(() => ({}));
    if (answer.ok) return document;
    if (answer.status !== 401 || tries === 3) throw new Problem(answer.status, document.error);
    sessionStorage.setItem(KEY, await askForKey());
  }
}

function askForKey() {
  const dialog = byId("key-dialog");
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(byId("key").value.trim()), { once: true });
    dialog.showModal();
  });
}
