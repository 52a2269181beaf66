import { defineQuery, setHandler } from '@temporalio/workflow';
import type { HumanRequest } from '../contract/human-request.js';
import type { JsonObject } from '../contract/json.js';
import { queryNames } from '../contract/names.js';
import type { Shown } from '../contract/printed.js';
import type { LogPage, RunView } from '../contract/run-view.js';
import type { Observed } from '../contract/scenario.js';
import {
  logPage,
  packedCheckpoints,
  packedLog,
  packedStart,
  pendingPage,
  runView,
  shownPage,
  type RunFacts,
} from './views.js';

const statusQuery = defineQuery<RunView>(queryNames.status);
const logQuery = defineQuery<LogPage, [number?]>(queryNames.log);
const packedLogQuery = defineQuery<Uint8Array>(queryNames.packedLog);
const packedCheckpointsQuery = defineQuery<Uint8Array>(queryNames.packedCheckpoints);
const startedQuery = defineQuery<Uint8Array>(queryNames.started);
const stateQuery = defineQuery<JsonObject>(queryNames.state);
const pendingQuery = defineQuery<{ pending: HumanRequest[]; next: number | null }, [number?]>(
  queryNames.pending,
);
const observedQuery = defineQuery<Observed | null>(queryNames.observed);
const shownQuery = defineQuery<{ shown: Shown[]; next: number }, [number?]>(queryNames.output);

/** Answers whoever looks at the run, from facts as they are at that moment. Looking changes nothing. */
export function answerQueries(facts: () => RunFacts, observed: () => Observed | null): void {
  setHandler(statusQuery, () => runView(facts()));
  setHandler(logQuery, (from = 0) => logPage(facts(), from));
  setHandler(packedLogQuery, () => packedLog(facts()));
  setHandler(packedCheckpointsQuery, () => packedCheckpoints(facts()));
  setHandler(startedQuery, () => packedStart(facts()));
  setHandler(stateQuery, () => facts().state);
  setHandler(pendingQuery, (from = 0) => pendingPage(facts(), from));
  setHandler(observedQuery, observed);
  setHandler(shownQuery, (from = 0) => shownPage(facts(), from));
}
