import { describe, expect, it } from 'vitest';
import type { Checkpoint } from '../../../../src/contract/checkpoints/checkpoint.js';
import { TraceWriter } from '../../../../src/worker/traces/trace-writer.js';
import type { Span } from '../../../../src/traces/index.js';
import type { MirrorUpdate } from '../../../../src/workflows/storage/mirror.js';
import { aToldRun } from '../../../support/told-run.js';

const canary = 'canary 8034';
const message = {
  text: canary,
  toolCalls: [],
  usage: { input_tokens: 1, output_tokens: 2 },
  model: 'openai/m',
};

/** Each with content wherever there may be some. */
const checkpoints: Checkpoint[] = [
  aCheckpoint('0.0', 'model_call', `${canary}.clerk`, { model: 'openai/m', messages: 1 }, message),
  aCheckpoint('0', 'agent_turn', `${canary}.clerk`, { message: canary }, { output: canary }),
  aCheckpoint('1', 'tool_call', canary, { args: canary }, { found: canary }),
  aCheckpoint(
    '2',
    'hitl_input',
    canary,
    { message: canary },
    { value: canary, by: canary, timed_out: false },
  ),
  aCheckpoint('3', 'http', `GET ${canary}`, { url: canary }, { body: canary }),
  {
    ...aCheckpoint('4', 'step', canary, null, null),
    outcome: { ok: false, code: 'lua_error', message: canary },
  },
];

function aCheckpoint(
  position: string,
  type: Checkpoint['type'],
  name: string,
  input: Checkpoint['input'],
  value: Checkpoint['input'],
): Checkpoint {
  const outcome = { ok: true, value } as const;
  return {
    position,
    type,
    name,
    input,
    outcome,
    ...{ digest: '', at: Date.parse('2026-01-01T00:00:02Z'), durationMs: 500, source: null },
  };
}

function spansOf(
  update: Partial<MirrorUpdate>,
  options: { showsContent?: boolean; ignoresParent?: boolean } = {},
) {
  const spans: Span[] = [];
  const writer = new TraceWriter({
    ...{ add: (more) => spans.push(...more), showsContent: false, ignoresParent: false },
    ...options,
  });
  const keys = { runId: 'r', firstExecutionId: 'e' };
  const trace = { traceId: 'a'.repeat(32), parentSpanId: null, isSampled: true, keys };
  const run = aToldRun('r', 1);
  writer.tell(
    {
      ...{ runId: 'r', status: 'running', state: {}, from: 0, checkpoints, waitingOn: null, run, trace },
      ...update,
    },
    { id: 'e', began: 0 },
  );
  return { spans, trace };
}

describe('spans of checkpoints', () => {
  it('have no content', () => {
    const error = { code: 'lua_error' as const, message: canary, line: null, traceback: null };
    const ended = aToldRun('r', 1, {
      status: 'failed',
      closed_at: '2026-01-01T00:00:01.000Z',
      error: error as never,
    });
    const { spans } = spansOf({ run: ended });
    expect(spans.map(({ name }) => name)).toEqual([
      ...['chat openai/m', 'invoke_agent clerk', 'execute_tool', 'decision input', 'http', 'step'],
      'invoke_workflow ask',
    ]);
    expect(JSON.stringify(spans)).not.toContain('canary');
    expect(spans.at(-1)?.error).toEqual({ code: 'lua_error' });
  });

  it('have it where it is asked for, unless the run hides it', () => {
    const { spans, trace } = spansOf({}, { showsContent: true });
    for (const span of spans) expect(JSON.stringify(span)).toContain(canary);
    const hidden = spansOf({ trace: { ...trace, hidesContent: true } }, { showsContent: true });
    expect(JSON.stringify(hidden.spans)).not.toContain('canary');
  });

  it.each(['model_call', 'tool_attempt', 'tool_list', 'http', 'model_predict', 'retrieve', 'intent'])(
    'are those of a client where the worker asks others: %s',
    (type) => {
      const told = aCheckpoint('0', type as Checkpoint['type'], 'x', {}, {});
      expect(spansOf({ checkpoints: [told] }).spans[0]?.kind).toBe('client');
    },
  );

  it.each(['step', 'file', 'sleep', 'agent_turn', 'code_check'])('are internal else: %s', (type) => {
    const told = aCheckpoint('0', type as Checkpoint['type'], 'x', {}, {});
    expect(spansOf({ checkpoints: [told] }).spans[0]?.kind).toBe('internal');
  });

  it('are not made of what a fork took over', () => {
    const [first = checkpoints[0] as Checkpoint, ...others] = checkpoints;
    const takenOver = { ...first, at: Date.parse('2025-12-31T23:59:59Z') };
    const { spans } = spansOf({ checkpoints: [takenOver, ...others] });
    expect(spans).toHaveLength(others.length);
    expect(spans.map(({ name }) => name)).not.toContain('chat openai/m');
  });

  it('are made of sampled traces alone, or of all', () => {
    const { trace } = spansOf({});
    const unsampled = { trace: { ...trace, isSampled: false } };
    expect(spansOf(unsampled).spans).toEqual([]);
    expect(spansOf(unsampled, { ignoresParent: true }).spans).not.toEqual([]);
  });

  it('stand in spans of branches, which end with what is around them, or with the run', () => {
    const inner = (position: string): Checkpoint => aCheckpoint(position, 'sleep', 'sleep', null, null);
    const told = [
      inner('4.0.0'),
      inner('4.1.0'),
      aCheckpoint('4', 'parallel', 'parallel', null, null),
      inner('5.0'),
    ];
    const ended = aToldRun('r', 1, { status: 'cancelled', closed_at: '2026-01-01T00:00:01.000Z' });
    const { spans } = spansOf({ checkpoints: told, run: ended });
    const ids = new Set(spans.map(({ spanId }) => spanId));
    expect(ids.size).toBe(spans.length);
    expect(spans.filter(({ parentSpanId }) => parentSpanId === null || !ids.has(parentSpanId))).toMatchObject(
      [{ name: 'invoke_workflow ask' }],
    );
    expect(
      spans.filter(({ name }) => name === 'branch').map(({ attributes }) => attributes['tactus.position']),
    ).toEqual(['4.0', '4.1', '5']);
  });
});
