import { isComplete, listItems, namedFields, stringValue } from '../syntax/ast.js';
import { constructorTables } from '../syntax/constructor-tables.js';
import type { Finding, Rule } from '../rule.js';
import type { SourceFile } from '../syntax/source-file.js';
import type { AnalysedProgram } from '../program/analysed-program.js';

/** A table without what its function can't do without. */
export const missingValue: Rule = {
  code: 'missing_value',
  severity: 'error',
  *check(file, program) {
    for (const { what, node, table, type } of constructorTables(file, program)) {
      if (!isComplete(table)) continue;
      const keys = namedFields(table).map(({ key }) => key);
      for (const group of type.needs) {
        if (group.some((key) => keys.includes(key))) continue;
        yield { node, message: `${what} needs ${group[0] ?? ''}`, suggestion: `add ${group[0] ?? ''} = …` };
      }
    }
    yield* emptyMessages(file);
    yield* withoutFunction(file, program);
  },
};

function* emptyMessages(file: SourceFile): Generator<Finding> {
  for (const { callee, args } of file.calls) {
    const [first] = args;
    if (/^Human\.(approve|input|review)$/.test(callee) && first !== undefined && stringValue(first) === '')
      yield {
        node: first,
        message: `${callee} needs a message: the text that the person reads`,
        suggestion: `write ${callee}("Send the mail?")`,
      };
  }
}

/** Tools and procedures do something: a function, or for a tool a server that has it. */
function* withoutFunction(file: SourceFile, { declared }: AnalysedProgram): Generator<Finding> {
  for (const { kind, file: home, call, config, body } of declared) {
    if (home !== file || body !== null || config === null || !isComplete(config)) continue;
    if (kind !== 'tool' && kind !== 'procedure') continue;
    const keys = namedFields(config).map(({ key }) => key);
    // A function may be held by a variable.
    if (
      ['use', 'http', 'provider', 'handler', 'run'].some((key) => keys.includes(key)) ||
      listItems(config).length > 0
    )
      continue;
    const last = call.args.at(-1);
    if (last !== undefined && last !== config) continue;
    yield {
      node: call.node,
      message: `${call.callee} has no function`,
      suggestion: `write function(${kind === 'tool' ? 'args' : 'input'}) … end as its last item`,
    };
  }
}
