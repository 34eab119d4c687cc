// The home in 3D: rooms, furniture, objects with age and presence, people, the robot and where it has been.
// Boxes in an orthographic view, drawn far to near; drag turns, wheel or pinch zooms, right drag or two fingers move.
import { watch } from "./api.js";
import { solids, views } from "./body.js";
import { follow } from "./cameras.js";
import { box } from "./cuboids.js";
import { empty, fill, h } from "./dom.js";
import { camera, fit, projection, steer } from "./eye.js";
import { badges, fieldOfView, floor, link, names, robotMark, way } from "./marks.js";
import { frontierOf, lookedAt, search } from "./search.js";
import { choose, state } from "./state.js";

const TRAIL = 600; // positions of the robot that are kept
const MOST = 1500; // objects drawn; the view says how many it leaves out
const CONFIRMED = 0.5; // probability that an object exists from which it is drawn
const MANY = 200; // objects from which a view that turns is drawn roughly, and the robot over all objects
const STILL = 150; // time after which a view has come to rest [ms]
const PULSE = 1500; // between two requests for transforms [ms]; the console forgets them after 3 s
const IMAGE_PERIOD = 400; // between two images of a camera [ms]
let trail = [];
let targets = [];
let images = {};
let running = null;
let moving = 0; // until when the view counts as turning
let rest = null;
let layer = null; // many objects as they were drawn last, while neither they nor the view change

export function home(view, sections, redraw) {
  const nodes = sections.scene?.nodes;
  fill(view, nodes ? "home" : "none", () => {
    if (!nodes)
      return h(
        "section",
        { className: "card" },
        empty("No scene graph yet: world_state has not published one."),
      );
    const canvas = h("canvas", {
      id: "home",
      tabIndex: 0,
      role: "img",
      "aria-label": "Home from above. Arrow keys turn it, plus and minus zoom.",
    });
    steer(
      canvas,
      () => steered(redraw),
      (event) => pick(canvas, event),
    );
    new ResizeObserver(redraw).observe(canvas);
    return h(
      "div",
      { className: "stack" },
      h(
        "section",
        { className: "card stack", "aria-label": "Home" },
        canvas,
        legend(),
        h("p", { className: "quiet small", id: "drawn" }),
      ),
      h("div", { id: "search" }),
    );
  });
  if (!nodes) return null;
  const left = frontierOf(sections);
  keepTrail(sections.robot);
  const looked = lookedAt(sections.mission, nodes);
  paint(document.getElementById("home"), nodes, sections, left, looked);
  fill(
    document.getElementById("search"),
    [left, looked.map(({ name, outcome }) => [name, outcome]), nodes.length],
    () => search(left, looked, nodes),
  );
  const cameras = Object.keys(sections.optics ?? {});
  if (running?.cameras !== cameras.join()) {
    running?.stop();
    running = start(cameras, redraw);
  }
  return () => {
    running?.stop();
    running = null;
    layer = null;
    images = {};
  };
}

// Keeps transforms and images coming while the home is shown.
function start(cameras, redraw) {
  const shown = () => document.getElementById("home");
  const pulse = setInterval(() => watch().catch(() => {}), PULSE);
  watch().catch(() => {});
  const following = follow(
    cameras,
    shown,
    (id, { image }) => {
      images[id]?.close?.();
      images[id] = image;
      redraw();
    },
    undefined,
    IMAGE_PERIOD,
  );
  return {
    cameras: cameras.join(),
    stop: () => {
      clearInterval(pulse);
      following.stop();
    },
  };
}

function legend() {
  const key = (name, text) => h("span", { className: "row small quiet" }, swatch(name), text);
  return h(
    "div",
    { className: "row" },
    key("--object", "object, seen lately"),
    key("--warn", "object, stale"),
    key("--fixture", "furniture"),
    key("--info", "person"),
    key("--accent", "robot and its way"),
    h("span", { className: "quiet small" }, "numbers: search next, ✓ looked at"),
  );
}

function swatch(name) {
  const mark = h("span", { "aria-hidden": "true" });
  mark.style.cssText = `width:.8rem;height:.8rem;border-radius:.2rem;background:var(${name})`;
  return mark;
}

function keepTrail(robot) {
  if (!robot?.known) return;
  const [x, y] = robot.position;
  const last = trail.at(-1);
  if (last && robot.stamp < last[2]) trail = [];
  if (!last || Math.hypot(x - last[0], y - last[1]) > 0.04) trail.push([x, y, robot.stamp]);
  if (trail.length > TRAIL) trail.shift();
}

function paint(canvas, nodes, sections, left, looked) {
  const ratio = Math.min(window.devicePixelRatio || 1, 2);
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
  if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  const colours = palette();
  if (!camera.zoom)
    fit(
      nodes.filter((node) => node.kind !== "object"),
      width,
      height,
    );
  const lens = projection(width, height);
  const { project } = lens;
  const now = sections.clock ?? sections.robot?.stamp;
  const rooms = nodes.filter((node) => node.kind === "room");
  for (const room of rooms) floor(context, room, project, colours);
  way(context, trail, project, colours);
  const objects = nodes.filter(
    (node) => node.kind === "object" && node.presence !== "gone" && !(node.confidence < CONFIRMED),
  );
  const drawn = [
    ...nodes.filter((node) => node.kind === "place" || node.kind === "agent"),
    ...objects.slice(0, MOST),
  ];
  const links = solids(sections.body, sections.frames);
  const many = objects.length > MANY;
  const roughly = many && performance.now() < moving;
  if (roughly) boxes(context, drawn, lens, colours, true);
  else if (many)
    context.drawImage(drawnOnce(canvas, ratio, nodes, drawn, lens, colours), 0, 0, width, height);
  if (links.length) robotMark(context, sections.robot, project, colours);
  if (many) boxes(context, links, lens, colours);
  else boxes(context, [...drawn, ...links], lens, colours);
  if (!links.length) robotMark(context, sections.robot, project, colours);
  const seen = views(sections.optics, sections.frames);
  for (const each of seen) fieldOfView(context, each, images[each.camera], project, colours);
  names(
    context,
    [...drawn.filter((node) => !roughly || node.kind !== "object" || node.id === state.chosen), ...rooms],
    state.chosen,
    project,
    colours,
    now,
    [width, height],
  );
  badges(context, left, looked, nodes, project, colours);
  canvas.dataset.looked = looked.map(({ node }) => node?.id ?? "").join(" ");
  canvas.dataset.links = links.length;
  canvas.dataset.views = seen
    .filter((each) => images[each.camera])
    .map((each) => each.camera)
    .join(" ");
  const more = objects.length - Math.min(objects.length, MOST) + (sections.scene.left_out ?? 0);
  const text = `${Math.min(objects.length, MOST)} objects drawn${more ? `, ${more} left out (the oldest)` : ""}. Drag to turn, wheel to zoom, click an object for its memory.`;
  const line = document.getElementById("drawn");
  if (line.textContent !== text) line.textContent = text;
}

// The colours of the page by name, each asked of the style once.
function palette() {
  const style = getComputedStyle(document.documentElement);
  const colours = {};
  return new Proxy(colours, {
    get: (_, name) => {
      colours[name] ??= style.getPropertyValue(`--${String(name)}`).trim();
      return colours[name];
    },
  });
}

// Draws boxes and links, far to near; `roughly` while a view of many turns.
function boxes(context, solid, lens, colours, roughly = false) {
  const ordered = solid
    .map((each) => [lens.depth(each), each])
    .sort(([a, one], [b, other]) => a - b || (one.kind === "object") - (other.kind === "object"));
  if (solid.some((each) => each.kind === "object")) targets = [];
  for (const [, each] of ordered) {
    if (each.kind === "link") {
      link(context, each, lens.project, colours);
      continue;
    }
    const [x, y] = box(context, each, lens, colours, { chosen: each.id === state.chosen, roughly });
    if (each.kind === "object") targets.push({ id: each.id, x, y });
  }
}

// Draws many boxes on a canvas of their own, which is kept until they, the view, the choice or the colours change.
function drawnOnce(canvas, ratio, nodes, drawn, lens, colours) {
  const key = JSON.stringify([camera, canvas.width, canvas.height, state.chosen, colours.object]);
  if (layer?.key === key && layer.nodes === nodes) return layer.canvas;
  const kept = layer?.canvas ?? document.createElement("canvas");
  Object.assign(kept, { width: canvas.width, height: canvas.height }); // clears it
  const context = kept.getContext("2d");
  context.scale(ratio, ratio);
  boxes(context, drawn, lens, colours);
  layer = { key, nodes, canvas: kept };
  return kept;
}

// Takes note that the view changes, and draws it again once it has come to rest.
function steered(redraw) {
  moving = performance.now() + STILL;
  clearTimeout(rest);
  rest = setTimeout(redraw, STILL + 20);
  redraw();
}

function pick(canvas, event) {
  const frame = canvas.getBoundingClientRect();
  const [x, y] = [event.clientX - frame.left, event.clientY - frame.top];
  const near = targets
    .map((each) => ({ ...each, distance: Math.hypot(each.x - x, each.y - y) }))
    .sort((a, b) => a.distance - b.distance)[0];
  if (near && near.distance < 24) choose(near.id);
}
