import { defineQuery, setHandler } from '@temporalio/workflow';
import type { WaitingChange } from '../../contract/changes/run-change.js';
import type { Checkpoint, Position } from '../../contract/checkpoints/checkpoint.js';
import type { HumanRequest } from '../../contract/people/human-request.js';
import type { JsonObject } from '../../contract/json/json.js';
import { queryNames } from '../../contract/names.js';
import type { Message } from '../../contract/models/model-call.js';
import type { ConversationPage, LogPage, RunView, ShownPage } from '../../contract/runs/run-view.js';
import { maxInlineBytes } from '../../contract/runs/limits.js';
import type { HandedWork } from '../../contract/runs/start-input.js';
import { noSession, type SessionView } from '../../contract/sessions/session-view.js';
import type { Observed } from '../../contract/specifications/scenario.js';
import { conversationPage, logPage, pageBytes, pendingPage, shownPage } from './pages.js';
import { runView, type RunFacts } from './views.js';
import { packCarried, packJson } from '../../log/pack.js';
import { readPage } from '../../log/pages.js';

const statusQuery = defineQuery<RunView>(queryNames.status);
const logQuery = defineQuery<LogPage, [number?]>(queryNames.log);
const packedLogQuery = defineQuery<Uint8Array>(queryNames.packedLog);
const packedCheckpointsQuery = defineQuery<Uint8Array>(queryNames.packedCheckpoints);
const checkpointsQuery = defineQuery<Uint8Array, [number?]>(queryNames.checkpoints);
const startedQuery = defineQuery<Uint8Array>(queryNames.started);
const handedQuery = defineQuery<Uint8Array>(queryNames.handed);
const stateQuery = defineQuery<JsonObject>(queryNames.state);
const sessionQuery = defineQuery<SessionView>(queryNames.session);
const pendingQuery = defineQuery<{ pending: HumanRequest[]; next: number | null }, [number?]>(
  queryNames.pending,
);
const observedQuery = defineQuery<Observed | null>(queryNames.observed);
const conversationQuery = defineQuery<ConversationPage | null, [Position, number?]>(queryNames.conversation);
const changeQuery = defineQuery<Uint8Array>(queryNames.change);
const shownQuery = defineQuery<ShownPage, [number?]>(queryNames.output);

/** Answers whoever looks at the run, from facts as they are at that moment. Looking changes nothing. */
export function answerQueries(
  facts: () => RunFacts,
  observed: () => Observed | null,
  conversationAt: (position: Position) => readonly Message[] | null = () => null,
  change: () => WaitingChange | null = () => null,
): void {
  setHandler(statusQuery, () => runView(facts()), {
    description: 'How the run stands: status, output, state, error, open requests, tokens. No arguments.',
  });
  setHandler(logQuery, (from = 0) => logPage(facts(), from), {
    description: 'Its checkpoints, in pages: from this number on.',
  });
  setHandler(packedLogQuery, () => packedLog(facts()), { description: 'The same whole, compressed.' });
  setHandler(packedCheckpointsQuery, () => packedCheckpoints(facts()), {
    description: 'The log as another execution takes it, compressed.',
  });
  setHandler(checkpointsQuery, (from = 0) => checkpointsPage(facts(), from), {
    description: 'The log as another execution takes it, in compressed pages: from this number on.',
  });
  setHandler(startedQuery, () => packedStart(facts()), {
    description: 'What it was started with, compressed.',
  });
  setHandler(handedQuery, () => packedWork(facts()), {
    description: 'Votes, early decisions, events and times that no checkpoint has, compressed.',
  });
  setHandler(stateQuery, () => facts().state, { description: 'Its working data.' });
  setHandler(sessionQuery, () => facts().session ?? noSession, {
    description: 'Its session: the plan, slices and snapshots.',
  });
  setHandler(pendingQuery, (from = 0) => pendingPage(facts(), from), {
    description: 'What people are asked, whole, in pages: from this number on.',
  });
  setHandler(observedQuery, observed, { description: 'What a run that is tested has noticed.' });
  setHandler(conversationQuery, (position, from = 0) => conversationPage(conversationAt(position), from), {
    description: 'Messages of an open model call at this position, in pages: from this number on.',
  });
  setHandler(changeQuery, () => bounded(packJson(change())), {
    description: 'The change that waits for its proof, and what is open meanwhile, compressed.',
  });
  setHandler(shownQuery, (from = 0) => shownPage(facts(), from), {
    description: 'Lines that it printed and logged, in pages: from this number on.',
  });
}

/** The whole log in one answer; empty where it is too large. A closed run is replayed for each answer that it gives. */
function packedLog(facts: RunFacts): Uint8Array {
  return bounded(packJson(logPage(facts, 0, Infinity)));
}

/** What has ended, as another execution takes it; empty where it is too large. */
function packedCheckpoints({ log, ended, answersLeft = null }: RunFacts): Uint8Array {
  return bounded(packCarried(log.slice(0, ended), answersLeft));
}

/** The same in pages, each compressed: checkpoints from number `from` on, as many as fit, and all answers that are left. */
function checkpointsPage({ log, ended, answersLeft = null }: RunFacts, from: number): Uint8Array {
  const { items } = readPage(ended, from, (i) => log[i] as Checkpoint, pageBytes);
  return packCarried(items, answersLeft);
}

/** What the run began with. */
function packedStart({ started }: RunFacts): Uint8Array {
  return bounded(packJson(started));
}

/** What people have done for it, as another run is handed it. */
function packedWork({ work = nothingDone }: RunFacts): Uint8Array {
  return bounded(packJson(work));
}

const nothingDone: HandedWork = {
  ...{ requests: [], answered: [], early: [], kept: {}, deadlines: {}, since: {} },
};

function bounded(packed: Uint8Array): Uint8Array {
  return packed.length <= maxInlineBytes ? packed : new Uint8Array(0);
}
