import { TactusError } from '../../contract/errors.js';
import { getOwn, jsonAs, type JsonValue } from '../../contract/json/json.js';
import type { Shown } from '../../contract/runs/run-view.js';
import type { ProcedureSource } from '../../contract/procedures/source.js';
import {
  callingLine,
  currentFrame,
  fieldsPart,
  PerRun,
  weigh,
  type ErrorNotes,
  type LuaState,
} from '../kernel/index.js';
import type { Drift } from '../../contract/specifications/scenario.js';
import { sha256Hex } from '../../contract/effects/digest.js';

/** `strict_determinism(true)`, for files without a declared procedure. */
export const strictness = new PerRun(() => ({ isDeclared: false }), fieldsPart('strictness'));

const width = 70;
const linesAround = 2;
const longestLine = 100;

/**
 * The boxed warning of a call outside of a checkpoint, with the lines around it. Its first words are those of the
 * reference, which procedures and tests look for.
 */
function determinismBox(
  call: string,
  at: { file: string; line: number } | null,
  lines: readonly string[],
): string {
  const rule = '='.repeat(width);
  return [
    rule,
    `DETERMINISM WARNING: ${call} called outside checkpoint`,
    rule,
    ...(at === null ? [] : ['', `${at.file}:${at.line}`, ...excerpt(lines, at.line)]),
    '',
    'Its result is not recorded. A replay of this run repeats it, but a run',
    'that goes on with an edited source, or elsewhere, gets another one, and',
    'may take another way.',
    '',
    'To record it:',
    '',
    '  local value = checkpoint(function()',
    `    return ${call}`,
    '  end)',
    '',
    'Step.checkpoint(function() … end) does the same.',
    rule,
  ].join('\n');
}

/** The line and those around it, numbered, with a mark at it. */
function excerpt(lines: readonly string[], line: number): string[] {
  if (lines.length < line) return [];
  const first = Math.max(1, line - linesAround);
  const shown = lines.slice(first - 1, line + linesAround).map((text, i) => ({ text, number: first + i }));
  return [
    '',
    ...shown.map(({ text, number }) =>
      `${number === line ? '  > ' : '    '}${String(number).padStart(5)} | ${cut(text.trimEnd())}`.trimEnd(),
    ),
  ];
}

function cut(text: string): string {
  return text.length > longestLine ? `${text.slice(0, longestLine - 1)}…` : text;
}

/** Says something of a call such as `os.time()` before it is made. */
export type CallGuard = (thread: LuaState, call: string) => void;

/** So many different lines are told, each once; after so many calls without a new one nobody looks any longer. */
const maxWarnings = 20;
const maxLooks = 2_000;
/** Instructions that it costs to find out where a call is made. */
const lookCost = 8;

/**
 * Watches calls whose result isn't recorded: time and chance outside of a checkpoint. They repeat on a replay of the
 * same run; after an edit of its source, or elsewhere, they don't.
 */
export class Determinism {
  private readonly told = new Set<string>();
  private looks = 0;

  constructor(
    private readonly source: ProcedureSource,
    private readonly notes: ErrorNotes,
    private readonly isStrict: () => boolean,
    private readonly warn: (warning: Shown) => void,
  ) {}

  /** Warns once of a line, or raises a Lua error with the code non_deterministic where that is not allowed. */
  readonly check: CallGuard = (thread, call) => {
    weigh(thread, lookCost);
    if (isRecorded(thread)) return;
    const strict = this.isStrict();
    if (!strict && (this.told.size >= maxWarnings || this.looks++ >= maxLooks)) return;
    const at = callingLine(thread);
    if (strict) {
      const where = at === null ? '' : `${at.file}:${at.line}: `;
      const message = `${where}strict_determinism refuses ${call} outside of a checkpoint\n${this.box(call, at)}`;
      this.notes.raise(thread, new TactusError('non_deterministic', message));
    }
    const key = `${at?.file}:${at?.line}:${call}`;
    if (this.told.has(key)) return;
    this.told.add(key);
    this.looks = 0;
    this.warn({ kind: 'warning', code: 'non_deterministic', message: this.box(call, at), ...place(at) });
  };

  /** For a snapshot. */
  handOver(): JsonValue {
    return { told: [...this.told], looks: this.looks };
  }

  goOnWith(taken: JsonValue): void {
    const { told, looks } = jsonAs<{ told: string[]; looks: number }>(taken);
    this.told.clear();
    for (const each of told) this.told.add(each);
    this.looks = looks;
  }

  private box(call: string, at: { file: string; line: number } | null): string {
    const text = at === null ? undefined : getOwn(this.source.files, at.file);
    return determinismBox(call, at, text?.split('\n') ?? []);
  }
}

/** Whether what is done there is inside of a checkpoint, a turn or a tool, whose result is recorded. */
export function isRecorded(thread: LuaState): boolean {
  return currentFrame(thread).scope.isRecorded;
}

function place(at: { file: string; line: number } | null): { file: string | null; line: number | null } {
  return at ?? { file: null, line: null };
}

/** The random numbers of a run. Where chance drifts, those drawn outside of checkpoints come from another generator. */
export class Chance {
  private own: Random;
  private other: Random | null;

  constructor(
    private readonly seed: string,
    private readonly drift: Drift | null,
  ) {
    this.own = new Random(seed);
    this.other = drift === null ? null : new Random(drift.seed);
  }

  /** Begins again from a number that the procedure gives, or from none. A given one makes the same numbers anywhere. */
  reseed(given: number | null, second = 0): void {
    this.own = new Random(`${this.seed}:${given ?? 0}${second === 0 ? '' : `:${second}`}`);
    this.other = given !== null || this.drift === null ? null : new Random(`${this.drift.seed}:0`);
  }

  /** For a snapshot. */
  handOver(): JsonValue {
    return { own: this.own.handOver(), other: this.other?.handOver() ?? null };
  }

  goOnWith(taken: JsonValue): void {
    const { own, other } = jsonAs<{ own: RandomState; other: RandomState | null }>(taken);
    this.own = new Random(own);
    this.other = other === null ? null : new Random(other);
  }

  /** A float in [0, 1) with 53 random bits. */
  next(thread: LuaState): number {
    const own = this.own.next();
    const other = this.other?.next() ?? own;
    return isRecorded(thread) ? own : other;
  }
}

type RandomState = [number, number, number, number];

/** A small deterministic generator (xoshiro128**): the same seed gives the same numbers on every machine. */
export class Random {
  private state: RandomState;

  /** @param seed or the state that another one had */
  constructor(seed: string | RandomState) {
    if (typeof seed !== 'string') {
      this.state = [...seed];
      return;
    }
    const hex = sha256Hex(seed);
    const word = (i: number): number => Number.parseInt(hex.slice(i * 8, i * 8 + 8), 16) | 0;
    this.state = [word(0), word(1), word(2), word(3) | 1];
  }

  handOver(): RandomState {
    return [...this.state];
  }

  /** A float in [0, 1) with 53 random bits. */
  next(): number {
    const high = this.bits() >>> 5;
    const low = this.bits() >>> 6;
    return (high * 0x4000000 + low) / 0x20000000000000;
  }

  private bits(): number {
    const s = this.state;
    const result = Math.imul(rotate(Math.imul(s[1], 5), 7), 9);
    const t = s[1] << 9;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 11);
    return result;
  }
}

function rotate(value: number, by: number): number {
  return (value << by) | (value >>> (32 - by));
}
