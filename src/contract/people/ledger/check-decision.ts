import type { Decision, Verdict } from '../decision.js';
import type { Holds } from '../../engine.js';
import { namesPeople, type HumanRequest } from '../human-request.js';
import { quoteText } from '../../text/plain-text.js';
import { readAnswerValue, type AnswerValue } from './answers.js';
import { neededProblem } from './needed-answer.js';
import { maxCommentBytes, maxValueBytes } from './ledger-state.js';
import { isJson, isObject, jsonSize, utf8Length, type JsonObject, type JsonValue } from '../../json/json.js';
import { maxTokenLength } from '../../authority/approval-token.js';

/**
 * Longest texts that a decision may carry, in UTF-16 units. A workflow id has at most 1,000 bytes, a position comes on
 * top. The comment is measured when the decision is settled: its sender then gets a verdict.
 */
const longest = { request: 2_000, by: 500, digest: 100, id: 500, to: 500, comment: Infinity } as const;

const actions = ['delegate', 'withdraw'] as const;

type TextKey = keyof typeof longest;

/**
 * Reads what a signal or an Update brought, with all of its arguments; a text is the reason why it isn't a
 * decision. Whether it counts is not asked here. An optional part that is null counts as left out.
 */
export function parseDecision(...args: unknown[]): Decision | string {
  const [input] = args;
  if (args.length !== 1) return `a decision is one argument, a JSON object, not ${args.length} arguments`;
  if (!isJson(input) || !isObject(input)) {
    return `a decision is a JSON object {"request", "value"}, not ${describe(input)}`;
  }
  const stranger = Object.keys(input).find(
    (key) => key !== 'value' && key !== 'action' && !Object.hasOwn(longest, key),
  );
  if (stranger === 'token')
    return 'this run takes no token: its decisions are not signed (trusted-namespace)';
  if (stranger !== undefined) {
    return `a decision has no ${quoteText(stranger)}: it has request, value, by, comment, digest, id, action and to`;
  }
  const action = actionOf(input);
  if (typeof action === 'string') return action;
  const { value } = input;
  if (!('action' in action) && (!Object.hasOwn(input, 'value') || value === undefined))
    return 'a decision needs a value';
  return readTexts(input, { value: value ?? null, ...action });
}

/** The same as `parseDecision` for a run that takes signed decisions, each with its token. */
export function parseSignedDecision(...args: unknown[]): Decision | string {
  const [input] = args;
  if (!isJson(input) || !isObject(input) || (input['token'] ?? null) === null) return parseDecision(...args);
  const { token, ...others } = input;
  if (typeof token !== 'string') return `the token of a decision is a text, not ${quoteText(token ?? null)}`;
  if (token.length > maxTokenLength)
    return `the token of a decision has at most ${maxTokenLength} characters`;
  const decision = parseDecision(others, ...args.slice(1));
  return typeof decision === 'string' ? decision : { ...decision, token };
}

/** The same as `parseDecision` for runs that began before requests were handed on and taken back. */
export function parsePlainDecision(...args: unknown[]): Decision | string {
  const decision = parseDecision(...args);
  if (typeof decision === 'string' || decision.action === undefined) return decision;
  return `a run that began before doesn't know how to ${decision.action} a request`;
}

/** What it does besides answering; a text: why it can't. */
function actionOf({
  action: given = null,
  value = null,
  to = null,
}: JsonObject): Pick<Decision, 'action'> | string {
  const action = actions.find((each) => each === given);
  if (given !== null && action === undefined)
    return `the action of a decision is ${actions.join(' or ')}, not ${quoteText(given)}`;
  if (action !== undefined && value !== null) return `who means to ${action} gives no value`;
  if (action === 'delegate' && to === null) return 'a decision that delegates needs to: a name';
  if (action !== 'delegate' && to !== null) return 'only a decision that delegates has to';
  return action === undefined ? {} : { action };
}

function readTexts(input: JsonObject, rest: Pick<Decision, 'value' | 'action'>): Decision | string {
  const decision: Decision = { request: '', ...rest };
  for (const key of Object.keys(longest) as TextKey[]) {
    const text = input[key] ?? null;
    if (text === null && key !== 'request') continue;
    if (typeof text !== 'string' || (text === '' && key !== 'comment')) {
      return text === null
        ? 'a decision needs a request'
        : `the ${key} of a decision is a text, not ${quoteText(text)}`;
    }
    if (text.length > longest[key]) return `the ${key} of a decision has at most ${longest[key]} characters`;
    decision[key] = text;
  }
  return decision;
}

function describe(input: unknown): string {
  if (input === undefined) return 'nothing';
  return isJson(input) ? quoteText(input) : 'something that JSON has no form for or that is nested too deep';
}

/** What came as a decision without its `early`, and whether that was said. */
interface SaidEarly {
  given: unknown[];
  isMeant: boolean;
}

/** Takes `early` out of what arrives as a decision: it is a word to whoever takes it, and no part of what is kept. */
export function takeEarly(given: unknown[]): SaidEarly {
  const [input, ...others] = given as JsonValue[];
  if (!isObject(input) || !isFlag(input['early'])) return { given, isMeant: false };
  const { early, ...decision } = input;
  return { given: [decision, ...others], isMeant: early === true };
}

function isFlag(early: unknown): boolean {
  return early === null || typeof early === 'boolean';
}

/**
 * Refuses what would only be kept, unless that is meant: a mistyped number would answer a question that nobody has seen. What names
 * a digest is bound to the text that somebody saw, and may come first.
 */
export function refuseUnseen(verdict: Verdict, { digest }: Decision, isMeant: boolean): Verdict {
  if (verdict.outcome !== 'early' || digest !== undefined || isMeant) return verdict;
  return {
    id: verdict.id,
    outcome: 'unknown',
    message:
      `request ${quoteText(verdict.id)} isn't open: nobody has seen what it asks, and the decision was not kept. ` +
      'To decide it all the same, send it with early: true (respond --early)',
  };
}

export interface Refused {
  outcome: 'not_allowed' | 'invalid';
  message: string;
}

export type Checked = { outcome: 'accepted'; answer: AnswerValue } | Refused;

/** Whether an answer to an open request counts. One that doesn't leaves the request open. */
export function checkDecision(request: HumanRequest, decision: Decision, holds: Holds): Checked {
  const refused = mayDecide(request, decision) ?? fitsRequest(request, decision);
  if (refused !== null) return refused;
  const answer = readAnswerValue(request, decision.value);
  if (typeof answer === 'string') return { outcome: 'invalid', message: answer };
  const missing = holds('needed-answers') ? neededProblem(request, answer.value) : null;
  if (missing !== null) return { outcome: 'invalid', message: missing };
  const oversizeInside = answer.comment === null ? null : sizeProblem({ comment: answer.comment });
  if (oversizeInside !== null) return { outcome: 'invalid', message: oversizeInside };
  return { outcome: 'accepted', answer };
}

/** Why this person has no say over the request; null where there is one. */
export function mayDecide(request: HumanRequest, { by }: Pick<Decision, 'by'>): Refused | null {
  const { approvers, requester } = request;
  const refuse = (message: string): Refused => ({ outcome: 'not_allowed', message });
  const who = by === undefined ? 'a decision without a name' : quoteText(by);
  if (requester !== undefined && by === requester)
    return refuse(`${who} asks, and may not decide: somebody else must`);
  if (approvers.length > 0 && (by === undefined || !approvers.includes(by)))
    return refuse(`${who} may not decide: ask ${quoteText(approvers)}`);
  if (by === undefined && namesPeople(request))
    return refuse(`${who} doesn't count here: it matters who decides`);
  return null;
}

/** Why what was sent isn't for this request, or too large; null where nothing is wrong with it. */
export function fitsRequest({ digest }: HumanRequest, decision: Decision): Refused | null {
  if (decision.digest !== undefined && decision.digest !== digest) {
    const message = 'the decision was made for another text than the request shows now: look at it again';
    return { outcome: 'invalid', message };
  }
  const oversize = sizeProblem(decision);
  return oversize === null ? null : { outcome: 'invalid', message: oversize };
}

/** Why a decision is too large to be kept in a run's history; null where it isn't. */
export function sizeProblem({ value, comment }: Partial<Pick<Decision, 'value' | 'comment'>>): string | null {
  if (comment !== undefined && utf8Length(comment) > maxCommentBytes) {
    return `the comment is longer than ${maxCommentBytes / 1024} KiB`;
  }
  if (value !== undefined && jsonSize(value) > maxValueBytes) {
    return `the value is longer than ${maxValueBytes / 1024} KiB`;
  }
  return null;
}
