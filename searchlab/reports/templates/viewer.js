// Shows a recording: everything that depends on the game is in its data, here it is only moved.
// `settings` are further arguments of `controls`; what is returned has a `remove`, for another to be shown.
"use strict";
function viewer(data, settings = {}) {
  const element = (id) => document.getElementById(id);
  const end = data.moves.length;
  const LONGEST_SLIDE = 260, SHORTEST_SLIDE = 50, LISTED = 300;
  const SPEEDS = [0.5, 1, 2, 4, 8, 16, 64, 256];
  const reduced = matchMedia("(prefers-reduced-motion: reduce)");
  let at = 0, slide = null, shownMoves = [0, 0];

  const tiles = data.pictures ? null : tileBoard(data);
  const pictures = tiles ? null : pictureBoard(data.image);
  const { frame } = tiles ?? pictures;
  element("board").append(frame);

  function drawBoard(number) {
    element("board").ariaBusy = "false";
    if (tiles) tiles.draw(data.boards[number], `board after ${number} moves: `);
    else pictures.draw(data.pictures[number], `after ${number} moves: ${data.labels?.[number]}`);
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
    if (!tiles || reduced.matches || duration < SHORTEST_SLIDE) {
      show(to);
      return;
    }
    const earlier = Math.min(at, to);
    const sprites = tiles.transition(data.boards[earlier], data.boards[earlier + 1], data.motions[earlier]);
    slide = { sprites, isBack: by < 0, began: performance.now(), duration };
    at = to;
    element("board").ariaBusy = "true";
    tiles.drawTransition(slide.sprites, slide.isBack ? 1 : 0);
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
    tiles.drawTransition(slide.sprites, slide.isBack ? 1 - time : time);
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
    analysis?.show(at);
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
        const isMistake = number > 0 && analysis?.isMistake(number - 1);
        button.classList.toggle("mistake", Boolean(isMistake));
        button.append(count, number ? data.names[data.moves[number - 1]] + (isMistake ? " ?" : "") : "start");
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

  const goTo = (number) => { player.play(false); show(number); };
  const analysis = data.analysis && gameAnalysis({ data, goTo, marked: () => { shownMoves = [0, 0]; tellMove(); } });
  const player = controls({
    end, speeds: SPEEDS, speed: 2, noun: "move", position: () => at, show, step,
    advance: (moves) => { if (moves === 1) step(1); else show(at + moves); },
    jumpTo: (part) => show(Math.round(end * part)),
    keys: analysis ? { n: () => show(analysis.next(at, 1)), p: () => show(analysis.next(at, -1)) } : {},
    ...settings,
  });
  element("moves").addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button) goTo(Number(button.dataset.move));
  });
  show((settings.address ?? wholeAddress).get());
  return player;
}
