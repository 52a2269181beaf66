import { lineOf } from '../syntax/ast.js';
import { closest } from '../program/did-you-mean.js';
import type { Rule } from '../rule.js';
import { surface } from '../../language/surface.js';
import { foreignNames } from '../program/global-names.js';
import type { SourceFile } from '../syntax/source-file.js';

/** A global variable that nobody sets: nil, most often a misspelt name. */
export const unknownName: Rule = {
  code: 'unknown_name',
  severity: 'error',
  *check(file, { globals, files, declared }) {
    if (files.some(setsGlobalsUnseen)) return;
    for (const { node } of file.scopes.reads) {
      const { name } = node;
      if (globals.has(name) || Object.hasOwn(surface, name) || Object.hasOwn(foreignNames, name)) continue;
      const hidden = file.scopes.locals.find((local) => local.name === name);
      // Without an assignment such a name belongs to no variable.
      const named = declared.find((each) => each.name === name && each.kind !== 'procedure');
      const meant =
        hidden !== undefined || named !== undefined
          ? null
          : closest(name, [...file.scopes.visibleAt(node), ...globals, ...Object.keys(surface)]);
      yield {
        node,
        message: `The name ${name} is not known: it is nil here`,
        suggestion:
          hidden !== undefined
            ? `the local of line ${lineOf(hidden.declared)} can't be seen from here: declare it before, outside of its block`
            : named !== undefined
              ? `write ${capitalised(named.kind)}("${name}"), or declare it as ${name} = ${capitalised(named.kind)} {…}`
              : meant === null
                ? `declare it first: local ${name} = …`
                : `did you mean ${meant}?`,
      };
    }
  },
};

function capitalised(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

/** `setmetatable(_G, …)` and `_G[name] = …` make names that can't be told from here. */
function setsGlobalsUnseen({ nodes, calls, scopes }: SourceFile): boolean {
  const isGlobalTable = (node: { type: string; name?: string } | undefined): boolean =>
    node?.type === 'Identifier' && (node.name === '_G' || node.name === '_ENV');
  return (
    scopes.writes.some(({ node }) => node.name === '_ENV') ||
    scopes.locals.some(({ name }) => name === '_ENV') ||
    calls.some(({ callee, args }) => /^(setmetatable|rawset)$/.test(callee) && isGlobalTable(args[0])) ||
    nodes.some(
      (node) =>
        node.type === 'AssignmentStatement' &&
        node.variables.some(
          (target) =>
            target.type === 'IndexExpression' &&
            isGlobalTable(target.base) &&
            target.index.type !== 'StringLiteral',
        ),
    )
  );
}
