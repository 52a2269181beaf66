import type { MemberExpression } from '../syntax/ast.js';
import { globalWrites } from '../syntax/value-of.js';
import type { AnalysedProgram } from '../program/analysed-program.js';
import { closest } from '../program/did-you-mean.js';
import { additionsIn } from '../program/global-names.js';
import type { Rule } from '../rule.js';
import type { SourceFile } from '../syntax/source-file.js';
import { membersOf as membersOfClass, surface } from '../../language/surface.js';
import { getOwn } from '../../contract/json/json.js';

/** A member that a library, or an agent, a tool or a model, doesn't have. */
export const unknownMember: Rule = {
  code: 'unknown_member',
  severity: 'error',
  *check(file, program) {
    let additions: ReadonlySet<string> | null = null;
    for (const node of file.nodes) {
      if (node.type !== 'MemberExpression' || node.base.type !== 'Identifier') continue;
      const owner = node.base.name;
      const member = node.identifier.name;
      if (owner === 'python' || isAssigned(node, file)) continue;
      const members = membersOf(node, file, program);
      if (members === null || members.includes(member)) continue;
      additions ??= additionsIn(program);
      if (additions.has(`${owner}.${member}`)) continue;
      const meant = closest(member, members);
      yield {
        node: node.identifier,
        message: `${owner} has no ${member}`,
        suggestion: meant === null ? `it has ${members.join(', ')}` : `did you mean ${owner}.${meant}?`,
      };
    }
  },
};

const handleClasses = {
  ...{ agent: 'tactus.Agent', tool: 'tactus.Tool' },
  ...{ model: 'tactus.Model', module: 'tactus.Module', retriever: 'tactus.Retriever' },
} as const;

function membersOf(
  { base }: MemberExpression,
  file: SourceFile,
  program: AnalysedProgram,
): readonly string[] | null {
  const { globals, declared } = program;
  if (base.type !== 'Identifier') return null;
  const local = file.scopes.localOf(base);
  if (local === null && !globals.has(base.name)) return getOwn(surface, base.name) ?? null;
  const holder = declared.find(({ variable, local: held, file: home }) =>
    local === null ? variable?.name === base.name && held === null : held === local && home === file,
  );
  if (holder === undefined || holder.kind === 'procedure') return null;
  const isAssignedAgain =
    local === null
      ? globalWrites(base.name, program).filter((each) => each.file === file).length > 1
      : local.writes.length > 0;
  return isAssignedAgain ? null : membersOfClass(handleClasses[holder.kind]);
}

/** What can't be assigned is another rule's business. */
function isAssigned(node: MemberExpression, { parents }: SourceFile): boolean {
  const up = parents.get(node);
  if (up?.type === 'AssignmentStatement') return up.variables.includes(node);
  return up?.type === 'FunctionDeclaration' && up.identifier === node;
}
