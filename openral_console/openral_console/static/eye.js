// The orthographic view of the home: from the map to the canvas, and how fingers, wheel and keys move it.
import { corners } from "./marks.js";

export const camera = { yaw: -0.6, pitch: 0.9, zoom: 0, x: 0, y: 0, moved: false };

// Centres the home and makes it as large as the canvas allows.
export function fit(nodes, width, height) {
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

// From the map to the canvas: points, level and upright distances, and how far a direction leads away from the eye.
export function projection(width, height) {
  const [cy, sy, cp, sp] = [
    Math.cos(camera.yaw),
    Math.sin(camera.yaw),
    Math.cos(camera.pitch),
    Math.sin(camera.pitch),
  ];
  const away = (dx, dy) => sy * dx + cy * dy;
  const level = (dx, dy) => [camera.zoom * (cy * dx - sy * dy), -camera.zoom * away(dx, dy) * sp];
  const up = (dz) => camera.zoom * dz * cp;
  const project = (x, y, z) => {
    const [u, v] = level(x - camera.x, y - camera.y);
    return [width / 2 + u, height / 2 + v - up(z)];
  };
  const depth = ({ kind, position: [x, y, z] }) =>
    -away(x, y) * cp + z * sp + (kind === "object" || kind === "link" ? 0.35 : 0);
  return { project, away, level, up, depth, zoom: camera.zoom, tilt: sp };
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

const scale = (factor) => {
  camera.zoom = Math.min(600, Math.max(8, camera.zoom * factor));
};

// Calls `changed` at each movement and `picked` at a click.
export function steer(canvas, changed, picked) {
  const fingers = new Map();
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, [event.clientX, event.clientY]);
    camera.moved = false;
  });
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
    } else if (event.buttons & 2) shift(dx, dy);
    else turn(dx, dy);
    fingers.set(event.pointerId, [event.clientX, event.clientY]);
    changed();
  });
  const end = (event) => {
    fingers.delete(event.pointerId);
  };
  canvas.addEventListener("pointerup", (event) => {
    end(event);
    if (!camera.moved) picked(event);
  });
  canvas.addEventListener("pointercancel", end);
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      scale(Math.exp(-event.deltaY * 0.0012));
      changed();
    },
    { passive: false },
  );
  canvas.addEventListener("keydown", (event) => {
    const keys = {
      ArrowLeft: () => turn(-12, 0),
      ArrowRight: () => turn(12, 0),
      ArrowUp: () => turn(0, 12),
      ArrowDown: () => turn(0, -12),
      "+": () => scale(1.15),
      "-": () => scale(1 / 1.15),
    };
    if (keys[event.key]) {
      event.preventDefault();
      keys[event.key]();
      changed();
    }
  });
}
