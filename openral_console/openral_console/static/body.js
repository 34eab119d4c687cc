// The robot's links and the fields of view of its cameras, in the coordinates of the map.
const MAP = "map";
const DEEPEST = 64; // frames between a link and the map
const REACH = 0.6; // distance at which the image of a camera is drawn [m]
const SIDES = 12; // of a cylinder
const BOX = [
  [4, 5, 6, 7],
  [0, 1, 5, 4],
  [1, 2, 6, 5],
  [2, 3, 7, 6],
  [3, 0, 4, 7],
  [3, 2, 1, 0],
];

// Rotates a point by a quaternion.
function turned([x, y, z], [a, b, c, w]) {
  const [u, v, t] = [2 * (b * z - c * y), 2 * (c * x - a * z), 2 * (a * y - b * x)];
  return [x + w * u + b * t - c * v, y + w * v + c * u - a * t, z + w * t + a * v - b * u];
}

const moved = (point, { position, rotation }) =>
  turned(point, rotation).map((each, axis) => each + position[axis]);

// The transforms from a frame to the map; null if they do not lead there.
function chain(frames, frame) {
  const steps = [];
  for (let name = frame; name !== MAP; name = frames[name][0]) {
    if (!frames?.[name] || steps.length > DEEPEST) return null;
    const numbers = frames[name].slice(1);
    if (numbers.some((each) => each === null)) return null;
    steps.push({ position: numbers.slice(0, 3), rotation: numbers.slice(3) });
  }
  return steps;
}

// The pose of a frame in the map as a function of points; null if it is unknown.
function placed(frames, frame) {
  const steps = chain(frames, frame);
  return steps && ((point) => steps.reduce(moved, point));
}

const returned = (point, { position, rotation: [a, b, c, w] }) =>
  turned(
    point.map((each, axis) => each - position[axis]),
    [-a, -b, -c, w],
  );

// Where a point of the map is in the image of a camera [px]; null if it is behind the camera, or the camera's pose or lens is unknown.
export function pixel(point, optic, frames) {
  const steps = optic && !point.includes(null) ? chain(frames, optic.frame) : null;
  if (!steps) return null;
  const [x, y, z] = steps.reduceRight(returned, point);
  const [fx, fy, cx, cy] = optic.intrinsics;
  return z > 0.05 && fx > 0 && fy > 0 ? [cx + (fx * x) / z, cy + (fy * y) / z] : null;
}

function corners([x, y, z]) {
  return [-z, z].flatMap((top) =>
    [
      [-x, -y],
      [x, -y],
      [x, y],
      [-x, y],
    ].map(([a, b]) => [a / 2, b / 2, top / 2]),
  );
}

function ring([x, y, z]) {
  return [-z, z].flatMap((top) =>
    Array.from({ length: SIDES }, (_, step) => {
      const angle = (2 * Math.PI * step) / SIDES;
      return [(Math.cos(angle) * x) / 2, (Math.sin(angle) * y) / 2, top / 2];
    }),
  );
}

const around = Array.from({ length: SIDES }, (_, step) => step);
const PRISM = [
  around.map((step) => step + SIDES),
  [...around].reverse(),
  ...around.map((step) => {
    const next = (step + 1) % SIDES;
    return [step, next, next + SIDES, step + SIDES];
  }),
];

// The shapes of the robot: their middle and their faces, anticlockwise seen from outside.
export function solids(body, frames) {
  const found = [];
  for (const shape of body ?? []) {
    const place = placed(frames, shape.frame);
    if (!place) continue;
    const points = (shape.kind === "box" ? corners(shape.size) : ring(shape.size)).map((point) =>
      place(moved(point, shape)),
    );
    const faces = (shape.kind === "box" ? BOX : PRISM).map((face) => face.map((index) => points[index]));
    found.push({ kind: "link", position: place(shape.position), faces });
  }
  return found;
}

// The fields of view: the eye, and the corners of the image (left above, right above, right below, left below).
export function views(optics, frames) {
  const found = [];
  for (const [
    camera,
    {
      frame,
      size: [width, height],
      intrinsics,
    },
  ] of Object.entries(optics ?? {})) {
    const place = placed(frames, frame);
    const [fx, fy, cx, cy] = intrinsics;
    if (!place || !(fx > 0) || !(fy > 0) || cx === null || cy === null || !width || !height) continue;
    const ray = (u, v) => place([((u - cx) / fx) * REACH, ((v - cy) / fy) * REACH, REACH]);
    found.push({
      camera,
      eye: place([0, 0, 0]),
      corners: [ray(0, 0), ray(width, 0), ray(width, height), ray(0, height)],
    });
  }
  return found;
}
