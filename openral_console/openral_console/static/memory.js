// The memory: a table of all objects, search as the robot searches, history and corrections of one object.
import { about, command, picture } from "./api.js";
import { ago, card, empty, fill, h, pill, tone } from "./dom.js";
import { redraw, state } from "./state.js";

let filter = "";
let answer = null;
const SHOWN = 300; // rows; more say nothing and cost a phone its frame rate

export function memory(view, sections) {
  if (!view.firstChild)
    view.append(
      h(
        "div",
        { className: "grid" },
        h("div", { className: "stack" }, search(), h("div", { id: "answer" }), h("div", { id: "objects" })),
        h(
          "div",
          { id: "object", className: "stack" },
          h("div", { id: "facts" }),
          h("div", { id: "history" }),
          h("div", { id: "corrections" }),
        ),
      ),
    );
  const objects = (sections.scene?.nodes ?? []).filter((node) => node.kind === "object");
  const now = sections.clock ?? sections.robot?.stamp;
  const wanted = filter.toLowerCase();
  const shown = objects.filter((node) =>
    [node.label, node.id, ...node.aliases].some((name) => name.toLowerCase().includes(wanted)),
  );
  const minute = now ? Math.round(now / 5) : 0;
  fill(document.getElementById("answer"), answer, () => answer && recall(answer));
  fill(
    document.getElementById("objects"),
    [sections.scene?.revision, filter, minute, state.chosen, shown.length, sections.pictures],
    () => card(`Objects (${shown.length})`, table(shown, now, sections)),
  );
  const chosen = sections.scene?.nodes.find((node) => node.id === state.chosen);
  fill(document.getElementById("facts"), [chosen, sections.pictures?.[chosen?.id]], () =>
    chosen
      ? details(chosen, now, sections.pictures)
      : h("section", { className: "card" }, empty("Choose an object to see what is known about it.")),
  );
  const events = chosen?.kind === "object" ? (sections.history?.[chosen.id] ?? []) : [];
  fill(
    document.getElementById("history"),
    [chosen?.id, events, minute],
    () => events.length && card("History", past(events, now)),
  );
  // What is typed here outlives new observations of the object.
  const correctable = chosen?.kind === "object" && about.live && about.actions;
  fill(
    document.getElementById("corrections"),
    correctable ? [chosen.id, chosen.label] : "",
    () => correctable && corrections(chosen),
  );
}

function search() {
  const words = h("input", {
    type: "search",
    id: "words",
    placeholder: "mug",
    value: filter,
    autocomplete: "off",
    oninput: () => {
      filter = words.value;
      redraw();
    },
  });
  return h(
    "form",
    {
      className: "card row",
      onsubmit: async (event) => {
        event.preventDefault();
        if (about.live && words.value.trim()) {
          answer = await command("recall", { query: words.value });
          redraw();
        }
      },
    },
    h("label", { htmlFor: "words", className: "quiet" }, "Object"),
    words,
    about.live && h("button", { className: "primary" }, "Ask memory"),
  );
}

function recall(found) {
  const line = (match) =>
    h(
      "li",
      {},
      h("button", { type: "button", className: "link", onclick: () => pick(match.id) }, match.label),
      h(
        "span",
        { className: "quiet" },
        ` ${match.room || match.place} ${match.must_open ? `(open ${match.must_open} first) ` : ""}${match.why}`,
      ),
    );
  return card(
    "What the robot would recall",
    pill(found.status, tone(found.status)),
    h("p", { className: "wrap" }, found.message),
    found.matches.length > 0 && h("ul", { className: "lines small" }, found.matches.map(line)),
    found.near_misses.length > 0 &&
      h(
        "div",
        {},
        h("p", { className: "quiet small" }, "Near misses: where to look"),
        h("ul", { className: "lines small" }, found.near_misses.map(line)),
      ),
  );
}

function pick(id) {
  state.chosen = id;
  redraw();
  document.getElementById("object")?.scrollIntoView({ block: "nearest" });
}

const where = (node, names) =>
  node.relations
    .map(
      ([relation, target]) =>
        `${relation.replace("at_place", "at").replace("in_room", "in")} ${names.get(target) ?? target}`,
    )
    .slice(0, 2)
    .join(", ");

function table(objects, now, sections) {
  if (!objects.length) return empty(filter ? "No object has this name." : "Nothing is remembered yet.");
  const names = new Map((sections.scene?.nodes ?? []).map((node) => [node.id, node.label]));
  const rows = [...objects].sort((a, b) => (b.last_seen ?? 0) - (a.last_seen ?? 0));
  const left = rows.length - SHOWN + (sections.scene?.left_out ?? 0);
  return [
    h(
      "table",
      { className: "folds" },
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          ["Object", "State", "Where", "Seen", "Times"].map((name) => h("th", { scope: "col" }, name)),
        ),
      ),
      h(
        "tbody",
        {},
        rows
          .slice(0, SHOWN)
          .map((node) =>
            h(
              "tr",
              { className: node.id === state.chosen ? "chosen" : "" },
              h(
                "td",
                {},
                h(
                  "span",
                  { className: "row named" },
                  photo(node, sections.pictures, "thumb"),
                  h(
                    "button",
                    { type: "button", className: "link", onclick: () => pick(node.id) },
                    node.label,
                  ),
                ),
              ),
              h("td", {}, pill(node.presence, tone(node.presence))),
              h("td", { className: "quiet" }, where(node, names)),
              h("td", { className: "num" }, ago(node.last_seen, now)),
              h("td", { className: "num minor" }, String(node.count)),
            ),
          ),
      ),
    ),
    left > 0
      ? h("p", { className: "quiet small" }, `${left} more are not shown: type part of a name.`)
      : null,
  ];
}

// The best view of an object that the robot has had, if it keeps one.
function photo(node, pictures, className) {
  const stamp = pictures?.[node.id];
  return stamp === undefined
    ? null
    : h("img", {
        className,
        src: picture(node.id, stamp, state.time),
        alt: className === "thumb" ? "" : `Picture of ${node.label}`,
        loading: "lazy",
      });
}

function details(node, now, pictures) {
  const facts = {
    Id: node.id,
    State: node.presence,
    Opening: node.opening,
    Position: node.position
      .map((x) => x?.toFixed(2))
      .join(", ")
      .concat(" m"),
    Uncertainty: node.sigma ? `${(node.sigma * 100).toFixed(1)} cm` : "",
    Size: node.size
      .map((x) => x?.toFixed(2))
      .join(" × ")
      .concat(" m"),
    Confidence: node.confidence?.toFixed(2),
    "First seen": ago(node.first_seen, now),
    "Last seen": ago(node.last_seen, now),
    Observations: String(node.count),
    "Written by": node.source,
    Also: node.aliases.join(", "),
    Relations: node.relations.map(([relation, target]) => `${relation} ${target}`).join(", "),
  };
  return h(
    "section",
    { className: "card", "aria-label": node.label },
    h("h1", {}, node.label),
    photo(node, pictures, "photo"),
    h(
      "dl",
      {},
      Object.entries(facts)
        .filter(([, value]) => value)
        .map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]),
    ),
  );
}

// What happened to an object while the console, or the recorder, watched; the newest first.
function past(events, now) {
  return h(
    "ul",
    { className: "lines small" },
    [...events]
      .reverse()
      .map(([time, text]) => h("li", {}, h("span", { className: "quiet" }, `${ago(time, now)}: `), text)),
  );
}

// An edit, and a notice that can take it back.
const correct = (values) =>
  command("edit", values, (done) => [
    done.message,
    values.operation !== "undo" &&
      h("button", { type: "button", onclick: () => correct({ operation: "undo" }) }, "Undo"),
  ]);

export function renaming(node) {
  const label = h("input", { type: "text", value: node.label, "aria-label": "New name", maxLength: 200 });
  return h(
    "form",
    {
      className: "row",
      onsubmit: (event) => {
        event.preventDefault();
        correct({ id: node.id, operation: "rename", label: label.value });
      },
    },
    label,
    h("button", {}, "Rename"),
  );
}

// `identify` gives the id of the object that is meant, or null after telling why there is none.
export const fetching = (identify) =>
  h(
    "button",
    {
      type: "button",
      onclick: async () => {
        const id = await identify();
        if (id) await command("prompt", { text: "bring me this", objects: [id] }, "Goal sent.");
      },
    },
    "Bring me this",
  );

function others(node) {
  const objects = (state.sections.scene?.nodes ?? []).filter(
    (each) => each.kind === "object" && each.id !== node.id,
  );
  return [
    h("option", { value: "" }, "the same as …"),
    ...objects.slice(0, 300).map((each) => h("option", { value: each.id }, `${each.label} (${each.id})`)),
  ];
}

function corrections(node) {
  const other = h(
    "select",
    {
      "aria-label": "Merge with",
      onfocus: () => {
        const kept = other.value;
        other.replaceChildren(...others(node));
        other.value = kept;
      },
    },
    others(node),
  );
  const edit = (values) => correct({ id: node.id, ...values });
  let sure = false;
  const forget = h(
    "button",
    {
      type: "button",
      onclick: () => {
        if (sure) {
          edit({ operation: "forget" });
          return;
        }
        sure = true;
        forget.textContent = `Really forget ${node.label}`;
      },
    },
    "Forget",
  );
  return h(
    "section",
    { className: "card stack", "aria-label": `Correct ${node.label}` },
    renaming(node),
    h(
      "form",
      {
        className: "row",
        onsubmit: (event) => {
          event.preventDefault();
          if (other.value) edit({ operation: "merge", other: other.value });
        },
      },
      other,
      h("button", {}, "Merge"),
    ),
    position(node, edit),
    h(
      "div",
      { className: "row" },
      fetching(() => node.id),
      forget,
    ),
  );
}

// Coordinates to type, or those of the top of a piece of furniture to choose.
function position(node, edit) {
  const fields = ["x", "y", "z"].map((axis, place) =>
    h("input", {
      type: "number",
      step: "any",
      required: true,
      value: node.position[place]?.toFixed(2) ?? "",
      "aria-label": `${axis} [m]`,
    }),
  );
  const places = (state.sections.scene?.nodes ?? []).filter((each) => each.kind === "place");
  const onto = h(
    "select",
    {
      "aria-label": "Put it onto",
      onchange: () => {
        const place = places.find((each) => each.id === onto.value);
        if (!place) return;
        const [x, y, z] = place.position;
        [x, y, z + ((place.size[2] ?? 0) + (node.size[2] ?? 0)) / 2].forEach((value, axis) => {
          fields[axis].value = value?.toFixed(2) ?? "";
        });
      },
    },
    h("option", { value: "" }, "it is on …"),
    places.slice(0, 300).map((each) => h("option", { value: each.id }, each.label)),
  );
  return h(
    "form",
    {
      className: "row position",
      onsubmit: (event) => {
        event.preventDefault();
        const [x, y, z] = fields.map((field) => Number(field.value));
        edit({ operation: "move", x, y, z });
      },
    },
    onto,
    h("div", { className: "row point" }, fields),
    h("button", {}, "Move"),
  );
}
