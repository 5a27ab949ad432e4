// Shows a search at one of its events: the lists it had there follow from the events before.
"use strict";
// `suffix` tells the elements of several searches on one page apart; `more` returns further facts of a node.
function tracedSearch(data, suffix = "", more = () => []) {
  const element = (id) => document.getElementById(id + suffix);
  const HEAD = 8, LAYERS = suffix ? 8 : 12, ANCESTORS = 5, CHILDREN = 24;
  const { events } = data, end = events.length - 1;
  const type = (event) => data.types[event.t];
  const onPath = new Set(data.onPath);
  const expansions = events.flatMap((event, k) => (type(event) === "expand" ? [k] : []));
  const isBeam = data.family === "beam", isDeepening = data.family === "deepening";
  let state = null;

  // The state of the search after some events.
  function fresh() {
    const none = () => new Array(data.nodes.length).fill(undefined);
    return {
      done: 0, pushes: 0, expanded: 0, iterations: 0, bound: undefined, node: 0, status: none(), parent: none(), action: none(), g: none(), h: none(),
      f: none(), stamp: none(), number: none(), why: none(), children: data.nodes.map(() => []),
    };
  }

  function take(s, event) {
    const id = event.i, kind = type(event);
    const values = () => { for (const name of ["g", "h", "f"]) if (name in event) s[name][id] = event[name]; };
    const push = () => { s.status[id] = "open"; s.stamp[id] = ++s.pushes; };
    s.node = id;
    if (kind === "source" && isDeepening) {
      s.status.fill(undefined);
      s.iterations++;
      s.bound = event.d;
    }
    if (kind === "source" || kind === "generate") {
      values();
      s.parent[id] = event.p;
      s.action[id] = event.a;
      if (event.p !== undefined) s.children[event.p].push(id);
      if (event.w) { s.status[id] = "dropped"; s.why[id] = event.w; } else push();
    } else if (kind === "update") {
      values();
      const before = s.children[s.parent[id]];
      before.splice(before.indexOf(id), 1);
      s.children[event.p].push(id);
      s.parent[id] = event.p;
      s.status[event.b] = "dropped";
      s.why[event.b] = "shorter path";
      push();
    } else if (kind === "expand") {
      values();
      s.status[id] = "closed";
      s.number[id] = event.n;
      s.expanded = event.n;
    } else if (kind === "close" && event.w) {
      s.status[id] = "dropped";
      s.why[id] = event.w;
    } else if (kind === "goal") {
      s.status[id] = "closed";
    } else if (kind === "skip") {
      s.node = event.o;
    }
    s.done++;
  }

  function reach(number) {
    if (!state || state.done > number + 1) state = fresh();
    while (state.done <= number) take(state, events[state.done]);
  }

  function chainTo(id) {
    const chain = [];
    for (; id !== undefined; id = state.parent[id]) chain.push(id);
    return chain;
  }

  function openInOrder() {
    const open = [];
    state.status.forEach((status, id) => { if (status === "open") open.push(id); });
    const { f, h, stamp } = state;
    if (data.container === "fifo" || isBeam) return open.sort((a, b) => stamp[a] - stamp[b]);
    if (data.container === "lifo" || isDeepening) return open.sort((a, b) => stamp[b] - stamp[a]);
    const sign = { "low-h": 1, "high-h": -1 }[data.ties] ?? 0;
    const tie = (id) => sign * (h[id] ?? 0);
    return open.sort((a, b) => (f[a] ?? Infinity) - (f[b] ?? Infinity) || tie(a) - tie(b) || (data.order === "oldest" ? stamp[a] - stamp[b] : stamp[b] - stamp[a]));
  }

  // Pieces of the page.
  const text = (value) => (value === undefined ? "–" : typeof value === "number" ? value.toLocaleString("en", { maximumFractionDigits: 4 }).replace("-", "\u2212") : value);
  function make(name, content, attributes = {}) {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    node.append(...[content].flat());
    return node;
  }
  function board(id) {
    if (data.pictures) {
      const picture = pictureBoard(data.image);
      picture.draw(data.pictures[data.pictureOf[id]], data.labels?.[id]);
      return picture.frame;
    }
    const tiles = tileBoard(data);
    tiles.draw(data.nodes[id]);
    return tiles.frame;
  }
  const name = (id) => `node ${text(id)}`;
  const action = (event) => data.names[event.a];

  function figures(event) {
    return ["f", "g", "h"].filter((key) => key in event).map((key) => `${key} ${text(event[key])}`).join(", ");
  }

  // What happened, as a sentence, and why.
  function tell(event) {
    const kind = type(event);
    if (kind === "source" && isDeepening) return ["iteration", `number ${text(state.iterations)} begins at the start, ${name(event.i)}: ${event.w ? "h is infinite, a dead end" : `nodes with f of ${text(event.d)} at most are entered`}.`];
    if (kind === "source") return ["start", `${name(event.i)} is put on the open list: ${figures(event)}.`];
    if (kind === "expand") return ["expand", `${name(event.i)} ${isDeepening ? "is entered" : isBeam ? "is the next of its layer" : "is taken from the open list"}, number ${text(event.n)} to be expanded: ${figures(event)}. ${order()}`];
    if (kind === "skip") return ["skip", `${action(event)} leads from ${name(event.o)} straight back to its parent, ${name(event.i)}: left out and not counted.`];
    if (kind === "goal") {
      const how = isDeepening ? "is entered" : isBeam ? "was generated first in its layer" : "has come out of the open list first";
      return ["goal", `${name(event.i)} is a goal and ${how}: the search is over, at a cost of ${text(event.g)}.`];
    }
    if (kind === "limit") return ["limit", "the limit of events is reached: the search went on without being traced."];
    if (kind === "update") {
      const what = event.r ? "was closed and is opened again" : "is given the shorter path";
      return ["update", `${name(event.i)} ${what}: by ${name(event.p)} it is reached with g ${text(event.g)}.`];
    }
    if (kind === "close") {
      if (event.w === "beyond the width") return ["drop", `${name(event.i)}, with f ${text(state.f[event.i])}, is not among the best of its layer that are kept: dropped.`];
      if (event.w) return ["drop", `${name(event.i)} is a duplicate of ${name(event.k)}, which was reached with g ${text(state.g[event.k])}, no more than ${text(event.g)}: dropped.`];
      return ["close", `all successors of ${name(event.i)} have been generated.`];
    }
    const from = `${action(event)} leads from ${name(event.p)} to ${name(event.i)}`;
    if (event.w === "duplicate") return ["generate", `${from}: a duplicate of ${name(event.k)}, which is known with g ${text(state.g[event.k])}, no more than ${text(event.g)}: not kept.`];
    if (event.w === "shorter path") return ["generate", `${from}: the state of ${name(event.k)}, on a shorter path (g ${text(event.g)}).`];
    if (event.w === "beyond the bound") return ["generate", `${from}: ${figures(event)}, beyond the bound of ${text(state.bound)}: not entered in this iteration.`];
    if (event.w === "dead end") return ["generate", `${from}: h is infinite, a dead end: not kept.`];
    if (event.w) return ["generate", `${from}: ${event.w}: not kept.`];
    const where = isDeepening ? "is entered next" : isBeam ? "is a candidate for the next layer" : "is put on the open list";
    return ["generate", `${from}, which ${where}: ${figures(event)}.`];
  }

  function order() {
    if (isDeepening) return `Its f is not beyond the bound of ${text(state.bound)}.`;
    if (isBeam) return "A layer is gone through in the order in which its nodes were generated.";
    if (data.container === "fifo") return "The oldest comes first.";
    if (data.container === "lifo") return "The newest comes first.";
    const ties = { "low-h": " the smaller h, then", "high-h": " the larger h, then" }[data.ties] ?? "";
    return `The smallest f comes first; of equal ones${ties} ${data.order === "random" ? "a random one" : `the ${data.order}`}.`;
  }

  function statusOf(id, next) {
    if (id === next) return "next";
    return state.status[id] ?? "unseen";
  }

  function card(id, next) {
    const status = statusOf(id, next);
    const says = status === "dropped" ? state.why[id] : status;
    const lines = [make("div", [`${text(id)} `, make("span", says, { class: `mark ${status}` }), ...(onPath.has(id) && status !== "dropped" ? [" ", make("span", "★", { class: "mark path", title: "on the solution" })] : [])])];
    lines.push(make("div", state.action[id] === undefined ? "start" : data.names[state.action[id]]));
    lines.push(make("div", ["f", "g", "h"].filter((key) => state[key][id] !== undefined).map((key) => `${key} ${text(state[key][id])}`).join(", ")));
    const button = make("button", [board(id), ...lines], { type: "button", "data-node": id });
    if (id === shown) button.setAttribute("aria-current", "true");
    return button;
  }

  function rows(table, cells, current) {
    table.tBodies[0].replaceChildren(...cells.map((row) => {
      const line = make("tr", row.map((cell) => make("td", text(cell))));
      if (current !== undefined && row[0] === current) line.className = "current";
      return line;
    }));
  }

  function showLayers() {
    const key = state.f.some((value) => value !== undefined) ? "f" : "g";
    const counts = new Map();
    state.status.forEach((status, id) => {
      const isAhead = isDeepening ? state.why[id] === "beyond the bound" : status === "open";
      if (status === undefined || (!isAhead && status !== "closed")) return;
      const value = state[key][id];
      const layer = counts.get(value) ?? [0, 0];
      layer[isAhead ? 0 : 1]++;
      counts.set(value, layer);
    });
    const sorted = [...counts].sort((a, b) => a[0] - b[0]);
    const current = sorted.findIndex(([value]) => value === state[key][shown]);
    const first = Math.max(0, Math.min(sorted.length - LAYERS, current - LAYERS / 2));
    element("layer-open").textContent = isDeepening ? "beyond" : "open";
    element("layer-of").textContent = element("layer-head").textContent = key;
    rows(element("layers"), sorted.slice(first, first + LAYERS).map(([value, [open, closed]]) => [value, open, closed]), state[key][shown]);
  }

  function showTree(next) {
    const chain = chainTo(shown).slice(0, ANCESTORS).reverse();
    const line = chain.flatMap((id, k) => (k ? [make("span", "→", { class: "to" }), card(id, next)] : [card(id, next)]));
    if (state.parent[chain[0]] !== undefined) line.unshift(make("span", "… →", { class: "to" }));
    element("ancestors").replaceChildren(...line);
    const own = state.children[shown], parent = state.parent[shown];
    const family = own.length || parent === undefined ? own : state.children[parent];
    const label = make("span", own.length ? "successors:" : "siblings:", { class: "to" });
    element("children").replaceChildren(...(family.length ? [label] : []), ...family.slice(-CHILDREN).map((id) => card(id, next)));
  }

  let shown = 0;

  // Shows the search after event `number`; `told` is the event that is told, of whose node everything is shown.
  function show(number, told = number) {
    reach(number);
    const event = events[told], open = openInOrder(), next = open[0];
    const id = shown = told === number ? state.node : event.i;
    const [kind, sentence] = tell(event);
    element("status").replaceChildren(`event ${text(told)} of ${text(end)}: `, make("b", kind), make("br", ""), sentence);
    element("node-title").textContent = name(id);
    element("board").replaceChildren(board(id));
    const facts = [
      ["parent", text(state.parent[id])], ["move", state.action[id] === undefined ? "–" : data.names[state.action[id]]],
      ...["f", "g", "h"].map((key) => [key, text(state[key][id])]),
      ["expanded", state.number[id] === undefined ? "not yet" : `as number ${text(state.number[id])}`],
      ["state", statusOf(id, next) === "dropped" ? `not kept: ${state.why[id]}` : statusOf(id, next)],
      ...more(id),
    ];
    element("node").replaceChildren(...facts.flatMap(([key, value]) => [make("dt", key), make("dd", value)]));
    element("open-name").textContent = isDeepening ? "Path, the deepest first" : isBeam ? "This layer and the next" : "Head of the open list";
    const size = isDeepening ? `iteration ${text(state.iterations)}, bound ${text(state.bound)}` : `${text(open.length)} open`;
    element("open-size").textContent = `${size}, ${text(state.expanded)} expanded`;
    const head = isDeepening ? chainTo(id) : open;
    rows(element("open"), head.slice(0, HEAD).map((each) => [each, state.f[each], state.g[each], state.h[each]]), id);
    showLayers();
    showTree(next);
  }

  const generation = (id) => events.findIndex((each) => each.i === id && (type(each) === "generate" || type(each) === "source"));
  const expanded = () => state.expanded;
  return { events, end, expansions, onPath, type, text, show, expanded, generation };
}
