// The home in 3D: rooms, furniture, objects with age and presence, people, the robot and where it has been.
// Boxes in an orthographic view, drawn far to near; drag turns, wheel or pinch zooms, right drag or two fingers move.
import { watch } from "./api.js";
import { solids, views } from "./body.js";
import { follow } from "./cameras.js";
import { box } from "./cuboids.js";
import { ago, empty, fill, h } from "./dom.js";
import { choose, state } from "./main.js";
import { frontierOf, lookedAt, search } from "./search.js";

const camera = { yaw: -0.6, pitch: 0.9, zoom: 0, x: 0, y: 0, moved: false };
const TRAIL = 600; // positions of the robot that are kept
const MOST = 1500; // objects drawn; the view says how many it leaves out
const MANY = 200; // objects from which a view that turns is drawn roughly, and the robot over all objects
const STILL = 150; // time after which a view has come to rest [ms]
const NAMED = 400; // nodes of which names are drawn where there is room
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
    if (!nodes) return h("section", { className: "card" }, empty("No scene graph yet: world_state has not published one."));
    const canvas = h("canvas", { id: "home", tabIndex: 0, role: "img", "aria-label": "Home from above. Arrow keys turn it, plus and minus zoom." });
    steer(canvas, redraw);
    return h("div", { className: "stack" }, h("section", { className: "card stack", "aria-label": "Home" }, canvas, legend(), h("p", { className: "quiet small", id: "drawn" })), h("div", { id: "search" }));
  });
  if (!nodes) return null;
  const left = frontierOf(sections);
  keepTrail(sections.robot);
  const looked = lookedAt(sections.mission, nodes);
  paint(document.getElementById("home"), nodes, sections, left, looked);
  fill(document.getElementById("search"), [left, looked.map(({ name, outcome }) => [name, outcome]), nodes.length], () => search(left, looked, nodes));
  const cameras = Object.keys(sections.optics ?? {});
  if (running?.cameras !== cameras.join()) { running?.stop(); running = start(cameras, redraw); }
  return () => { running?.stop(); running = layer = null; images = {}; };
}

// Keeps transforms and images coming while the home is shown.
function start(cameras, redraw) {
  const shown = () => document.getElementById("home");
  const pulse = setInterval(() => watch().catch(() => {}), PULSE);
  watch().catch(() => {});
  const following = follow(cameras, shown, (id, { image }) => { images[id]?.close?.(); images[id] = image; redraw(); }, undefined, IMAGE_PERIOD);
  return { cameras: cameras.join(), stop: () => { clearInterval(pulse); following.stop(); } };
}

function legend() {
  const key = (name, text) => h("span", { className: "row small quiet" }, swatch(name), text);
  return h("div", { className: "row" }, key("--object", "object, seen lately"), key("--warn", "object, stale"), key("--fixture", "furniture"), key("--info", "person"), key("--accent", "robot and its way"),
    h("span", { className: "quiet small" }, "numbers: search next, ✓ looked at"));
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

// Centres the home and makes it as large as the canvas allows.
function fit(nodes, width, height) {
  const points = nodes.flatMap(corners);
  if (!points.length || !width) return;
  Object.assign(camera, { zoom: 1, x: 0, y: 0 });
  const { project } = projection(0, 0);
  const seen = points.map((point) => project(...point));
  const [xs, ys] = [seen.map(([x]) => x), seen.map(([, y]) => y)];
  const [x0, x1, y0, y1] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  camera.zoom = Math.min(600, Math.max(8, Math.min((0.92 * width) / (x1 - x0), (0.86 * height) / (y1 - y0))));
  shift((-(x0 + x1) / 2) * camera.zoom, (-(y0 + y1) / 2) * camera.zoom);
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
  if (!camera.zoom) fit(nodes.filter((node) => node.kind !== "object"), width, height);
  const lens = projection(width, height);
  const { project } = lens;
  const now = sections.clock ?? sections.robot?.stamp;
  const rooms = nodes.filter((node) => node.kind === "room");
  for (const room of rooms) floor(context, room, project, colours);
  way(context, project, colours);
  const objects = nodes.filter((node) => node.kind === "object" && node.presence !== "gone");
  const drawn = [...nodes.filter((node) => node.kind === "place" || node.kind === "agent"), ...objects.slice(0, MOST)];
  const links = solids(sections.body, sections.frames);
  const many = objects.length > MANY;
  const roughly = many && performance.now() < moving;
  if (roughly) boxes(context, drawn, lens, colours, true);
  else if (many) context.drawImage(drawnOnce(canvas, ratio, nodes, drawn, lens, colours), 0, 0, width, height);
  if (links.length) robotMark(context, sections.robot, project, colours);
  if (many) boxes(context, links, lens, colours); else boxes(context, [...drawn, ...links], lens, colours);
  if (!links.length) robotMark(context, sections.robot, project, colours);
  const seen = views(sections.optics, sections.frames);
  seen.forEach((each) => fieldOfView(context, each, project, colours));
  names(context, [...drawn.filter((node) => !roughly || node.kind !== "object" || node.id === state.chosen), ...rooms], project, colours, now, [width, height]);
  badges(context, left, looked, nodes, project, colours);
  canvas.dataset.looked = looked.map(({ node }) => node?.id ?? "").join(" ");
  canvas.dataset.links = links.length;
  canvas.dataset.views = seen.filter((each) => images[each.camera]).map((each) => each.camera).join(" ");
  const more = objects.length - Math.min(objects.length, MOST) + (sections.scene.left_out ?? 0);
  const text = `${Math.min(objects.length, MOST)} objects drawn${more ? `, ${more} left out (the oldest)` : ""}. Drag to turn, wheel to zoom, click an object for its memory.`;
  const line = document.getElementById("drawn");
  if (line.textContent !== text) line.textContent = text;
}

function palette() {
  const style = getComputedStyle(document.documentElement);
  return new Proxy({}, { get: (known, name) => (known[name] ??= style.getPropertyValue(`--${String(name)}`).trim()) });
}

// From the map to the canvas: points, level and upright distances, and how far a direction leads away from the eye.
function projection(width, height) {
  const [cy, sy, cp, sp] = [Math.cos(camera.yaw), Math.sin(camera.yaw), Math.cos(camera.pitch), Math.sin(camera.pitch)];
  const away = (dx, dy) => sy * dx + cy * dy;
  const level = (dx, dy) => [camera.zoom * (cy * dx - sy * dy), -camera.zoom * away(dx, dy) * sp];
  const up = (dz) => camera.zoom * dz * cp;
  const project = (x, y, z) => {
    const [u, v] = level(x - camera.x, y - camera.y);
    return [width / 2 + u, height / 2 + v - up(z)];
  };
  const depth = ({ kind, position: [x, y, z] }) => -away(x, y) * cp + z * sp + (kind === "object" || kind === "link" ? 0.35 : 0);
  return { project, away, level, up, depth, zoom: camera.zoom, tilt: sp };
}

// Draws boxes and links, far to near; `roughly` while a view of many turns.
function boxes(context, solid, lens, colours, roughly = false) {
  const ordered = solid.map((each) => [lens.depth(each), each]).sort(([a, one], [b, other]) => a - b || (one.kind === "object") - (other.kind === "object"));
  if (solid.some((each) => each.kind === "object")) targets = [];
  for (const [, each] of ordered) {
    if (each.kind === "link") { link(context, each, lens.project, colours); continue; }
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

function corners({ position: [x, y, z], size, yaw }) {
  const [a, b, c] = size.map((side) => Math.max(side ?? 0, 0.03) / 2);
  const [cos, sin] = [Math.cos(yaw ?? 0), Math.sin(yaw ?? 0)];
  const flat = [[-a, -b], [a, -b], [a, b], [-a, b]].map(([p, q]) => [x + cos * p - sin * q, y + sin * p + cos * q]);
  return [...flat.map(([p, q]) => [p, q, z - c]), ...flat.map(([p, q]) => [p, q, z + c])];
}

function trace(context, points) {
  context.beginPath();
  points.forEach(([x, y], place) => (place ? context.lineTo(x, y) : context.moveTo(x, y)));
  context.closePath();
}

function floor(context, room, project, colours) {
  const points = corners({ ...room, position: [room.position[0], room.position[1], 0] }).slice(0, 4).map(([x, y]) => project(x, y, 0));
  trace(context, points);
  context.fillStyle = colours.room;
  context.fill();
  context.strokeStyle = colours.line;
  context.lineWidth = 1.5;
  context.stroke();
}

function link(context, { faces }, project, colours) {
  for (const face of faces) {
    const corner = face.map((point) => project(...point));
    if (area(corner) >= 0) continue; // turned away
    trace(context, corner);
    context.fillStyle = colours.link;
    context.fill();
    context.globalAlpha = 0.34 * (1 - upward(face));
    context.fillStyle = "#000";
    context.fill();
    context.globalAlpha = 0.6;
    context.strokeStyle = colours.quiet;
    context.lineWidth = 0.5;
    context.stroke();
    context.globalAlpha = 1;
  }
}

// How far a face looks up: 1 for a lid, 0 for a wall or a floor.
function upward([[ax, ay, az], [bx, by, bz], [cx, cy, cz]]) {
  const [u, v, w] = [(by - ay) * (cz - az) - (bz - az) * (cy - ay), (bz - az) * (cx - ax) - (bx - ax) * (cz - az), (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)];
  return Math.max(0, w) / (Math.hypot(u, v, w) || 1);
}

// A camera's field of view, with its image where it is known: a parallelogram, because the view is orthographic.
function fieldOfView(context, { camera: id, eye, corners: edge }, project, colours) {
  const [from, ...points] = [eye, ...edge].map((point) => project(...point));
  const image = images[id];
  if (image) {
    const [[x, y], [u, v], , [s, t]] = points;
    context.save();
    context.globalAlpha = 0.92;
    context.transform((u - x) / image.width, (v - y) / image.width, (s - x) / image.height, (t - y) / image.height, x, y);
    context.drawImage(image, 0, 0);
    context.restore();
  }
  context.beginPath();
  for (const [x, y] of points) { context.moveTo(...from); context.lineTo(x, y); }
  context.moveTo(...points[3]);
  points.forEach((point) => context.lineTo(...point));
  context.strokeStyle = colours.warn;
  context.lineWidth = 1.3;
  context.stroke();
}

// Numbers on the places to search next, ticks on those looked at.
function badges(context, left, looked, nodes, project, colours) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const marks = [...looked.map(({ node }) => [node, "✓", colours.quiet]), ...left.map((place, rank) => [byId.get(place.id), String(rank + 1), colours.accent]).reverse()];
  context.textAlign = "center";
  context.font = `700 12px Inter, system-ui, "DejaVu Sans", sans-serif`;
  for (const [node, text, colour] of marks) {
    if (!node) continue;
    const [x, y] = project(node.position[0], node.position[1], node.position[2] + (node.size[2] ?? 0) / 2);
    context.beginPath();
    context.arc(x, y + 8, 10, 0, 2 * Math.PI);
    context.fillStyle = colour;
    context.fill();
    context.fillStyle = colours.card;
    context.fillText(text, x, y + 12.5);
  }
}

const area = (points) => points.reduce((sum, [x, y], place) => {
  const [u, v] = points[(place + 1) % points.length];
  return sum + x * v - u * y;
}, 0);

function way(context, project, colours) {
  if (trail.length < 2) return;
  context.beginPath();
  trail.forEach(([x, y], place) => { const point = project(x, y, 0.01); if (place) context.lineTo(...point); else context.moveTo(...point); });
  context.strokeStyle = colours.accent;
  context.globalAlpha = 0.5;
  context.lineWidth = 3;
  context.lineJoin = "round";
  context.stroke();
  context.globalAlpha = 1;
}

function robotMark(context, robot, project, colours) {
  if (!robot?.known) return;
  const [x, y] = robot.position;
  const turned = (angle, radius, z) => project(x + radius * Math.cos(robot.yaw + angle), y + radius * Math.sin(robot.yaw + angle), z);
  const ring = Array.from({ length: 24 }, (_, step) => turned((step * Math.PI) / 12, 0.27, 0.05));
  trace(context, ring);
  context.fillStyle = colours.accent;
  context.globalAlpha = 0.9;
  context.fill();
  trace(context, [turned(0, 0.2, 0.06), turned(2.4, 0.16, 0.06), turned(Math.PI, 0.05, 0.06), turned(-2.4, 0.16, 0.06)]);
  context.globalAlpha = 1;
  context.fillStyle = colours.card;
  context.fill();
}

// Names where there is room for them: the chosen object first, then people, rooms, objects, furniture.
function names(context, drawn, project, colours, now, [width, height]) {
  const rank = (node) => (node.id === state.chosen ? 0 : node.kind === "agent" ? 1 : node.kind === "room" ? 2 : node.kind === "object" ? 3 : 4);
  const taken = [];
  context.textAlign = "center";
  for (const node of drawn.filter((each) => each.kind === "object" || each.kind === "room" || each.size[0] > 0).sort((a, b) => rank(a) - rank(b) || (b.last_seen ?? 0) - (a.last_seen ?? 0)).slice(0, NAMED)) {
    const [px, py, pz] = node.position;
    const [x, y] = project(px, py, pz + (node.size[2] ?? 0) / 2);
    const age = node.kind === "object" && node.presence === "stale" ? ` · ${ago(node.last_seen, now)}` : "";
    const text = `${node.label.slice(0, 40)}${age}`;
    context.font = `${node.kind === "object" ? 600 : 400} 12px Inter, system-ui, "DejaVu Sans", sans-serif`;
    const half = context.measureText(text).width / 2 + 3;
    const spot = [x - half, y - 18, x + half, y - 3];
    if (spot[0] < 0 || spot[2] > width || spot[1] < 0 || y > height || taken.some((other) => spot[0] < other[2] && spot[2] > other[0] && spot[1] < other[3] && spot[3] > other[1])) continue;
    taken.push(spot);
    context.lineWidth = 3;
    context.strokeStyle = colours.card;
    context.strokeText(text, x, y - 6);
    context.fillStyle = node.kind === "object" || node.kind === "agent" ? colours.text : colours.quiet;
    context.fillText(text, x, y - 6);
  }
}

// Takes note that the view changes, and draws it again once it has come to rest.
function steered(redraw) {
  moving = performance.now() + STILL;
  clearTimeout(rest);
  rest = setTimeout(redraw, STILL + 20);
  redraw();
}

function turn(dx, dy) {
  camera.yaw += dx * 0.008;
  camera.pitch = Math.min(1.55, Math.max(0.25, camera.pitch + dy * 0.006));
}

function shift(dx, dy) {
  const [u, v] = [-dx / camera.zoom, dy / camera.zoom / Math.max(Math.sin(camera.pitch), 0.3)];
  camera.x += Math.cos(camera.yaw) * u + Math.sin(camera.yaw) * v;
  camera.y += -Math.sin(camera.yaw) * u + Math.cos(camera.yaw) * v;
}

const scale = (factor) => { camera.zoom = Math.min(600, Math.max(8, camera.zoom * factor)); };

function steer(canvas, redraw) {
  const fingers = new Map();
  canvas.addEventListener("pointerdown", (event) => { canvas.setPointerCapture(event.pointerId); fingers.set(event.pointerId, [event.clientX, event.clientY]); camera.moved = false; });
  canvas.addEventListener("pointermove", (event) => {
    const last = fingers.get(event.pointerId);
    if (!last) return;
    const [dx, dy] = [event.clientX - last[0], event.clientY - last[1]];
    if (Math.hypot(dx, dy) > 3) camera.moved = true;
    if (fingers.size > 1) {
      const other = [...fingers].find(([id]) => id !== event.pointerId)[1];
      const spread = (point) => Math.max(20, Math.hypot(point[0] - other[0], point[1] - other[1]));
      scale(spread([event.clientX, event.clientY]) / spread(last));
      shift(dx / 2, dy / 2);
    } else if (event.buttons & 2) shift(dx, dy); else turn(dx, dy);
    fingers.set(event.pointerId, [event.clientX, event.clientY]);
    steered(redraw);
  });
  const end = (event) => { fingers.delete(event.pointerId); };
  canvas.addEventListener("pointerup", (event) => { end(event); if (!camera.moved) pick(canvas, event); });
  canvas.addEventListener("pointercancel", end);
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener("wheel", (event) => { event.preventDefault(); scale(Math.exp(-event.deltaY * 0.0012)); steered(redraw); }, { passive: false });
  canvas.addEventListener("keydown", (event) => {
    const keys = { ArrowLeft: () => turn(-12, 0), ArrowRight: () => turn(12, 0), ArrowUp: () => turn(0, 12), ArrowDown: () => turn(0, -12), "+": () => scale(1.15), "-": () => scale(1 / 1.15) };
    if (keys[event.key]) { event.preventDefault(); keys[event.key](); steered(redraw); }
  });
  new ResizeObserver(redraw).observe(canvas);
}

function pick(canvas, event) {
  const frame = canvas.getBoundingClientRect();
  const [x, y] = [event.clientX - frame.left, event.clientY - frame.top];
  const near = targets.map((each) => ({ ...each, distance: Math.hypot(each.x - x, each.y - y) })).sort((a, b) => a.distance - b.distance)[0];
  if (near && near.distance < 24) choose(near.id);
}
