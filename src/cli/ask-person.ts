import { cancel, confirm, select, text } from '@clack/prompts';
import type { HumanRequest } from '../contract/human-request.js';
import type { JsonValue } from '../contract/json.js';
import { plainText } from './plain-text.js';
import { requestText } from './request-text.js';

/** What a person answered at the terminal. */
export type Answer = { value: JsonValue } | 'interrupted' | 'withdrawn';

const wantsReason = ['reject', 'revise'];

/** Asks at the terminal, on stderr. `signal` withdraws the question: somebody else has answered it. */
export async function askPerson(request: HumanRequest, signal: AbortSignal): Promise<Answer> {
  const answer = await ask(request, {
    message: plainText(requestText(request, { how: false })),
    signal,
    output: process.stderr,
  });
  if (typeof answer !== 'symbol') return { value: answer };
  if (!signal.aborted) return 'interrupted';
  cancel('Answered elsewhere', { output: process.stderr });
  return 'withdrawn';
}

type Asking = { message: string; signal: AbortSignal; output: NodeJS.WriteStream };

async function ask(request: HumanRequest, asking: Asking): Promise<JsonValue | symbol> {
  if (request.kind === 'approval') return confirm({ ...asking, initialValue: false });
  const choice = await choose(request, asking);
  if (request.kind !== 'review' || typeof choice === 'symbol') return choice;
  if (!wantsReason.includes(choice)) return { decision: choice };
  const feedback = await text({ ...asking, message: 'Why? (may be left empty)' });
  if (typeof feedback === 'symbol') return feedback;
  return { decision: choice, feedback: feedback ?? null };
}

function choose({ options }: HumanRequest, asking: Asking): Promise<string | symbol> {
  if (options.length === 0)
    return text({
      ...asking,
      validate: (given) => ((given ?? '') === '' ? 'An answer is needed' : undefined),
    });
  return select({ ...asking, options: options.map((value) => ({ value, label: plainText(value) })) });
}
