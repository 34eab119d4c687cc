// The box of an image that a person chose: which remembered object it is, and what can be done about it.
import { about, command, watch } from "./api.js";
import { pixel } from "./body.js";
import { card, fill, h } from "./dom.js";
import { choose, redraw, state } from "./state.js";
import { fetching, renaming } from "./memory.js";

const PULSE = 1500; // between two requests for transforms [ms]; the console forgets them after 3 s
let chosen = null; // { camera, found, as: id of the object that it was remembered as }
let shown = null;
let pulse = null;

// A box, as `boxesIn` gives it, or null.
export function chooseBox(camera, found) {
  chosen = found && { camera, found, as: null };
  clearInterval(pulse);
  if (found) {
    const ask = () => watch().catch(() => {});
    ask();
    pulse = setInterval(ask, PULSE);
  }
  redraw();
  if (found)
    requestAnimationFrame(() => document.getElementById("box")?.scrollIntoView({ block: "nearest" }));
}

const called = (node, label) =>
  [node.label, ...node.aliases].some((name) => name.toLowerCase() === label.toLowerCase());

// The remembered object that is seen in a box: the one of its name nearest to its middle, else any that is near it.
function remembered({ camera, found, as }) {
  const { scene, optics, frames } = state.sections;
  const objects = (scene?.nodes ?? []).filter((node) => node.kind === "object");
  if (as) return objects.find((node) => node.id === as);
  const [x, y, width, height] = found.box;
  const inside = objects
    .filter((node) => node.presence !== "gone")
    .flatMap((node) => {
      const at = pixel(node.position, optics?.[camera], frames);
      const away = at && Math.hypot((at[0] - x) / (width || 1), (at[1] - y) / (height || 1));
      const reach = called(node, found.label) ? 0.7 : 0.3; // of the box's sides
      return away !== null && away < reach ? [{ node, rank: away + (reach < 0.5 ? 1 : 0) }] : [];
    });
  return inside.sort((a, b) => a.rank - b.rank)[0]?.node;
}

// The newest box of the same detector and label that overlaps the chosen one, so that it stays chosen while the camera moves.
export function followBox(camera, boxes) {
  if (chosen?.camera !== camera) return null;
  const { found } = chosen;
  const near = boxes
    .filter((each) => each.by === found.by && each.label === found.label)
    .map((each) => [
      each,
      Math.max(
        Math.abs(each.box[0] - found.box[0]) / found.box[2],
        Math.abs(each.box[1] - found.box[1]) / found.box[3],
      ),
    ])
    .filter(([, away]) => away < 1)
    .sort(([, a], [, b]) => a - b)[0];
  if (near) chosen.found = near[0];
  return near?.[0] ?? null;
}

// Shows the chosen box; tells whether another one is chosen than before.
export function showBox(parent) {
  const before = shown;
  shown = chosen;
  const node = chosen && remembered(chosen);
  fill(
    parent,
    chosen
      ? [chosen.camera, chosen.found.by, chosen.found.label, chosen.as, node?.id, node?.label, node?.presence]
      : "",
    () => chosen && panel(node),
  );
  return before !== shown;
}

function panel(node) {
  const { camera, found } = chosen;
  const acts = about.live && about.actions;
  return card(
    "Chosen box",
    h(
      "div",
      { className: "row spread" },
      h("h1", {}, found.label),
      h("button", { type: "button", onclick: () => chooseBox(camera, null) }, "Close"),
    ),
    h("p", { className: "quiet small" }, `Found by ${found.by} in camera ${camera}.`),
    node
      ? h(
          "p",
          {},
          "In memory as ",
          h("button", { type: "button", className: "link", onclick: () => choose(node.id) }, node.id),
          `, ${node.label}, ${node.presence}.`,
        )
      : h("p", {}, "No remembered object is known to be in this box."),
    acts &&
      h(
        "div",
        { className: "row acts" },
        node && renaming(node),
        !node && h("button", { type: "button", className: "primary", onclick: remember }, "Remember this"),
        fetching(() => node?.id ?? remember()),
      ),
  );
}

// World state lifts the box and says which object it is, a known one or a new one; its id, or null.
async function remember() {
  const asked = chosen;
  const {
    camera,
    found: { by, label, score, box, stamp, frame },
  } = asked;
  const answer = await command(
    "observe",
    { camera, detector: by, label, score: score ?? 1, box, stamp, frame },
    (done) => done.message,
  );
  if (answer) {
    asked.as = answer.id;
    redraw();
  }
  return answer?.id ?? null;
}
