// Health: nodes, diagnostics and failures; checks of the machine and of the robot, which run when a person asks.
import { about, command } from "./api.js";
import { card, empty, fill, h, pill, tone } from "./dom.js";

const short = (name) =>
  name
    .replace(/^.*\/perception\//, "")
    .replace(/\/detector$/, "")
    .replace(/^\//, "");
const LEVELS = { ok: "good", warning: "warn", error: "bad", stale: "idle" };

const CHECKS = {
  doctor: [
    "Check this machine",
    "Whether it can run the graph (openral doctor). What runs now counts as taken.",
  ],
  robot: ["Check this robot", "Whether it is as its robot.yaml says (openral robot check)."],
};
const VERDICTS = { ok: "good", limited: "warn", bad: "bad" };

export function health(view, sections) {
  if (!view.firstChild) {
    view.append(
      h(
        "div",
        { className: "grid" },
        h(
          "div",
          { className: "stack" },
          ["failures", "diagnostics", "checks"].map((id) => h("div", { id })),
        ),
        h(
          "div",
          { className: "stack" },
          ["nodes", "parts"].map((id) => h("div", { id })),
        ),
      ),
    );
  }
  const { nodes, failures, diagnostics, parts } = sections;
  const at = (id) => document.getElementById(id);
  fill(at("failures"), failures ?? [], () => card("Failures", failed(failures ?? [])));
  fill(at("diagnostics"), diagnostics ?? {}, () => card("Diagnostics", statuses(diagnostics ?? {})));
  fill(
    at("checks"),
    about.checks,
    () => about.checks.length && card("Checks", about.checks.filter((name) => CHECKS[name]).map(checking)),
  );
  fill(at("nodes"), nodes ?? {}, () => card("Nodes", states(nodes ?? {})));
  fill(at("parts"), parts ?? {}, () => card("Parts of the robot", present(parts ?? {})));
}

function checking(name) {
  const [title, what] = CHECKS[name];
  const found = h("div", { role: "status" });
  return h(
    "div",
    { className: "check" },
    h(
      "div",
      { className: "row spread" },
      h("span", { className: "quiet small" }, what),
      h(
        "button",
        {
          type: "button",
          onclick: async (event) => {
            event.target.disabled = true;
            found.replaceChildren(h("p", { className: "quiet small" }, "Checking …"));
            const answer = await command("check", { name });
            event.target.disabled = false;
            found.replaceChildren(...(answer ? findings(answer) : []));
          },
        },
        title,
      ),
    ),
    found,
  );
}

// What needs work, with its remedy; what passed, folded.
function findings({ summary, findings: rows }) {
  const line = (row) =>
    h(
      "li",
      {},
      pill(row.what, VERDICTS[row.verdict]),
      row.found && ` ${row.found}`,
      row.advice && h("p", { className: "quiet small" }, row.advice),
    );
  const passed = rows.filter((row) => row.verdict === "ok");
  return [
    h("p", {}, summary),
    h("ul", { className: "lines" }, rows.filter((row) => row.verdict !== "ok").map(line)),
    passed.length
      ? h(
          "details",
          {},
          h("summary", {}, `${passed.length} passed`),
          h("ul", { className: "lines small" }, passed.map(line)),
        )
      : "",
  ];
}

function states(nodes) {
  const found = Object.entries(nodes);
  if (!found.length) return empty("Bring-up reports no node.");
  return h(
    "table",
    {},
    h(
      "tbody",
      {},
      found.map(([name, status]) =>
        h("tr", {}, h("td", {}, short(name)), h("td", {}, pill(status.message, tone(status.message)))),
      ),
    ),
  );
}

function present(parts) {
  const found = Object.entries(parts);
  if (!found.length) return empty("Nothing is known yet.");
  return h(
    "table",
    {},
    h(
      "tbody",
      {},
      found.map(([name, there]) =>
        h(
          "tr",
          {},
          h("td", {}, name),
          h("td", {}, pill(there ? "there" : "not running", there ? "good" : "bad")),
        ),
      ),
    ),
  );
}

function failed(failures) {
  if (!failures.length) return empty("No failure was reported.");
  const tones = { info: "info", warning: "warn", error: "bad", fatal: "bad" };
  return h(
    "ul",
    { className: "lines" },
    [...failures]
      .reverse()
      .map((each) =>
        h(
          "li",
          {},
          pill(each.kind.replaceAll("_", " "), tones[each.severity]),
          " ",
          h("span", { className: "quiet" }, `${each.source}: `),
          each.message,
        ),
      ),
  );
}

function statuses(diagnostics) {
  const found = Object.entries(diagnostics).sort(([, a], [, b]) => (a.level === "ok") - (b.level === "ok"));
  if (!found.length) return empty("No diagnostics.");
  return found.map(([name, status]) =>
    h(
      "details",
      {},
      h("summary", {}, name, " ", pill(status.message || status.level, LEVELS[status.level])),
      h(
        "dl",
        { className: "small" },
        status.values.map(([key, value]) => [h("dt", {}, key), h("dd", {}, value)]),
      ),
    ),
  );
}
