import {
  appendReducer,
  defineGraph,
  defineNode,
  GraphInterrupt,
  lastWriteWinsReducer,
  type LedgerEvent,
} from 'tactus-temporal/graph';

interface State {
  order: string;
  facts: string[];
  cents: number;
  mail: string;
  outcome: string;
}

interface Context {
  customer: string;
}

const seen = (key: string): LedgerEvent => ({ topic: 'looked_up', key, data: {} });

/** Stands for a call of a payment service, which knows a key that comes again. */
const refund = defineNode<State, Context>(
  async ({ state, call }) => ({
    stateDiff: { outcome: `refunded ${state.cents} cents (${call.idempotencyKey})` },
  }),
  { timeoutMs: 10_000, retry: { attempts: 5 } },
);

/** Two lookups side by side, a decision of a person, and a refund. */
export const refunds = defineGraph<State, Context>({
  name: 'refunds',
  channels: {
    order: lastWriteWinsReducer(),
    facts: appendReducer(),
    // The smallest of what the lookups allow.
    cents: (current, update) => Math.min(current ?? update, update),
    mail: undefined,
    outcome: undefined,
  },
  entrypoint: 'begin',
  nodes: {
    begin: async () => ({ stateDiff: {}, nextTasks: ['paid', 'policy'] }),
    paid: async ({ state }) => ({
      stateDiff: { facts: [`${state.order} was paid with 4,000 cents`], cents: 4_000 },
      ledgerEvents: [seen('paid')],
      nextTasks: ['write'],
    }),
    policy: async () => ({
      stateDiff: { facts: ['a refund is 2,500 cents at most'], cents: 2_500 },
      ledgerEvents: [seen('policy')],
      nextTasks: ['write'],
    }),
    write: async ({ state, customer }) => ({
      stateDiff: { mail: `Dear ${customer}, we refund ${state.cents} cents for ${state.order}.` },
      nextTasks: ['approve'],
    }),
    approve: async ({ state, resumePayload }) => {
      if (resumePayload === undefined)
        throw new GraphInterrupt('refund it?', { mail: state.mail, facts: state.facts });
      if (resumePayload !== true) return { stateDiff: { outcome: 'kept' } };
      return {
        stateDiff: {},
        intents: [{ type: 'send_mail', payload: { text: state.mail } }],
        nextTasks: ['refund'],
      };
    },
    refund,
  },
});
