import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { CheckCodeInput, LocalAnswer, TactusActivities } from '../contract/activities.js';
import { isErrorCode } from '../contract/errors.js';
import { asJson, type JsonValue } from '../contract/json/json.js';
import type { ActivityDeps } from './activity-deps.js';
import { modelBatch } from './models/batches/model-batch.js';
import { dataFile } from './files/data-files/data-file.js';
import { file } from './files/file.js';
import { firstThatFit } from './files/first-that-fit.js';
import { withHolds } from './changes/held-calls.js';
import { proveChange } from './changes/prove-change.js';
import { dispatchIntent } from './graphs/dispatch-intent.js';
import { httpRequest } from './http/http-request.js';
import { loadProcedure } from './procedures/load-procedure.js';
import { lookAtRuns, type ServerAccess } from './runs/look-at-runs.js';
import { continuedModelCall, ConversationCache, modelCall, wholeCall } from './models/model-call.js';
import { retryOnOtherWorkers } from './retries/other-workers.js';
import { predict } from './predictions/predict.js';
import { createModelHost, type ModelHost } from './predictions/served/ask-host.js';
import { retrieve } from './retrieval/retrieve.js';
import { runModel } from './predictions/served/run-model.js';
import { tellPeople } from './people/channels/tell-people.js';
import { callTool } from './tools/call-tool.js';
import { dropTask, followTask } from './tools/follow-task.js';
import { listTools } from './tools/list-tools.js';
import type { ToolHost } from './tools/tool-host.js';
import { verifyDecision } from './people/verify-decision.js';
import { createLocalRuntime } from './models/providers/local-runtime.js';
import type { Outcome } from '../contract/checkpoints/checkpoint.js';

export type { ActivityDeps, LocalModelFiles, TextEvent } from './activity-deps.js';
export type { AnyToolDefinition } from './tools/define-tool.js';
export { sourcesOfGraphs } from './graphs/graph-tools.js';
export { listFrom, toolHosts } from './tools/tool-hosts.js';
export { fileFault, ofScenario } from './files/file-fault.js';
export { withHeartbeat } from './retries/heartbeat.js';
export { pathInside, refusedName } from './files/path-inside.js';
export { TenantBudgetKeeper } from './budgets/tenant-budgets.js';
export type { ServerAccess } from './runs/look-at-runs.js';
export type { ToolHost } from './tools/tool-host.js';
export { createModelHost, type ModelHost };
export { checkModel } from './models/providers/index.js';

/** Makes the activities of one worker. They share nothing with those of another one but the process. */
export function createActivities(
  deps: ActivityDeps,
  server: ServerAccess,
  hosts: readonly ToolHost[],
  models: ModelHost,
): TactusActivities {
  const { readRun, readConversation: read } = server;
  const local = deps.localModel ? createLocalRuntime(deps.localModel) : null;
  const cache = new ConversationCache();
  const model = { deps, local, server, cache, read };
  const activities: TactusActivities = {
    modelCall: async (input) => modelCall(model, await wholeCall(model, input)),
    continuedModelCall: (input) => continuedModelCall(model, input),
    modelBatch: (input) => modelBatch(model, input),
    predict: (input) => predict(deps, input),
    runModel: (input) => runModel(deps, models, input),
    retrieve: (input) => retrieve(deps, models, input),
    callTool: (input) => callTool(deps, hosts, input),
    followTask: (input) => followTask({ deps, hosts, server }, input),
    dropTask: (input) => dropTask({ deps, hosts }, input),
    listTools: (input) => listTools(deps, hosts, input),
    httpRequest: (input) => httpRequest(deps, input),
    dispatchIntent: (input) => dispatchIntent(deps, input),
    file: (input) => localAnswer(file(deps, input)),
    fileOutcome: (input) => localAnswer(outcomeOf(file(deps, input))),
    fileOutcomes: (inputs) => localAnswer(firstThatFit(inputs, (input) => outcomeOf(file(deps, input)))),
    dataFileOutcome: (input) => localAnswer(outcomeOf(dataFile(deps, input))),
    mockPredict: (input) => localAnswer(predict(deps, input)),
    mockPredictOutcome: (input) => localAnswer(outcomeOf(predict(deps, input))),
    checkCode: (input) => localAnswer(outcomeOf(reviewed(input))),
    tellPeople: (input) => tellPeople(deps, input),
    verifyDecision: (input) => Promise.resolve(verifyDecision(deps, input)),
    loadProcedure: (input) => loadProcedure(deps, server, input),
    proveChange: (input) => proveChange(server.proveChange, input),
    lookAtRuns: (input) => lookAtRuns(readRun, input),
    breathe: () => Promise.resolve(),
    storesLargePayloads: () => Promise.resolve(deps.storesLargePayloads === true),
  };
  const { failsWithoutOthers = false } = deps;
  const passing = retryOnOtherWorkers(activities, {
    failsWithoutOthers,
    hasOtherWorkers: () => server.hasOtherWorkers(),
  });
  return withHolds(passing, {
    env: deps.env,
    tenantBudgets: deps.tenantBudgets,
    findHold: (subjects, released) => server.findHold(subjects, released),
  });
}

/** The parser is loaded by workers that need it. */
async function reviewed(input: CheckCodeInput): Promise<JsonValue> {
  const { checkCode } = await import('./tools/check-code.js');
  return asJson(checkCode(input));
}

/** Work that failed for good as an answer. @throws what may go better the next time */
async function outcomeOf(work: Promise<unknown>): Promise<Outcome> {
  try {
    return { ok: true, value: (await work) as JsonValue };
  } catch (error) {
    if (!(error instanceof ApplicationFailure) || error.nonRetryable !== true) throw error;
    const { type, message } = error;
    if (typeof type !== 'string' || !isErrorCode(type)) throw error;
    return { ok: false, code: type, message };
  }
}

async function localAnswer<T>(work: Promise<T>): Promise<LocalAnswer<T>> {
  const { scheduledTimestampMs, attempt } = Context.current().info;
  const value = await work;
  return { value, at: Date.now(), since: attempt === 1 ? scheduledTimestampMs : null };
}
