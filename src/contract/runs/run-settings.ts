import { isBudget, type Budget } from '../budgets/budget.js';
import { failureQuestionOf, type FailureQuestion } from '../people/failure-question.js';
import { isChannelNames } from '../people/channels/channel.js';
import { isGroups } from '../people/human-request.js';
import { isObject, type JsonValue } from '../json/json.js';
import { isToolPolicy, type ToolPolicy } from '../tools/tool-policy.js';

/** What configuration says of a run. It stays with the run, and holds for those that the run starts as well. */
export interface RunSettings {
  /** Time and chance outside of a checkpoint are an error; left out: what the file says, else a warning. */
  strictDeterminism?: boolean;
  /** For agents that name no model, where the file has no `default_model`. */
  defaultModel?: string;
  defaultProvider?: string;
  /** How often a call is tried again after its first attempt, where its author says nothing of it. */
  retries?: number;
  /** Time that one call of a model may take, in ms, where its author says nothing of it. */
  requestTimeoutMs?: number;
  /** Time for which a model may send nothing, in ms, where its author says nothing of it. */
  idleTimeoutMs?: number;
  /** false: the log that is shown has neither what was sent nor what was answered. */
  showContent?: boolean;
  /** What becomes of calls of tools; left out: they are done. */
  toolPolicy?: ToolPolicy;
  /** What the run may use, with those that it starts. */
  budget?: Budget;
  /** Before more calls of models than that a person is asked, of a run with those that it starts; 0, or left out: nobody is asked. */
  modelCalls?: number;
  /** Task queues of their own for calls of models, by the providers in the models' names, or by types of prediction models. */
  modelQueues?: Record<string, string>;
  /** Task queues of their own for calls of tools, by names of tools with `*` for anything: see `queueOfTool`. */
  toolQueues?: Record<string, string>;
  /** Who is asked when a main procedure fails whose source says nothing of it; left out: nobody. */
  onFailure?: FailureQuestion;
  /** Who is in which group, for requests that `group:finance` may decide. */
  groups?: Record<string, string[]>;
  /** true: decisions on human requests count where they are signed; left out: whoever may write to the namespace decides. */
  signedDecisions?: boolean;
  /** Names of the channels by which people are told of requests that name none. */
  channels?: string[];
  /** Names of all channels that there are; left out: nobody knows, and a request may name any. */
  knownChannels?: string[];
}

const types: Record<keyof RunSettings, string> = {
  strictDeterminism: 'boolean',
  defaultModel: 'string',
  defaultProvider: 'string',
  retries: 'number',
  requestTimeoutMs: 'number',
  idleTimeoutMs: 'number',
  showContent: 'boolean',
  toolPolicy: 'object',
  budget: 'object',
  modelCalls: 'number',
  modelQueues: 'object',
  toolQueues: 'object',
  onFailure: 'object',
  groups: 'object',
  signedDecisions: 'boolean',
  channels: 'object',
  knownChannels: 'object',
};

const checks: Partial<Record<keyof RunSettings, (value: JsonValue) => boolean>> = {
  toolPolicy: isToolPolicy,
  budget: isBudget,
  modelCalls: (value) => Number.isInteger(value) && Number(value) >= 0,
  modelQueues: isQueueNames,
  toolQueues: isQueueNames,
  onFailure: (value) => typeof failureQuestionOf(value) === 'object',
  groups: isGroups,
  channels: isChannelNames,
  knownChannels: isChannelNames,
};

/** Whether a client, in whatever language, has given settings of ours. */
export function isRunSettings(value: JsonValue): boolean {
  return (
    isObject(value) &&
    Object.entries(value).every(
      ([name, each]) =>
        Object.hasOwn(types, name) &&
        typeof each === types[name as keyof RunSettings] &&
        checks[name as keyof RunSettings]?.(each) !== false,
    )
  );
}

/** A task queue of their own for calls of one provider's models or of some tools: where they are made, and how many at most. */
export interface CallQueue {
  taskQueue: string;
  /** Calls that begin in a second, over all workers of the queue: the server sees to it. Left out: however many. */
  perSecond?: number;
  /** Calls that one worker is at, at once. Left out: as many as the SDK takes. */
  concurrency?: number;
}

/** Whether it is names of task queues, by providers or by tools. */
function isQueueNames(value: JsonValue): boolean {
  return isObject(value) && Object.values(value).every((queue) => typeof queue === 'string' && queue !== '');
}
