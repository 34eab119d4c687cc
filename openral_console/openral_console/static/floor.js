// The map of the home from above: floor as it was seen, rooms, doorways, furniture, places, no-go zones, people.
// What the robot found by itself is named, accepted and rejected here. Nothing on this page moves the robot.
import { about, command } from "./api.js";
import { card, empty, fill, h, pill } from "./dom.js";
import { redraw } from "./state.js";
import { draw, fit, inside, pan, scale, toMap } from "./plan.js";

let chosen = null; // { sort, id } of what was picked on the map or in a list
let adding = null; // { sort: "place" | "zone", corners: [[x, y], ...] } while something is drawn
const picture = { runs: null, canvas: null }; // the floor as pixels, drawn once per map

const LISTS = [
  ["rooms", "Rooms"],
  ["furniture", "Furniture"],
  ["places", "Places"],
  ["zones", "No-go zones"],
];
const HELP = {
  place: "Click where the robot shall stand.",
  zone: "Click the corners of the zone, at least three.",
};

export function floor(view, sections) {
  const known = sections.floor || sections.found_home;
  fill(view, known ? "floor" : "none", () => {
    if (!known)
      return h(
        "section",
        { className: "card" },
        empty(
          "No map yet: start a mapper (--mapper, or --map none for a home that the robot finds by itself).",
        ),
      );
    const canvas = h("canvas", {
      id: "plan",
      tabIndex: 0,
      role: "img",
      "aria-label": "Map from above. Arrow keys move it, plus and minus zoom.",
    });
    steer(canvas);
    return h(
      "div",
      { className: "grid" },
      h(
        "div",
        { className: "stack" },
        h(
          "section",
          { className: "card stack", "aria-label": "Map" },
          canvas,
          legend(),
          h("p", { className: "quiet small", id: "plan_text", role: "status" }),
        ),
      ),
      h(
        "div",
        { className: "stack" },
        h("div", { id: "plan_tools" }),
        h("div", { id: "plan_chosen" }),
        h("div", { id: "plan_lists" }),
      ),
    );
  });
  if (!known) return null;
  const home = sections.found_home ?? { rooms: [], doorways: [], furniture: [], places: [], zones: [] };
  const edits = sections.home_edits;
  const people = (sections.scene?.nodes ?? []).filter(
    (node) => node.kind === "agent" && node.presence !== "gone",
  );
  draw(document.getElementById("plan"), {
    floor: sections.floor,
    home,
    people,
    robot: sections.robot,
    chosen,
    adding,
    picture,
    accepted: edits?.accepted ?? [],
  });
  const may = about.live && about.actions && Boolean(edits);
  tell(sections, home, people, may);
  fill(document.getElementById("plan_tools"), [may, adding?.sort, adding?.corners], () => may && tools());
  const item = chosen && home[chosen.sort]?.find((each) => each.id === chosen.id);
  fill(
    document.getElementById("plan_chosen"),
    [item, may, edits?.accepted, edits?.added, home.rooms.map((room) => room.name)],
    () => item && details(item, home, edits, may),
  );
  fill(document.getElementById("plan_lists"), [home, edits, chosen, may], () => lists(home, edits, may));
  return () => {
    adding = null;
  };
}

function tell(sections, home, people, may) {
  const seen = sections.floor ? `${area(sections.floor).toFixed(1)} m² of free floor seen` : "no floor map";
  const shut =
    !may &&
    about.live &&
    (sections.home_edits
      ? "; to change the map, start the console with --allow-actions"
      : "; this map cannot be changed here: no mapper finds it");
  const text = adding
    ? HELP[adding.sort]
    : `${seen}, ${count(home.rooms, "room")}, ${count(home.doorways, "doorway")}, ${count(home.furniture, "piece")} of furniture, ${count(people, "person", "people")}${shut || ""}.`;
  const line = document.getElementById("plan_text");
  if (line.textContent !== text) line.textContent = text;
}

const count = ({ length }, one, more = `${one}s`) => `${length} ${length === 1 ? one : more}`;

function area({ runs, cell }) {
  let free = 0;
  for (let place = 0; place < runs.length; place += 2) if (runs[place] === 0) free += runs[place + 1];
  return free * cell * cell;
}

function legend() {
  const key = (style, text) => {
    const mark = h("span", { "aria-hidden": "true" });
    mark.style.cssText = `width:.8rem;height:.8rem;border-radius:.2rem;border:1px solid var(--line);background:${style}`;
    return h("span", { className: "row small quiet" }, mark, text);
  };
  return h(
    "div",
    { className: "row" },
    key("var(--card)", "free"),
    key("var(--text)", "obstacle"),
    key("repeating-linear-gradient(45deg,var(--line) 0 2px,transparent 2px 5px)", "not seen"),
    key("var(--fixture)", "furniture"),
    key("var(--good)", "doorway"),
    key("var(--bad)", "no-go zone"),
    key("var(--info)", "person"),
    key("var(--accent)", "robot, place"),
  );
}

const edit = (values, done) =>
  command("edit_home", values, (answer) => {
    done?.();
    redraw();
    return answer.message;
  });

function tools() {
  if (adding) return form();
  const begin = (sort) => () => {
    adding = { sort, corners: [] };
    chosen = null;
    redraw();
  };
  return h(
    "section",
    { className: "card row", "aria-label": "Add" },
    h("button", { type: "button", onclick: begin("place") }, "Add place"),
    h("button", { type: "button", onclick: begin("zone") }, "Add no-go zone"),
  );
}

// Name and corners of what is drawn; the corners can be typed too.
function form() {
  const zone = adding.sort === "zone";
  const name = h("input", {
    type: "text",
    required: true,
    maxLength: 80,
    "aria-label": "Name",
    placeholder: zone ? "cat tray" : "charger",
    value: adding.name ?? "",
    oninput: () => {
      adding.name = name.value;
    },
  });
  const points = h("input", {
    type: "text",
    required: true,
    className: "mono",
    "aria-label": zone ? "Corners x y, x y, … [m]" : "Position x y [m]",
    value: adding.corners.map((point) => point.map((value) => value.toFixed(2)).join(" ")).join(", "),
    onchange: () => {
      adding.corners = read(points.value);
      redraw();
    },
  });
  const stop = () => {
    adding = null;
    redraw();
  };
  return h(
    "section",
    { className: "card", "aria-label": zone ? "New no-go zone" : "New place" },
    h("h2", {}, zone ? "New no-go zone" : "New place"),
    h(
      "form",
      {
        className: "stack",
        onsubmit: (event) => {
          event.preventDefault();
          const corners = read(points.value);
          edit(
            zone
              ? { operation: "add_zone", name: name.value, polygon: corners }
              : { operation: "add_place", name: name.value, at: corners[0] ?? [] },
            () => {
              adding = null;
            },
          );
        },
      },
      h("label", { className: "row" }, h("span", { className: "quiet" }, "Name"), name),
      h("label", { className: "row" }, h("span", { className: "quiet" }, zone ? "Corners" : "At"), points),
      h(
        "div",
        { className: "row" },
        h("button", { className: "primary" }, zone ? "Add zone" : "Add place"),
        h("button", { type: "button", onclick: stop }, "Cancel"),
      ),
    ),
  );
}

const read = (text) =>
  text
    .split(",")
    .map((point) => point.trim().split(/\s+/).map(Number))
    .filter((point) => point.length === 2 && point.every(Number.isFinite));

function details(item, home, edits, may) {
  const { sort } = chosen;
  const room = home.rooms.find((each) => each.id === item.room)?.name;
  const facts = {
    Kind: item.kind,
    Room: room,
    Area: item.polygon && `${surface(item.polygon).toFixed(1)} m²`,
    Size:
      item.size && `${item.size[0].toFixed(2)} × ${item.size[1].toFixed(2)} × ${item.size[2].toFixed(2)} m`,
    At: item.at && `${item.at[0].toFixed(2)}, ${item.at[1].toFixed(2)} m`,
    Id: item.id,
  };
  return h(
    "section",
    { className: "card stack", "aria-label": item.name },
    h("h1", {}, item.name),
    h(
      "dl",
      {},
      Object.entries(facts)
        .filter(([, value]) => value)
        .map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]),
    ),
    may &&
      (sort === "rooms" || sort === "furniture") &&
      naming(item, sort === "rooms" ? "name_room" : "name_furniture"),
    may && sort === "furniture" && judging(item, edits),
    may &&
      edits.added.includes(item.id) &&
      h(
        "button",
        {
          type: "button",
          onclick: () => edit({ operation: sort === "zones" ? "remove_zone" : "remove_place", id: item.id }),
        },
        "Remove",
      ),
  );
}

const surface = (polygon) =>
  Math.abs(
    polygon.reduce((sum, [x, y], place) => {
      const [u, v] = polygon[(place + 1) % polygon.length];
      return sum + x * v - u * y;
    }, 0),
  ) / 2;

function naming(item, operation) {
  const name = h("input", {
    type: "text",
    value: item.name,
    maxLength: 80,
    required: true,
    "aria-label": "New name",
  });
  return h(
    "form",
    {
      className: "row",
      onsubmit: (event) => {
        event.preventDefault();
        edit({ operation, id: item.id, name: name.value });
      },
    },
    name,
    h("button", {}, "Rename"),
  );
}

function judging(item, edits) {
  const accepted = edits.accepted.includes(item.id);
  return h(
    "div",
    { className: "row" },
    accepted
      ? pill("accepted", "good")
      : h("button", { type: "button", onclick: () => edit({ operation: "accept", id: item.id }) }, "Accept"),
    accepted &&
      h(
        "button",
        { type: "button", onclick: () => edit({ operation: "restore", id: item.id }) },
        "Take back",
      ),
    h(
      "button",
      {
        type: "button",
        onclick: () =>
          edit({ operation: "reject", id: item.id }, () => {
            chosen = null;
          }),
      },
      "Reject",
    ),
  );
}

function lists(home, edits, may) {
  const rejected = edits?.rejected ?? [];
  return h(
    "div",
    { className: "stack" },
    LISTS.filter(([sort]) => home[sort].length).map(([sort, title]) =>
      card(
        `${title} (${home[sort].length})`,
        h(
          "ul",
          { className: "lines small" },
          home[sort].map((item) =>
            h(
              "li",
              { className: chosen?.id === item.id ? "row spread chosen" : "row spread" },
              h(
                "button",
                { type: "button", className: "link", onclick: () => choose(sort, item.id) },
                item.name,
              ),
              edits?.accepted.includes(item.id) && pill("accepted", "good"),
            ),
          ),
        ),
      ),
    ),
    rejected.length > 0 &&
      card(
        `Rejected (${rejected.length})`,
        h(
          "ul",
          { className: "lines small" },
          rejected.map((item) =>
            h(
              "li",
              { className: "row spread" },
              h("span", {}, item.name),
              may &&
                h(
                  "button",
                  { type: "button", onclick: () => edit({ operation: "restore", id: item.id }) },
                  "Restore",
                ),
            ),
          ),
        ),
      ),
  );
}

function choose(sort, id) {
  chosen = { sort, id };
  redraw();
}

// What is at a point of the map: what lies above first.
function at(home, point) {
  const near = ({ at: [x, y] }, reach) => Math.hypot(x - point[0], y - point[1]) <= reach;
  const found = [
    ["places", home.places.find((each) => near(each, 0.2))],
    ["furniture", home.furniture.find((each) => inside(each, point))],
    ["zones", home.zones.find((each) => inside(each, point))],
    ["rooms", home.rooms.find((each) => inside(each, point))],
  ];
  return found.find(([, item]) => item);
}

function click(canvas, event, home) {
  const frame = canvas.getBoundingClientRect();
  const point = toMap(event.clientX - frame.left, event.clientY - frame.top);
  if (adding) {
    const corner = point.map((value) => Math.round(value * 20) / 20);
    adding.corners = adding.sort === "zone" ? [...adding.corners, corner] : [corner];
  } else {
    const found = at(home, point);
    chosen = found ? { sort: found[0], id: found[1].id } : null;
  }
  redraw();
}

function steer(canvas) {
  const fingers = new Map();
  let moved = false;
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, [event.clientX, event.clientY]);
    moved = false;
  });
  canvas.addEventListener("pointermove", (event) => {
    const last = fingers.get(event.pointerId);
    if (!last) return;
    const [dx, dy] = [event.clientX - last[0], event.clientY - last[1]];
    if (Math.hypot(dx, dy) > 3) moved = true;
    if (!moved) return;
    if (fingers.size > 1) {
      const other = [...fingers].find(([id]) => id !== event.pointerId)[1];
      const spread = (point) => Math.max(20, Math.hypot(point[0] - other[0], point[1] - other[1]));
      scale(spread([event.clientX, event.clientY]) / spread(last));
    }
    pan(dx / fingers.size, dy / fingers.size);
    fingers.set(event.pointerId, [event.clientX, event.clientY]);
    redraw();
  });
  canvas.addEventListener("pointerup", (event) => {
    fingers.delete(event.pointerId);
    if (!moved) click(canvas, event, canvas.shown);
  });
  canvas.addEventListener("pointercancel", (event) => fingers.delete(event.pointerId));
  canvas.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      scale(Math.exp(-event.deltaY * 0.0012));
      redraw();
    },
    { passive: false },
  );
  canvas.addEventListener("dblclick", () => {
    fit(null);
    redraw();
  });
  canvas.addEventListener("keydown", (event) => {
    const keys = {
      ArrowLeft: () => pan(40, 0),
      ArrowRight: () => pan(-40, 0),
      ArrowUp: () => pan(0, 40),
      ArrowDown: () => pan(0, -40),
      "+": () => scale(1.15),
      "-": () => scale(1 / 1.15),
    };
    if (keys[event.key]) {
      event.preventDefault();
      keys[event.key]();
      redraw();
    }
  });
  new ResizeObserver(redraw).observe(canvas);
}
