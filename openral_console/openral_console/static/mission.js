// The mission: goal, state, tool calls with their reasons, budget, questions to people.
import { about, command } from "./api.js";
import { card, empty, fill, h, pill, seconds, tone } from "./dom.js";
import { state } from "./state.js";

const [BEFORE, AFTER] = [20, 5]; // part of a recording whose spans are shown around the moment [s]
const ROWS = 10; // spans shown at once: those of the moment, then the latest before it
const STATES = {
  active: "Under way",
  waiting_for_human: "Waiting for an answer",
  succeeded: "Done",
  failed: "Failed",
  handed_over: "Handed over",
  cancelled: "Cancelled",
  claimed: "Claimed without proof",
  idle: "Idle",
};
const TONES = {
  active: "info",
  waiting_for_human: "warn",
  succeeded: "good",
  failed: "bad",
  handed_over: "warn",
  cancelled: "idle",
  claimed: "warn",
  idle: "idle",
};

export function mission(view, sections) {
  if (!view.firstChild) {
    view.append(
      h(
        "div",
        { className: "grid" },
        h(
          "div",
          { className: "stack" },
          goalForm(),
          h("div", { id: "question" }),
          h("div", { id: "now" }),
          h("div", { id: "spans" }),
          h("div", { id: "calls" }),
        ),
        h(
          "div",
          { className: "stack" },
          h("div", { id: "budget" }),
          h("div", { id: "evidence" }),
          h("div", { id: "comparison" }),
          h("div", { id: "prompts" }),
          h("div", { id: "model" }),
        ),
      ),
    );
  }
  const { mission: found, handoff, prompts, palette, run } = sections;
  const at = (id) => document.getElementById(id);
  fill(at("now"), [found?.goal, found?.state, found?.step, found?.reason, found?.brain], () => now(found));
  const open = handoff && found?.state === "waiting_for_human" && handoff.mission === found.id;
  fill(at("question"), open ? handoff.id : "", () => open && question(handoff));
  fill(at("calls"), [found?.id, found?.calls], () => card("Tool calls", calls(found)));
  fill(
    at("spans"),
    run?.spans?.length ? [state.time, run.spans.length] : "",
    () => run?.spans?.length && card("Spans", timeline(run.spans, state.time)),
  );
  fill(at("budget"), found?.budget, () => found?.budget?.length && card("Budget", budget(found.budget)));
  fill(at("evidence"), [found?.evidence, found?.searched], () => evidence(found));
  fill(at("prompts"), prompts, () => prompts?.length && card("Conversation", conversation(prompts)));
  fill(at("model"), palette, () => palette && card("What the model is given", model(palette)));
  fill(
    at("comparison"),
    run?.comparison,
    () => run?.comparison && card(`Beside ${run.comparison.name}`, story(run.comparison.lines)),
  );
  if (run?.story?.length)
    fill(at("prompts"), ["story", run.story], () => card("Explanation", story(run.story)));
}

// What each process did around the moment, as bars; those of the moment are darker.
function timeline(spans, now) {
  const [from, to] = [now - BEFORE, now + AFTER];
  const near = spans.filter(({ start, duration }) => start <= to && start + duration >= from);
  if (!near.length) return empty("No span at this moment.");
  const percent = (time) => `${(100 * (Math.min(Math.max(time, from), to) - from)) / (to - from)}%`;
  const isNow = ({ start, duration }) => start <= now && start + duration >= now;
  const rank = (span) => (isNow(span) ? 0 : span.start <= now ? 1 : 2);
  const shown = [...near]
    .sort((a, b) => rank(a) - rank(b) || Math.abs(a.start - now) - Math.abs(b.start - now))
    .slice(0, ROWS)
    .sort((a, b) => a.start - b.start);
  const row = (span) => {
    const end = span.start + span.duration;
    const bar = h("span", { className: isNow(span) ? "now" : "" });
    bar.style.left = percent(span.start);
    bar.style.right = `calc(100% - ${percent(end)})`;
    const name = h(
      "span",
      { className: "name", title: `${span.service}: ${span.name}` },
      span.name.replace("execute_tool ", ""),
      h("span", { className: "quiet" }, ` ${span.service}`),
    );
    name.style.paddingLeft = `${0.6 * span.depth}rem`;
    return h(
      "li",
      {},
      name,
      h("span", { className: "track", "aria-hidden": "true" }, bar),
      h(
        "span",
        { className: "took" },
        seconds(span.duration),
        span.status &&
          h("span", { className: "unseen" }, `, ${span.status}, begun at ${span.start.toFixed(1)} s`),
      ),
    );
  };
  return [
    h("ol", { className: "spans small" }, shown.map(row)),
    near.length > ROWS
      ? h(
          "p",
          { className: "quiet small" },
          `${near.length - ROWS} more of these ${BEFORE + AFTER} s are not shown.`,
        )
      : null,
  ];
}

function goalForm() {
  if (!about.live || !about.actions) return null;
  const goal = h("input", {
    type: "text",
    id: "goal",
    placeholder: "bring me the baguette",
    maxLength: 2000,
    autocomplete: "off",
  });
  return h(
    "form",
    {
      className: "card row",
      onsubmit: async (event) => {
        event.preventDefault();
        if (
          goal.value.trim() &&
          (await command(
            "prompt",
            { text: goal.value },
            (answer) => answer.message || `Goal ${answer.outcome}.`,
          ))
        )
          goal.value = "";
      },
    },
    h("label", { htmlFor: "goal", className: "quiet" }, "Goal"),
    goal,
    h("button", { className: "primary" }, "Send"),
  );
}

function now(found) {
  if (!found || found.state === "idle")
    return h(
      "section",
      { className: "card" },
      empty(about.live ? "No mission yet. Send a goal to start one." : "No mission at this time."),
    );
  const line = found.ended ? found.reason : found.step || found.reason;
  return h(
    "section",
    { className: "card", "aria-label": "Mission" },
    h(
      "div",
      { className: "row spread" },
      pill(STATES[found.state] ?? found.state, TONES[found.state]),
      h("span", { className: "quiet small" }, found.brain),
    ),
    h("h1", {}, found.goal),
    h("p", { className: "quiet wrap" }, line),
  );
}

function question(handoff) {
  const send = (text) => command("prompt", { text, in_reply_to: handoff.id }, "Answer sent.");
  const own = h("input", {
    type: "text",
    "aria-label": "Answer in your words",
    placeholder: "Answer in your words",
    maxLength: 2000,
  });
  return h(
    "section",
    { className: "card question", "aria-label": "Question" },
    pill("The robot asks", "warn"),
    h("h1", {}, handoff.question),
    about.actions &&
      handoff.choices.length > 0 &&
      h(
        "div",
        { className: "row" },
        handoff.choices.map((choice) => h("button", { type: "button", onclick: () => send(choice) }, choice)),
      ),
    about.actions
      ? h(
          "form",
          {
            className: "row",
            onsubmit: (event) => {
              event.preventDefault();
              if (own.value.trim()) send(own.value);
            },
          },
          own,
          h("button", { className: "primary" }, "Answer"),
        )
      : h("p", { className: "quiet" }, "This console only shows; answer with: openral mission answer"),
    handoff.tried.length > 0 &&
      h(
        "details",
        {},
        h("summary", {}, `Tried before asking (${handoff.tried.length})`),
        h(
          "ul",
          { className: "lines small" },
          handoff.tried.map((line) => h("li", {}, line)),
        ),
      ),
  );
}

function calls(found) {
  if (!found?.calls?.length) return empty("No tool call yet.");
  return h(
    "ol",
    { className: "calls", reversed: true },
    [...found.calls]
      .reverse()
      .map((call) =>
        h(
          "li",
          {},
          h("span", { className: "number" }, String(call.index)),
          h(
            "div",
            { className: "row" },
            h("span", { className: "tool" }, call.tool),
            h("span", { className: "ask wrap" }, asked(call.arguments)),
          ),
          h("span", { className: "took" }, call.status === "pending" ? "…" : seconds(call.duration)),
          h(
            "p",
            { className: "why" },
            pill(call.status, tone(call.status)),
            " ",
            h("span", { className: "quiet" }, call.message),
          ),
        ),
      ),
  );
}

const MAIN = ["query", "reference", "question", "rskill", "rskill_id"];

// The arguments of a call in words: their values, with the names of all but the first.
export function asked(text) {
  try {
    const rank = ([name]) => (MAIN.includes(name) ? 0 : 1);
    const given = Object.entries(JSON.parse(text))
      .sort((a, b) => rank(a) - rank(b))
      .filter(([, value]) => value !== null && value !== "" && !(Array.isArray(value) && !value.length));
    return given
      .map(
        ([name, value], place) =>
          (place ? `${name} ` : "") + (typeof value === "object" ? JSON.stringify(value) : String(value)),
      )
      .join(", ");
  } catch {
    return text;
  }
}

const UNITS = { seconds: " s", dollars: " $" };
function budget(lines) {
  const limited = lines.filter((line) => line.limit > 0);
  const unused = limited.filter((line) => !line.used);
  return h(
    "div",
    { className: "bars" },
    limited.filter((line) => line.used).map(bar),
    unused.length > 0 &&
      h(
        "details",
        { className: "small" },
        h("summary", {}, `Unused (${unused.length})`),
        h("div", { className: "bars" }, unused.map(bar)),
      ),
  );
}

function bar(line) {
  const unit = UNITS[line.name] ?? "";
  const name = line.name.replaceAll("_", " ");
  return h(
    "div",
    { className: "bar" },
    h("span", {}, name),
    h("span", { className: "quiet" }, `${round(line.used)} of ${round(line.limit)}${unit}`),
    h("progress", {
      max: line.limit,
      value: Math.min(line.used, line.limit),
      className: line.used >= line.limit ? "full" : "",
      "aria-label": `${name} used`,
    }),
  );
}

const round = (value) =>
  Number.isInteger(value) ? value : value >= 100 ? Math.round(value) : value.toFixed(1);

function evidence(found) {
  const parts = [];
  if (found?.evidence?.length)
    parts.push(
      card(
        "Evidence",
        h(
          "ul",
          { className: "lines small" },
          found.evidence.map((line) => h("li", {}, line)),
        ),
      ),
    );
  if (found?.searched?.length)
    parts.push(
      card(
        "Places looked at",
        h(
          "ol",
          { className: "lines small" },
          found.searched.map((line) => h("li", {}, line)),
        ),
      ),
    );
  return parts.length ? h("div", { className: "stack" }, parts) : null;
}

function conversation(prompts) {
  return h(
    "ul",
    { className: "lines small" },
    prompts
      .slice(-12)
      .reverse()
      .map(({ prompt, receipt }) =>
        h(
          "li",
          {},
          h("span", { className: "quiet" }, `${prompt.source}: `),
          prompt.text,
          receipt
            ? h(
                "span",
                { className: "quiet" },
                ` (${receipt.outcome}${receipt.message ? `: ${receipt.message}` : ""})`,
              )
            : null,
        ),
      ),
  );
}

function story(lines) {
  return h("pre", { tabIndex: 0 }, lines.join("\n"));
}

function model(palette) {
  if (palette.text) return h("pre", { tabIndex: 0 }, palette.text);
  return h(
    "div",
    {},
    h("details", {}, h("summary", {}, "System prompt"), h("pre", { tabIndex: 0 }, palette.system ?? "")),
    h(
      "details",
      {},
      h("summary", {}, `Tools (${palette.tools?.length ?? 0})`),
      (palette.tools ?? []).map((tool) =>
        h(
          "details",
          {},
          h("summary", { className: "mono" }, tool.name),
          h("p", { className: "small" }, tool.description),
          h("pre", { tabIndex: 0 }, JSON.stringify(tool.parameters, null, 1)),
        ),
      ),
    ),
    h(
      "details",
      {},
      h("summary", {}, "Palette"),
      h("pre", { tabIndex: 0 }, JSON.stringify(palette.palette, null, 1)),
    ),
  );
}
