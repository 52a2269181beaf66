import type { HumanAnswer, HumanAsk } from './human-request.js';
import { asJson, isObject } from '../json/json.js';
import { readAnswerValue } from './ledger/answers.js';
import { always, defineEffect, listed, setting, untilSecond } from '../effects/define-effect.js';

/** What logs of 0.6 say nothing of. */
const sinceFields = { since: 3 } as const;
const settingSinceFields = { ...sinceFields, isSetting: true } as const;

/** A request to people: it waits for a decision, or for the end of its time. */
export const human = defineEffect<{ kind: 'human'; ask: HumanAsk }>()({
  kind: 'human',
  types: [
    'hitl_approval',
    'hitl_input',
    'hitl_review',
    'hitl_select',
    'hitl_inputs',
    'hitl_upload',
    'hitl_escalation',
    'hitl_custom',
  ],
  identity: {
    changedWith: ['versioned-digests', 'request-policy'],
    fields: {
      kind: always,
      ask: {
        fields: {
          kind: always,
          message: always,
          context: always,
          options: always,
          form: {
            fields: {
              ...{ type: always, multiple: always, min: always, max: always },
              ...{ accept: always, max_size: always, style: setting },
              choices: { each: { value: always, label: setting, description: setting } },
              items: {
                each: {
                  ...{ id: always, kind: always, message: always, options: always, required: always },
                  ...{ form: always, label: setting, default: setting, metadata: setting, hints: setting },
                },
              },
            },
          },
          default: setting,
          timeoutMs: untilSecond,
          approvers: setting,
          metadata: setting,
          policy: settingSinceFields,
          hints: settingSinceFields,
          before: sinceFields,
          origin: settingSinceFields,
          byHost: sinceFields,
          // Who is told of it makes it no other question.
          tell: listed,
        },
      },
    },
  },
  comparedAs: ({ kind, ask }) => ({ kind, ask: withoutLines(ask) }),
  effectClass: () => 'human',
  shown: ({ ask: { message, context, options, origin } }) => ({
    ...{ message, context, options },
    ...(origin === undefined ? {} : { origin: asJson(origin) }),
  }),
  told: ({ ask }, { value, timedOut = false }) => {
    // What stands for an answer that nobody gave needs to be none.
    const read = timedOut ? { value, comment: null } : readAnswerValue(ask, value);
    if (typeof read === 'string') return { wrong: read };
    const answer: HumanAnswer = { ...read, timed_out: timedOut, by: null };
    return { value: asJson(answer) };
  },
  wait: 'human',
  failure: 'human_request_invalid',
  isRemote: false,
  // With the timer of a request that has a timeout.
  historyEvents: 7,
  drawn: 'human',
  example: ({ ask }) => ({
    value: ask.kind === 'approval' ? true : 'answer',
    timed_out: false,
    by: null,
    comment: null,
  }),
});

/** Lines of a procedure in the text of an error: `main.tac:7`. */
const lines = /(\.(?:tac|lua)):\d+/g;

/** Of a question of the host about a failure: what fails in the same way in another line is the same question. */
function withoutLines(ask: HumanAsk): HumanAsk {
  const { byHost, context } = ask;
  if (byHost !== true || !isObject(context) || typeof context['error'] !== 'string') return ask;
  return { ...ask, context: { ...context, error: context['error'].replaceAll(lines, '$1') } };
}
