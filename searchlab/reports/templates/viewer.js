// Shows a recording: everything that depends on the game is in its data, here it is only moved.
(function () {
  "use strict";
  const data = JSON.parse(document.getElementById("recording").textContent);
  const element = (id) => document.getElementById(id);
  const end = data.moves.length;
  const SVG = "http://www.w3.org/2000/svg";
  const CELL = 100, LONGEST_SLIDE = 260, SHORTEST_SLIDE = 50, SLIDE_ENDS = 0.6, LISTED = 300;
  const SPEEDS = [0.5, 1, 2, 4, 8, 16, 64, 256];
  const reduced = matchMedia("(prefers-reduced-motion: reduce)");
  let at = 0, slide = null, shownMoves = [0, 0];

  function svg(name, attributes, parent) {
    const node = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    if (parent) parent.append(node);
    return node;
  }

  // The board: slots that stay, and a layer of tiles that is made anew for each board and each transition.
  const isDrawn = !data.pictures;
  let layer, frame;
  if (isDrawn) {
    frame = svg("svg", { class: "board", viewBox: `0 0 ${data.width} ${data.height}`, role: "img" });
    svg("rect", { class: "tray", width: data.width, height: data.height, rx: 14 }, frame);
    for (const [x, y] of data.places) svg("rect", { class: "slot", x, y, width: CELL, height: CELL, rx: 8 }, frame);
    layer = svg("g", {}, frame);
  } else {
    frame = document.createElement("pre");
    frame.className = "board";
  }
  element("board").append(frame);

  function tile(face, cell) {
    const [text, fill, ink, size] = data.faces[face];
    const group = svg("g", {}, layer);
    svg("rect", { x: -CELL / 2, y: -CELL / 2, width: CELL, height: CELL, rx: 8, fill }, group);
    svg("text", { dy: ".35em", "font-size": size, fill: ink }, group).textContent = text;
    place(group, cell, cell, 0, 1);
    return group;
  }

  function place(group, from, to, part, scale) {
    const [x0, y0] = data.places[from], [x1, y1] = data.places[to];
    const x = x0 + (x1 - x0) * part + CELL / 2, y = y0 + (y1 - y0) * part + CELL / 2;
    group.setAttribute("transform", `translate(${x.toFixed(2)} ${y.toFixed(2)}) scale(${scale.toFixed(3)})`);
  }

  function drawBoard(number) {
    element("board").ariaBusy = "false";
    if (!isDrawn) {
      frame.textContent = data.pictures[number];
      return;
    }
    layer.replaceChildren();
    const board = data.boards[number];
    board.forEach((face, cell) => { if (face) tile(face, cell); });
    const tiles = board.map((face) => data.faces[face][0] || "blank").join(" ");
    frame.setAttribute("aria-label", `board after ${number} moves: ${tiles}`);
  }

  // What happens to each tile between board `number` and the next: it slides, has gone, has come, or was merged.
  function transition(number) {
    const before = data.boards[number], after = data.boards[number + 1], motions = data.motions[number];
    const target = before.map((_, cell) => cell), came = after.map(() => []);
    for (let i = 0; motions && i < motions.length; i += 2) target[motions[i]] = motions[i + 1];
    before.forEach((face, cell) => { if (face && target[cell] >= 0) came[target[cell]].push(cell); });
    const sprites = [];
    layer.replaceChildren();
    const add = (face, from, to, kind) => sprites.push({ group: tile(face, from), from, to, kind });
    before.forEach((face, cell) => {
      if (!face) return;
      const to = target[cell];
      const isLost = to < 0 || (came[to].length === 1 && after[to] !== face);
      add(face, cell, isLost ? cell : to, isLost ? "goes" : came[to].length > 1 ? "merges" : "slides");
    });
    after.forEach((face, cell) => {
      if (!face) return;
      if (came[cell].length > 1) add(face, cell, cell, "merged");
      else if (!came[cell].length || before[came[cell][0]] !== face) add(face, cell, cell, "comes");
    });
    return sprites;
  }

  function drawTransition(sprites, time) {
    const part = Math.min(1, time / SLIDE_ENDS), eased = 1 - (1 - part) * (1 - part);
    const later = Math.max(0, (time - SLIDE_ENDS) / (1 - SLIDE_ENDS));
    for (const { group, from, to, kind } of sprites) {
      if (kind === "slides" || kind === "merges") place(group, from, to, eased, 1);
      if (kind === "merges") group.setAttribute("opacity", part < 1 ? 1 : 0);
      if (kind === "goes") group.setAttribute("opacity", (1 - part).toFixed(2));
      if (kind === "comes") place(group, to, to, 0, later);
      if (kind === "merged") {
        group.setAttribute("opacity", part < 1 ? 0 : 1);
        place(group, to, to, 0, 1 + 0.14 * Math.sin(Math.PI * later));
      }
    }
  }

  // Steps: `at` is the board that is shown, or slid to.
  function show(number) {
    slide = null;
    at = Math.max(0, Math.min(end, number));
    drawBoard(at);
    tellPosition();
  }

  function step(by) {
    if (slide) show(at);
    const to = at + by;
    if (to < 0 || to > end) return;
    const duration = Math.min(LONGEST_SLIDE, player.isPlaying() ? 850 / player.speed() : LONGEST_SLIDE);
    if (!isDrawn || reduced.matches || duration < SHORTEST_SLIDE) {
      show(to);
      return;
    }
    slide = { sprites: transition(Math.min(at, to)), isBack: by < 0, began: performance.now(), duration };
    at = to;
    element("board").ariaBusy = "true";
    drawTransition(slide.sprites, slide.isBack ? 1 : 0);
    tellPosition();
    requestAnimationFrame(animate);
  }

  function animate(now) {
    if (!slide) return;
    const time = Math.min(1, Math.max(0, now - slide.began) / slide.duration);
    if (time >= 1) {
      slide = null;
      drawBoard(at);
      return;
    }
    drawTransition(slide.sprites, slide.isBack ? 1 - time : time);
    requestAnimationFrame(animate);
  }

  // What stands around the board.
  function tellPosition() {
    const status = element("status");
    const bold = document.createElement("b");
    bold.textContent = at ? data.names[data.moves[at - 1]] : "start";
    status.replaceChildren(`${at.toLocaleString("en")} of ${end.toLocaleString("en")}: `, bold);
    data.curves.forEach((curve, number) => {
      const value = curve.values[at], output = element(`value-${number}`);
      if (output) output.textContent = value === null ? "–" : value.toLocaleString("en", { maximumFractionDigits: 6 });
    });
    tellMove();
    player.update(at);
  }

  // The list of moves: of very many, those around the current one.
  function tellMove() {
    const list = element("moves");
    if (at < shownMoves[0] || at >= shownMoves[1]) {
      const first = end < 2 * LISTED ? 0 : Math.max(0, at - LISTED / 2);
      shownMoves = [first, end < 2 * LISTED ? end + 1 : Math.min(end + 1, first + LISTED)];
      list.replaceChildren();
      for (let number = shownMoves[0]; number < shownMoves[1]; number++) {
        const item = document.createElement("li"), button = document.createElement("button");
        button.type = "button";
        button.dataset.move = String(number);
        const count = document.createElement("small");
        count.textContent = number ? `${number} ` : "";
        button.append(count, number ? data.names[data.moves[number - 1]] : "start");
        item.append(button);
        list.append(item);
      }
    }
    list.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const current = list.children[at - shownMoves[0]].firstChild;
    current.setAttribute("aria-current", "step");
    const top = current.parentNode.offsetTop - list.offsetTop;
    if (top < list.scrollTop || top > list.scrollTop + list.clientHeight - 40) list.scrollTop = top - list.clientHeight / 2;
  }

  const player = controls({
    end, speeds: SPEEDS, speed: 2, noun: "move", position: () => at, show, step,
    advance: (moves) => { if (moves === 1) step(1); else show(at + moves); },
    jumpTo: (part) => show(Math.round(end * part)),
  });
  element("moves").addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button) { player.play(false); show(Number(button.dataset.move)); }
  });
  show(Number(location.hash.slice(1)) || 0);
})();
