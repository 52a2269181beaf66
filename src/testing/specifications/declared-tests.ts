import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { definitionOf } from '../../contract/effects/effects.js';
import { TactusError } from '../../contract/errors.js';
import { getOwn, type JsonObject } from '../../contract/json/json.js';
import type { MockPlan } from '../../contract/mocks/mock-plan.js';
import type { ProcedureSource } from '../../contract/procedures/source.js';
import { dryProgram, type DeclaredTests } from '../../lua-bridge/index.js';

const mock: MockPlan = { all: true, agents: {}, results: {}, people: [] };
/** A script's declarations may come after what it does: so much of it is gone through. */
const mostEffects = 100;

/**
 * What a file declares for its tests. Nothing is performed: agents are mocked, and whatever else a script does on its
 * way to its declarations gives nothing.
 * @throws TactusError source_invalid where the file can't be loaded, source_not_found
 */
export function describeTests(source: ProcedureSource, input: JsonObject = {}): DeclaredTests {
  const program = dryProgram(source, input, { mock, scenario: [] });
  let effects = 0;
  // What a script does at its top may go wrong without input, and what has asked for something without its answer.
  const isUnloadable = (): boolean => program.isLoading && effects === 0 && !isScript(source);
  while (effects < mostEffects) {
    const turn = program.turn();
    if (turn.kind === 'slice') continue;
    if (turn.kind === 'failed' && turn.error.code === 'source_invalid') throw turn.error;
    if (turn.kind === 'failed' && turn.error.code === 'input_invalid' && program.isLoading) {
      // A script that declares its input before its tests.
      const { scriptInput } = program.describeTests();
      if (Object.keys(scriptInput).length > Object.keys(input).length)
        return describeTests(source, scriptInput);
    }
    if (turn.kind === 'failed' && isUnloadable()) throw notLoaded(turn.error);
    if (turn.kind !== 'blocked') break;
    for (const { position, effect } of program.pending) {
      // A request gives what people decide, in a form of its own; of all else nothing is as good as something.
      const value = effect.kind === 'human' ? definitionOf(effect.kind).example(effect, position) : null;
      program.settle(position, { ok: true, value }, 0);
      effects++;
    }
  }
  return program.describeTests();
}

/** Comments, and the long texts that Specifications stand in. */
const commentOrText = /--\[(=*)\[[^]*?\]\1\]|--[^\n]*|\[(=*)\[[^]*?\]\2\]/g;

function isScript({ entry, files }: ProcedureSource): boolean {
  const code = (files[entry] ?? '').replace(commentOrText, '');
  return !/\b[Pp]rocedure\b|\bfunction\s+main\b/.test(code);
}

function notLoaded(error: TactusError): TactusError {
  const { message, file, line } = error.toRunError();
  const place = file === null || line === null ? '' : `${file}:${line}: `;
  return new TactusError('source_invalid', message.startsWith(place) ? message : `${place}${message}`, {
    ...(file === null ? {} : { file }),
    ...(line === null ? {} : { line }),
  });
}

/** The Gherkin of one `Specification`, and where it stands. */
export interface SpecifiedText {
  /** null: the file that it should be in isn't there. */
  text: string | null;
  /** The file that holds the text: the procedure's, or the one that it is taken from. */
  file: string;
  /** Line of the text's first line; null where it is put together, and so stands nowhere as it is. */
  firstLine: number | null;
  /** Line of the call in the procedure's file. */
  callLine: number;
}

/** All that a procedure specifies, with what stands in feature files of its folder. */
export async function specifiedTexts(
  folder: string,
  source: ProcedureSource,
  declared: DeclaredTests,
): Promise<SpecifiedText[]> {
  return Promise.all(
    declared.specifications.map(async ({ text, from, line }) => {
      const callLine = line ?? 1;
      if (text !== null) return { text, file: source.entry, firstLine: firstLineOf(source, text), callLine };
      const file = from ?? '';
      const found = await readFile(join(folder, file), 'utf8').catch(() => null);
      return { text: found, file, firstLine: 1, callLine };
    }),
  );
}

/** Where a long string begins: the call that it stands in may begin a line before. */
function firstLineOf({ entry, files }: ProcedureSource, text: string): number | null {
  const before = text.trim() === '' ? undefined : getOwn(files, entry)?.split(text, 1)[0];
  return before === undefined || before === getOwn(files, entry) ? null : before.split('\n').length;
}
