// What every page can do: switch the theme at once, copy a command, jump to search, filter while typing.
// Everything works without it, by forms and links.
"use strict";

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.matches("[data-theme-switch]") || !event.submitter) return;
  event.preventDefault();
  const theme = event.submitter.value;
  document.documentElement.dataset.theme = theme;
  for (const button of form.querySelectorAll("button")) button.setAttribute("aria-pressed", String(button.value === theme));
  const body = new URLSearchParams(new FormData(form));
  body.set("theme", theme);
  fetch(form.action, { method: "POST", body, redirect: "manual" });
});

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  await navigator.clipboard.writeText(button.dataset.copy);
  const before = button.textContent;
  button.textContent = "✓";
  setTimeout(() => { button.textContent = before; }, 1200);
});

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-confirm]");
  if (button && !window.confirm(button.dataset.confirm)) event.preventDefault();
});

const isTyping = () => document.activeElement?.matches("input, textarea, select, [contenteditable]");

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape" && isTyping()) document.activeElement.blur();
  if (isTyping()) return;
  if (event.key === "/") {
    event.preventDefault();
    const box = document.querySelector("[data-search]");
    if (box) box.focus();
    else document.querySelector("a[data-search-page]")?.click();
    return;
  }
  const wanted = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
  if (wanted) { event.preventDefault(); wanted.click(); }
});

// A form with data-live="ID" shows its results in the element of that id while one types.
let latest = 0;
const refresh = async (form) => {
  const number = ++latest;
  const wish = new URLSearchParams([...new FormData(form)].filter(([, value]) => value));
  const address = `${form.getAttribute("action") || location.pathname}?${wish}`;
  const answer = await fetch(address, { headers: { Accept: "text/html" } });
  if (!answer.ok || number !== latest) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const fresh = page.getElementById(form.dataset.live);
  if (!fresh) return;
  fresh.classList.add("still");
  document.getElementById(form.dataset.live).replaceWith(fresh);
  history.replaceState(null, "", address);
};
let pause;
document.addEventListener("input", (event) => {
  const form = event.target.closest("form[data-live]");
  if (!form) return;
  clearTimeout(pause);
  pause = setTimeout(() => refresh(form), 180);
});
document.addEventListener("change", (event) => {
  const all = event.target.closest("[data-all]");
  if (all) for (const box of document.querySelectorAll(all.dataset.all)) box.checked = all.checked;
});

// Where the menu is one scrolling row, the page that is open is in sight.
const menu = document.querySelector(".menu");
const here = menu?.querySelector("[aria-current]");
if (here) menu.scrollLeft = here.offsetLeft - (menu.clientWidth - here.offsetWidth) / 2;

// An element with data-refresh="MILLISECONDS" and an id is fetched anew until the fresh one has none.
const renew = async (element) => {
  const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
  if (!answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById(element.id);
  if (!fresh) return;
  element.replaceWith(fresh);
  watch(fresh);
};
const watch = (element) => {
  if (element.dataset.refresh) setTimeout(renew, Number(element.dataset.refresh), element);
};
document.querySelectorAll("[data-refresh]").forEach(watch);
