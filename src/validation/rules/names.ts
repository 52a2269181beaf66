/** Rules about global names and members: unknown, of another language, or assigned although they are read-only. */
import { type Expression, type Identifier, lineOf, type MemberExpression } from '../syntax/ast.js';
import { closest } from '../program/did-you-mean.js';
import type { Rule } from '../rule.js';
import { membersOf as membersOfClass, surface } from '../../language/surface.js';
import { addition, additionsIn, foreignNames } from '../program/global-names.js';
import type { SourceFile } from '../syntax/source-file.js';
import { getOwn } from '../../contract/json/json.js';
import { globalWrites } from '../syntax/value-of.js';
import type { AnalysedProgram } from '../program/analysed-program.js';
import { inputOf } from '../program/procedure-scope.js';

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

/** A name of another language, another Lua, or an older Tactus. */
export const foreignName: Rule = {
  code: 'foreign_name',
  severity: 'error',
  *check(file, { globals }) {
    for (const { node } of file.scopes.reads) {
      const advice = getOwn(foreignNames, node.name);
      if (advice === undefined || globals.has(node.name)) continue;
      yield { node, message: `There is no ${node.name} in a procedure`, suggestion: advice };
    }
    for (const { callee, node } of file.calls) {
      if (!callee.startsWith('python.') || callee === 'python.iter' || globals.has('python')) continue;
      yield {
        node,
        message: `${callee} is not available: a procedure can't run Python`,
        suggestion: 'make it a tool or a model, and call that',
      };
    }
  },
};

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

/** `Human:approve(…)`: the library itself becomes the first argument. */
export const colonCall: Rule = {
  code: 'colon_call',
  severity: 'error',
  *check(file, { globals }) {
    for (const { callee, indexer, node } of file.calls) {
      const [owner = '', member = ''] = callee.split('.');
      if (indexer !== ':' || globals.has(owner)) continue;
      if (getOwn(surface, owner)?.includes(member) !== true) continue;
      yield {
        node,
        message: `${owner}:${member}(…) passes ${owner} itself as the first argument`,
        suggestion: `write ${owner}.${member}(…)`,
      };
    }
  },
};

/** Names whose loss is felt: data of the run. Others in lower case are common names of variables. */
const ofTheRun = ['state', 'input'];

/** Names that procedures had as their own before they were of the language: what they define wins. */
const ofAuthors = ['Error'];

/** A variable that takes the name of a part of the language, which is then out of reach. */
export const overwrittenName: Rule = {
  code: 'overwritten_name',
  severity: 'warning',
  *check(file) {
    for (const { node } of file.scopes.writes)
      if (Object.hasOwn(surface, node.name) && isFelt(node.name))
        yield {
          node,
          message: `${node.name} is part of the language: from here on it is this value`,
          suggestion: 'use another name',
        };
    for (const { declared, kind, name } of file.scopes.locals) {
      if (kind !== 'local' || !Object.hasOwn(surface, name) || ofAuthors.includes(name)) continue;
      if (name !== 'state' && !isCapitalised(name)) continue;
      const up = file.parents.get(declared);
      if (up?.type === 'LocalStatement' && keeps(up.init[up.variables.indexOf(declared)], name)) continue;
      yield {
        node: declared,
        message: `${name} is part of the language: here it is a plain variable${name === 'state' ? ', and nothing in it is kept' : ''}`,
        suggestion: 'use another name',
      };
    }
  },
};

/** `local Human = Human` only makes it shorter to reach. */
function keeps(value: { type: string } | undefined, name: string): boolean {
  return value?.type === 'Identifier' && (value as Identifier).name === name;
}

function isFelt(name: string): boolean {
  return !ofAuthors.includes(name) && (isWorthIt(name) || ofTheRun.includes(name));
}

function isWorthIt(name: string): boolean {
  return (
    isCapitalised(name) ||
    /^(string|table|math|os|coroutine|utf8|require|print|pcall|error|pairs|ipairs|type|tostring|tonumber)$/.test(
      name,
    )
  );
}

function isCapitalised(name: string): boolean {
  return /^[A-Z]/.test(name);
}

/** An assignment to what can't be changed: the input, constants, and members of libraries. */
export const readOnly: Rule = {
  code: 'read_only',
  severity: 'error',
  *check(file, program) {
    for (const { name, declared, writes } of file.scopes.locals)
      if (isConstant(declared, file))
        for (const { node } of writes)
          yield {
            node,
            message: `${name} is a constant`,
            suggestion: 'leave <const> out, or use another name',
          };
    for (const node of file.nodes) {
      if (node.type === 'FunctionDeclaration' && node.identifier?.type === 'MemberExpression') {
        const owner = sealedOwner(node.identifier.base, file, program);
        if (owner !== null && addition(node.identifier, file, program) === null)
          yield {
            node: node.identifier,
            message: `${owner} is read-only: its members can't be set`,
            suggestion: 'write a local function',
          };
      }
      if (node.type !== 'AssignmentStatement') continue;
      for (const target of node.variables) {
        if (target.type === 'Identifier') continue;
        const base = rootOf(target.base);
        if (inputOf(base, file, program) !== null)
          yield {
            node: target,
            message: 'The input is read-only',
            suggestion: 'keep what you compute in a local, or in state',
          };
        const owner = sealedOwner(target.base, file, program);
        if (owner !== null && addition(target, file, program) === null)
          yield {
            node: target,
            message: `${owner} is read-only: its members can't be set`,
            suggestion: 'keep the value in a local',
          };
      }
    }
  },
};

function isConstant({ loc }: Identifier, { constants }: SourceFile): boolean {
  return loc !== undefined && constants.has(`${loc.start.line}:${loc.start.column}`);
}

function rootOf(base: Expression): Expression {
  return base.type === 'MemberExpression' || base.type === 'IndexExpression' ? rootOf(base.base) : base;
}

function sealedOwner(
  base: Expression,
  file: SourceFile,
  { globals, declared }: AnalysedProgram,
): string | null {
  if (base.type !== 'Identifier') return null;
  const local = file.scopes.localOf(base);
  const isHandle = declared.some((each) => each.variable !== null && local !== null && each.local === local);
  if (isHandle) return base.name;
  if (local !== null || base.name === 'state' || base.name.startsWith('_')) return null;
  if (declared.some(({ variable, local: held }) => held === null && variable?.name === base.name))
    return base.name;
  return !globals.has(base.name) && getOwn(surface, base.name) != null ? base.name : null;
}
