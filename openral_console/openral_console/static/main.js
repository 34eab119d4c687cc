// Frame of the page: navigation, the newest sections, stop and release. A view is a function of the sections.
import { about, at, command, load, stream } from "./api.js";
import { fill, h, icon, notice } from "./dom.js";
import { cameras } from "./cameras.js";
import { detectors } from "./detectors.js";
import { floor } from "./floor.js";
import { health } from "./health.js";
import { home } from "./home.js";
import { memory } from "./memory.js";
import { mission } from "./mission.js";
import { scrubber } from "./replay.js";
import { drawWith, redraw, state } from "./state.js";

const VIEWS = {
  mission: { title: "Mission", icon: "M5 21V4h11l-2 4 2 4H5", show: mission },
  home: { title: "Home", icon: "M3 11l9-7 9 7M6 9v11h12V9", show: home },
  map: { title: "Map", icon: "M3 6l6-2 6 2 6-2v14l-6 2-6-2-6 2zM9 4v14M15 6v14", show: floor },
  cameras: { title: "Cameras", icon: "M4 7h4l2-3h4l2 3h4v12H4zM12 10a3 3 0 1 0 .1 0", show: cameras },
  memory: {
    title: "Memory",
    icon: "M12 4c5 0 8 1.500 8 3s-3 3-8 3-8-1.500-8-3 3-3 8-3zM4 7v10c0 1.500 3 3 8 3s8-1.500 8-3V7M4 12c0 1.500 3 3 8 3s8-1.500 8-3",
    show: memory,
  },
  detectors: {
    title: "Detectors",
    icon: "M4 8V4h4M16 4h4v4M20 16v4h-4M8 20H4v-4M9 9h6v6H9z",
    show: detectors,
  },
  health: { title: "Health", icon: "M3 12h4l3-7 4 14 3-7h4", show: health },
};

const view = document.getElementById("view");
let leave = null;

function current() {
  const name = location.hash.slice(1).split("/")[0];
  return VIEWS[name] ? name : "mission";
}

function draw() {
  const name = current();
  if (state.view !== name || !view.firstChild) {
    if (leave) leave();
    leave = null;
    state.view = name;
    view.replaceChildren();
    delete view.dataset.key;
  }
  for (const link of document.querySelectorAll("nav a")) {
    if (link.hash === `#${name}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.title = `${VIEWS[name].title} · OpenRAL`;
  leave = VIEWS[name].show(view, state.sections, redraw) ?? leave;
  summary();
}

function summary() {
  const { mission: current, parts, stopped } = state.sections;
  document.getElementById("release").hidden = !(stopped && about.live && about.actions);
  const silent = Object.entries(parts ?? {})
    .filter(([, there]) => !there)
    .map(([name]) => name);
  const doing =
    current &&
    (current.state === "idle"
      ? "Ready for a goal"
      : `${current.goal}: ${current.ended ? current.reason || current.state : current.step || current.state}`);
  let text =
    [stopped && `Emergency stop: ${stopped}`, silent.length && `Not running: ${silent.join(", ")}`, doing]
      .filter(Boolean)
      .join(" · ") || "Waiting for the robot …";
  if (!about.live) text = `Recording ${state.sections.run?.name ?? ""}`;
  else if (!state.linked) text = "No connection to the console; trying again …";
  const box = document.getElementById("summary");
  if (box.textContent !== text) box.textContent = text;
}

async function start() {
  drawWith(draw);
  // A button that shows must work: while the page still loads, too.
  const stop = document.getElementById("stop");
  stop.addEventListener("click", () => command("stop", {}, (answer) => answer.message || "Stopped."));
  document
    .getElementById("release")
    .addEventListener("click", () => command("release", {}, (answer) => answer.message));
  stop.hidden = false;
  fill(document.getElementById("tabs"), "tabs", () =>
    Object.entries(VIEWS).map(([name, each]) =>
      h("a", { href: `#${name}` }, icon(each.icon), h("span", {}, each.title)),
    ),
  );
  try {
    await load();
  } catch (error) {
    notice(error.message);
  }
  window.addEventListener("hashchange", redraw);
  stop.hidden = !about.live;
  stream(
    (name, value) => {
      state.sections[name] = value;
      if (name === "run") scrubber(value, seek);
      redraw();
    },
    (linked) => {
      state.linked = linked;
      redraw();
    },
  );
  redraw();
}

let asked = 0;
async function seek(time) {
  state.time = time;
  const turn = ++asked;
  const sections = await at(time);
  if (turn !== asked) return; // the scrubber has moved on
  state.sections = { run: state.sections.run, ...sections };
  redraw();
}

start();
