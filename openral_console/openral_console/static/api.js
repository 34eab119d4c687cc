// Requests to the console, and the stream of sections.
import { h, notice } from "./dom.js";

export const about = { live: true, actions: false, checks: [] };

let login = null; // one dialog for all requests that wait for it

async function request(path, options) {
  let response = await fetch(path, options);
  if (response.status === 401) {
    login ??= logIn().finally(() => {
      login = null;
    });
    await login;
    response = await fetch(path, options);
  }
  return response;
}

export async function post(path, values = {}) {
  const options = {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(values),
  };
  const response = await request(path, options);
  const text = await response.text();
  let answer;
  try {
    answer = JSON.parse(text);
  } catch {
    answer = { error: text };
  }
  if (!response.ok) throw new Error(answer.error || `status ${response.status}`);
  return answer;
}

// Runs a command from a button; errors become a notice.
export async function command(name, values, done) {
  try {
    const answer = await post(name === "stop" ? "/api/stop" : `/api/commands/${name}`, values);
    if (done) notice(typeof done === "function" ? done(answer) : done);
    return answer;
  } catch (error) {
    notice(error.message);
    return null;
  }
}

export async function load() {
  Object.assign(about, await (await request("/api/about")).json());
}

export function stream(onSection, onLink) {
  let events;
  const connect = () => {
    events = new EventSource("/api/events");
    events.onopen = () => onLink(true);
    events.onmessage = (event) => {
      const { name, value } = JSON.parse(event.data);
      onSection(name, value);
    };
    events.onerror = () => {
      onLink(false);
      if (events.readyState === EventSource.CLOSED) setTimeout(connect, 2000);
    };
  };
  connect();
}

export const at = async (time) => (await request(`/api/at?t=${time.toFixed(3)}`)).json();

// Address of the picture of an object; `stamp` makes it another one when the picture changes.
export const picture = (id, stamp, time) =>
  `/api/pictures/${encodeURIComponent(id)}?${about.live ? "" : `t=${time.toFixed(3)}&`}of=${stamp}`;

// Asks the console to keep transforms and camera intrinsics up to date for the next seconds.
export async function watch() {
  if (about.live && !document.hidden) await request("/api/watch");
}

export async function frame(camera, after, time) {
  const query = about.live ? `after=${after}` : `t=${time.toFixed(3)}`;
  const response = await request(
    `/api/cameras/${camera.split("/").map(encodeURIComponent).join("/")}/frame.jpg?${query}`,
  );
  if (!response.ok) throw new Error((await response.json()).error);
  const stamp = Number(response.headers.get("x-stamp"));
  return {
    image: await createImageBitmap(await response.blob()),
    stamp,
    frame: response.headers.get("x-frame-id"),
  };
}

function logIn() {
  return new Promise((resolve) => {
    const token = h("input", { type: "password", autocomplete: "current-password", "aria-label": "Token" });
    const problem = h("p", { className: "bad small", role: "alert" });
    const form = h(
      "form",
      {
        className: "stack",
        onsubmit: async (event) => {
          event.preventDefault();
          const body = JSON.stringify({ token: token.value });
          const response = await fetch("/api/session", {
            method: "POST",
            headers: { "content-type": "application/json" },
            body,
          });
          if (response.ok) {
            dialog.close();
            dialog.remove();
            resolve();
          } else problem.textContent = "Wrong token, or too many tries.";
        },
      },
      h("h1", {}, "Token"),
      h("p", { className: "quiet" }, "The console printed it when it started."),
      h("div", { className: "row" }, token),
      problem,
      h("button", { className: "primary" }, "Continue"),
    );
    const dialog = h("dialog", { "aria-label": "Token" }, form);
    document.body.append(dialog);
    dialog.addEventListener("cancel", (event) => event.preventDefault());
    dialog.showModal();
  });
}
