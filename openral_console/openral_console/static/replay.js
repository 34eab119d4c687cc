// The scrubber of a recording: one time for every view, marks to jump between, play.
import { h, seconds } from "./dom.js";

// Puts the moment into the address, so that it can be shared; some browsers forbid it to a page from disk.
function name(time) {
  try {
    history.replaceState(null, "", `${location.pathname}?t=${time.toFixed(1)}${location.hash}`);
  } catch {
    /* the address stays */
  }
}

export function scrubber(run, seek) {
  const foot = document.getElementById("scrubber");
  if (!foot.hidden) return;
  foot.hidden = false;
  const range = h("input", {
    type: "range",
    min: 0,
    max: run.duration,
    step: 0.05,
    value: 0,
    "aria-label": "Time in the recording",
  });
  const output = h("output", {}, "");
  const play = h("button", { type: "button" }, "Play");
  let timer = null;
  const move = (time, keep = false) => {
    const bounded = Math.min(Math.max(time, 0), run.duration);
    range.value = bounded;
    output.textContent = `${seconds(bounded)} of ${seconds(run.duration)}`;
    if (!keep) name(bounded);
    seek(bounded);
  };
  const stop = () => {
    clearInterval(timer);
    timer = null;
    play.textContent = "Play";
  };
  play.addEventListener("click", () => {
    if (timer) {
      stop();
      return;
    }
    play.textContent = "Pause";
    if (Number(range.value) >= run.duration - 0.1) move(0);
    timer = setInterval(() => {
      if (Number(range.value) >= run.duration) stop();
      else move(Number(range.value) + 0.25, true);
    }, 250);
  });
  range.addEventListener("input", () => {
    stop();
    move(Number(range.value));
  });
  const jump = (kinds, direction) => {
    stop();
    const here = Number(range.value);
    const marks = run.marks.filter(
      (mark) =>
        kinds.includes(mark.kind) && (direction > 0 ? mark.time > here + 0.06 : mark.time < here - 0.06),
    );
    const next = direction > 0 ? marks[0] : marks.at(-1);
    if (next) move(next.time);
  };
  const decisions = ["decision", "outcome", "end"];
  const marks = h(
    "div",
    { className: "marks", "aria-hidden": "true" },
    run.marks.map((mark) => {
      const place = h("button", {
        type: "button",
        className: mark.kind,
        title: mark.text,
        tabIndex: -1,
        onclick: () => {
          stop();
          move(mark.time);
        },
      });
      place.style.left = `${(100 * mark.time) / Math.max(run.duration, 0.001)}%`;
      return place;
    }),
  );
  foot.append(
    ...[
      play,
      h(
        "button",
        { type: "button", onclick: () => jump(decisions, -1), "aria-label": "Previous decision" },
        "‹",
      ),
      h("button", { type: "button", onclick: () => jump(decisions, 1), "aria-label": "Next decision" }, "›"),
      h(
        "button",
        {
          type: "button",
          onclick: () => jump(["failure"], 1),
          disabled: !run.marks.some((mark) => mark.kind === "failure"),
        },
        "Next failure",
      ),
      run.comparison &&
        h(
          "button",
          {
            type: "button",
            onclick: () => jump(["difference"], 1),
            disabled: !run.marks.some((mark) => mark.kind === "difference"),
          },
          "Next difference",
        ),
      h("div", { className: "track" }, marks, range),
      output,
    ].filter(Boolean),
  );
  const asked = Number(new URLSearchParams(location.search).get("t"));
  move(Number.isFinite(asked) && asked > 0 ? asked : run.duration);
}
