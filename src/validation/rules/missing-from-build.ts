import type { Node } from 'luaparse';
import type { Rule } from '../rule.js';

const suggestion = 'leave it out, or update tactus-temporal';

/** A name of the language that this build doesn't have yet: a run would find nil there. */
export const missingFromBuild: Rule = {
  code: 'missing_from_build',
  severity: 'warning',
  *check(file, { missing, globals }) {
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

/** Of Python, `python.iter` alone is part of the language. */
function isOtherPython(up: Node | undefined): boolean {
  return (
    up?.type === 'MemberExpression' &&
    up.base.type === 'Identifier' &&
    up.base.name === 'python' &&
    up.identifier.name !== 'iter'
  );
}
