import { scoresWorkflowId } from '../../../../contract/scores/score.js';

const ofScores = scoresWorkflowId('');

/**
 * The subject that a run is about: what stands before the first `/` of its id, where that fits the pattern; null: it has none. Child
 * runs, forks and the scores of a run have the same, as their ids begin with the run's.
 * @param pattern a text in which `*` stands for anything
 */
export function subjectOf(workflowId: string, pattern: string): string | null {
  const id = workflowId.startsWith(ofScores) ? workflowId.slice(ofScores.length) : workflowId;
  const [first = ''] = id.split('/', 1);
  return first !== '' && fits(first, pattern) ? first : null;
}

/** Takes each part at its first place: no pattern takes more than one pass for each of its parts. */
function fits(text: string, pattern: string): boolean {
  const [begin = '', ...others] = pattern.split('*');
  const end = others.pop();
  if (end === undefined) return text === pattern;
  if (!text.startsWith(begin)) return false;
  let at = begin.length;
  for (const part of others) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return text.length - end.length >= at && text.endsWith(end);
}
