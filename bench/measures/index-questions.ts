import { openRunIndex, type IndexChange, type RunIndex } from '../../dist/index.js';
import { median, timed } from './compare.ts';

const count = 10_000;
const atOnce = 200;
const rounds = 30;

/** The median of each question, and what a change of one run takes while there are so many. */
export async function measureIndex(place: string): Promise<{ what: string; ms: number }[]> {
  const index = await openRunIndex(place);
  await index.clear();
  const filling = await timed(async () => {
    for (let i = 0; i < count; i += atOnce)
      await index.write(Array.from({ length: atOnce }, (_, k) => told(i + k, 1)));
  });
  const all = await index.runs({ limit: count });
  const middle = await pageAfter(index, count / 2);
  const questions: Record<string, () => Promise<unknown>> = {
    'a page of 50 runs': () => index.runs({ limit: 50 }),
    'a page of 50 runs, 5,000 further on': () => index.runs({ limit: 50, after: middle }),
    'a page of 50 runs of a status and a procedure': () =>
      index.runs({ limit: 50, status: 'waiting_for_human', procedure: 'p7' }),
    'a page of 50 runs by the beginning of their ids': () => index.runs({ limit: 50, prefix: 'run-000' }),
    'a page of 50 requests': () => index.requests({ limit: 50 }),
    'a page of 50 requests that somebody may decide': () =>
      index.requests({ limit: 50, approver: 'person-3' }),
    'a page of 50 requests by a word of their messages': () =>
      index.requests({ limit: 50, text: 'Order 99' }),
    'a word that no message has': () => index.requests({ limit: 50, text: 'nowhere' }),
    'the requests of a run': () => index.requests({ limit: 50, runIds: [idOf(count / 2)] }),
    'all 10,000 requests, in pages of 1,000': () => everyRequest(index),
    'how many there are': () => index.counts(),
    'whether it has too many': () => index.countsBefore(Date.now()),
    'which runs it is unsure of': () => index.unsure(new Date()),
  };
  const rows = [{ what: `filling it, for each of ${all.items.length} runs`, ms: filling / count }];
  for (const [what, ask] of Object.entries(questions)) rows.push({ what, ms: await medianOf(ask) });
  let length = 2;
  rows.push({
    what: 'a change of one run',
    ms: await medianOf(() => index.write([told(count / 2, length++)])),
  });
  await index.close();
  return rows;
}

async function medianOf(ask: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < rounds; i++) times.push(await timed(ask));
  return median(times);
}

async function pageAfter(index: RunIndex, limit: number): Promise<string> {
  return (await index.runs({ limit })).next ?? '';
}

async function everyRequest(index: RunIndex): Promise<void> {
  for (let after: string | undefined; ;) {
    const { next } = await index.requests({ limit: 1_000, after });
    if (next === null) return;
    after = next;
  }
}

function idOf(n: number): string {
  return `run-${String(n).padStart(6, '0')}`;
}

function told(n: number, length: number): IndexChange {
  const at = new Date(Date.UTC(2026, 0, 1) + n * 1_000).toISOString();
  const run_id = idOf(n);
  const procedure = `p${n % 20}`;
  return {
    kind: 'told',
    run: {
      ...{ run_id, procedure, status: 'waiting_for_human', error: null, waits: [], children: [] },
      ...{ checkpoints: 3, usage: { input_tokens: 900, output_tokens: 80, cost_usd: 0.01 } },
      ...{ started_at: at, closed_at: null },
      version: { execution: run_id, began: n, length, step: 0 },
      pending: [
        {
          ...{ id: `${run_id}/${length}`, run_id, kind: 'approval', message: `May order ${n} be paid?` },
          ...{ context: { order: n, text: 'x'.repeat(500) }, options: [], default: null, deadline: null },
          ...{ created_at: at, position: String(length), approvers: [`person-${n % 50}`], digest: `${n}` },
        },
      ],
    },
  };
}
