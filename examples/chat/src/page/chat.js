// The page's side of the chat: one WebSocket that is opened again when it is lost, and one clock.

const LONGEST_WAIT = 30; // in seconds, before the next attempt to connect
const MOST_LINES = 500; // that are kept on the page

const [state, clock, room, form, name, text, send] = ["state", "clock", "room", "form", "name", "text", "send"].map(
  (id) => document.getElementById(id),
);

let socket;
let wait = 1;
let following = true; // whether the end of the room is what its reader looks at

function connect() {
  const url = new URL("talk", location.href);
  url.protocol = url.protocol.replace("http", "ws");
  socket = new WebSocket(url);
  socket.onopen = () => {
    wait = 1;
    show("Connected", true);
  };
  socket.onmessage = (message) => hear(JSON.parse(message.data));
  // It comes after an attempt that failed, too.
  socket.onclose = () => {
    show(`Not connected. Trying again in ${wait} s …`, false);
    // Not all at once, when a server comes back that many have waited for.
    setTimeout(connect, wait * 1000 * (0.75 + Math.random() / 2));
    wait = Math.min(wait * 2, LONGEST_WAIT);
  };
}

function show(words, connected) {
  state.textContent = words;
  state.classList.toggle("lost", !connected);
  send.disabled = !connected;
}

function hear(heard) {
  const line = document.createElement("p");
  if (heard.kind === "words") {
    // As text, whatever it is.
    const who = document.createElement("span");
    who.className = "name";
    who.textContent = `${heard.name}: `;
    line.append(who, heard.text);
  } else {
    line.className = "note";
    line.textContent = `Your connection was too slow. Messages missing here: ${heard.messages}.`;
  }
  room.append(line);
  if (room.children.length > MOST_LINES) {
    room.firstElementChild.remove();
  }
  follow();
}

function follow() {
  if (following) {
    room.scrollTop = room.scrollHeight;
  }
}

room.addEventListener("scroll", () => {
  following = room.scrollHeight - room.scrollTop - room.clientHeight < 40;
});
new ResizeObserver(follow).observe(room);

form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (socket.readyState === WebSocket.OPEN && text.value.trim()) {
    // Half a character is no JSON for the server.
    socket.send(JSON.stringify({ name: name.value.toWellFormed(), text: text.value.toWellFormed() }));
    text.value = "";
  }
  text.focus();
});

function tell() {
  const ticks = new EventSource("clock");
  ticks.addEventListener("tick", (tick) => {
    const now = new Date(Number(tick.data));
    clock.dateTime = now.toISOString();
    clock.textContent = now.toLocaleTimeString();
  });
  ticks.onerror = () => {
    clock.textContent = "--:--:--";
    // Of itself it connects again after a connection that was lost, and not after an answer it does not like.
    if (ticks.readyState === EventSource.CLOSED) {
      setTimeout(tell, LONGEST_WAIT * 1000);
    }
  };
}

connect();
tell();
