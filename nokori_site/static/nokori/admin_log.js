// The newest log lines beside the admin's index; each frame is answered, as in logs.js.
"use strict";
{
  const MOST_LINES = 14;
  const RETRY_MS = 3000;
  const list = document.getElementById("log-lines");
  const connect = () => {
    const socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws/logs/`);
    socket.addEventListener("open", () => list.replaceChildren()); // the first frame repeats what is known
    socket.addEventListener("message", (event) => {
      for (const [at, level, source, words] of JSON.parse(event.data).lines.slice(-MOST_LINES)) {
        const item = document.createElement("li");
        item.className = level;
        item.textContent = `${source} ${words}`;
        item.title = at;
        list.append(item);
      }
      while (list.children.length > MOST_LINES) list.firstChild.remove();
      document.getElementById("log-nothing").hidden = list.children.length > 0;
      socket.send("1");
    });
    socket.addEventListener("close", () => setTimeout(connect, RETRY_MS));
  };
  connect();
}
