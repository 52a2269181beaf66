import { exampleAnswer } from './example-answer.js';
import type { HumanRequest } from './human-request.js';
import { shellWord } from '../text/shell-word.js';

type Answerable = Pick<
  HumanRequest,
  'id' | 'kind' | 'options' | 'form' | 'approvers' | 'requester' | 'votes' | 'authority'
>;

/**
 * The command that answers a request, behind `tactus-temporal`: by somebody who may, where it names who.
 * @param reader who reads it, where that is known
 */
export function respondCommand(request: Answerable, reader?: string): string {
  const { id, approvers, requester, votes = [], authority } = request;
  const away = [requester, ...votes.map(({ by }) => by)];
  const able = approvers.find((name) => !away.includes(name)) ?? approvers[0];
  const who = able === undefined ? undefined : (reader ?? able);
  const answer = exampleAnswer(request);
  const flags = [
    ...(who === undefined ? [] : [`--as ${shellWord(who)}`]),
    ...(authority === 'signed' ? ['--key FILE'] : []),
  ];
  const isLikeFlag = id.startsWith('-') || /^["']?-/.test(answer);
  const words = isLikeFlag ? [...flags, '--', shellWord(id), answer] : [shellWord(id), answer, ...flags];
  return ['respond', ...words].join(' ');
}
