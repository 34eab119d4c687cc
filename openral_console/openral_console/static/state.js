// What the page shows, and the one request to draw it again; views import this, not the page's frame.
export const state = { sections: {}, linked: false, time: 0, view: "mission", chosen: null };
let draw = () => {};
let scheduled = false;

export function drawWith(callback) {
  draw = callback;
}

export function redraw() {
  if (scheduled) return;
  scheduled = true;
  requestAnimationFrame(() => {
    scheduled = false;
    draw();
  });
}

export function choose(id) {
  state.chosen = id;
  location.hash = "#memory";
  redraw();
}
