import { TactusError } from '../../contract/errors.js';
import { getOwn, isObject, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import { asText } from './expected-value.js';
import type { Facts, Judge } from '../specifications/step-definition.js';

/** One run of one case of an evaluation. */
export interface EvaluatedRun extends Pick<Facts, 'output' | 'state' | 'observed'> {
  /** What the case expects; null: it doesn't say. */
  expected: JsonValue;
  /** null: what the model costs is not known. */
  costUsd: number | null;
  tokens: number;
}

/** `null`: it is as it should be. `unknown`: nobody can tell, and it counts neither way. */
export type Judgement = { problem: string } | { unknown: string } | null;

/** Looks at one run. */
export type Evaluator = (run: EvaluatedRun, judge: Judge) => Judgement | Promise<Judgement>;

/** The table of an evaluator, read field by field. */
export class EvaluatorTable {
  readonly type: string;

  constructor(readonly table: JsonObject) {
    this.type = typeof table['type'] === 'string' ? table['type'] : '';
  }

  get value(): JsonValue | undefined {
    return getOwn(this.table, 'value');
  }

  /** @throws TactusError source_invalid */
  number(...names: string[]): number {
    const found = names.map((name) => getOwn(this.table, name)).find((each) => each !== undefined);
    if (typeof found === 'number') return found;
    throw this.invalid(`needs the number ${names.join(' or ')}`);
  }

  optionalNumber(name: string): number | null {
    const found = getOwn(this.table, name);
    return typeof found === 'number' ? found : null;
  }

  /** @throws TactusError source_invalid */
  text(name: string): string {
    const found = getOwn(this.table, name);
    if (typeof found === 'string' && found !== '') return found;
    throw this.invalid(`needs the text ${name}`);
  }

  optionalText(name: string): string | null {
    const found = getOwn(this.table, name);
    return typeof found === 'string' && found !== '' ? found : null;
  }

  /** The part of the output that it is about: one field, or the whole. */
  subjectOf({ output }: EvaluatedRun): { name: string; value: JsonValue | undefined } {
    const field = this.optionalText('field');
    if (field === null) return { name: 'the output', value: output };
    return { name: `the output ${field}`, value: isObject(output) ? getOwn(output, field) : undefined };
  }

  subjectText(run: EvaluatedRun): { name: string; text: string } {
    const { name, value } = this.subjectOf(run);
    return { name, text: value === undefined || value === null ? '' : asText(value) };
  }

  invalid(problem: string): TactusError {
    return new TactusError('source_invalid', `Evaluation: field.${this.type} ${problem}`);
  }
}

export function problemIf(isWrong: boolean, problem: () => string): Judgement {
  return isWrong ? { problem: problem() } : null;
}
