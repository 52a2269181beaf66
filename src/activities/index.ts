import type { CheckCodeInput, TactusActivities } from '../contract/activities.js';
import type { JsonValue } from '../contract/json/json.js';
import type { ActivityDeps } from './activity-deps.js';
import { modelBatch } from './batches/model-batch.js';
import { continuedModelCall, wholeCall } from './continued-model-call.js';
import { ConversationCache } from './conversation-cache.js';
import { dataFile } from './data-files/data-file.js';
import { file } from './file.js';
import { httpRequest } from './http-request.js';
import { loadProcedure } from './load-procedure.js';
import { localAnswer } from './local-answer.js';
import { lookAtRuns } from './look-at-runs.js';
import { outcomeOf } from './outcome-of.js';
import { modelCall } from './model-call.js';
import { passingOn } from './passed-on.js';
import { predict } from './predict.js';
import { createModelHost, type ModelHost } from './served/model-host.js';
import { retrieve } from './retrieval/retrieve.js';
import { runModel } from './served/run-model.js';
import type { ServerAccess } from './server-access.js';
import { tellPeople } from './channels/tell-people.js';
import { callTool } from './tools/call-tool.js';
import { dropTask, followTask } from './tools/follow-task.js';
import { listTools } from './tools/list-tools.js';
import type { ToolHost } from './tools/tool-host.js';
import { verifyDecision } from './verify-decision.js';
import { createLocalRuntime } from './providers/local-runtime.js';

export type { ActivityDeps, LocalModelFiles, TextEvent } from './activity-deps.js';
export type { AnyToolDefinition } from './tools/define-tool.js';
export { listFrom, toolHosts } from './tools/tool-hosts.js';
export type { ServerAccess } from './server-access.js';
export type { ToolHost } from './tools/tool-host.js';
export { createModelHost, type ModelHost };
export { checkModel, type ModelChoice } from './check-model.js';

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
    file: (input) => localAnswer(file(deps, input)),
    fileOutcome: (input) => localAnswer(outcomeOf(file(deps, input))),
    dataFileOutcome: (input) => localAnswer(outcomeOf(dataFile(deps, input))),
    mockPredict: (input) => localAnswer(predict(deps, input)),
    mockPredictOutcome: (input) => localAnswer(outcomeOf(predict(deps, input))),
    checkCode: (input) => localAnswer(outcomeOf(reviewed(input))),
    tellPeople: (input) => tellPeople(deps, input),
    verifyDecision: (input) => Promise.resolve(verifyDecision(deps, input)),
    loadProcedure: (input) => loadProcedure(deps, input),
    lookAtRuns: (input) => lookAtRuns(readRun, input),
    breathe: () => Promise.resolve(),
    storesLargePayloads: () => Promise.resolve(deps.storesLargePayloads === true),
  };
  const { failsWithoutOthers = false } = deps;
  return passingOn(activities, { failsWithoutOthers, hasOtherWorkers: () => server.hasOtherWorkers() });
}

/** The parser is loaded by workers that need it. */
async function reviewed(input: CheckCodeInput): Promise<JsonValue> {
  const { checkCode } = await import('./check-code.js');
  return checkCode(input) as unknown as JsonValue;
}
