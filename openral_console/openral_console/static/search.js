// The search of a mission: places it has left, in their order, and places that were looked at.
import { card, h } from "./dom.js";

let last = {};

// Places that the search has left, best first; none once the mission has ended.
export const frontierOf = ({ frontier, mission }) =>
  mission && !mission.ended && mission.state !== "idle" ? (frontier ?? []) : [];

// Places that were looked at, each once: its node if it is known, its name and the last outcome. A line of the mission
// names a place by id, or by a label that several may share: then the target of the search with that outcome tells which.
export function lookedAt(mission, nodes) {
  if (last.mission !== mission || last.nodes !== nodes)
    last = { mission, nodes, looked: places(mission, nodes) };
  return last.looked;
}

function places(mission, nodes) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const asked = (mission?.calls ?? [])
    .map(({ arguments: text, status }) => ({ ...parsed(text), status }))
    .filter((call) => call.search_for && byId.has(call.target));
  const found = new Map();
  for (const line of mission?.searched ?? []) {
    const [, name, outcome] = /^(.*?)(?:: ([^:]*))?$/s.exec(line);
    const place = asked.findIndex((call) => byId.get(call.target).label === name && call.status === outcome);
    const alike = nodes.filter((node) => node.kind !== "object" && node.label === name);
    const node =
      byId.get(name) ??
      (place >= 0 ? byId.get(asked.splice(place, 1)[0].target) : alike.length === 1 ? alike[0] : null);
    found.set(node?.id ?? name, { node, name: node?.label ?? name, outcome: outcome ?? "" });
  }
  return [...found.values()];
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  } // cut, because it was long
}

export function search(left, looked, nodes) {
  const label = new Map(nodes.map((node) => [node.id, node.label]));
  if (!left.length && !looked.length) return null;
  return card(
    "Search",
    left.length > 0 && [
      h("p", { className: "quiet small" }, "To search next, best first"),
      h(
        "ol",
        { className: "lines small" },
        left.map((place, rank) =>
          h(
            "li",
            {},
            h("strong", {}, `${rank + 1} ${label.get(place.id) ?? place.id}`),
            h("span", { className: "quiet" }, ` ${place.why}`),
          ),
        ),
      ),
    ],
    looked.length > 0 && [
      h("p", { className: "quiet small" }, "Looked at"),
      h(
        "ul",
        { className: "lines small" },
        looked.map(({ name, outcome }) =>
          h("li", {}, name, h("span", { className: "quiet" }, ` ${outcome}`)),
        ),
      ),
    ],
  );
}
