// What is drawn into the home: floors, links of the robot, fields of view, badges, its way and names.
import { ago } from "./dom.js";

const NAMED = 400; // nodes of which names are drawn where there is room

export function corners({ position: [x, y, z], size, yaw }) {
  const [a, b, c] = size.map((side) => Math.max(side ?? 0, 0.03) / 2);
  const [cos, sin] = [Math.cos(yaw ?? 0), Math.sin(yaw ?? 0)];
  const flat = [
    [-a, -b],
    [a, -b],
    [a, b],
    [-a, b],
  ].map(([p, q]) => [x + cos * p - sin * q, y + sin * p + cos * q]);
  return [...flat.map(([p, q]) => [p, q, z - c]), ...flat.map(([p, q]) => [p, q, z + c])];
}

function trace(context, points) {
  context.beginPath();
  for (const [x, y] of points) context.lineTo(x, y);
  context.closePath();
}

export function floor(context, room, project, colours) {
  const points = corners({ ...room, position: [room.position[0], room.position[1], 0] })
    .slice(0, 4)
    .map(([x, y]) => project(x, y, 0));
  trace(context, points);
  context.fillStyle = colours.room;
  context.fill();
  context.strokeStyle = colours.line;
  context.lineWidth = 1.5;
  context.stroke();
}

export function link(context, { faces }, project, colours) {
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
  const [u, v, w] = [
    (by - ay) * (cz - az) - (bz - az) * (cy - ay),
    (bz - az) * (cx - ax) - (bx - ax) * (cz - az),
    (bx - ax) * (cy - ay) - (by - ay) * (cx - ax),
  ];
  return Math.max(0, w) / (Math.hypot(u, v, w) || 1);
}

// A camera's field of view, with its image where it is known: a parallelogram, because the view is orthographic.
export function fieldOfView(context, { eye, corners: edge }, image, project, colours) {
  const [from, ...points] = [eye, ...edge].map((point) => project(...point));
  if (image) {
    const [[x, y], [u, v], , [s, t]] = points;
    context.save();
    context.globalAlpha = 0.92;
    context.transform(
      (u - x) / image.width,
      (v - y) / image.width,
      (s - x) / image.height,
      (t - y) / image.height,
      x,
      y,
    );
    context.drawImage(image, 0, 0);
    context.restore();
  }
  context.beginPath();
  for (const [x, y] of points) {
    context.moveTo(...from);
    context.lineTo(x, y);
  }
  context.moveTo(...points[3]);
  for (const point of points) context.lineTo(...point);
  context.strokeStyle = colours.warn;
  context.lineWidth = 1.3;
  context.stroke();
}

// Numbers on the places to search next, ticks on those looked at.
export function badges(context, left, looked, nodes, project, colours) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const marks = [
    ...looked.map(({ node }) => [node, "✓", colours.quiet]),
    ...left.map((place, rank) => [byId.get(place.id), String(rank + 1), colours.accent]).reverse(),
  ];
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

const area = (points) =>
  points.reduce((sum, [x, y], place) => {
    const [u, v] = points[(place + 1) % points.length];
    return sum + x * v - u * y;
  }, 0);

export function way(context, trail, project, colours) {
  if (trail.length < 2) return;
  context.beginPath();
  trail.forEach(([x, y], place) => {
    const point = project(x, y, 0.01);
    if (place) context.lineTo(...point);
    else context.moveTo(...point);
  });
  context.strokeStyle = colours.accent;
  context.globalAlpha = 0.5;
  context.lineWidth = 3;
  context.lineJoin = "round";
  context.stroke();
  context.globalAlpha = 1;
}

export function robotMark(context, robot, project, colours) {
  if (!robot?.known) return;
  const [x, y] = robot.position;
  const turned = (angle, radius, z) =>
    project(x + radius * Math.cos(robot.yaw + angle), y + radius * Math.sin(robot.yaw + angle), z);
  const ring = Array.from({ length: 24 }, (_, step) => turned((step * Math.PI) / 12, 0.27, 0.05));
  trace(context, ring);
  context.fillStyle = colours.accent;
  context.globalAlpha = 0.9;
  context.fill();
  trace(context, [
    turned(0, 0.2, 0.06),
    turned(2.4, 0.16, 0.06),
    turned(Math.PI, 0.05, 0.06),
    turned(-2.4, 0.16, 0.06),
  ]);
  context.globalAlpha = 1;
  context.fillStyle = colours.card;
  context.fill();
}

// Names where there is room for them: the chosen object first, then people, rooms, objects, furniture.
export function names(context, drawn, chosen, project, colours, now, [width, height]) {
  const rank = (node) =>
    node.id === chosen
      ? 0
      : node.kind === "agent"
        ? 1
        : node.kind === "room"
          ? 2
          : node.kind === "object"
            ? 3
            : 4;
  const taken = [];
  context.textAlign = "center";
  for (const node of drawn
    .filter((each) => each.kind === "object" || each.kind === "room" || each.size[0] > 0)
    .sort((a, b) => rank(a) - rank(b) || (b.last_seen ?? 0) - (a.last_seen ?? 0))
    .slice(0, NAMED)) {
    const [px, py, pz] = node.position;
    const [x, y] = project(px, py, pz + (node.size[2] ?? 0) / 2);
    const age = node.kind === "object" && node.presence === "stale" ? ` · ${ago(node.last_seen, now)}` : "";
    const text = `${node.label.slice(0, 40)}${age}`;
    context.font = `${node.kind === "object" ? 600 : 400} 12px Inter, system-ui, "DejaVu Sans", sans-serif`;
    const half = context.measureText(text).width / 2 + 3;
    const spot = [x - half, y - 18, x + half, y - 3];
    if (
      spot[0] < 0 ||
      spot[2] > width ||
      spot[1] < 0 ||
      y > height ||
      taken.some(
        (other) => spot[0] < other[2] && spot[2] > other[0] && spot[1] < other[3] && spot[3] > other[1],
      )
    )
      continue;
    taken.push(spot);
    context.lineWidth = 3;
    context.strokeStyle = colours.card;
    context.strokeText(text, x, y - 6);
    context.fillStyle = node.kind === "object" || node.kind === "agent" ? colours.text : colours.quiet;
    context.fillText(text, x, y - 6);
  }
}
