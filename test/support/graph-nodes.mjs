/** A graph whose nodes a worker has: three side by side, of which one waits for a person, and one after them. */
import { appendReducer, GraphInterrupt, lastWriteWinsReducer } from '../../dist/graph.js';

/** Asks a service that knows a key which comes again. */
async function scoreOf(n, { state, call }) {
  const answer = await globalThis.fetch(state.endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': call.idempotencyKey },
    body: JSON.stringify({ n }),
    signal: call.signal,
  });
  return (await answer.json()).score;
}

const told = (payload) => ({ type: 'tell', payload });

export const graphs = [
  {
    name: 'scores',
    channels: {
      endpoint: lastWriteWinsReducer(),
      scores: appendReducer(),
      total: (current, update) => (current ?? 0) + update,
      ok: lastWriteWinsReducer(),
    },
    nodes: {
      plan: async () => ({
        stateDiff: {},
        intents: [told({ begun: true })],
        nextTasks: ['first', 'second', 'ask'],
      }),
      first: async (context) => {
        const score = await scoreOf(1, context);
        return {
          stateDiff: { scores: [score], total: score },
          ledgerEvents: [{ topic: 'scored', key: 'first', data: {} }],
          intents: [told({ scored: 'first' }), told({ value: score })],
          nextTasks: ['join'],
        };
      },
      second: async (context) => {
        const score = await scoreOf(3, context);
        return { stateDiff: { scores: [score], total: score }, nextTasks: ['join'] };
      },
      ask: async ({ resumePayload }) => {
        if (resumePayload === undefined) throw new GraphInterrupt('Go on?');
        return { stateDiff: { ok: resumePayload }, nextTasks: ['join'] };
      },
      join: async (context) => ({
        stateDiff: { scores: [await scoreOf(4, context)] },
        intents: [told({ done: true })],
      }),
    },
  },
];
