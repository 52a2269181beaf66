import { TactusError, type ErrorCode } from '../../contract/errors.js';
import { asJson, isObject, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import type { HumanAsk } from '../../contract/people/human-request.js';
import { cutMessage } from '../../contract/text/plain-text.js';
import { heldBack } from '../checkpoints/attempted.js';
import {
  addPart,
  askForHost,
  AttemptedEffects,
  byHost,
  currentFrame,
  lua,
  partsFrom,
  type Bridge,
  type LuaState,
  type Repeats,
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
/** So many effects are named to those who choose. */
const mostNamed = 3;
const nothing: Repeats = { effects: [], more: 0, secondTime: 0 };

// A log may begin inside of such parts.
addPart<AttemptedEffects[]>(
  {
    name: 'attempted',
    take: (parts) => (parts.length === 0 ? null : parts.map((each) => each.handOver())),
    put: (parts, taken) => {
      if (Array.isArray(taken)) taken.forEach((each, i) => parts[i]?.goOnWith(each));
    },
  },
  (_, L) => partsFrom(currentFrame(L).scope.attempted),
);

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
  askOf(bridge, what, question, { error: '', code: null, repeats: nothing });
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
  const { scope } = currentFrame(L);
  const around = scope.attempted;
  const attempted = new AttemptedEffects(around ?? null);
  for (let times = 1; ; times++) {
    scope.attempted = attempted;
    attempted.begin();
    try {
      return yield* work();
    } catch (error) {
      scope.attempted = around;
      if (question === null || times > mostTimes) throw error;
      const failed = heldBack(bridge, L, error);
      lua.lua_settop(L, base);
      const ask = askOf(bridge, what, question, {
        error: failed.text,
        code: failed.code,
        repeats: attempted.repeats,
      });
      const answer = yield* askForHost(bridge, 'hitl_select', ask);
      const chosen = answer.how === 'withdrawn' ? 'give_up' : answer.value;
      const value = chosen === 'value' ? yield* askValue(bridge, what, ask) : null;
      if (chosen !== 'retry' && value === null) throw failed.again(L);
      failed.drop();
      if (value !== null) return give(value.given);
    } finally {
      scope.attempted = around;
    }
  }
}

/** Names what may be done once alone, and would be done again. */
function secondTimeOf({ effects, secondTime }: Repeats): string {
  if (secondTime === 0) return '';
  const listed = effects.filter(({ repeats }) => repeats);
  const names = [...new Set(listed.map(({ name }) => name))];
  const named = names.slice(0, mostNamed).join(', ');
  const others = names.length > mostNamed || secondTime > listed.length ? ' and more' : '';
  return `: a second time ${named}${others}`;
}

function askOf(
  bridge: Bridge,
  what: string,
  question: FailureQuestion,
  { error, code, repeats }: { error: string; code: ErrorCode | null; repeats: Repeats },
): HumanAsk {
  const asked = readAsk(bridge.holds, `${what}: on_failure`, humanKinds.select, {
    default: 'give_up',
    ...question,
    message: `${what} failed. Try it again?`,
    options: [
      { value: 'retry', label: `Try it again from its beginning${secondTimeOf(repeats)}` },
      { value: 'value', label: 'Go on with a value that you give' },
      { value: 'give_up', label: 'Give up: it fails' },
    ],
    context: {
      error: cutMessage(error, mostErrorBytes),
      code,
      repeats: asJson(repeats.effects),
      more: repeats.more,
      second_time: repeats.secondTime,
    },
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
