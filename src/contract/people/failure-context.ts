import { askedAgainText } from '../changes/asked-again-text.js';
import type { AskedAgain } from '../changes/proof.js';
import type { ErrorCode } from '../errors.js';
import { isObject, jsonAs } from '../json/json.js';
import type { HumanRequest } from './human-request.js';

/** The checkpoint that a part failed with, from which it can be tried again. */
export interface FailedHere extends Pick<AskedAgain, 'position' | 'type' | 'name'> {
  /** It may be done once alone, and may have been done. */
  repeats: boolean;
}

/** What people are shown who say what becomes of a part that has failed. */
export interface FailureContext {
  error: string;
  /** null: it has none. */
  code: ErrorCode | null;
  /** What another attempt asks again, in the order of asking. */
  repeats: AskedAgain[];
  /** So much of it isn't listed. */
  more: number;
  /** So much of all of it may be done once alone, and may have been done. */
  second_time: number;
  /** What `retry_here` asks again; left out where there is no such choice. */
  here?: FailedHere;
  /** Why it couldn't be tried again from there. */
  refused?: string;
}

/** Of a request of the host; null: it asks about something else. */
export function failureContextOf({
  by_host: byHost,
  context,
}: Pick<HumanRequest, 'by_host' | 'context'>): FailureContext | null {
  if (byHost !== true || !isObject(context)) return null;
  const { error, repeats, more, second_time: secondTime } = context;
  const isOne =
    typeof error === 'string' &&
    Array.isArray(repeats) &&
    typeof more === 'number' &&
    typeof secondTime === 'number';
  return isOne ? jsonAs<FailureContext>(context) : null;
}

/** As a text for people, which begins with what the host knows: words of the error can't pass for it. null: it asks about something else. */
export function failureText(request: Pick<HumanRequest, 'by_host' | 'context'>): string | null {
  const failed = failureContextOf(request);
  if (failed === null) return null;
  const { error, code, repeats, more, second_time: secondTime, refused } = failed;
  const listed = [...repeats.map(askedAgainText), ...(more === 0 ? [] : [`and ${more} more`])];
  return [
    ...(secondTime === 0 ? [] : [secondTimeText(secondTime)]),
    ...(refused === undefined ? [] : [`It can't be tried again from what failed: ${refused}`]),
    ...(listed.length === 0 ? [] : ['Another attempt asks again for:', ...listed.map((line) => `  ${line}`)]),
    `Error${code === null ? '' : ` (${code})`}: ${error}`,
  ].join('\n');
}

/** What must be known before somebody says that a part is tried again. */
export function secondTimeText(count: number): string {
  const [effects, are] = count === 1 ? ['effect', 'is'] : ['effects', 'are'];
  return `If you try it again, ${count} ${effects} that must not be repeated ${are} done a second time`;
}
