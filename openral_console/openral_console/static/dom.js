// Elements and texts. Everything that comes from the robot is set as text, never as markup.

export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name in element && name !== "list") element[name] = value;
    else if (value !== undefined && value !== false) element.setAttribute(name, value);
  }
  element.append(...children.flat(Infinity).filter((child) => child || child === 0));
  return element;
}

const SVG = "http://www.w3.org/2000/svg";

export function icon(path) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const shape = document.createElementNS(SVG, "path");
  shape.setAttribute("d", path);
  svg.append(shape);
  return svg;
}

// Replaces the children, unless nothing changed: focus, selection and open details stay as they are.
export function fill(parent, signature, make) {
  const key = typeof signature === "string" ? signature : JSON.stringify(signature ?? null);
  if (parent.dataset.key === key) return;
  parent.dataset.key = key;
  parent.replaceChildren(...[make()].flat().filter(Boolean));
}

export function card(title, ...children) {
  return h("section", { className: "card", "aria-label": title }, h("h2", {}, title), ...children);
}

export function pill(text, tone = "idle") {
  return h("span", { className: `pill ${tone}` }, text);
}

export const empty = (text) => h("p", { className: "empty" }, text);

export function seconds(value) {
  if (value === null || value === undefined) return "";
  return value < 60 ? `${value.toFixed(1)} s` : `${Math.floor(value / 60)} min ${Math.round(value % 60)} s`;
}

export function ago(stamp, now) {
  if (!stamp || now === null || now === undefined) return "";
  const age = Math.max(0, now - stamp);
  if (age < 2) return "now";
  if (age < 90) return `${Math.round(age)} s ago`;
  if (age < 5400) return `${Math.round(age / 60)} min ago`;
  return age < 172800 ? `${Math.round(age / 3600)} h ago` : `${Math.round(age / 86400)} days ago`;
}

const GOOD = ["FOUND", "REMEMBERED", "SUCCEEDED", "OK", "active", "succeeded", "present", "ok"];
const BAD = [
  "failed",
  "error",
  "given up",
  "degraded",
  "gone",
  "down",
  "DETECTOR_ERROR",
  "OUT_OF_MEMORY",
  "SKILL_ERROR",
];

export function tone(status) {
  if (GOOD.includes(status)) return "good";
  if (BAD.some((word) => String(status).startsWith(word))) return "bad";
  if (status === "pending" || status === "active now") return "info";
  return status === "idle" ? "idle" : "warn";
}

let hide;
export function notice(content) {
  // text, or texts and elements
  const box = document.getElementById("notice");
  box.replaceChildren(...[content].flat().filter(Boolean));
  clearTimeout(hide);
  hide = setTimeout(() => {
    box.replaceChildren();
  }, 7000);
}
