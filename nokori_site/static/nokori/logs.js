// Live log lines: each frame of the websocket is put on the page and answered; see nokori_site/log_stream.py.
// Kept are the newest lines alone, on the page and while it pauses; what does not fit is counted, never kept.
"use strict";

{
  const MOST_LINES = 2000;
  const RETRY_MS = [500, 1000, 2000, 5000];
  const terminal = document.getElementById("terminal");
  const list = document.getElementById("lines");
  const search = document.getElementById("search");
  const state = document.getElementById("state");
  const pauseButton = document.getElementById("pause");
  const waitingCount = document.getElementById("waiting");
  const followButton = document.getElementById("follow");
  const hiddenLevels = new Set();
  const hiddenSources = new Set();
  const counts = new Map();
  let waiting = [];
  let waitingMissed = 0;
  let isPaused = false;
  let isFollowing = true;
  let seen = -1;
  let retries = 0;

  const show = (word, kind) => {
    state.textContent = state.dataset[word];
    state.className = `live pill ${kind}`;
  };

  const time = (at) => {
    const moment = new Date(at);
    return Number.isNaN(moment.getTime()) ? "" : moment.toLocaleTimeString([], { hour12: false });
  };

  const part = (tag, name, text) => {
    const element = document.createElement(tag);
    if (name) element.className = name;
    element.textContent = text;
    return element;
  };

  // Time, level and file stand in columns of their own.
  const beginning = /^\S+Z [A-Z]+ /;
  const words = (text, source) => text.replace(beginning, "").replace(`${source} `, (found, place) => (place ? found : ""));
  const row = ([at, level, source, text]) => {
    const item = document.createElement("li");
    item.dataset.level = level;
    item.dataset.source = source;
    const when = part("time", "", time(at));
    when.title = at;
    item.append(when, part("span", "level", level), part("span", "source", source), part("span", "words", words(text, source)));
    item.hidden = !isWanted(item);
    return item;
  };

  const gap = (missed) => {
    const item = document.createElement("li");
    item.className = "gap";
    item.textContent = `${missed.toLocaleString()} ${terminal.dataset.missed}`;
    return item;
  };

  const isWanted = (item) => {
    if (!item.dataset.level) return true;
    if (hiddenLevels.has(item.dataset.level) || hiddenSources.has(item.dataset.source)) return false;
    const wanted = search.value.trim().toLowerCase();
    return !wanted || item.textContent.toLowerCase().includes(wanted);
  };

  const filter = () => {
    for (const item of list.children) item.hidden = !isWanted(item);
    if (isFollowing) toEnd();
  };

  const toEnd = () => requestAnimationFrame(() => { terminal.scrollTop = terminal.scrollHeight; });

  const chipFor = (source) => {
    const group = document.getElementById("sources");
    if (group.querySelector(`[data-source="${CSS.escape(source)}"]`)) return;
    const chip = part("button", "chip", source);
    chip.type = "button";
    chip.dataset.source = source;
    chip.setAttribute("aria-pressed", "true");
    group.append(chip);
  };

  const count = (lines) => {
    for (const [, level] of lines) counts.set(level, (counts.get(level) || 0) + 1);
    for (const [level, number] of counts) {
      const place = document.querySelector(`[data-count="${level}"]`);
      if (place) place.textContent = number.toLocaleString();
    }
  };

  const put = (lines, missed) => {
    const fresh = document.createDocumentFragment();
    if (missed) fresh.append(gap(missed));
    for (const line of lines.slice(-MOST_LINES)) {
      chipFor(line[2]);
      fresh.append(row(line));
    }
    list.append(fresh);
    while (list.children.length > MOST_LINES) list.firstElementChild.remove();
    document.getElementById("nothing").hidden = list.children.length > 0;
    if (isFollowing) toEnd();
  };

  const keep = (lines, missed) => {
    waitingMissed += missed;
    waiting.push(...lines);
    if (waiting.length > MOST_LINES) {
      waitingMissed += waiting.length - MOST_LINES;
      waiting = waiting.slice(-MOST_LINES);
    }
    waitingCount.textContent = (waiting.length + waitingMissed).toLocaleString();
    waitingCount.hidden = !waiting.length;
  };

  const take = (frame) => {
    // After a reconnection the first frame repeats what is there already, unless the process is a new one.
    const isRestart = frame.first + frame.lines.length < seen;
    const known = isRestart ? 0 : Math.max(0, Math.min(frame.lines.length, seen - frame.first));
    const lines = frame.lines.slice(known);
    const missed = frame.missed + (seen >= 0 && !isRestart ? Math.max(0, frame.first - seen - frame.missed) : 0);
    seen = frame.first + frame.lines.length;
    count(lines);
    if (isPaused) keep(lines, missed);
    else put(lines, missed);
  };

  const connect = () => {
    const socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws/logs/`);
    let isFirst = true;
    show(retries ? "away" : "connecting", "");
    socket.addEventListener("message", (event) => {
      if (isFirst) {
        isFirst = false;
        retries = 0;
        show("live", "ok");
        if (seen < 0) list.replaceChildren();
      }
      take(JSON.parse(event.data));
      socket.send("1");
    });
    socket.addEventListener("close", () => {
      show("away", "warn");
      setTimeout(connect, RETRY_MS[Math.min(retries++, RETRY_MS.length - 1)]);
    });
  };

  document.addEventListener("click", (event) => {
    const chip = event.target.closest(".chip");
    if (!chip) return;
    const isShown = chip.getAttribute("aria-pressed") !== "true";
    const [hidden, word] = chip.dataset.level ? [hiddenLevels, chip.dataset.level] : [hiddenSources, chip.dataset.source];
    chip.setAttribute("aria-pressed", String(isShown));
    if (isShown) hidden.delete(word);
    else hidden.add(word);
    filter();
  });

  search.addEventListener("input", filter);

  pauseButton.addEventListener("click", () => {
    isPaused = !isPaused;
    pauseButton.setAttribute("aria-pressed", String(isPaused));
    document.getElementById("pause-word").textContent = pauseButton.dataset[isPaused ? "resume" : "pause"];
    if (isPaused) return;
    put(waiting, waitingMissed);
    waiting = [];
    waitingMissed = 0;
    waitingCount.hidden = true;
  });

  document.getElementById("clear").addEventListener("click", () => list.replaceChildren());

  // Only a person's hand ends the following; the page's own scrolling and layout do not.
  let lastHand = -Infinity;
  for (const kind of ["wheel", "touchmove", "pointerdown", "keydown"]) {
    terminal.addEventListener(kind, () => { lastHand = performance.now(); }, { passive: true });
  }
  terminal.addEventListener("scroll", () => {
    const isAtEnd = terminal.scrollHeight - terminal.scrollTop - terminal.clientHeight < 24;
    if (isAtEnd) isFollowing = true;
    else if (performance.now() - lastHand < 1000) isFollowing = false;
    followButton.hidden = isFollowing;
  }, { passive: true });

  followButton.addEventListener("click", () => {
    isFollowing = true;
    toEnd();
  });

  toEnd();
  connect();
}
