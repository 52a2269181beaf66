import { Fault } from '../../retries/fault.js';
import { hopelessWords } from '../hopeless-words.js';
import type { Reply } from './response-api.js';

/** Ends that have an answer to show, or a part of one. */
const withAnswer = ['completed', 'incomplete'];

/** Why a response came to nothing; null where it has an answer, or hasn't ended. */
export function endedFault({ state, error }: Pick<Reply, 'state' | 'error'>): Fault | null {
  if (state === null || withAnswer.includes(state) || state === 'queued' || state === 'in_progress')
    return null;
  if (state !== 'failed')
    return new Fault(`ended its response without an answer: ${state}`, { retryable: true, isAnswer: true });
  const word = (name: string): string => (typeof error?.[name] === 'string' ? error[name] : '');
  const code = word('code');
  const reason = word('message') || code;
  return new Fault(`failed while it answered${reason === '' ? '' : `: ${reason}`}`, {
    retryable: !hopelessWords.has(code) && !code.startsWith('invalid_'),
    isAnswer: code !== 'rate_limit_exceeded',
  });
}
