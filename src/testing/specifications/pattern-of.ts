import { StepProblem } from './step-definition.js';

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
