// Detectors: what each is, whether it runs, what it holds and how long it takes.
import { about, command } from "./api.js";
import { card, empty, fill, h, pill, tone } from "./dom.js";

export function detectors(view, sections) {
  const found = Object.entries(sections.detectors ?? {});
  fill(view, [sections.detectors, sections.parts, about.actions], () => {
    if (!found.length) return h("section", { className: "card" }, empty("No detector has announced itself."));
    const held = found.reduce((sum, [, each]) => sum + (each.resident ?? 0), 0);
    const declared = Math.max(held, found.reduce((sum, [, each]) => sum + (each.declared ?? 0), 0), 1);
    return h("div", { className: "stack" },
      card("Memory held", h("div", { className: "bar" }, h("span", {}, "All detectors"), h("span", { className: "quiet" }, `${held.toFixed(0)} of ${declared.toFixed(0)} MB declared`), h("progress", { max: declared, value: held, "aria-label": "memory held" }))),
      h("div", { className: "cameras" }, found.map(([slug, each]) => one(slug, each, sections.parts?.[`detector ${slug}`] ?? true))));
  });
}

function one(slug, each, there) {
  const state = there ? each.state : "down";
  const facts = { Mode: each.mode + (each.default ? ", the default locator" : ""), Vocabulary: each.open ? "any words" : `${each.labels} labels`, Engine: each.engine,
    Latency: each.latency ? `${(each.latency * 1000).toFixed(0)} ms` : "", Memory: `${(each.resident ?? 0).toFixed(0)} MB held, ${(each.declared ?? 0).toFixed(0)} MB declared`,
    Cameras: each.cameras.join(", "), Licence: each.licence + (each.commercial ? "" : " (no commercial use)") };
  const next = each.state === "active" ? "deactivate" : "activate";
  return h("section", { className: "card", "aria-label": each.id }, h("div", { className: "row spread" }, h("strong", { className: "wrap" }, each.id), pill(state, tone(state))),
    h("p", { className: "quiet small" }, each.description),
    each.health !== "ok" && h("p", { className: "bad small" }, `${each.health}: ${each.health_message}`),
    h("dl", {}, Object.entries(facts).filter(([, value]) => value).map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])),
    about.live && about.actions && there && ["active", "inactive"].includes(each.state) && h("p", {}, h("button", { type: "button", onclick: (event) => {
      event.target.disabled = true;
      command("detector", { detector: slug, transition: next }, (done) => `${each.id} ${done.message}.`).finally(() => { event.target.disabled = false; });
    } }, next === "activate" ? "Activate" : "Deactivate")));
}
