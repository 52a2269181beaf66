import { outerPosition } from '../../contract/checkpoints/checkpoint.js';
import { TactusError, type ErrorCode } from '../../contract/errors.js';
import { isObject, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import type { HumanAsk } from '../../contract/people/human-request.js';
import { cutMessage } from '../../contract/text/plain-text.js';
import { heldBack } from '../checkpoints/attempted.js';
import {
  askForHost,
  byHost,
  currentFrame,
  lua,
  type Bridge,
  type Frame,
  type LuaState,
  type Step,
} from '../kernel/index.js';
import { humanKinds } from '../people/human-kinds.js';
import { readAsk } from '../people/read-ask.js';

/** What is asked of whom when a part fails: fields of `Human.select`, as they were written. */
export type FailureQuestion = JsonObject;

const keys = [
  ...['approvers', 'timeout', 'default', 'expires_at', 'requester', 'separation', 'quorum'],
  ...['escalate_to', 'channels', 'callback_url', 'remind_every', 'on_undelivered'],
];
/** So often people may let a part be tried again. */
const mostTimes = 100;
/** Of an error, in bytes. */
const mostErrorBytes = 2_000;
/** So many checkpoints of what failed are named. */
const mostNamed = 20;
/** They may be gone from the log of a later execution. */
const rounds = ['round', 'super_step'];

/**
 * Reads `on_failure = "ask"` or `on_failure = {approvers = …, timeout = …}`; null where it isn't there, or in runs of before.
 * @throws TactusError with the given code where it is something else; human_request_invalid naming the field
 */
export function readOnFailure(
  bridge: Bridge,
  given: JsonValue,
  what: string,
  code: ErrorCode,
): FailureQuestion | null {
  if (given === null || !bridge.holds('failure-questions')) return null;
  const wrong = (problem: string): TactusError => new TactusError(code, `${what}: on_failure ${problem}`);
  if (given !== 'ask' && !isObject(given))
    throw wrong('must be "ask", or a table such as { approvers = "ops" }');
  const question = isObject(given) ? given : {};
  const odd = Object.keys(question).find((key) => !keys.includes(key));
  if (odd !== undefined) throw wrong(`has no field ${odd}: it has ${keys.join(', ')}`);
  const { default: chosen = null } = question;
  if (chosen !== null && chosen !== 'retry' && chosen !== 'give_up')
    throw wrong(`needs default as "retry" or "give_up", got ${JSON.stringify(chosen)}`);
  askOf(bridge, what, question, { error: '', code: null, repeats: [] });
  return question;
}

interface Part<T> {
  /** Begins the message: `step 'load'`. */
  what: string;
  /** null: nobody is asked. */
  question: FailureQuestion | null;
  /** Gives what people say instead. */
  give: (value: JsonValue) => T;
}

/**
 * Does work. If it fails, people say whether it is tried again, what it gives instead, or that it fails.
 * @throws what it failed with, where they give up, take the question back or don't answer in time
 */
export function* askingOnFailure<T>(
  bridge: Bridge,
  L: LuaState,
  { what, question, give }: Part<T>,
  work: () => Generator<Step, T, unknown>,
): Generator<Step, T, unknown> {
  const base = lua.lua_gettop(L);
  const frame = currentFrame(L);
  for (let times = 1; ; times++) {
    const first = frame.next;
    try {
      return yield* work();
    } catch (error) {
      if (question === null || times > mostTimes) throw error;
      const failed = heldBack(bridge, L, error);
      lua.lua_settop(L, base);
      const repeats = namesSince(bridge, frame, first);
      const ask = askOf(bridge, what, question, { error: failed.text, code: failed.code, repeats });
      const answer = yield* askForHost(bridge, 'hitl_select', ask);
      const chosen = answer.how === 'withdrawn' ? 'give_up' : answer.value;
      const value = chosen === 'value' ? yield* askValue(bridge, what, ask) : null;
      if (chosen !== 'retry' && value === null) throw failed.again(L);
      failed.drop();
      if (value !== null) return give(value.given);
    }
  }
}

/** What the work has recorded, itself and not deeper: that is done again. */
function namesSince({ log }: Bridge, { position }: Frame, first: number): string[] {
  return log.entries
    .filter((entry) => outerPosition(entry.position) === position && !rounds.includes(entry.type))
    .filter((entry) => Number(entry.position.slice(entry.position.lastIndexOf('.') + 1)) >= first)
    .map(({ type, name }) => `${type}: ${name}`)
    .slice(0, mostNamed);
}

function askOf(
  bridge: Bridge,
  what: string,
  question: FailureQuestion,
  { error, code, repeats }: { error: string; code: ErrorCode | null; repeats: string[] },
): HumanAsk {
  const asked = readAsk(bridge.holds, `${what}: on_failure`, humanKinds.select, {
    default: 'give_up',
    ...question,
    message: `${what} failed. Try it again?`,
    options: [
      { value: 'retry', label: 'Try it again from its beginning' },
      { value: 'value', label: 'Go on with a value that you give' },
      { value: 'give_up', label: 'Give up: it fails' },
    ],
    context: { error: cutMessage(error, mostErrorBytes), code, repeats },
  });
  return { ...asked, ...byHost(bridge) };
}

/** null: nobody has given one. */
function* askValue(
  bridge: Bridge,
  what: string,
  { options: _, form: __, policy: ___, ...ask }: HumanAsk,
): Generator<Step, { given: JsonValue } | null, unknown> {
  const answer = yield* askForHost(bridge, 'hitl_input', {
    ...ask,
    ...{
      kind: 'input',
      message: `What does ${what} give?`,
      options: [],
      form: { type: 'any' },
      default: null,
    },
  });
  return answer.how === 'decided' ? { given: answer.value } : null;
}
