// Detectors: what each is, whether it runs, what it holds and how long it takes.
import { about, command } from "./api.js";
import { card, empty, fill, h, pill, tone } from "./dom.js";

// Figures change twice a second, buttons seldom: each card has two parts, so that no click meets a button that is being replaced.
export function detectors(view, sections) {
  const found = Object.entries(sections.detectors ?? {});
  fill(
    view,
    found.map(([slug]) => slug),
    () => {
      if (!found.length)
        return h("section", { className: "card" }, empty("No detector has announced itself."));
      return h(
        "div",
        { className: "stack" },
        h("div", { id: "held" }),
        h(
          "div",
          { className: "cameras" },
          found.map(([slug, each]) =>
            h(
              "section",
              { className: "card", "aria-label": each.id },
              h("div", { id: `facts-${slug}` }),
              h("div", { id: `acts-${slug}` }),
            ),
          ),
        ),
      );
    },
  );
  if (!found.length) return;
  const held = found.reduce((sum, [, each]) => sum + (each.resident ?? 0), 0);
  const declared = Math.max(
    held,
    found.reduce((sum, [, each]) => sum + (each.declared ?? 0), 0),
    1,
  );
  fill(document.getElementById("held"), [held, declared], () => total(held, declared));
  for (const [slug, each] of found) {
    const there = sections.parts?.[`detector ${slug}`] ?? true;
    const status = Object.entries(sections.diagnostics ?? {}).find(([name]) =>
      name.endsWith(`/perception/${slug}/detector`),
    )?.[1];
    const failures = (sections.failures ?? []).filter(({ source }) => [slug, each.id].includes(source));
    fill(document.getElementById(`facts-${slug}`), [each, there, status, failures], () =>
      facts(each, there, status, failures),
    );
    fill(document.getElementById(`acts-${slug}`), [each.state, there, about.actions], () =>
      action(slug, each, there),
    );
  }
}

function total(held, declared) {
  return card(
    "Memory held",
    h(
      "div",
      { className: "bar" },
      h("span", {}, "All detectors"),
      h("span", { className: "quiet" }, `${held.toFixed(0)} of ${declared.toFixed(0)} MB declared`),
      h("progress", { max: declared, value: held, "aria-label": "memory held" }),
    ),
  );
}

const milliseconds = (time) => `${(time * 1000).toFixed(0)} ms`;

// What the node counts: images a second, what waits and what was left out, and how often its worker was lost.
function counts(status, failures) {
  const counted = new Map(status?.values ?? []);
  const told = (name, text) => (counted.has(name) ? text(counted.get(name)) : null);
  const said = (parts) => parts.filter(Boolean).join(", ");
  const error = counted.get("last error");
  return {
    Rate: typeof status?.rate === "number" ? `${status.rate.toFixed(1)} images/s` : "",
    Queue: said([
      told("queued requests", (count) => `${count} waiting`),
      told("refused requests", (count) => `${count} refused`),
      told("skipped frames", (count) => `${count} images skipped`),
    ]),
    Crashes: said([
      told("restarts", (count) => (count === "0" ? "none" : `${count} of its worker`)),
      error && error !== "none" && `the last: ${error}`,
      told("next start in [s]", (time) => `next start in ${time} s`),
    ]),
    Failures: failures.length ? `${failures.length} reported, the last: ${failures.at(-1).message}` : "",
  };
}

function facts(each, there, status, failures) {
  const counted = new Map(status?.values ?? []);
  const latency = Number(counted.get("inference p50 [s]")) || each.latency;
  const most = Number(counted.get("inference p95 [s]"));
  const state = there ? each.state : "down";
  const lines = {
    Mode: each.mode + (each.default ? ", the default locator" : ""),
    Vocabulary: each.open ? "any words" : `${each.labels} labels`,
    Engine: each.engine,
    Latency: latency
      ? `${milliseconds(latency)}${most > 0 ? `, 95 % within ${milliseconds(most)}` : ""}`
      : "",
    ...counts(status, failures),
    Memory: `${(each.resident ?? 0).toFixed(0)} MB held, ${(each.declared ?? 0).toFixed(0)} MB declared`,
    Cameras: each.cameras
      .map((id) => (counted.has(`camera ${id}`) ? `${id}: ${counted.get(`camera ${id}`)}` : id))
      .join("; "),
    Licence: each.licence + (each.commercial ? "" : " (no commercial use)"),
  };
  return [
    h(
      "div",
      { className: "row spread" },
      h("strong", { className: "wrap" }, each.id),
      pill(state, tone(state)),
    ),
    h("p", { className: "quiet small" }, each.description),
    each.health !== "ok" && h("p", { className: "bad small" }, `${each.health}: ${each.health_message}`),
    h(
      "dl",
      {},
      Object.entries(lines)
        .filter(([, value]) => value)
        .map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]),
    ),
  ];
}

function action(slug, each, there) {
  if (!about.live || !about.actions || !there || !["active", "inactive"].includes(each.state)) return null;
  const next = each.state === "active" ? "deactivate" : "activate";
  return h(
    "p",
    {},
    h(
      "button",
      {
        type: "button",
        onclick: (event) => {
          event.target.disabled = true;
          command(
            "detector",
            { detector: slug, transition: next },
            (done) => `${each.id} ${done.message}.`,
          ).finally(() => {
            event.target.disabled = false;
          });
        },
      },
      next === "activate" ? "Activate" : "Deactivate",
    ),
  );
}
