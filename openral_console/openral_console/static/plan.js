// Draws the map of the home from above on a canvas; x leads to the right, y upwards.

const view = { zoom: 0, x: 0, y: 0, width: 0, height: 0 };
const FREE = 0;
const OCCUPIED = 100;

export const toMap = (u, v) => [
  view.x + (u - view.width / 2) / view.zoom,
  view.y - (v - view.height / 2) / view.zoom,
];
const toCanvas = ([x, y]) => [
  view.width / 2 + (x - view.x) * view.zoom,
  view.height / 2 - (y - view.y) * view.zoom,
];
export const pan = (dx, dy) => {
  view.x -= dx / view.zoom;
  view.y += dy / view.zoom;
};
export const scale = (factor) => {
  view.zoom = Math.min(600, Math.max(5, view.zoom * factor));
};

// Shows these points; without any, they are chosen anew when the map is drawn next.
export function fit(points) {
  if (!points?.length) {
    view.zoom = 0;
    return;
  }
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
  const [x0, x1, y0, y1] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  view.zoom = Math.min(
    200,
    Math.max(
      5,
      Math.min((0.92 * view.width) / Math.max(x1 - x0, 1), (0.9 * view.height) / Math.max(y1 - y0, 1)),
    ),
  );
  [view.x, view.y] = [(x0 + x1) / 2, (y0 + y1) / 2];
}

// Corners of a rectangle (x out of the front, y along it), or of a polygon.
export function outline({ polygon, at, size }) {
  if (polygon) return polygon;
  const [[x, y, yaw], [depth, width]] = [at, size];
  const [c, s] = [Math.cos(yaw), Math.sin(yaw)];
  return [
    [1, 1],
    [-1, 1],
    [-1, -1],
    [1, -1],
  ].map(([a, b]) => [x + (c * a * depth - s * b * width) / 2, y + (s * a * depth + c * b * width) / 2]);
}

export function inside(item, [x, y]) {
  const points = outline(item);
  return points.reduce((within, [x1, y1], place) => {
    const [x2, y2] = points[(place + 1) % points.length];
    return y1 > y !== y2 > y && x < ((x2 - x1) * (y - y1)) / (y2 - y1) + x1 ? !within : within;
  }, false);
}

export function draw(canvas, shown) {
  const ratio = Math.min(window.devicePixelRatio || 1, 2);
  [view.width, view.height] = [canvas.clientWidth, canvas.clientHeight];
  if (canvas.width !== Math.round(view.width * ratio)) canvas.width = Math.round(view.width * ratio);
  if (canvas.height !== Math.round(view.height * ratio)) canvas.height = Math.round(view.height * ratio);
  canvas.shown = shown.home;
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(`--${name}`).trim();
  if (!view.zoom) fit(extent(shown));
  context.fillStyle = unseen(context, colour);
  context.fillRect(0, 0, view.width, view.height);
  if (shown.floor) cells(context, shown.floor, shown.picture, colour);
  const { home, chosen } = shown;
  for (const room of home.rooms)
    shape(context, room, {
      line: colour("quiet"),
      width: 1,
      dash: [5, 4],
      fill: chosen?.id === room.id ? colour("accent") : colour("accent"),
      alpha: chosen?.id === room.id ? 0.22 : 0.07,
    });
  for (const zone of home.zones)
    shape(context, zone, {
      line: colour("bad"),
      width: 2,
      fill: colour("bad"),
      alpha: chosen?.id === zone.id ? 0.4 : 0.22,
    });
  for (const item of home.furniture)
    shape(context, item, {
      line:
        chosen?.id === item.id
          ? colour("accent")
          : shown.accepted.includes(item.id)
            ? colour("good")
            : colour("quiet"),
      width: chosen?.id === item.id || shown.accepted.includes(item.id) ? 2.5 : 1,
      fill: colour("fixture"),
      alpha: 0.85,
      front: true,
    });
  for (const each of home.doorways) doorway(context, each, home.rooms, colour);
  for (const place of home.places)
    dot(context, place.at, 4, chosen?.id === place.id ? colour("text") : colour("accent"));
  for (const person of shown.people)
    dot(context, person.position, Math.max(5, 0.25 * view.zoom), colour("info"));
  if (shown.robot?.known) robot(context, shown.robot, colour);
  if (shown.adding) drawn(context, shown.adding, colour);
  names(context, shown, colour);
  canvas.dataset.zoom = view.zoom.toFixed(2);
}

function extent({ floor, home }) {
  const points = [...home.rooms, ...home.furniture].flatMap(outline);
  if (points.length || !floor) return points;
  const [[width, height], [x, y, yaw], cell] = [floor.size, floor.origin, floor.cell];
  return [
    [0, 0],
    [width, 0],
    [width, height],
    [0, height],
  ].map(([u, v]) => [
    x + cell * (Math.cos(yaw) * u - Math.sin(yaw) * v),
    y + cell * (Math.sin(yaw) * u + Math.cos(yaw) * v),
  ]);
}

// Hatching of what was never seen.
function unseen(context, colour) {
  const tile = Object.assign(document.createElement("canvas"), { width: 8, height: 8 });
  const pen = tile.getContext("2d");
  pen.fillStyle = colour("page");
  pen.fillRect(0, 0, 8, 8);
  pen.strokeStyle = colour("line");
  pen.lineWidth = 1.5;
  pen.beginPath();
  for (const start of [-8, 0, 8]) {
    pen.moveTo(start, 8);
    pen.lineTo(start + 8, 0);
  }
  pen.stroke();
  return context.createPattern(tile, "repeat");
}

// The floor as one image, made again only for another map or other colours.
function cells(context, floor, picture, colour) {
  const key = colour("card") + colour("text");
  if (picture.runs !== floor.runs || picture.key !== key)
    Object.assign(picture, {
      runs: floor.runs,
      key,
      canvas: pixels(floor, rgb(colour("card")), rgb(colour("text"))),
    });
  const [[x, y, yaw], cell] = [floor.origin, floor.cell];
  const [u, v] = toCanvas([x, y]);
  context.save();
  context.translate(u, v);
  context.rotate(-yaw);
  context.scale(cell * view.zoom, -cell * view.zoom);
  context.imageSmoothingEnabled = false;
  context.drawImage(picture.canvas, 0, 0);
  context.restore();
}

function pixels({ size: [width, height], runs }, free, occupied) {
  const canvas = Object.assign(document.createElement("canvas"), { width, height });
  const context = canvas.getContext("2d");
  const image = context.createImageData(width, height);
  let cell = 0;
  for (let place = 0; place < runs.length; place += 2) {
    const paint = { [FREE]: free, [OCCUPIED]: occupied }[runs[place]];
    for (const end = cell + runs[place + 1]; cell < end; cell += 1)
      if (paint) image.data.set(paint, 4 * cell);
  }
  context.putImageData(image, 0, 0);
  return canvas;
}

function rgb(text) {
  const context = document.createElement("canvas").getContext("2d");
  context.fillStyle = text;
  context.fillRect(0, 0, 1, 1);
  return context.getImageData(0, 0, 1, 1).data;
}

function trace(context, points, closed = true) {
  context.beginPath();
  for (const [u, v] of points.map(toCanvas)) context.lineTo(u, v);
  if (closed) context.closePath();
}

function shape(context, item, { line, width, dash = [], fill, alpha, front = false }) {
  const points = outline(item);
  trace(context, points);
  context.globalAlpha = alpha;
  context.fillStyle = fill;
  context.fill();
  context.globalAlpha = 1;
  context.strokeStyle = line;
  context.lineWidth = width;
  context.setLineDash(dash);
  context.stroke();
  context.setLineDash([]);
  if (!front) return;
  trace(context, [points[0], points[3]], false); // the side that is its front
  context.lineWidth = width + 2;
  context.stroke();
}

// A bar across the passage: along the border of the rooms that it joins.
function doorway(context, { at, width, rooms }, all, colour) {
  const corners = all
    .filter((room) => rooms.includes(room.id))
    .flatMap((room) =>
      room.polygon.map((point, place) => [point, room.polygon[(place + 1) % room.polygon.length]]),
    );
  const away = ([[x1, y1], [x2, y2]]) => {
    const length = Math.hypot(x2 - x1, y2 - y1) || 1e-9;
    const share = Math.min(
      1,
      Math.max(0, ((at[0] - x1) * (x2 - x1) + (at[1] - y1) * (y2 - y1)) / length ** 2),
    );
    return (
      Math.hypot(at[0] - x1 - share * (x2 - x1), at[1] - y1 - share * (y2 - y1)) +
      (length < width / 2 ? 1 : 0)
    );
  };
  const wall = corners.sort((a, b) => away(a) - away(b))[0];
  if (!wall) return;
  const angle = Math.atan2(wall[1][1] - wall[0][1], wall[1][0] - wall[0][0]);
  const [dx, dy] = [(Math.cos(angle) * width) / 2, (Math.sin(angle) * width) / 2];
  trace(
    context,
    [
      [at[0] - dx, at[1] - dy],
      [at[0] + dx, at[1] + dy],
    ],
    false,
  );
  context.strokeStyle = colour("good");
  context.lineWidth = 5;
  context.stroke();
}

function dot(context, at, radius, fill) {
  context.beginPath();
  context.arc(...toCanvas(at), radius, 0, 2 * Math.PI);
  context.fillStyle = fill;
  context.fill();
}

function robot(context, { position: [x, y], yaw }, colour) {
  dot(context, [x, y], Math.max(6, 0.27 * view.zoom), colour("accent"));
  trace(
    context,
    [
      [x, y],
      [x + 0.27 * Math.cos(yaw), y + 0.27 * Math.sin(yaw)],
    ],
    false,
  );
  context.strokeStyle = colour("on-accent");
  context.lineWidth = 3;
  context.stroke();
}

function drawn(context, { sort, corners }, colour) {
  const line = sort === "zone" ? colour("bad") : colour("accent");
  if (corners.length > 1) {
    trace(context, corners);
    context.strokeStyle = line;
    context.lineWidth = 2;
    context.stroke();
  }
  for (const corner of corners) dot(context, corner, 5, line);
}

// Names where there is room for them: what was chosen first, then rooms, people, zones, places, furniture.
function names(context, { home, people, chosen }, colour) {
  const middle = (item) =>
    outline(item).reduce(([x, y], [u, v], _, { length }) => [x + u / length, y + v / length], [0, 0]);
  const all = [
    ...home.rooms.map((item) => ({ ...item, where: middle(item), weight: 650, size: 14, rank: 1 })),
    ...people.map((item) => ({
      id: item.id,
      name: item.label,
      where: item.position,
      weight: 600,
      size: 12,
      rank: 2,
      lift: Math.max(14, 0.25 * view.zoom + 9),
    })),
    ...home.zones.map((item) => ({
      ...item,
      where: middle(item),
      weight: 500,
      size: 12,
      rank: 3,
      paint: "bad",
    })),
    ...home.places.map((item) => ({
      ...item,
      where: item.at,
      weight: 500,
      size: 12,
      rank: item.id.endsWith("_middle") ? 9 : 4,
      lift: 12,
    })),
    ...home.furniture.map((item) => ({ ...item, where: item.at, weight: 400, size: 12, rank: 5 })),
  ]
    .filter((each) => each.rank < 9 || each.id === chosen?.id)
    .sort((a, b) => (b.id === chosen?.id) - (a.id === chosen?.id) || a.rank - b.rank);
  const taken = [];
  context.textAlign = "center";
  context.textBaseline = "middle";
  for (const { name, where, weight, size, lift = 0, paint = "text" } of all) {
    const [u, v] = toCanvas(where);
    context.font = `${weight} ${size}px Inter, system-ui, "DejaVu Sans", sans-serif`;
    const text = name.slice(0, 40);
    const half = context.measureText(text).width / 2 + 3;
    const spot = [u - half, v - lift - size * 0.7, u + half, v - lift + size * 0.7];
    if (
      taken.some(
        (other) => spot[0] < other[2] && spot[2] > other[0] && spot[1] < other[3] && spot[3] > other[1],
      )
    )
      continue;
    taken.push(spot);
    context.lineWidth = 3;
    context.strokeStyle = colour("card");
    context.strokeText(text, u, v - lift);
    context.fillStyle = colour(paint);
    context.fillText(text, u, v - lift);
  }
}
