import { describe, expect, it } from 'vitest';
import { answerEnd } from '../../../../src/activities/models/model-result.js';

describe('how an answer ended', () => {
  it.each([
    ['stop', undefined, 'stop'],
    ['tool-calls', 'tool_use', 'tool_calls'],
    ['length', 'max_tokens', 'length'],
    ['content-filter', 'refusal', 'content_filter'],
    ['error', undefined, 'failed'],
    ['interrupted', undefined, 'broken_off'],
    ['other', undefined, 'other'],
    ['other', 'eos', 'other'],
    ['other', 'compaction', 'other'],
    // Words of providers that the AI SDK has no reason for.
    ['other', 'model_context_window_exceeded', 'length'],
    ['other', 'MAX_OUTPUT_TOKENS', 'length'],
    ['other', 'model_length', 'length'],
    ['other', 'SAFETY', 'content_filter'],
    ['other', 'guardrail_intervened', 'content_filter'],
    ['other', 'MALFORMED_FUNCTION_CALL', 'failed'],
    ['other', 'malformed_tool_use', 'failed'],
    ['other', 'UNEXPECTED_TOOL_CALL', 'failed'],
    ['other', 'error', 'failed'],
  ] as const)('%s, in the word %s: %s', (reason, raw, end) => {
    expect(answerEnd(reason, raw)).toBe(end);
  });
});
