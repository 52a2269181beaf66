import { definitionOf } from '../../contract/effects/effects.js';
import { TactusError } from '../../contract/errors.js';
import type { JsonObject } from '../../contract/json/json.js';
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
