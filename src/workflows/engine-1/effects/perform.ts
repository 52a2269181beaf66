import { condition, sleep } from '@temporalio/workflow';
import type { EffectRequest } from '../../../contract/checkpoints/checkpoint.js';
import type { Effect } from '../../../contract/effects/effects.js';
import { idempotencyKey } from '../../../contract/effects/idempotency-key.js';
import { performCancelChild, performChildren, type EffectContext } from './children.js';
import type { HttpRequest, HttpResponse } from '../../../contract/http/http-request.js';
import { localActivities, remoteActivities } from '../../effects/activities.js';
import type { HumanAnswer, HumanAsk, HumanRequest } from '../../../contract/people/human-request.js';
import { TactusError } from '../../../contract/errors.js';
import type { LocalAnswer } from '../../../contract/activities.js';
import type { JsonValue } from '../../../contract/json/json.js';
import { mockAnswer } from '../../mocks/mock-answers.js';
import { toRequest } from '../../people/to-request.js';
import type { ModelCall, ModelCallResult } from '../../../contract/models/model-call.js';
import { addUsage, callModel } from '../../models/ask-alone.js';
import { childStart } from '../../runs/child-start.js';
import type { FileEffect } from '../../../contract/files/file-effect.js';
import type { Prediction, PredictionResult } from '../../../contract/predictions/served-model.js';

/** The server's timers end near 73 years; a time of the calendar may lie beyond that. */
const longestTimerMs = 10 * 365 * 86_400_000;

/** Waits for a time of the calendar. One that has passed is a timer too: what is asked for must not depend on the clock. */
async function performDefer(
  context: EffectContext,
  resumeAt: string,
  summary: string,
): Promise<{ completed: true }> {
  const end = Date.parse(resumeAt);
  for (let isOver = false; !isOver;) {
    const restMs = end - Date.now();
    await sleep(Math.min(Math.max(1, restMs), longestTimerMs), { summary });
    isOver = restMs <= longestTimerMs;
    // Another timer is a command, and must follow from what a replay has seen by then.
    if (!isOver && !context.gate.isOpen) await context.gate.opened();
  }
  return { completed: true };
}

/** The kinds that engine 1 knows: what came later, runs of it can't ask for. */
type EffectOfEngine1 = Extract<
  Effect,
  {
    kind:
      | 'model_call'
      | 'predict'
      | 'http'
      | 'human'
      | 'sleep'
      | 'file'
      | 'procedure'
      | 'spawn'
      | 'children'
      | 'cancel_child'
      | 'defer';
  }
>;

/** What runs in any worker: a run that continues as new waits until it has ended. */
export function isRemoteActivity(effect: Effect): boolean {
  return !isLocal(effect) && ['model_call', 'predict', 'http'].includes(effect.kind);
}

/** Performs an effect that takes its time with Temporal: local activities are none. */
export function perform(context: EffectContext, request: EffectRequest): Promise<unknown> {
  const { position, name } = request;
  const effect = request.effect as EffectOfEngine1;
  switch (effect.kind) {
    case 'predict': {
      const { backend } = effect.prediction;
      if (backend.type === 'http')
        return performPrediction(context, position, effect.prediction, backend.timeoutMs);
      throw new TypeError('a mock prediction is a local activity');
    }
    case 'model_call':
      return performModelCall(context, position, effect.call);
    case 'http':
      return performHttp(context, position, name, effect.request);
    case 'human':
      return performHuman(context, position, effect.ask);
    case 'sleep':
      return performSleep(context, position, effect.ms, name);
    case 'procedure':
      return performProcedure(context, position, effect.file, effect.input);
    case 'spawn':
      return performSpawn(context, position, effect.file, effect.input);
    case 'children':
      return performChildren(context, position, effect);
    case 'cancel_child':
      return performCancelChild(context, effect.id);
    case 'defer':
      return performDefer(context, effect.resumeAt, `${name}: ${effect.reason}`);
    case 'file':
      throw new TypeError('a file is read and written by a local activity');
  }
}

/** One request of the procedure's own: answered once, and replayed from history ever after. */
function performHttp(
  context: EffectContext,
  position: string,
  name: string,
  request: HttpRequest,
): Promise<HttpResponse> {
  const { timeoutMs, retry: policy = { attempts: 1 } } = request;
  const calls = { limits: context.limits, settings: {} };
  const { httpRequest, tries } = remoteActivities(calls, { policy, timeoutMs, summary: name });
  return httpRequest({ request, name, idempotencyKey: idempotencyKey(context, position), tries });
}

/** Opens the request and waits for a decision, or for the end of its time. */
async function performHuman(context: EffectContext, position: string, ask: HumanAsk): Promise<HumanAnswer> {
  const { inbox, gate } = context;
  const { runId, start } = context;
  const request = toRequest({ runId, start, now: () => Date.now(), engine: 1 }, position, ask);
  const people = context.start.mock?.people ?? null;
  const mocked = people === null ? null : mockAnswer(people, request);
  // Who answers as usual is not held to the options that a request has.
  const known = inbox.open(mocked?.isUsual === true ? { ...request, options: [] } : request);
  if (known !== null) return known;
  if (mocked?.value !== undefined) settleByMock(context, request, mocked.value);
  const deadline = inbox.deadline(request.id);
  // An answer cancels the timer, which is a command.
  const isAnswered = (): boolean => gate.isOpen && inbox.hasAnswer(request.id);
  if (deadline === null) await condition(isAnswered);
  else await condition(isAnswered, Math.max(1, deadline - Date.now()));
  // The time is over, but a decision may come that a replay sees first: it wins.
  if (!gate.isOpen) await gate.opened();
  return inbox.take(request.id);
}

/** @throws TactusError human_request_invalid where a test's answer is none that a person could give */
function settleByMock({ inbox }: EffectContext, { id, approvers }: HumanRequest, value: JsonValue): void {
  const { outcome, message } = inbox.settle({ request: id, value, by: approvers[0] ?? 'mock' });
  if (outcome !== 'accepted')
    throw new TactusError('human_request_invalid', `The answer of the test is ${outcome}: ${message}`);
}

/** One request to a language model: bought once, and replayed from history ever after. */
async function performModelCall(
  context: EffectContext,
  position: string,
  call: ModelCall,
): Promise<ModelCallResult> {
  const calls = { limits: context.limits, settings: {} };
  const result = await callModel(call, calls, {
    key: idempotencyKey(context, position),
    title: call.agent,
  });
  context.usage = addUsage(context.usage, result.usage, result.model);
  return result;
}

/** Runs another file as a run of its own, `<run>/<position>`, and waits for its output. */
async function performProcedure(
  context: EffectContext,
  position: string,
  file: string,
  input: JsonValue,
): Promise<JsonValue> {
  return context.children.run(position, childStart(context, position, 'Procedure.run', { file, input }));
}

/** Starts another file as a run of its own; gives its id as soon as it has begun. */
async function performSpawn(
  context: EffectContext,
  position: string,
  file: string,
  input: JsonValue,
): Promise<string> {
  return context.children.spawn(position, childStart(context, position, 'Procedure.spawn', { file, input }));
}

/** A durable timer. Its end is absolute, so continue-as-new doesn't start it anew. */
async function performSleep(
  context: EffectContext,
  position: string,
  ms: number,
  summary: string,
): Promise<null> {
  const deadline = context.deadlines.get(position) ?? Date.now() + ms;
  context.deadlines.set(position, deadline);
  await sleep(Math.max(1, deadline - Date.now()), { summary });
  return null;
}

/**
 * What takes milliseconds and runs in the worker that has the workflow, as a local activity. A run has one of them at a
 * time and looks at nothing else meanwhile: the SDK may tell of a local activity's end together with events that come
 * after it, and before them when the run is replayed.
 */
export function isLocal(effect: Effect): boolean {
  return effect.kind === 'file' || (effect.kind === 'predict' && effect.prediction.backend.type === 'mock');
}

/** Performs a local effect. */
export function performLocally(
  context: EffectContext,
  { position, effect }: EffectRequest,
): Promise<LocalAnswer<unknown>> {
  if (effect.kind === 'file') return performFile(context, position, effect);
  if (effect.kind === 'predict') return performMockPrediction(context, position, effect.prediction);
  throw new TypeError(`${effect.kind} is nothing that the worker does at once`);
}

/** One operation on a file of the worker. */
function performFile(
  context: EffectContext,
  position: string,
  effect: FileEffect,
): Promise<LocalAnswer<JsonValue>> {
  const { kind: _, ...input } = effect;
  return localActivities.file({ ...input, idempotencyKey: idempotencyKey(context, position) });
}

/** One question to a prediction model over the network. */
function performPrediction(
  context: EffectContext,
  position: string,
  prediction: Prediction,
  timeoutMs: number,
): Promise<PredictionResult> {
  const summary = `predict · ${prediction.model}`;
  const calls = { limits: context.limits, settings: {} };
  const { predict, tries } = remoteActivities(calls, { timeoutMs, summary });
  return predict({ prediction, idempotencyKey: idempotencyKey(context, position), tries });
}

/** One question to a model whose author wrote the answer down. */
function performMockPrediction(
  context: EffectContext,
  position: string,
  prediction: Prediction,
): Promise<LocalAnswer<PredictionResult>> {
  return localActivities.mockPredict({ prediction, idempotencyKey: idempotencyKey(context, position) });
}
