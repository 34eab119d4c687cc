// Health: nodes, diagnostics and failures.
import { card, empty, fill, h, pill, tone } from "./dom.js";

const short = (name) => name.replace(/^.*\/perception\//, "").replace(/\/detector$/, "").replace(/^\//, "");
const LEVELS = { ok: "good", warning: "warn", error: "bad", stale: "idle" };

export function health(view, sections) {
  const { nodes, failures, diagnostics, parts } = sections;
  fill(view, [nodes, failures, diagnostics, parts], () => h("div", { className: "grid" },
    h("div", { className: "stack" }, card("Failures", failed(failures ?? [])), card("Diagnostics", statuses(diagnostics ?? {}))),
    h("div", { className: "stack" }, card("Nodes", states(nodes ?? {})), card("Parts of the robot", present(parts ?? {})))));
}

function states(nodes) {
  const found = Object.entries(nodes);
  if (!found.length) return empty("Bring-up reports no node.");
  return h("table", {}, h("tbody", {}, found.map(([name, status]) => h("tr", {}, h("td", {}, short(name)), h("td", {}, pill(status.message, tone(status.message)))))));
}

function present(parts) {
  const found = Object.entries(parts);
  if (!found.length) return empty("Nothing is known yet.");
  return h("table", {}, h("tbody", {}, found.map(([name, there]) => h("tr", {}, h("td", {}, name), h("td", {}, pill(there ? "there" : "not running", there ? "good" : "bad"))))));
}

function failed(failures) {
  if (!failures.length) return empty("No failure was reported.");
  const tones = { info: "info", warning: "warn", error: "bad", fatal: "bad" };
  return h("ul", { className: "lines" }, [...failures].reverse().map((each) => h("li", {}, pill(each.kind.replaceAll("_", " "), tones[each.severity]), " ", h("span", { className: "quiet" }, `${each.source}: `), each.message)));
}

function statuses(diagnostics) {
  const found = Object.entries(diagnostics).sort(([, a], [, b]) => (a.level === "ok") - (b.level === "ok"));
  if (!found.length) return empty("No diagnostics.");
  return found.map(([name, status]) => h("details", {}, h("summary", {}, name, " ", pill(status.message || status.level, LEVELS[status.level])),
    h("dl", { className: "small" }, status.values.map(([key, value]) => [h("dt", {}, key), h("dd", {}, value)]))));
}
