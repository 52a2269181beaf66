import type { Rule } from '../rule.js';

/** A name of the language that this build doesn't have yet: a run would find nil there. */
export const missingFromBuild: Rule = {
  code: 'missing_from_build',
  severity: 'warning',
  *check(file, { missing, globals }) {
    for (const { node } of file.scopes.reads)
      if (missing.has(node.name) && !globals.has(node.name))
        yield { node, message: `${node.name} is Tactus, but this version doesn't run it` };
    for (const node of file.nodes) {
      if (node.type !== 'MemberExpression' || node.base.type !== 'Identifier') continue;
      const name = `${node.base.name}.${node.identifier.name}`;
      if (!missing.has(name) || file.scopes.localOf(node.base) !== null || globals.has(node.base.name)) continue;
      yield { node, message: `${name} is Tactus, but this version doesn't run it` };
    }
  },
};
