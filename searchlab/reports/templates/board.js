// Draws boards, as pictures or as tiles.
// Pictures are lines of text, or SVG: an image from an address runs no scripts and loads nothing.
"use strict";
function pictureBoard(image) {
  const frame = document.createElement(image ? "img" : "pre");
  frame.className = "board";
  // Draws a picture; `says` is what is read out of an image.
  function draw(picture, says = "") {
    if (!image) { frame.textContent = picture; return; }
    frame.src = `data:image/svg+xml,${encodeURIComponent(image[0] + picture + image[1])}`;
    frame.alt = says;
  }
  return { frame, draw };
}

// Draws boards as tiles, and what happens to each tile in a move; which tile goes where is said by the data.
function tileBoard({ width, height, places, faces }) {
  const SVG = "http://www.w3.org/2000/svg", CELL = 100, SLIDE_ENDS = 0.6;

  function svg(name, attributes, parent) {
    const node = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    if (parent) parent.append(node);
    return node;
  }

  // Slots that stay, and a layer of tiles that is made anew for each board and each transition.
  const frame = svg("svg", { class: "board", viewBox: `0 0 ${width} ${height}`, role: "img" });
  svg("rect", { class: "tray", width, height, rx: 14 }, frame);
  for (const [x, y] of places) svg("rect", { class: "slot", x, y, width: CELL, height: CELL, rx: 8 }, frame);
  const layer = svg("g", {}, frame);

  function tile(face, cell) {
    const [text, fill, ink, size] = faces[face];
    const group = svg("g", {}, layer);
    svg("rect", { x: -CELL / 2, y: -CELL / 2, width: CELL, height: CELL, rx: 8, fill }, group);
    svg("text", { dy: ".35em", "font-size": size, fill: ink }, group).textContent = text;
    place(group, cell, cell, 0, 1);
    return group;
  }

  function place(group, from, to, part, scale) {
    const [x0, y0] = places[from], [x1, y1] = places[to];
    const x = x0 + (x1 - x0) * part + CELL / 2, y = y0 + (y1 - y0) * part + CELL / 2;
    group.setAttribute("transform", `translate(${x.toFixed(2)} ${y.toFixed(2)}) scale(${scale.toFixed(3)})`);
  }

  // Draws a board, the index of a face for each place; `says` comes first in what is read out.
  function draw(board, says = "") {
    layer.replaceChildren();
    board.forEach((face, cell) => { if (face) tile(face, cell); });
    frame.setAttribute("aria-label", says + board.map((face) => faces[face][0] || "blank").join(" "));
  }

  // Returns what happens to each tile between two boards: it slides, has gone, has come, or was merged.
  // `motions` are the numbers of source and target in turn, -1 for nowhere.
  function transition(before, after, motions) {
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

  // Draws a transition at a time from 0 to 1.
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

  return { frame, draw, transition, drawTransition };
}
