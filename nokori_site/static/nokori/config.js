// Makes the health checks after the page is there, for one of them may wait for a server.
"use strict";

{
  const panel = document.getElementById("health");
  fetch(panel.dataset.health, { headers: { Accept: "text/html" } })
    .then((answer) => answer.text())
    .then((text) => {
      const fresh = new DOMParser().parseFromString(text, "text/html").getElementById("health");
      if (fresh) panel.replaceWith(fresh);
    });

  document.addEventListener("toggle", (event) => {
    if (event.target.matches(".edit") && event.target.open) event.target.querySelector("input:not([type=hidden]), select").focus();
  }, true);
}
