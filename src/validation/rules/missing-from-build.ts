import type { Node } from 'luaparse';
import { modelTypes, modelTypesHere } from '../../lua-bridge/index.js';
import { fieldOf, textOf } from '../ast.js';
import type { AnalysedProgram } from '../analysed-program.js';
import type { Finding, Rule } from '../rule.js';
import type { SourceFile } from '../source-file.js';

const suggestion = 'leave it out, or update tactus-temporal';

/** A part of the language that this build doesn't have yet: a run would find nil there, or fail. */
export const missingFromBuild: Rule = {
  code: 'missing_from_build',
  severity: 'warning',
  *check(file, program) {
    const { missing, globals } = program;
    yield* modelsFromElsewhere(file, program);
    for (const { node } of file.scopes.reads)
      if (missing.has(node.name) && !globals.has(node.name) && !isOtherPython(file.parents.get(node)))
        yield { node, message: `${node.name} is Tactus, but this version doesn't run it`, suggestion };
    for (const node of file.nodes) {
      if (node.type !== 'MemberExpression' || node.base.type !== 'Identifier') continue;
      const name = `${node.base.name}.${node.identifier.name}`;
      if (!missing.has(name) || file.scopes.localOf(node.base) !== null || globals.has(node.base.name))
        continue;
      yield { node, message: `${name} is Tactus, but this version doesn't run it`, suggestion };
    }
  },
};

/** Models of other types can be declared, and answered by a mock. */
function* modelsFromElsewhere(file: SourceFile, { declared }: AnalysedProgram): Generator<Finding> {
  for (const { kind, config, file: home } of declared) {
    if (kind !== 'model' || home !== file) continue;
    const node = fieldOf(config, 'type');
    const type = textOf(node) ?? '';
    if (node !== undefined && modelTypes.includes(type) && !modelTypesHere.includes(type))
      yield {
        node,
        message: `Models of the type "${type}" are Tactus, but this version doesn't run them`,
        suggestion: 'serve the model by HTTP, and declare it with type = "http"',
      };
  }
}

/** Of Python, `python.iter` alone is part of the language. */
function isOtherPython(up: Node | undefined): boolean {
  return (
    up?.type === 'MemberExpression' &&
    up.base.type === 'Identifier' &&
    up.base.name === 'python' &&
    up.identifier.name !== 'iter'
  );
}
