// A game that the program plays: this draws the states that it sends, and sends it what is pressed, clicked and swiped.
(function () {
  "use strict";
  const element = (id) => document.getElementById(id);
  const LONGEST_SLIDE = 170, SHORTEST_SLIDE = 50, SHORTEST_SWIPE = 24, MOST_WAITING = 50, TRIES = 4;
  const DELAYS = [2, 1, 0.5, 0.2, 0.1, 0.05, 0];
  const LETTERS = { w: "up", a: "left", s: "down", d: "right" };
  const ARROWS = { ArrowUp: "up", ArrowLeft: "left", ArrowDown: "down", ArrowRight: "right" };
  const SIGNS = { up: "↑", left: "←", down: "↓", right: "→" };
  const reduced = matchMedia("(prefers-reduced-motion: reduce)");
  const field = element("board"), moves = element("moves");
  let state = null, tiles = null, pictures = null, faces = [], shape = "", slide = null, shown = -1;
  let thinkingSince = null, digits = "", failures = 0, isOver = false, goalAt = -1;
  let chosenHints = null; // what was chosen here, until the program says the same: a state on its way may be older

  // What is sent: one command after the other, and of a key that is held down no more than the program keeps up with.
  let waiting = 0, sent = Promise.resolve();
  function send(command, isRepeated = false) {
    if (isOver || waiting >= (isRepeated ? 1 : MOST_WAITING)) return;
    waiting++;
    sent = sent.then(() => post(command)).finally(() => { waiting--; });
  }

  async function post(command) {
    const late = setTimeout(() => say(["The program has not answered for 5 seconds: it is busy, or was stopped."]), 5000);
    try {
      await fetch("command", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(command) });
    } catch { /* the stream of states notices it, too */ } finally {
      clearTimeout(late);
    }
  }

  // The board.
  function drawBoard() {
    slide = null;
    field.ariaBusy = "false";
    const { board } = state;
    tiles.draw(board.boards[board.back ? 0 : board.boards.length - 1], `board after ${state.made}: `);
  }

  function showBoard() {
    const { board } = state, step = state.position - shown, isSame = step === 0;
    shown = state.position;
    if (board.picture !== undefined) {
      pictures ??= pictureBoard(board.image);
      if (!field.firstElementChild) field.append(pictures.frame);
      pictures.draw(board.picture, board.label);
      field.ariaBusy = "false";
      return;
    }
    if (isSame) return;
    const itsShape = JSON.stringify(board.places);
    if (itsShape !== shape) {
      shape = itsShape;
      tiles = tileBoard({ ...board, faces });
      field.replaceChildren(tiles.frame);
    }
    faces.splice(0, faces.length, ...board.faces);
    const duration = Math.min(LONGEST_SLIDE, state.watching ? 850 * state.delay : LONGEST_SLIDE);
    if (step !== 1 || board.boards.length < 2 || reduced.matches || duration < SHORTEST_SLIDE) {
      drawBoard();
      return;
    }
    const sprites = tiles.transition(board.boards[0], board.boards[1], board.motions[0]);
    const isRunning = slide !== null;
    slide = { sprites, isBack: board.back, began: performance.now(), duration };
    field.ariaBusy = "true";
    tiles.drawTransition(sprites, board.back ? 1 : 0);
    if (!isRunning) requestAnimationFrame(animate);
  }

  function animate(now) {
    if (!slide) return;
    const time = Math.min(1, Math.max(0, now - slide.began) / slide.duration);
    if (time >= 1) {
      drawBoard();
      return;
    }
    tiles.drawTransition(slide.sprites, slide.isBack ? 1 - time : time);
    requestAnimationFrame(animate);
  }

  // What stands around it.
  function show(next) {
    if (next.ended) {
      sayEnd(`The game has ended: ${next.ended}.`);
      return;
    }
    const before = state;
    state = next;
    showBoard();
    showScores(before);
    thinkingSince = state.thinking === null ? null : performance.now() - 1000 * state.thinking;
    showStatus();
    showMoves();
    element("window").ariaBusy = "false";
    element("undo").disabled = !state.undo;
    element("hint").disabled = state.over;
    if (state.hints === chosenHints) chosenHints = null;
    element("hints").checked = chosenHints ?? state.hints;
    element("player").textContent = state.player;
    element("watch").textContent = state.watching ? "stop it" : "let it play";
    element("takeover").hidden = !state.watching;
    if (state.goal && !before?.goal) goalAt = state.position;
    element("veil").hidden = !state.over && !(state.goal && goalAt === state.position);
    element("verdict").textContent = state.goal ? "Goal reached" : "Game over";
    element("back").hidden = !state.undo;
    field.parentNode.classList.toggle("clicks", state.clicks);
    showSpeed();
    showAbout();
    const others = state.windows - 1;
    say(others > 0 ? ["", `This game is open in ${others === 1 ? "another window" : `${others} other windows`}, too: all show the same.`] : null);
  }

  function showScores(before) {
    element("score-box").hidden = element("best-box").hidden = state.score === null;
    element("score").textContent = state.score ?? "";
    element("best").textContent = state.best === "0" ? "–" : state.best;
    element("made").textContent = state.made;
    const earned = element("earned"), isNew = before && before.position !== state.position;
    if (!isNew) return;
    earned.textContent = state.earned;
    earned.classList.remove("new");
    if (state.earned) { void earned.offsetWidth; earned.classList.add("new"); }
    document.title = state.score === null ? document.querySelector("h1").textContent : `${state.score} · ${document.querySelector("h1").textContent}`;
  }

  function showStatus() {
    const status = element("status");
    const thinking = thinkingSince === null ? 0 : Math.floor((performance.now() - thinkingSince) / 1000);
    const isSlow = thinkingSince !== null && (!state.watching || thinking > 0);
    const text = isSlow ? `${state.compiling ? `compiling ${state.compiling}` : "thinking"} … ${thinking} s${state.compiling && " (first time only)"}` : state.message || (state.watching ? `${state.player} plays${state.last && `: ${state.last}`}` : "your move");
    if (status.textContent !== text) status.textContent = text;
  }
  setInterval(() => { if (thinkingSince !== null) showStatus(); }, 250);

  // The legal moves as buttons: a cross where all are directions, else a list; after a hint with what each is worth.
  function showMoves() {
    const isCross = state.moves.every((move) => move.key in SIGNS);
    const wanted = isCross ? Object.keys(SIGNS).map((way) => state.moves.find((move) => move.key === way) || { action: way, label: way, key: way, none: true }) : state.moves;
    moves.classList.toggle("cross", isCross);
    while (moves.children.length > wanted.length) moves.lastChild.remove();
    while (moves.children.length < wanted.length) {
      const button = document.createElement("button");
      button.type = "button";
      button.append(document.createElement("b"), document.createElement("small"), document.createElement("i"));
      button.addEventListener("click", () => send({ command: "move", action: button.dataset.action }));
      moves.append(button);
    }
    wanted.forEach((move, number) => {
      const button = moves.children[number], [name, worth, bar] = button.children;
      button.dataset.action = move.action;
      button.dataset.key = String(move.key);
      button.disabled = Boolean(move.none) || state.over;
      button.classList.toggle("best", Boolean(move.best));
      name.textContent = move.key in SIGNS ? `${SIGNS[move.key]} ${move.label}` : `${move.key}  ${move.label}`;
      worth.textContent = move.worth ?? (move.best ? "best" : "");
      bar.style.width = move.share === undefined ? "0" : `${6 + 94 * move.share}%`;
      button.title = move.worth === undefined ? move.label : `${move.label}: ${move.worth}`;
    });
  }

  function showSpeed() {
    const select = element("speed");
    const delays = DELAYS.includes(state.delay) ? DELAYS : [...DELAYS, state.delay].sort((a, b) => b - a);
    if (select.options.length !== delays.length) {
      select.replaceChildren(...delays.map((delay) => {
        const option = document.createElement("option");
        option.value = String(delay);
        option.textContent = delay > 2 ? `1 in ${delay} s` : delay ? `${Number((1 / delay).toPrecision(3))} a second` : "fastest";
        return option;
      }));
    }
    select.value = String(state.delay);
  }

  function showAbout() {
    const list = element("about"), wanted = JSON.stringify(state.about);
    if (list.dataset.shown === wanted) return;
    list.dataset.shown = wanted;
    list.replaceChildren(...Object.entries(state.about).flatMap(([name, value]) => {
      const term = document.createElement("dt"), detail = document.createElement("dd");
      term.textContent = name;
      detail.textContent = value;
      return [term, detail];
    }));
  }

  // What is said above everything: other windows, a program that does not answer or has ended.
  function say(lines) {
    const notice = element("notice"), wanted = JSON.stringify(lines);
    if (notice.dataset.shown === wanted) return;
    notice.dataset.shown = wanted;
    notice.hidden = lines === null;
    if (lines === null) return;
    const [first, ...others] = lines, strong = document.createElement("strong");
    strong.textContent = first;
    notice.replaceChildren(...(first ? [strong] : []), ...others.flatMap((line) => [line, document.createElement("br")]).slice(0, -1));
  }

  function sayEnd(why) {
    isOver = true;
    source.close();
    document.body.classList.add("gone");
    element("veil").hidden = true;
    const about = state?.about ?? {}, lines = [why];
    if (about.record) lines.push(`Your games are in ${about.record}, every move.`, `Go on: ${about["goes on by"]}`);
    else lines.push("This page shows the last board.");
    thinkingSince = null;
    element("status").textContent = "";
    say(lines);
  }

  const source = new EventSource("events");
  source.addEventListener("message", (event) => { failures = 0; show(JSON.parse(event.data)); });
  source.addEventListener("error", () => {
    if (isOver) return;
    failures++;
    if (failures < TRIES && source.readyState !== EventSource.CLOSED) say(["The program does not answer; trying again …"]);
    else sayEnd("The game has ended: the program that played it is gone.");
  });

  // Keys.
  const watch = () => send({ command: "watch", on: !state.watching });
  const changeSpeed = (by) => {
    const select = element("speed"), to = Math.max(0, Math.min(select.options.length - 1, select.selectedIndex + by));
    send({ command: "speed", delay: Number(select.options[to].value) });
  };
  const actions = {
    u: () => send({ command: "undo" }), n: () => send({ command: "new" }), h: () => send({ command: "hint" }),
    " ": watch, "+": () => changeSpeed(1), "=": () => changeSpeed(1), "-": () => changeSpeed(-1),
  };

  // Digits choose moves that are no directions; one that may go on waits for the next or for Enter.
  function takeDigit(key) {
    const numbered = state.moves.filter((move) => !(move.key in SIGNS));
    const number = Number(key === "Enter" ? digits : digits + key);
    const isWhole = key === "Enter" || number === 0 || number * 10 > numbered.length;
    digits = isWhole ? "" : String(number);
    const move = isWhole && numbered.find((each) => each.key === number);
    if (move) send({ command: "move", action: move.action });
  }

  document.addEventListener("keydown", (event) => {
    if (!state || isOver || event.ctrlKey || event.altKey || event.metaKey || event.target.matches?.("select, input:not([type=checkbox])")) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const way = ARROWS[event.key] || LETTERS[key];
    const isPressed = (key === " " || key === "Enter") && event.target.matches?.("button, summary, input");
    if (isPressed) return;
    if (/^[0-9]$/.test(key) || (key === "Enter" && digits)) takeDigit(key);
    else if (way) send({ command: "move", action: way }, event.repeat);
    else if (actions[key]) { if (!event.repeat) actions[key](); }
    else return;
    if (!/^[0-9]$/.test(key)) digits = "";
    event.preventDefault();
  });

  // Swipes, and clicks on tiles.
  let pointer = null;
  field.parentNode.addEventListener("pointerdown", (event) => {
    if (event.isPrimary && !event.target.closest("button")) pointer = { x: event.clientX, y: event.clientY };
  });
  addEventListener("pointerup", (event) => {
    if (!pointer || !state || isOver) return;
    const dx = event.clientX - pointer.x, dy = event.clientY - pointer.y;
    const start = pointer;
    pointer = null;
    if (Math.max(Math.abs(dx), Math.abs(dy)) >= SHORTEST_SWIPE) {
      const way = Math.abs(dx) > Math.abs(dy) ? (dx < 0 ? "left" : "right") : (dy < 0 ? "up" : "down");
      send({ command: "swipe", way });
      return;
    }
    const cell = cellAt(start);
    if (state.clicks && cell >= 0) send({ command: "click", cell });
  });
  addEventListener("pointercancel", () => { pointer = null; });

  function cellAt({ x, y }) {
    const { board } = state;
    if (!board.places || !field.firstElementChild) return -1;
    const box = field.firstElementChild.getBoundingClientRect();
    const scale = Math.min(box.width / board.width, box.height / board.height);
    const across = (x - box.left - (box.width - board.width * scale) / 2) / scale;
    const down = (y - box.top - (box.height - board.height * scale) / 2) / scale;
    return board.places.findIndex(([left, top]) => across >= left && across < left + 100 && down >= top && down < top + 100);
  }

  // Buttons.
  for (const [id, action] of Object.entries({ undo: actions.u, back: actions.u, new: actions.n, again: actions.n, hint: actions.h, watch, end: () => send({ command: "end" }) })) {
    element(id).addEventListener("click", action);
  }
  element("hints").addEventListener("change", (event) => {
    chosenHints = event.target.checked;
    send({ command: "hints", on: chosenHints });
  });
  element("speed").addEventListener("change", (event) => { send({ command: "speed", delay: Number(event.target.value) }); event.target.blur(); });
  // What was clicked gives the keys back to the page; what was reached by Tab keeps them.
  document.addEventListener("click", (event) => {
    if (event.detail && event.target.closest?.("button, summary, label")) setTimeout(() => document.activeElement?.blur());
  });
})();
