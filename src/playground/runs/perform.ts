import type { EffectRequest, Outcome } from '../../contract/checkpoints/checkpoint.js';
import { definitionOf, type Effect } from '../../contract/effects/effects.js';
import { asJson, defined, type JsonValue } from '../../contract/json/json.js';
import type { HumanAnswer, HumanAsk } from '../../contract/people/human-request.js';
import { defaultOf, readAnswerValue } from '../../contract/people/ledger.js';
import { scriptedAnswer } from '../models/scripted-model.js';

/** What the page shows of something that a run waits for. */
export type Waiting = Pick<EffectRequest, 'position' | 'source'> & { name: string } & (
    { kind: 'model' | 'time' | 'event' } | { kind: 'person'; ask: HumanAsk }
  );

/** How the playground performs an effect. */
export interface Performance {
  waiting: Waiting;
  /** It ends by itself after so many ms, in this way; null: only when the person before the page answers. */
  end: { ms: number; outcome: () => Outcome } | null;
}

/** As long as a quick model takes: long enough to kill the run meanwhile. */
const modelMs = 1_200;

/**
 * Effects that somebody or something answers. Others fail at once, and say what to write instead.
 * @param line of the script, for a call of a model
 */
export function perform(
  request: EffectRequest,
  script: readonly string[],
  line: number,
): Performance | Outcome {
  const { position, source, effect, title } = request;
  const at = { position, source, name: title };
  switch (effect.kind) {
    case 'model_call': {
      const answer = (): Outcome => ok(asJson(scriptedAnswer(effect.call, script, line)));
      return { waiting: { kind: 'model', ...at }, end: { ms: modelMs, outcome: answer } };
    }
    case 'human': {
      const { ask } = effect;
      const end = ask.timeoutMs === null ? null : { ms: ask.timeoutMs, outcome: () => timedOut(ask) };
      return { waiting: { kind: 'person', ...at, ask }, end };
    }
    case 'sleep':
      return { waiting: { kind: 'time', ...at }, end: { ms: effect.ms, outcome: () => ok(null) } };
    case 'defer': {
      const ms = Date.parse(effect.resumeAt) - Date.now();
      return { waiting: { kind: 'time', ...at }, end: { ms, outcome: () => ok({ completed: true }) } };
    }
    case 'event': {
      const { timeoutMs } = effect;
      const end = timeoutMs === null ? null : { ms: timeoutMs, outcome: () => ok({ timed_out: true }) };
      return { waiting: { kind: 'event', ...at, name: effect.name }, end };
    }
    case 'steer':
      return ok({ messages: [] });
    case 'retry_here':
      return ok("the playground can't try a part again: fork from what failed instead");
    case 'cancel_child':
    case 'children':
    case 'code_check':
    case 'continue_as_new':
    case 'data_file':
    case 'file':
    case 'http':
    case 'intent':
    case 'predict':
    case 'procedure':
    case 'retrieve':
    case 'run_model':
    case 'spawn':
    case 'tool':
    case 'tool_list':
      return notHere(effect);
  }
}

/** @returns the outcome, or why the value is no answer */
export function answerOutcome(ask: HumanAsk, value: JsonValue): Outcome | string {
  const read = readAnswerValue(ask, value);
  if (typeof read === 'string') return read;
  const answer: HumanAnswer = { ...read, timed_out: false, by: 'you' };
  return ok(asJson(answer));
}

function timedOut(ask: HumanAsk): Outcome {
  const value = defaultOf({ ...ask, ...defined({ on_timeout: ask.policy?.onTimeout }) });
  const answer: HumanAnswer = { value, timed_out: true, by: null, comment: null };
  return ok(asJson(answer));
}

function notHere(effect: Effect): Outcome {
  const { failure, types } = definitionOf(effect.kind);
  const message = `The playground can't make this call (${types[0] ?? effect.kind}): it has no network, files or workers. Add Mocks to the file, or run it with the command line`;
  return { ok: false, code: failure, message };
}

function ok(value: JsonValue): Outcome {
  return { ok: true, value };
}
