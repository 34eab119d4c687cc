// Stands in for api.js in an exported run: sections and images are in the page, no request is made.
import { notice } from "./dom.js";

export const about = { live: false, actions: false, checks: [] };
let content = { run: { duration: 0, marks: [], story: [] }, sections: {}, images: {} };

export async function load() {
  const packed = Uint8Array.from(atob(document.getElementById("content").textContent), (letter) =>
    letter.charCodeAt(0),
  );
  content = await new Response(
    new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip")),
  ).json();
}

export function stream(onSection, onLink) {
  onLink(true);
  onSection("run", content.run);
}

// The last of [time, ...] rows that is not later; the first if all are.
function last(rows, time) {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rows[middle][0] <= time) low = middle + 1;
    else high = middle;
  }
  return rows[low - 1];
}

export async function at(time) {
  const found = Object.entries(content.sections).map(([name, rows]) => [name, last(rows, time + 0.001)]);
  return {
    cameras: Object.keys(content.images),
    ...Object.fromEntries(found.filter(([, row]) => row).map(([name, row]) => [name, row[1]])),
  };
}

export async function frame(camera, _after, time) {
  const rows = content.images[camera] ?? [];
  const row = last(rows, time + 0.001) ?? rows[0];
  if (!row) throw new Error(`no image of camera ${camera}`);
  const [, stamp, frameId, jpeg] = row;
  const bytes = Uint8Array.from(atob(jpeg), (letter) => letter.charCodeAt(0));
  return { image: await createImageBitmap(new Blob([bytes], { type: "image/jpeg" })), stamp, frame: frameId };
}

export function picture(id, _stamp, time) {
  return `data:image/jpeg;base64,${last(content.pictures?.[id] ?? [], time + 0.001)?.[1] ?? ""}`;
}

export async function watch() {
  /* every moment has its transforms */
}

export async function post() {
  throw new Error("This is a recording: there is no robot to ask.");
}

export async function command() {
  notice("This is a recording: there is no robot to command.");
  return null;
}
