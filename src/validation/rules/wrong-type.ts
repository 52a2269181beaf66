import { getOwn } from '../../contract/json/json.js';
import { fieldOf, listItems, namedFields } from '../syntax/ast.js';
import { constructorTables } from '../syntax/constructor-tables.js';
import { exampleOf, isOneOf, kindsText, kindText, literalKind } from '../syntax/literal-kind.js';
import type { Finding, Rule } from '../rule.js';
import { signatureOf } from '../../language/signature.js';
import { kindsOf } from '../../language/type-notation.js';
import type { SourceFile } from '../syntax/source-file.js';
import type { AnalysedProgram } from '../program/analysed-program.js';

/** A value that is written out and is none of what its key, or the function, takes. */
export const wrongType: Rule = {
  code: 'wrong_type',
  severity: 'error',
  *check(file, program) {
    for (const { what, table, type } of constructorTables(file, program))
      for (const { key, value } of namedFields(table)) {
        const declared = getOwn(type.keys, key);
        const kind = literalKind(value);
        const wanted = declared === undefined ? 'any' : kindsOf(declared);
        if (kind === null || kind === 'nil' || isOneOf(kind, wanted)) continue;
        yield {
          node: value,
          severity: type.isLenient ? 'warning' : 'error',
          message: `${key} of ${what} must be ${kindsText(wanted)}, and is ${kindText(kind)}`,
          suggestion: `write ${exampleOf(wanted)}`,
        };
      }
    for (const { callee, args, indexer } of file.calls) {
      if (indexer === ':' || program.globals.has(callee.split('.')[0] ?? '')) continue;
      const signature = signatureOf(callee);
      for (const [i, { kinds: wanted, isOptional }] of (signature?.parameters ?? []).entries()) {
        const value = args[i];
        const kind = value === undefined ? null : literalKind(value);
        if (value === undefined || kind === null || isOneOf(kind, wanted)) continue;
        // What may be left out may be nil.
        if (kind === 'nil' && (i > 0 || isOptional)) continue;
        yield {
          node: value,
          severity: signature?.isLenient === true ? 'warning' : 'error',
          message: `argument ${i + 1} of ${callee} must be ${kindsText(wanted)}, and is ${kindText(kind)}`,
          suggestion: `write ${exampleOf(wanted)}`,
        };
      }
    }
    yield* wrongTools(file, program);
  },
};

/** The tools of an agent: handles, names, or tables that say which. */
function* wrongTools(file: SourceFile, { declared }: AnalysedProgram): Generator<Finding> {
  for (const { kind, file: home, config } of declared) {
    const tools = kind === 'agent' && home === file ? fieldOf(config, 'tools') : undefined;
    for (const item of tools?.type === 'TableConstructorExpression' ? listItems(tools) : []) {
      const found = literalKind(item);
      if (found === null || isOneOf(found, 'text|table')) continue;
      yield {
        node: item,
        message: `A tool of an agent must be a tool, or the name of one, and is ${kindText(found)}`,
        suggestion: 'write tools = { my_tool, "done" }',
      };
    }
  }
}
