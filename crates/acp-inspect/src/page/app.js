// The page: it logs in, follows the connection, and joins the parts.

import { ask, follow, get, login } from "./api.js";
import { showCapabilities } from "./capabilities.js";
import { compare } from "./compare.js";
import { startDialog } from "./dialog.js";
import { byId, write } from "./dom.js";
import { Drive } from "./drive.js";
import { openExport } from "./export.js";
import { chooses, clear, startFilter } from "./filter.js";
import { count } from "./format.js";
import { openKeys, startKeys } from "./keys.js";
import { hideMessage, showMessage, shownMessage } from "./message.js";
import { Overview } from "./overview.js";
import { paced } from "./pace.js";
import { announce, settled, tell } from "./problem.js";
import { chooseSequence, showSequence, startSequence } from "./sequence.js";
import { Sessions } from "./sessions.js";
import { Statistics } from "./statistics.js";
import { showTab, shownTab, startTabs } from "./tabs.js";
import { visible } from "./text.js";
import { Timeline } from "./timeline.js";

// The counter is read aloud at most this often, in milliseconds.
const PACE = 10_000;

async function start() {
  await login();
  const state = await get("/api/state");
  byId("name").textContent = visible(state.name);
  document.title = `${visible(state.name)} – acp inspect`;

  const acts = {};
  const overview = new Overview((seq) => timeline.goTo(seq).catch(tell));
  const timeline = new Timeline(state.lanes, (seq) => acts.show(seq).catch(tell), (row) => overview.follow(row));
  fill(acts, timeline);
  startDialog();
  startFilter(state.lanes, () => timeline.reload().then(settled).catch(tell));
  startKeys(timeline, acts);
  startSequence();
  const [sessions, statistics] = [new Sessions(acts), new Statistics()];
  startTabs({
    timeline: () => (timeline.isFollowing ? timeline.toEnd() : timeline.grow(timeline.messages)).catch(tell),
    sessions: () => sessions.show().catch(tell),
    statistics: () => statistics.show().catch(tell),
    capabilities: () => showCapabilities().catch(tell),
    sequence: () => {
      chooseSequence(timeline.chosen || 1, timeline.messages);
      showSequence();
    },
  });
  const drive = state.acts ? new Drive(() => sessions.chosen) : null;
  if (drive) acts.edit = (seq) => drive.edit(seq).catch(tell);
  byId("follow").addEventListener("click", acts.follow);
  byId("export-button").addEventListener("click", acts.export);
  byId("keys-button").addEventListener("click", openKeys);
  timeline.isFollowing = state.source === "live" && !state.ended;
  byId("follow").setAttribute("aria-pressed", timeline.isFollowing);
  byId("grid").focus({ preventScroll: true });
  if (drive) showTab("sessions");
  follow(grown(state, { timeline, overview, sessions, statistics, drive }), () => source("gone", "not connected"));
}

// Returns the function that takes the growth of the connection. One question is open at a time.
function grown(state, { timeline, overview, sessions, statistics, drive }) {
  let [isAsking, newest, words] = [false, null, ""];
  const say = paced(() => announce(words), PACE);
  const others = [
    paced(() => overview.grow(timeline.messages), 1000),
    paced(() => shownTab() === "statistics" && statistics.show(), 1000),
    paced(() => shownTab() === "sessions" && state.source === "live" && sessions.grow(), 100),
  ];
  const catchUp = async () => {
    while (newest) {
      const { messages, asks } = newest;
      newest = null;
      if (drive) await drive.ask(asks);
      await timeline.grow(messages);
      others.forEach((grow) => grow());
    }
  };
  return (growth) => {
    const { messages, lost, ended } = growth;
    write(byId("count"), count(messages));
    write(byId("lost"), lost > 0 ? `, ${count(lost)} lost` : "");
    if (ended) source("ended", state.source === "live" ? "ended" : "recording");
    else source("running", state.source === "live" ? "live" : "reading");
    words = `${count(messages)} messages${ended ? ", the end" : ""}`;
    if (ended) announce(words);
    else say();
    newest = growth;
    if (isAsking) return;
    isAsking = true;
    catchUp().catch(tell).finally(() => {
      isAsking = false;
    });
  };
}

function source(name, says) {
  byId("source").dataset.state = name;
  write(byId("source"), says);
}

// Fills in the acts of a person, which buttons and keys share.
function fill(acts, timeline) {
  const shown = () => shownMessage() || timeline.chosen;
  const show = async (seq) => {
    await showMessage(seq, acts);
    settled();
  };
  const go = async (seq) => {
    if (shownTab() !== "timeline") showTab("timeline");
    // A filter may hide the message that the person wants.
    if (chooses() && !timeline.row(seq)) clear();
    await timeline.goTo(seq);
    timeline.choose(seq, false);
    await show(seq);
  };
  const copy = async (text, says) => {
    await navigator.clipboard.writeText(text);
    announce(says);
  };
  Object.assign(acts, {
    show,
    go,
    copy: (text, says) => copy(text, says).catch(tell),
    copyLine: async (seq) => {
      try {
        const answer = await ask(`/api/messages/${seq}/raw`);
        await copy(await answer.text(), "The message was copied.");
      } catch (error) {
        tell(error);
      }
    },
    open: () => timeline.chosen && show(timeline.chosen),
    // An open pane goes with the row that is chosen.
    moved: (row) => row && shownMessage() && show(row.seq),
    last: async () => {
      await timeline.toEnd();
      await acts.moved(timeline.step(Infinity));
    },
    close: hideMessage,
    marked: () => timeline.marked,
    mark: (seq = shown()) => {
      timeline.marked = timeline.marked === seq ? 0 : seq;
      timeline.choose(timeline.chosen, false);
      return shownMessage() ? show(shownMessage()) : null;
    },
    compare: (left = timeline.marked, right = shown()) => {
      if (!left || !right) return announce("Mark a message first.");
      return compare(left, right).catch(tell);
    },
    pair: async () => {
      const row = timeline.row(shown());
      if (row?.pair) await go(row.pair);
    },
    copyCall: async () => {
      const { call } = await get(`/api/messages/${shown()}`);
      if (call) await copy(call, "The command was copied.");
      else announce("This message is not a call of the client.");
    },
    follow: () => timeline.follow(!timeline.isFollowing),
    errors: () => {
      const box = byId("filter").elements.errors;
      box.checked = !box.checked;
      return timeline.reload();
    },
    export: () => {
      const [left, right] = [timeline.marked, shown()].sort((one, other) => one - other);
      if (left) openExport(left, right);
      else openExport(1, timeline.messages);
    },
    search: () => {
      if (shownTab() !== "timeline") showTab("timeline");
      byId("search").focus();
      byId("search").select();
    },
  });
}

start().catch((error) => {
  tell(error);
  source("gone", "not connected");
});
