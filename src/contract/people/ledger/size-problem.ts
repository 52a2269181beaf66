import type { Decision } from '../decision.js';
import { jsonSize, utf8Length } from '../../json/json.js';
import { maxCommentBytes, maxValueBytes } from './ledger-limits.js';

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
