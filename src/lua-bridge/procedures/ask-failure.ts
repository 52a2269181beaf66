import { changesOf, newestEngine, type Holds } from '../../contract/engine.js';
import { TactusError, type ErrorCode } from '../../contract/errors.js';
import { asJson, type JsonValue } from '../../contract/json/json.js';
import { failureQuestionOf, type FailureQuestion } from '../../contract/people/failure-question.js';
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
  noteGivenUp,
  partsFrom,
  type Bridge,
  type LuaState,
  type Repeats,
  type Step,
} from '../kernel/index.js';
import { humanKinds } from '../people/human-kinds.js';
import { readAsk, tooFew } from '../people/read-ask.js';

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
 * Reads `on_failure = "ask"`, `on_failure = {approvers = …, timeout = …}` or `on_failure = false`; null where it isn't there, or in runs
 * of before.
 * @throws TactusError with the given code where it is something else; human_request_invalid naming the field
 */
export function readOnFailure(
  bridge: Bridge,
  given: JsonValue,
  what: string,
  code: ErrorCode,
): FailureQuestion | false | null {
  if (given === null || !bridge.holds('failure-questions')) return null;
  const question = failureQuestionOf(given);
  if (typeof question === 'string') throw new TactusError(code, `${what}: on_failure ${question}`);
  if (question !== false) askOf(bridge.holds, what, question, { error: '', code: null, repeats: nothing });
  return question;
}

/** Why people could not be asked so, in words that follow `on_failure`; null: they can. */
export function failureQuestionProblem(question: FailureQuestion): string | null {
  try {
    const none = { error: '', code: null, repeats: nothing };
    return tooFew(askOf(changesOf(newestEngine), 'it', question, none));
  } catch (error) {
    if (error instanceof TactusError) return error.message.replace(/^Human\.it: on_failure /, '');
    throw error;
  }
}

/** Who is asked about a main procedure whose source says nothing of it. */
export function configuredQuestion(bridge: Bridge): FailureQuestion | false | null {
  const { settings, scenario } = bridge.run;
  // A scenario says what a failure is to look like.
  if (settings.onFailure === undefined || scenario !== null) return null;
  return readOnFailure(bridge, settings.onFailure, 'the configuration', 'config_invalid');
}

interface Part<T> {
  /** Begins the message: `step 'load'`. */
  what: string;
  /** null, false: nobody is asked. */
  question: FailureQuestion | false | null;
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
  if (question === null || question === false) return yield* work();
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
      if (attempted.hasGivenUp || times > mostTimes) throw error;
      const failed = heldBack(bridge, L, error);
      lua.lua_settop(L, base);
      const ask = {
        ...askOf(bridge.holds, what, question, {
          error: failed.text,
          code: failed.code,
          repeats: attempted.repeats,
        }),
        ...byHost(bridge),
      };
      const answer = yield* askForHost(bridge, 'hitl_select', ask);
      const chosen = answer.how === 'withdrawn' ? 'give_up' : answer.value;
      const value = chosen === 'value' ? yield* askValue(bridge, what, ask) : null;
      if (chosen !== 'retry' && value === null) {
        noteGivenUp(around);
        throw failed.again(L);
      }
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
  holds: Holds,
  what: string,
  question: FailureQuestion,
  { error, code, repeats }: { error: string; code: ErrorCode | null; repeats: Repeats },
): HumanAsk {
  return readAsk(holds, `${what}: on_failure`, humanKinds.select, {
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
