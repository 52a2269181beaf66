import type { TactusActivities } from '../contract/activities.js';
import type { ActivityDeps } from './activity-deps.js';
import { file } from './file.js';
import { httpRequest } from './http-request.js';
import { loadProcedure } from './load-procedure.js';
import { localAnswer } from './local-answer.js';
import { lookAtRuns, type RunReader } from './look-at-runs.js';
import { outcomeOf } from './outcome-of.js';
import { modelCall } from './model-call.js';
import { predict } from './predict.js';
import { callTool } from './tools/call-tool.js';
import { listTools } from './tools/list-tools.js';
import type { ToolHost } from './tools/tool-host.js';
import { createLocalRuntime } from './providers/local-runtime.js';

export type { ActivityDeps, LocalModelFiles, TextEvent } from './activity-deps.js';
export type { AnyToolDefinition } from './tools/define-tool.js';
export { toolHosts } from './tools/tool-hosts.js';
export type { ToolHost } from './tools/tool-host.js';
export { checkModel, type ModelChoice } from './check-model.js';

/** Makes the activities of one worker, which read other runs through `readRun`. They share nothing with those of another one but the process. */
export function createActivities(
  deps: ActivityDeps,
  readRun: RunReader,
  hosts: readonly ToolHost[],
): TactusActivities {
  const local = deps.localModel ? createLocalRuntime(deps.localModel) : null;
  return {
    modelCall: (input) => modelCall(deps, local, input),
    predict: (input) => predict(deps, input),
    callTool: (input) => callTool(deps, hosts, input),
    listTools: (input) => listTools(deps, hosts, input),
    httpRequest: (input) => httpRequest(deps, input),
    file: (input) => localAnswer(file(deps, input)),
    fileOutcome: (input) => localAnswer(outcomeOf(file(deps, input))),
    mockPredict: (input) => localAnswer(predict(deps, input)),
    mockPredictOutcome: (input) => localAnswer(outcomeOf(predict(deps, input))),
    loadProcedure: (input) => loadProcedure(deps, input),
    lookAtRuns: (input) => lookAtRuns(readRun, input),
    breathe: () => Promise.resolve(),
    storesLargePayloads: () => Promise.resolve(deps.storesLargePayloads === true),
  };
}
