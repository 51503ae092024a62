// Keeps the page up to date: every second while an extraction is at work, else now and then.
"use strict";

{
  const WORKING_MS = 1000;
  const RESTING_MS = 5000;
  let timer;

  const look = async () => {
    const old = document.getElementById("extraction");
    const isReading = document.hidden || old.contains(document.activeElement) || String(getSelection()) !== "";
    if (!isReading) {
      try {
        const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        const fresh = page.getElementById("extraction");
        if (answer.ok && fresh && fresh.innerHTML !== old.innerHTML) {
          for (const panel of fresh.querySelectorAll(".panel, .strip")) panel.classList.add("settled");
          old.replaceWith(fresh);
        }
      } catch {
        // the web process is away; the next look may find it again
      }
    }
    const isRunning = document.getElementById("extraction").dataset.running === "true";
    timer = setTimeout(look, isRunning ? WORKING_MS : RESTING_MS);
  };

  const soon = () => {
    clearTimeout(timer);
    timer = setTimeout(look, WORKING_MS);
  };

  soon();
  document.addEventListener("visibilitychange", () => { if (!document.hidden) soon(); });
}
