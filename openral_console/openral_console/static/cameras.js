// Cameras: the newest image of each with the boxes of every detector, and questions to a locator.
import { about, command, frame } from "./api.js";
import { empty, fill, h, seconds } from "./dom.js";
import { state } from "./main.js";

const COLOURS = ["#0bb3a2", "#f2a33a", "#6f9ff2", "#e2679a"];
const AGE = 1.0; // age from which a box is no longer drawn [s]
let running = null;
let located = null;

export function cameras(view, sections) {
  const ids = sections.cameras ?? [];
  const locators = Object.entries(sections.detectors ?? {}).filter(([, each]) => each.mode === "on demand");
  fill(view, [ids, locators.map(([slug]) => slug), about], () => {
    if (!ids.length) return h("section", { className: "card" }, empty("No camera publishes images."));
    return h("div", { className: "stack" }, about.live && locators.length > 0 && ask(locators, ids), h("div", { className: "cameras" }, ids.map(shot)));
  });
  if (!running && ids.length) running = follow(ids, canvasOf, (id, found) => paint(canvasOf(id), id, found), tell);
  return () => { running?.stop(); running = null; located = null; };
}

function ask(locators, ids) {
  const words = h("input", { type: "text", id: "look", placeholder: "red mug", maxLength: 500 });
  const which = h("select", { "aria-label": "Detector" }, locators.map(([slug, each]) => h("option", { value: slug }, each.id)));
  const camera = h("select", { "aria-label": "Camera" }, ids.map((id) => h("option", { value: id }, id)));
  const result = h("p", { role: "status", className: "small wrap", id: "located" });
  return h("form", { className: "card stack", onsubmit: async (event) => {
    event.preventDefault();
    if (!words.value.trim()) return;
    result.textContent = "Looking …";
    const found = await command("locate", { query: words.value, detector: which.value, camera: camera.value });
    located = found ? { ...found.detections, camera: found.camera, time: performance.now() } : null;
    result.textContent = found ? `${found.status}: ${found.message} (${seconds(found.inference_time)})` : "";
  } }, h("div", { className: "row" }, h("label", { htmlFor: "look", className: "quiet" }, "Is there a"), words, camera, locators.length > 1 ? which : null, h("button", { className: "primary" }, "Look")), result);
}

function shot(id) {
  return h("figure", { className: "card" }, h("div", { className: "shot" }, h("canvas", { "data-camera": id, role: "img", "aria-label": `Image of camera ${id}` }), h("p", { className: "quiet" }, "Waiting for an image …")),
    h("figcaption", { className: "row spread small" }, h("strong", {}, id), h("span", { className: "quiet", "data-age": id })));
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
      if (!wanted(id) || document.hidden || (!about.live && asked === state.time)) { await pause(150); continue; }
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
  return { stop: () => { on = false; } };
}

const pause = (time) => new Promise((done) => setTimeout(done, time));

function paint(canvas, id, { image, stamp, frame: frameId }) {
  canvas.parentElement.querySelector("p").hidden = true;
  canvas.width = image.width;
  canvas.height = image.height;
  const context = canvas.getContext("2d");
  context.drawImage(image, 0, 0);
  context.font = `600 ${Math.max(12, image.width / 42)}px Inter, system-ui, "DejaVu Sans", sans-serif`;
  context.lineWidth = Math.max(2, image.width / 320);
  const seen = [];
  Object.entries(state.sections.detections ?? {}).forEach(([slug, each], place) => {
    if (each.frame !== frameId || Math.abs(each.stamp - stamp) > AGE) return;
    boxes(context, each.boxes, COLOURS[place % COLOURS.length]);
    seen.push(`${each.boxes.length} by ${slug}`);
  });
  if (located && located.frame === frameId && performance.now() - located.time < 5000) boxes(context, located.boxes, "#ff5a7a");
  const label = document.querySelector(`[data-age="${CSS.escape(id)}"]`);
  const age = state.sections.clock ? Math.max(0, state.sections.clock - stamp) : null;
  label.textContent = [seen.join(", "), age !== null && age < 1000 ? `${age.toFixed(1)} s old` : ""].filter(Boolean).join(" · ");
}

function boxes(context, found, colour) {
  for (const { box: [x, y, width, height], label, score } of found) {
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
