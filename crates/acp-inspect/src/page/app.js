// The page: it logs in, follows the connection, and shows rows and one message.
// All text of peers goes through textContent.

const LIMIT = 100;
const element = (id) => document.getElementById(id);
let shown = { first: 0, last: 0, follows: true };

async function get(path) {
  const answer = await fetch(path);
  const value = await answer.json();
  if (!answer.ok) throw new Error(value.says);
  return value;
}

async function login() {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (!token) return;
  history.replaceState(null, "", "/");
  const body = JSON.stringify({ token });
  const answer = await fetch("/login", { method: "POST", body });
  if (!answer.ok) throw new Error((await answer.json()).says);
}

function cell(row, text) {
  row.insertCell().textContent = text ?? "";
}

function add(row) {
  const line = element("rows").insertRow();
  line.tabIndex = 0;
  line.classList.toggle("error", row.error);
  const count = row.cluster ? ` × ${row.cluster.count}` : "";
  cell(line, row.seq);
  cell(line, (row.micros / 1000).toFixed(1));
  cell(line, row.from);
  cell(line, `${row.kind}: ${row.method ?? ""} ${row.update ?? ""}${count}`);
  cell(line, row.latency === null ? "" : `${(row.latency / 1000).toFixed(1)} ms`);
  cell(line, row.marks.join(", "));
  line.addEventListener("click", () => open(row.seq).catch(tell));
  line.addEventListener("keydown", (event) => {
    if (event.key === "Enter") open(row.seq).catch(tell);
  });
}

async function show(place, follows) {
  const query = new URLSearchParams({ limit: LIMIT, fold: 1, ...place });
  for (const [name, value] of new FormData(element("filter"))) {
    if (value) query.set(name, value);
  }
  const { rows } = await get(`/api/rows?${query}`);
  if (rows.length === 0 && !follows) return;
  element("rows").replaceChildren();
  rows.forEach(add);
  const end = rows.at(-1);
  shown = { first: rows[0]?.seq ?? 0, last: end?.cluster?.last ?? end?.seq ?? 0, follows };
}

const latest = () => show({ before: Number.MAX_SAFE_INTEGER }, true);

async function open(seq) {
  const message = await get(`/api/messages/${seq}`);
  let text = message.text;
  try {
    text = JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    // It is no JSON, or was cut.
  }
  const cut = message.cut ? ", cut" : "";
  element("about").textContent = `Message ${seq}, ${message.length} bytes${cut}. ${message.call ?? ""}`;
  element("text").textContent = text;
  const findings = message.findings.map((finding) => {
    const item = document.createElement("li");
    item.textContent = `${finding.path}: ${finding.says}`;
    return item;
  });
  element("findings").replaceChildren(...findings);
}

function tell(error) {
  element("state").textContent = error.message;
}

function follow() {
  let asking = false;
  new EventSource("/api/events").addEventListener("message", async ({ data }) => {
    const { messages, lost, ended } = JSON.parse(data);
    element("state").textContent =
      `${messages} messages${lost ? `, ${lost} lost` : ""}${ended ? ", ended" : ""}`;
    if (!shown.follows || asking) return;
    asking = true;
    await latest().catch(tell);
    asking = false;
  });
}

async function start() {
  await login();
  const state = await get("/api/state");
  element("name").textContent = state.name;
  element("filter").addEventListener("submit", (event) => {
    event.preventDefault();
    latest().catch(tell);
  });
  element("latest").addEventListener("click", () => latest().catch(tell));
  element("older").addEventListener("click", () => show({ before: shown.first }, false).catch(tell));
  element("newer").addEventListener("click", () => show({ after: shown.last }, false).catch(tell));
  await latest();
  follow();
}

start().catch(tell);
