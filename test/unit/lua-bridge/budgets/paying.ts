import type { HumanAsk } from '../../../../src/contract/people/human-request.js';
import type { JsonValue } from '../../../../src/contract/json/json.js';
import type { Answer } from '../../../support/converse.js';
import { answerOf, type FakeOptions } from '../../../support/fake-host.js';

/** An answer of a model that costs so much. */
export const paid = (tokens: number, usd?: number): Answer => ({
  text: 'said',
  usage: {
    ...{ input_tokens: tokens, output_tokens: 0 },
    ...(usd === undefined ? {} : { input_usd: usd, output_usd: 0 }),
  },
});

/** An agent with a budget of its own. */
export const agent = (budget: string, more = ''): string =>
  `worker = Agent { system_prompt = "Work", budget = { ${budget} }, ${more} }\n`;

/** A person who gives these answers, one after the other; keeps what was asked. */
export function people(answers: JsonValue[]): { options: FakeOptions; asked: HumanAsk[] } {
  const asked: HumanAsk[] = [];
  return {
    asked,
    options: {
      perform: (effect, request) => {
        if (effect.kind !== 'human') return answerOf(effect, request);
        asked.push(effect.ask);
        return { value: answers[asked.length - 1] ?? 'stop', timed_out: false, by: 'ann', comment: null };
      },
    },
  };
}
