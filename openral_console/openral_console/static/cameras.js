// Cameras: the newest image of each with the boxes of every detector, a box that a person chose, and questions to a locator.
import { about, command, frame } from "./api.js";
import { chooseBox, followBox, showBox } from "./boxes.js";
import { empty, fill, h, seconds } from "./dom.js";
import { state } from "./state.js";

const COLOURS = ["#0bb3a2", "#f2a33a", "#6f9ff2", "#e2679a"];
const AGE = 1.0; // age from which a box is no longer drawn [s]
const ANSWER = 8000; // time for which the boxes of an answer are drawn [ms]; as long as world_state keeps depth to lift them
const LISTED = 20; // boxes of an image that have a button; all can be clicked
let running = null;
let located = null;
let drawn = {}; // boxes on the image of each camera
let latest = {}; // image of each camera

export function cameras(view, sections) {
  const ids = sections.cameras ?? [];
  const locators = Object.entries(sections.detectors ?? {}).filter(([, each]) => each.mode === "on demand");
  fill(view, [ids, locators.map(([slug]) => slug), about], () => {
    if (!ids.length) return h("section", { className: "card" }, empty("No camera publishes images."));
    return h(
      "div",
      { className: "stack" },
      about.live && locators.length > 0 && ask(locators, ids),
      h("div", { id: "box" }),
      h("div", { className: "cameras" }, ids.map(shot)),
    );
  });
  if (ids.length && showBox(document.getElementById("box")))
    for (const [id, found] of Object.entries(latest)) paint(canvasOf(id), id, found);
  if (!running && ids.length)
    running = follow(
      ids,
      canvasOf,
      (id, found) => {
        latest[id]?.image.close();
        latest[id] = found;
        paint(canvasOf(id), id, found);
      },
      tell,
    );
  return () => {
    running?.stop();
    running = null;
    located = null;
    drawn = {};
    latest = {};
    chooseBox("", null);
  };
}

function ask(locators, ids) {
  const words = h("input", { type: "text", id: "look", placeholder: "red mug", maxLength: 500 });
  const which = h(
    "select",
    { "aria-label": "Detector" },
    locators.map(([slug, each]) => h("option", { value: slug }, each.id)),
  );
  const camera = h(
    "select",
    { "aria-label": "Camera" },
    ids.map((id) => h("option", { value: id }, id)),
  );
  const result = h("p", { role: "status", className: "small wrap", id: "located" });
  return h(
    "form",
    {
      className: "card stack",
      onsubmit: async (event) => {
        event.preventDefault();
        if (!words.value.trim()) return;
        result.textContent = "Looking …";
        const found = await command("locate", {
          query: words.value,
          detector: which.value,
          camera: camera.value,
        });
        located = found
          ? { ...found.detections, by: which.selectedOptions[0].textContent, time: performance.now() }
          : null;
        result.textContent = found
          ? `${found.status}: ${found.message} (${seconds(found.inference_time)})`
          : "";
      },
    },
    h(
      "div",
      { className: "row" },
      h("label", { htmlFor: "look", className: "quiet" }, "Is there a"),
      words,
      camera,
      locators.length > 1 ? which : null,
      h("button", { className: "primary" }, "Look"),
    ),
    result,
  );
}

function shot(id) {
  return h(
    "figure",
    { className: "card" },
    h(
      "div",
      { className: "shot" },
      h("canvas", {
        "data-camera": id,
        role: "img",
        "aria-label": `Image of camera ${id}`,
        onclick: (event) => pick(id, event),
      }),
      h("p", { className: "quiet" }, "Waiting for an image …"),
    ),
    h(
      "figcaption",
      { className: "row spread small" },
      h("strong", {}, id),
      h("span", { className: "quiet", "data-age": id }),
    ),
    h("p", { className: "row small", "data-boxes": id }),
  );
}

// The smallest box under the pointer.
function pick(id, event) {
  const canvas = event.target;
  const frame = canvas.getBoundingClientRect();
  const scale = Math.min(frame.width / canvas.width, frame.height / canvas.height);
  const u = canvas.width / 2 + (event.clientX - frame.left - frame.width / 2) / scale;
  const v = canvas.height / 2 + (event.clientY - frame.top - frame.height / 2) / scale;
  const under = (drawn[id] ?? []).filter(
    ({ box: [x, y, width, height] }) => Math.abs(u - x) <= width / 2 && Math.abs(v - y) <= height / 2,
  );
  chooseBox(id, under.sort((a, b) => a.box[2] * a.box[3] - b.box[2] * b.box[3])[0] ?? null);
}

// The boxes of an image as buttons, for keys and screen readers; they are replaced only when the labels change.
function list(id) {
  const names = (drawn[id] ?? []).slice(0, LISTED).map((each) => each.label);
  fill(document.querySelector(`[data-boxes="${CSS.escape(id)}"]`), names, () =>
    names.map((name, place) =>
      h(
        "button",
        {
          type: "button",
          onclick: () => chooseBox(id, drawn[id]?.[place]?.label === name ? drawn[id][place] : null),
        },
        name,
      ),
    ),
  );
}

const canvasOf = (id) => document.querySelector(`canvas[data-camera="${CSS.escape(id)}"]`);

function tell(id, message) {
  const box = canvasOf(id)?.parentElement.querySelector("p");
  if (box) Object.assign(box, { textContent: message, hidden: false });
}

// Gives each camera's images to `show` while `wanted` and the page is visible, at most one per `period` [ms].
export function follow(ids, wanted, show, fail = () => {}, period = 0) {
  let on = true;
  const one = async (id) => {
    let stamp = 0;
    let asked = -1;
    while (on) {
      if (!wanted(id) || document.hidden || (!about.live && asked === state.time)) {
        await pause(150);
        continue;
      }
      asked = state.time;
      try {
        const found = await frame(id, stamp, state.time);
        stamp = found.stamp;
        if (on && wanted(id)) show(id, found);
        if (about.live && period) await pause(period);
      } catch (error) {
        fail(id, error.message);
        await pause(1000);
      }
    }
  };
  ids.forEach(one);
  return {
    stop: () => {
      on = false;
    },
  };
}

const pause = (time) => new Promise((done) => setTimeout(done, time));

function paint(canvas, id, { image, stamp, frame: frameId }) {
  if (!canvas) return;
  canvas.parentElement.querySelector("p").hidden = true;
  canvas.width = image.width;
  canvas.height = image.height;
  const context = canvas.getContext("2d");
  context.drawImage(image, 0, 0);
  context.font = `600 ${Math.max(12, image.width / 42)}px Inter, system-ui, "DejaVu Sans", sans-serif`;
  context.lineWidth = Math.max(2, image.width / 320);
  const seen = [];
  const [found, answered] = [[], []];
  Object.entries(state.sections.detections ?? {}).forEach(([slug, each], place) => {
    if (each.frame !== frameId || Math.abs(each.stamp - stamp) > AGE) return;
    found.push(
      ...each.boxes.map((box) => ({
        ...box,
        by: state.sections.detectors?.[slug]?.id ?? slug,
        stamp: each.stamp,
        frame: each.frame,
        colour: COLOURS[place % COLOURS.length],
      })),
    );
    seen.push(`${each.boxes.length} by ${slug}`);
  });
  if (located && located.frame === frameId && performance.now() - located.time < ANSWER)
    answered.push(
      ...located.boxes.map((box) => ({
        ...box,
        by: located.by,
        stamp: located.stamp,
        frame: located.frame,
        colour: "#ff5a7a",
      })),
    );
  // Those of an answer last: when they vanish, no other button moves under the pointer.
  drawn[id] = [found, answered].flatMap((each) => each.sort((a, b) => a.box[0] - b.box[0]));
  boxes(context, drawn[id], followBox(id, drawn[id]));
  list(id);
  const label = document.querySelector(`[data-age="${CSS.escape(id)}"]`);
  const age = state.sections.clock ? Math.max(0, state.sections.clock - stamp) : null;
  label.textContent = [seen.join(", "), age !== null && age < 1000 ? `${age.toFixed(1)} s old` : ""]
    .filter(Boolean)
    .join(" · ");
}

function boxes(context, found, chosen) {
  const line = context.lineWidth;
  for (const each of found) {
    const {
      box: [x, y, width, height],
      label,
      score,
      colour,
    } = each;
    context.lineWidth = each === chosen ? 3 * line : line;
    context.strokeStyle = colour;
    context.strokeRect(x - width / 2, y - height / 2, width, height);
    const text = score === null || score >= 1 ? label : `${label} ${score.toFixed(2)}`;
    const size = parseInt(context.font.match(/(\d+)/g)[1] ?? "14", 10);
    const top = Math.max(size * 1.3, y - height / 2);
    context.fillStyle = colour;
    context.fillRect(x - width / 2 - 1, top - size * 1.3, context.measureText(text).width + 8, size * 1.3);
    context.fillStyle = "#08110f";
    context.fillText(text, x - width / 2 + 3, top - size * 0.35);
  }
}
