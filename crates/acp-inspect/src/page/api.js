// The server: questions, and the stream of events.

export async function get(path, query = {}) {
  const answer = await ask(path, query);
  return answer.json();
}

export async function ask(path, query = {}) {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== "") params.set(name, value);
  }
  const answer = await fetch(`${path}?${params}`);
  if (!answer.ok) throw new Error(await refusal(answer));
  return answer;
}

export async function post(path, body) {
  const answer = await fetch(path, { method: "POST", body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(await refusal(answer));
}

async function refusal(answer) {
  try {
    return (await answer.json()).says;
  } catch {
    return `The server answers with status ${answer.status}.`;
  }
}

// Gives the token of the address for the cookie. The token goes out of the address and the history.
export async function login() {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (!token) return;
  history.replaceState(null, "", "/");
  const answer = await fetch("/login", { method: "POST", body: JSON.stringify({ token }) });
  if (answer.ok) return;
  const says = await refusal(answer);
  // A browser that is let in already may open the address again.
  await get("/api/state").catch(() => {
    throw new Error(says);
  });
}

// Calls `grown` at each event, and `gone` when the server does not answer any more.
export function follow(grown, gone) {
  const events = new EventSource("/api/events");
  events.addEventListener("message", ({ data }) => grown(JSON.parse(data)));
  events.addEventListener("error", () => gone());
}
