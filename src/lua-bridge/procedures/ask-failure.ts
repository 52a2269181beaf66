import { changesOf, newestEngine, type Holds } from '../../contract/engine.js';
import { TactusError, type ErrorCode } from '../../contract/errors.js';
import { asJson, defined, type JsonValue } from '../../contract/json/json.js';
import type { FailedHere } from '../../contract/people/failure-context.js';
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
  type HostAnswer,
  type LuaState,
  type Repeats,
  type Step,
} from '../kernel/index.js';
import { humanKinds } from '../people/human-kinds.js';
import { readAsk, tooFew } from '../people/read-ask.js';
import { failedHere, retryHere, type AttemptAt } from './retry-here.js';

/** So often people may let a part be tried again. */
const mostTimes = 100;
/** Of an error, in bytes. */
const mostErrorBytes = 2_000;
/** So many effects are named to those who choose. */
const mostNamed = 3;
const nobody: Failed = {
  error: '',
  code: null,
  repeats: { effects: [], more: 0, secondTime: 0 },
  here: null,
};

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
  if (question !== false) askOf(bridge.holds, what, question, nobody);
  return question;
}

/** Why people could not be asked so, in words that follow `on_failure`; null: they can. */
export function failureQuestionProblem(question: FailureQuestion): string | null {
  try {
    return tooFew(askOf(changesOf(newestEngine), 'it', question, nobody));
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
  const frame = currentFrame(L);
  const { scope } = frame;
  const around = scope.attempted;
  const attempted = new AttemptedEffects(around ?? null);
  for (let times = 1; ; times++) {
    const attempt = { frame, first: frame.next };
    scope.attempted = attempted;
    attempted.begin();
    try {
      return yield* work();
    } catch (error) {
      scope.attempted = around;
      if (attempted.hasGivenUp || times > mostTimes) throw error;
      const failed = heldBack(bridge, L, error);
      lua.lua_settop(L, base);
      const { text, code } = failed;
      const said = { what, question, error: text, code };
      const answer = yield* askPeople(bridge, said, attempt, attempted);
      if (answer === 'give_up') {
        noteGivenUp(around);
        throw failed.again(L);
      }
      failed.drop();
      if (answer !== 'retry') return give(answer.given);
    } finally {
      scope.attempted = around;
    }
  }
}

/** What people say of an attempt that has failed. Where it is tried again from what failed, the run goes on elsewhere. */
function* askPeople(
  bridge: Bridge,
  { what, question, ...error }: Pick<Failed, 'error' | 'code'> & { what: string; question: FailureQuestion },
  attempt: AttemptAt,
  attempted: AttemptedEffects,
): Generator<Step, 'retry' | 'give_up' | { given: JsonValue }, unknown> {
  const { repeats } = attempted;
  for (let refused: string | undefined; ;) {
    const here: FailedHere | null =
      refused === undefined ? failedHere(bridge, attempt, attempted, error.error) : null;
    const failed = { ...error, repeats, here, ...defined({ refused }) };
    const ask = { ...askOf(bridge.holds, what, question, failed), ...byHost(bridge) };
    const answer: HostAnswer = yield* askForHost(bridge, 'hitl_select', ask);
    const chosen: JsonValue = answer.how === 'withdrawn' ? 'give_up' : answer.value;
    if (chosen === 'retry') return 'retry';
    if (chosen === 'value') return (yield* askValue(bridge, what, ask)) ?? 'give_up';
    if (chosen !== 'retry_here' || here === null) return 'give_up';
    refused = yield* retryHere(bridge, attempt, here, answer.how === 'decided' ? answer.by : null);
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

/** What is told of a failure. */
interface Failed {
  error: string;
  code: ErrorCode | null;
  repeats: Repeats;
  /** null: it can't be tried again from there. */
  here: FailedHere | null;
  refused?: string;
}

function askOf(
  holds: Holds,
  what: string,
  question: FailureQuestion,
  { error, code, repeats, here, refused }: Failed,
): HumanAsk {
  const { default: byDefault = 'give_up' } = question;
  return readAsk(holds, `${what}: on_failure`, humanKinds.select, {
    ...question,
    default: byDefault === 'retry_here' && here === null ? 'give_up' : byDefault,
    message: `${what} failed. Try it again?`,
    options: [
      ...(here === null ? [] : [{ value: 'retry_here', label: hereText(here) }]),
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
      ...(here === null ? {} : { here: asJson(here) }),
      ...defined({ refused }),
    },
  });
}

function hereText({ type, name, repeats }: FailedHere): string {
  return `Try it again from what failed, ${type} ${name}${repeats ? ': a second time' : ''}`;
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
