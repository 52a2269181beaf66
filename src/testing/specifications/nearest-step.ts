import { builtInSteps } from './built-in-steps.js';
import { similarity } from '../evaluations/similarity.js';

/** A step that is less alike is another one. */
const leastSimilarity = 0.6;

/** The built-in step that a text may have meant, as one writes it (`the person answers … to …`); null where none is near. */
export function nearestStep(text: string): string | null {
  const words = withoutValues(text);
  const [best] = builtInSteps
    .map(({ pattern }) => asWritten(pattern))
    .map((step) => ({ step, score: similarity(words, withoutValues(step)) }))
    .sort((a, b) => b.score - a.score);
  return best !== undefined && best.score >= leastSimilarity ? best.step : null;
}

/** A pattern with `…` for what it captures, and the first of several words. */
function asWritten({ source }: RegExp): string {
  return source
    .replace(/"?\((?!\?)(?:[^()\\]|\\.)*\)"?/g, '…')
    .replace(/\(\?:([^()|]*)(?:\|[^()]*)?\)\??/g, '$1')
    .replace(/\[[^\]]*\]\+?|\\w\+/g, '…')
    .replace(/(\w)\?/g, '$1');
}

function withoutValues(text: string): string {
  return text
    .replace(/\{.*\}|\[.*\]|"[^"]*"|'[^']*'|\b\d+(?:\.\d+)?\b/g, '…')
    .toLowerCase()
    .trim();
}
