// The analysis of a game: the values of the moves at a board, the moves that lose the threshold or more, and, where the
// player gave no values, the moves that it would not have made.
"use strict";
function gameAnalysis({ data, goTo, marked }) {
  const element = (id) => document.getElementById(id);
  const LISTED = 500, MARKED = 200;
  const { positions, has_values: hasValues } = data.analysis;
  const isOther = (move) => { const [lost, count, first] = positions[move]; return lost === null && count > 0 && first !== data.moves[move]; };
  const loss = (move) => { const value = positions[move][0]; return typeof value === "string" ? Infinity : value ?? 0; };
  const { decimals } = data.analysis;
  const whole = (value) => value.toLocaleString("en");
  const text = (value) => (typeof value === "number" ? value.toLocaleString("en", { minimumFractionDigits: decimals, maximumFractionDigits: decimals }) : value ?? "–");
  const chart = hasValues && element("value-" + (data.curves.length - 1))?.closest("figure").querySelector(".plot");
  let threshold = data.analysis.threshold, mistakes = new Set(), shown = 0;

  function make(name, content, attributes = {}) {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    node.append(...[content].flat());
    return node;
  }

  // The moves from a board with their values; `played` is the index of the name of the move that was made.
  function showValues(move) {
    const body = element("values").tBodies[0], rows = [];
    const [, count, ...values] = positions[move] ?? [null, 0];
    const played = data.moves[move];
    for (let k = 0; k < values.length; k += 2) {
      const [action, value] = [values[k], values[k + 1]];
      const isPlayed = action === played;
      const lost = isPlayed ? (positions[move][0] === null ? null : loss(move)) : typeof value === "number" && typeof values[1] === "number" ? values[1] - value : undefined;
      const tags = [];
      if (k === 0) tags.push(make("span", value === null ? "chosen" : "best", { class: "tag best" }), " ");
      if (isPlayed) tags.push(make("span", mistakes.has(move) ? "played ?" : "played", { class: mistakes.has(move) ? "tag mistake" : "tag" }));
      rows.push(make("tr", [
        make("td", data.names[action], { class: "name" }),
        ...(hasValues ? [make("td", text(value)), make("td", lost === Infinity ? "∞" : text(lost))] : []),
        make("td", tags, { class: "name" }),
      ], isPlayed ? { class: "played" } : {}));
    }
    body.replaceChildren(...rows);
    const left = count - rows.length;
    element("unlisted").textContent = rows.length ? (left > 0 ? `and ${whole(left)} more that are worth no more` : "") : "the game is over";
  }

  function best(move) {
    return data.names[positions[move][2]] ?? "–";
  }

  function jump(move, content, attributes) {
    const button = make("button", content, { type: "button", ...attributes });
    button.addEventListener("pointerdown", (event) => event.stopPropagation());
    button.addEventListener("click", () => goTo(move));
    return button;
  }

  function showLosses() {
    const worst = positions.flatMap((_, move) => (loss(move) > 0 && loss(move) >= threshold ? [move] : []));
    worst.sort((a, b) => loss(b) - loss(a) || a - b);
    const others = positions.flatMap((_, move) => (isOther(move) ? [move] : []));
    const listed = [...worst, ...others];
    mistakes = new Set(listed);
    element("losses").tBodies[0].replaceChildren(...listed.slice(0, LISTED).map((move) => make("tr", [
      make("td", jump(move, whole(move + 1), { "aria-label": `to move ${move + 1}` })),
      make("td", data.names[data.moves[move]], { class: "name" }), make("td", best(move), { class: "name" }),
      ...(hasValues ? [make("td", text(positions[move][0]))] : []),
    ], { "data-of": move })));
    const without = hasValues && others.length ? `; ${whole(others.length)} other ${others.length === 1 ? "move" : "moves"} without values` : "";
    const more = listed.length > LISTED ? `; the first ${LISTED} are listed` : "";
    const counted = hasValues ? `${whole(worst.length)} by the values of ${data.analysis.player}${without}` : data.analysis.headline;
    element("losses-count").textContent = counted + more;
    if (!chart) return;
    chart.querySelectorAll(".loss").forEach((mark) => mark.remove());
    const height = heights();
    chart.append(...worst.slice(0, MARKED).map((move) => {
      const mark = jump(move, "", { class: "loss", title: `move ${move + 1}: ${data.names[data.moves[move]]}, loss ${text(positions[move][0])}`, tabindex: "-1" });
      mark.style.left = `${100 * move / data.moves.length}%`;
      mark.style.top = `${height(data.curves.at(-1).values[move])}%`;
      return mark;
    }));
  }

  // Where a value is in the graph, by two of its lines.
  function heights() {
    const { low, high } = data.analysis;
    return (value) => (value === null || high === low ? 100 : 100 * (high - Math.min(high, Math.max(low, value))) / (high - low));
  }

  function show(at) {
    shown = at;
    showValues(at);
    element("losses").querySelector(".current")?.classList.remove("current");
    element("losses").querySelector(`[data-of="${at}"]`)?.classList.add("current");
  }

  function next(at, by) {
    for (let move = at + by; move >= 0 && move < positions.length; move += by) if (mistakes.has(move)) return move;
    return at;
  }

  element("threshold")?.addEventListener("input", (event) => {
    const given = Number(event.target.value);
    if (event.target.value === "" || !(given >= 0)) return;
    threshold = given;
    showLosses();
    show(shown);
    marked();
  });
  showLosses();
  return { show, next, isMistake: (move) => mistakes.has(move) };
}
