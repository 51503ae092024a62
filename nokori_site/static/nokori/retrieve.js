// Explains while one types: the form is sent a moment after the last key, and its answer put in place.
"use strict";

{
  const form = document.querySelector("form[data-answer]");
  let latest = 0;
  let pause;

  const explain = async () => {
    const number = ++latest;
    const answer = document.getElementById(form.dataset.answer);
    if (!form.prompt.value.trim()) return;
    answer.setAttribute("aria-busy", "true");
    try {
      const response = await fetch(form.action, { method: "POST", body: new FormData(form) });
      if (number !== latest) return;
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      const fresh = page.getElementById(form.dataset.answer);
      if (!fresh) return;
      fresh.classList.add("still");
      answer.replaceWith(fresh);
    } finally {
      document.getElementById(form.dataset.answer).setAttribute("aria-busy", "false");
    }
  };

  form.addEventListener("input", () => {
    clearTimeout(pause);
    pause = setTimeout(explain, 250);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(pause);
    explain();
  });
  form.prompt.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) form.requestSubmit();
  });
}
