import type { JsonObject, JsonValue } from '../../contract/json/json.js';
import type { MockPlan } from '../../contract/mocks/mock-plan.js';
import type { RunError } from '../../contract/errors.js';
import type { LogEntryView, RunStatus } from '../../contract/runs/run-view.js';
import type { Observed } from '../../contract/specifications/scenario.js';
import type { Usage } from '../../contract/models/model-call.js';

/** What a scenario's first steps prepare. */
export interface Plan {
  input: JsonObject;
  /** Texts of files that are there before the procedure runs, by their paths. */
  files: Record<string, string>;
  mock: MockPlan & { people: NonNullable<MockPlan['people']> };
  /** Null: the main procedure, or the only task. */
  task: string | null;
  /** The message that the following mocks are for; null: they are taken in their order. */
  message: string | null;
}

/** What its last steps look at. */
export interface Facts {
  status: RunStatus;
  input: JsonObject;
  output: JsonValue;
  state: JsonObject;
  error: RunError | null;
  log: readonly LogEntryView[];
  printed: readonly string[];
  usage: Usage;
  observed: Observed;
}

/** A step of Gherkin. Its pattern fits the whole text, whatever the keyword; groups that it captures are handed on. */
export type StepDefinition =
  | {
      kind: 'arrange';
      pattern: RegExp;
      arrange: (plan: Plan, ...captures: string[]) => void;
      /** Said of one that comes after the procedure has run; left out: it has no effect then. */
      tooLate?: string;
    }
  /** What it captures is the task that runs. */
  | { kind: 'run'; pattern: RegExp }
  /** Gives what is wrong, or null. */
  | {
      kind: 'look';
      pattern: RegExp;
      look: (facts: Facts, ...captures: string[]) => string | null;
      expectsFailure?: true;
    }
  /** Asks the judge; gives what is wrong, or null. `unknown`: nobody can tell, and it counts neither way. */
  | {
      kind: 'ask';
      pattern: RegExp;
      ask: (
        facts: Facts,
        judge: Judge,
        ...captures: string[]
      ) => Promise<string | { unknown: string } | null>;
    };

/** Asks a model for its opinion; null where no model may be asked. */
export type Judge = (question: {
  rubric: string;
  text: string;
  model: string | null;
}) => Promise<Opinion | null>;

export interface Opinion {
  ok: boolean;
  reason: string;
}

/** A step's own words make no sense. */
export class StepProblem extends Error {}

/**
 * A regular expression as Python writes it. What is spelt differently here is translated, and letters are those of all
 * scripts, as there. `placed` puts it into a larger one.
 * @throws StepProblem where it is none
 */
export function patternOf(pattern: string, flags = '', placed = (body: string): string => body): RegExp {
  const inlined = /^\(\?([imsu]+)\)/.exec(pattern);
  const body = translated(pattern.slice(inlined?.[0].length ?? 0));
  try {
    return new RegExp(placed(body), [...new Set(`u${flags}${inlined?.[1] ?? ''}`)].join(''));
  } catch (error) {
    throw new StepProblem(`${pattern} is no regular expression: ${(error as Error).message}`);
  }
}

const word = '[\\p{L}\\p{N}_]';
const noWord = '[^\\p{L}\\p{N}_]';

const outside: Record<string, string> = {
  w: word,
  W: noWord,
  d: '\\p{Nd}',
  D: '\\P{Nd}',
  b: `(?:(?<=${word})(?!${word})|(?<!${word})(?=${word}))`,
  B: `(?:(?<=${word})(?=${word})|(?<!${word})(?!${word}))`,
  A: '(?<![^])',
  Z: '(?![^])',
};

const inside: Record<string, string> = { w: '\\p{L}\\p{N}_', d: '\\p{Nd}', D: '\\P{Nd}' };

/** What has a spelling of its own, from left to right: comments, groups with names, escapes, classes, braces. */
const special =
  /\(\?#[^)]*\)|\(\?P<|\(\?P=(\w+)\)|\\([^])|\[\^?\]?(?:\\[^]|[^\]\\])*\]|\{(\d*)(,?)(\d*)\}|[{}\]]/g;

function translated(pattern: string): string {
  return pattern.replace(
    special,
    (found, reference?: string, escape?: string, least?: string, comma?: string, most?: string) => {
      if (found.startsWith('(?#')) return '';
      if (found === '(?P<') return '(?<';
      if (reference !== undefined) return `\\k<${reference}>`;
      if (escape !== undefined)
        return Object.hasOwn(outside, escape) ? (outside[escape] ?? '') : plain(escape);
      if (found.startsWith('[')) return classOf(found);
      // `{,5}` begins with none; a brace that counts nothing is itself.
      if (least === '' && most !== '' && comma === ',') return `{0,${most}}`;
      return (least ?? '') === '' ? found.replace(/[{}\]]/g, '\\$&') : found;
    },
  );
}

/** `[…]`: a bracket that comes first, or opens another, is itself. */
function classOf(found: string): string {
  const [, start = '', items = ''] = /^(\[\^?)([^]*)\]$/.exec(found) ?? [];
  const read = items.replace(/\\([^])|[[\]]/g, (each, escape?: string) => {
    if (escape === undefined) return `\\${each}`;
    if (Object.hasOwn(inside, escape)) return inside[escape] ?? '';
    return escape === '-' ? '\\-' : plain(escape);
  });
  return `${start}${read}]`;
}

/** A letter or digit after a backslash means something; before anything else it may be left out, or must stay. */
function plain(escape: string): string {
  return /[a-zA-Z\d^$\\.*+?()[\]{}|/]/.test(escape) ? `\\${escape}` : escape;
}
