// Boxes of furniture, people and objects. A box is its projected middle and three half edges, two of which face
// the view or away from it; what does not change while the view turns is computed once for each node.
const SMALLEST = 0.03; // side of a box of unknown size [m]
const SIGMA = 0.03; // standard deviation from which the uncertainty of a place is drawn [m]
const SHADES = { top: 1, v: 0.86, u: 0.72 };
const shapes = new WeakMap();
const inks = new Map();

// Middle and half edges in the map: x, y, z; the two level half edges as x, y; the upright one.
function shape(node) {
  let found = shapes.get(node);
  if (!found) {
    const [a, b, c] = node.size.map((side) => Math.max(side ?? 0, SMALLEST) / 2);
    const [cos, sin] = [Math.cos(node.yaw ?? 0), Math.sin(node.yaw ?? 0)];
    found = Float64Array.of(...node.position, cos * a, sin * a, -sin * b, cos * b, c);
    shapes.set(node, found);
  }
  return found;
}

// Draws a box; `roughly` as two rectangles, for many boxes in a view that turns. Returns the middle on the canvas.
export function box(context, node, { project, away, level, up, zoom, tilt }, colours, { chosen, roughly }) {
  const [x, y, z, ux, uy, vx, vy, c] = shape(node);
  const middle = project(x, y, z);
  const facing = (dx, dy) => (away(dx, dy) < 0 ? 1 : -1);
  const [su, sv] = [facing(ux, uy), facing(vx, vy)];
  const u = level(su * ux, su * uy);
  const v = level(sv * vx, sv * vy);
  const w = up(c);
  const ink = inkOf(node, colours);
  if (roughly && !chosen) rough(context, middle, u, v, w, ink);
  else faces(context, middle, u, v, w, ink, chosen ? colours.text : colours.card, chosen ? 2 : 0.8);
  if (!roughly && node.kind === "object" && node.sigma > SIGMA) {
    context.beginPath();
    context.ellipse(...middle, node.sigma * zoom, node.sigma * zoom * tilt, 0, 0, 2 * Math.PI);
    context.strokeStyle = ink.plain;
    context.globalAlpha = 0.5;
    context.lineWidth = 0.8;
    context.stroke();
    context.globalAlpha = 1;
  }
  return middle;
}

function rough(context, [x, y], u, v, w, ink) {
  const [half, deep] = [Math.abs(u[0]) + Math.abs(v[0]), Math.abs(u[1]) + Math.abs(v[1])];
  context.fillStyle = ink.v;
  context.fillRect(x - 0.8 * half, y - w, 1.6 * half, 2 * w + 0.8 * deep);
  context.fillStyle = ink.top;
  context.fillRect(x - 0.8 * half, y - w - 0.8 * deep, 1.6 * half, 1.6 * deep);
}

// The lid and the two sides that face the view, then all their edges in one stroke.
function faces(context, [x, y], [ux, uy], [vx, vy], w, ink, edge, width) {
  const quad = (colour, ax, ay, bx, by, cx, cy, dx, dy) => {
    context.beginPath();
    context.moveTo(ax, ay);
    context.lineTo(bx, by);
    context.lineTo(cx, cy);
    context.lineTo(dx, dy);
    context.fillStyle = colour;
    context.fill();
  };
  const [top, low] = [y - w, y + w];
  const [nearX, nearY, rightX, rightY, leftX, leftY] = [ux + vx, uy + vy, ux - vx, uy - vy, vx - ux, vy - uy];
  quad(
    ink.top,
    x + nearX,
    top + nearY,
    x + rightX,
    top + rightY,
    x - nearX,
    top - nearY,
    x + leftX,
    top + leftY,
  );
  quad(
    ink.u,
    x + nearX,
    top + nearY,
    x + rightX,
    top + rightY,
    x + rightX,
    low + rightY,
    x + nearX,
    low + nearY,
  );
  quad(ink.v, x + nearX, top + nearY, x + leftX, top + leftY, x + leftX, low + leftY, x + nearX, low + nearY);
  context.beginPath();
  context.moveTo(x + nearX, top + nearY);
  context.lineTo(x + rightX, top + rightY);
  context.lineTo(x - nearX, top - nearY);
  context.lineTo(x + leftX, top + leftY);
  context.lineTo(x + nearX, top + nearY);
  context.lineTo(x + nearX, low + nearY);
  context.moveTo(x + rightX, top + rightY);
  context.lineTo(x + rightX, low + rightY);
  context.lineTo(x + nearX, low + nearY);
  context.lineTo(x + leftX, low + leftY);
  context.lineTo(x + leftX, top + leftY);
  context.strokeStyle = edge;
  context.lineWidth = width;
  context.stroke();
}

// Colours of a box: plain, and of each face with its shadow, translucent as its kind and presence demand.
function inkOf(node, colours) {
  const place = node.kind === "place";
  const stale = node.presence === "stale";
  const plain = place
    ? colours.fixture
    : node.kind === "agent"
      ? colours.info
      : stale
        ? colours.warn
        : colours.object;
  const alpha = place ? 0.42 : stale ? 0.55 : 0.95;
  const key = `${plain} ${alpha}`;
  let found = inks.get(key);
  if (!found) {
    found = { plain };
    for (const [face, light] of Object.entries(SHADES))
      found[face] = shaded(plain, alpha, (1 - light) * (place ? 0.7 : 1));
    inks.set(key, found);
  }
  return found;
}

// The colour of a translucent layer with a shadow over it, as one layer.
function shaded(colour, alpha, shadow) {
  const both = 1 - (1 - alpha) * (1 - shadow);
  const light = (alpha * (1 - shadow)) / both;
  const parts = [1, 3, 5].map((start) => Math.round(light * parseInt(colour.slice(start, start + 2), 16)));
  return `rgb(${parts.join(" ")} / ${both})`;
}
