import { similarity } from '../evaluations/expected-value.js';
import { patternOf, type StepDefinition } from './step-definition.js';
import {
  eventSteps,
  fileSteps,
  inputSteps,
  mockSteps,
  peopleSteps,
  runSteps,
} from './steps/arrange-steps.js';
import { endingSteps, outputSteps, stageSteps, stateSteps } from './steps/outcome-steps.js';
import { countSteps, toolSteps } from './steps/tool-steps.js';

/** What a step of a scenario is. */
export type MatchedStep =
  | { kind: 'built-in'; definition: StepDefinition; captures: string[] }
  /** One that the file declares itself, by its index. */
  | { kind: 'own'; step: number; captures: (string | null)[] }
  | { kind: 'undefined' };

/**
 * Finds what a step's text means: a step of the file's own that fits the whole text, else one that every file has, else
 * one of the file's own that fits its beginning.
 * @throws StepProblem where a pattern of the file's own is none
 */
export function matchStep(text: string, own: readonly { pattern: string }[]): MatchedStep {
  const whole = matchOwn(text, own, '$');
  if (whole !== null) return whole;
  for (const definition of builtInSteps) {
    const found = new RegExp(`^${definition.pattern.source}$`).exec(text);
    if (found !== null)
      return { kind: 'built-in', definition, captures: capturesOf(found).map((each) => each ?? '') };
  }
  return matchOwn(text, own, '') ?? { kind: 'undefined' };
}

/** Whether a step says that the procedure fails. */
export function expectsFailure(step: MatchedStep): boolean {
  return (
    step.kind === 'built-in' && step.definition.kind === 'look' && step.definition.expectsFailure === true
  );
}

function matchOwn(text: string, own: readonly { pattern: string }[], end: string): MatchedStep | null {
  for (const [step, { pattern }] of own.entries()) {
    const found = patternOf(pattern, 'i', (body) => `^(?:${body})${end}`).exec(text);
    if (found !== null) return { kind: 'own', step, captures: capturesOf(found) };
  }
  return null;
}

function capturesOf(found: RegExpExecArray): (string | null)[] {
  return found.slice(1).map((capture: string | undefined) => capture ?? null);
}

/** The step that an author could write for this text. */
export function stepToWrite(text: string): string {
  const names: string[] = [];
  const pattern = text
    .replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
    .replace(/"[^"]*"|\b\d+(?:\\\.\d+)?\b/g, (found) => {
      names.push(found.startsWith('"') ? `text${names.length + 1}` : `number${names.length + 1}`);
      return found.startsWith('"') ? '"(.+)"' : '([\\d.]+)';
    });
  const quoted = `[[${pattern}]]`;
  return `Step(${quoted}, function(${['context', ...names].join(', ')})\n  error("not written yet")\nend)`;
}

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

/** Steps that every file has. Of two that fit, the first one counts. */
export const builtInSteps: readonly StepDefinition[] = [
  ...inputSteps,
  ...fileSteps,
  ...eventSteps,
  ...mockSteps,
  ...peopleSteps,
  ...runSteps,
  ...endingSteps,
  ...toolSteps,
  ...countSteps,
  ...outputSteps,
  ...stateSteps,
  ...stageSteps,
];
