import type { FinishReason as SdkReason } from 'ai';
import type { FinishReason } from '../../contract/models/model-call.js';

/** How an answer ended; `failed` and `broken_off`: it is none. */
export type AnswerEnd = FinishReason | 'failed' | 'broken_off';

const ends = {
  stop: 'stop',
  length: 'length',
  'content-filter': 'content_filter',
  'tool-calls': 'tool_calls',
  error: 'failed',
  interrupted: 'broken_off',
} as const satisfies Partial<Record<SdkReason, AnswerEnd>>;

/** Words in which providers say it, for which the AI SDK has no reason of its own; the first that fits counts. */
const otherWords: readonly (readonly [RegExp, AnswerEnd])[] = [
  [/malformed|error|abort|cancel|unexpected_tool/i, 'failed'],
  [/length|max_?(output_)?tokens|context_window|token_limit/i, 'length'],
  [/filter|safety|refus|guardrail|block|recitation|prohibited|spii|moderat/i, 'content_filter'],
];

/**
 * How an answer ended, by the AI SDK's reason, and by the provider's own word where the SDK knows none. A call of a tool must
 * not be made of an answer that was broken off, whatever the word for that is.
 */
export function answerEnd(reason: SdkReason, raw: string | undefined): AnswerEnd {
  if (reason in ends) return ends[reason as keyof typeof ends];
  const [, end] = otherWords.find(([word]) => raw !== undefined && word.test(raw)) ?? [];
  return end ?? 'other';
}
