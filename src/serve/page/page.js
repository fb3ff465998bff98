// Draws the page anew every few seconds. Without it the page is whole, only not live.
"use strict";
const EVERY = 5000;

function opened() {
  return new Map([...document.querySelectorAll("main details[id]")].map((d) => [d.id, d.open]));
}

// Who is at the keyboard stays where they are, also when something new stands above.
function keyOf(element) {
  if (!element || !element.closest("main")) return null;
  return element.getAttribute("href") || element.parentElement.id;
}

function show(text) {
  const fresh = new DOMParser().parseFromString(text, "text/html");
  const main = fresh.querySelector("main");
  if (!main) throw new Error("no page");
  const open = opened();
  for (const details of main.querySelectorAll("details[id]")) {
    if (open.has(details.id)) details.open = open.get(details.id);
  }
  const key = keyOf(document.activeElement);
  document.querySelector("main").replaceWith(main);
  document.title = fresh.title;
  const again = key && [...document.querySelectorAll("main a, main summary")].find((e) => keyOf(e) === key);
  if (again) again.focus({ preventScroll: true });
}

async function again() {
  const silent = document.getElementById("silent");
  try {
    const answer = await fetch(location.href, { cache: "no-store", signal: AbortSignal.timeout(EVERY * 2) });
    if (!answer.ok) throw new Error(String(answer.status));
    show(await answer.text());
    silent.hidden = true;
  } catch {
    silent.hidden = false;
  }
  setTimeout(again, EVERY);
}

setTimeout(again, EVERY);
