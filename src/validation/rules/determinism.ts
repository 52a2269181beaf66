/** Rules about code whose result may differ on a replay. */
import type { AnalysedProgram } from '../program/analysed-program.js';
import {
  fieldOf,
  type FunctionDeclaration,
  isWithin,
  type Node,
  type TableConstructorExpression,
} from '../syntax/ast.js';
import { bodyAround, checkpointBodies, effectsWithin } from '../program/effects.js';
import type { Rule } from '../rule.js';
import type { SourceFile } from '../syntax/source-file.js';
import { stateWrites } from '../program/procedure-scope.js';
import { graphsIn } from '../program/written-graphs.js';

const functions = /^(math\.(random|randomseed)|os\.(time|date|clock|getenv|tmpname))$/;

/**
 * Chance, time or the environment outside of a checkpoint. They repeat on a replay here; elsewhere they don't, and a
 * procedure that records them runs anywhere.
 */
export const nonDeterministic: Rule = {
  code: 'non_deterministic',
  severity: 'warning',
  *check(file, program) {
    const safe = [...checkpointBodies(file), ...recordedBodies(file, program)];
    for (const { callee, node, args } of file.calls) {
      if (!functions.test(callee) || program.globals.has(callee.split('.')[0] ?? '')) continue;
      // The time of a given date is the same at any time.
      if (/^os\.(time|date)$/.test(callee) && args.length > (callee === 'os.time' ? 0 : 1)) continue;
      if (bodyAround(node, safe, file) !== null) continue;
      // A strict run refuses the call before it could know what follows.
      if (!program.strict && isSavedNext(node, file)) continue;
      yield {
        node,
        severity: program.strict ? 'error' : 'warning',
        message: `${callee} outside of a checkpoint may differ on a replay`,
        suggestion: `write checkpoint(function() return ${callee}(${args.length > 0 ? '…' : ''}) end)`,
      };
    }
  },
};

/** Prompts and tools run within an agent's turn or a tool's call, which are recorded. */
function recordedBodies(file: SourceFile, { declared }: AnalysedProgram): FunctionDeclaration[] {
  return declared.flatMap(({ kind, file: home, body, config }) => {
    if (home !== file) return [];
    const prompt = kind === 'agent' ? fieldOf(config, 'system_prompt', 'prepare') : undefined;
    return [
      ...(kind === 'tool' && body !== null ? [body] : []),
      ...(prompt?.type === 'FunctionDeclaration' ? [prompt] : []),
    ];
  });
}

/** `state.x = os.time()` and then at once `checkpoint()`. */
function isSavedNext(node: Node, { parents, calls }: SourceFile): boolean {
  let statement: Node | undefined = node;
  while (statement !== undefined && !isStatement(statement)) statement = parents.get(statement);
  if (statement?.type !== 'AssignmentStatement') return false;
  const isState = statement.variables.every(
    (target) =>
      target.type !== 'Identifier' && target.base.type === 'Identifier' && target.base.name === 'state',
  );
  const around = parents.get(statement);
  const body = around !== undefined && 'body' in around && Array.isArray(around.body) ? around.body : [];
  const next = body[body.indexOf(statement) + 1];
  return (
    isState &&
    next?.type === 'CallStatement' &&
    calls.some(
      (call) => call.node === next.expression && call.callee === 'checkpoint' && call.args.length === 0,
    )
  );
}

function isStatement({ type }: Node): boolean {
  return type.endsWith('Statement');
}

/** A local that a checkpoint's function assigns, and that is read outside: only what the function returns is recorded. */
export const checkpointLocal: Rule = {
  code: 'checkpoint_local',
  severity: 'warning',
  *check(file) {
    for (const body of checkpointBodies(file))
      for (const { name, declared, reads, writes } of file.scopes.locals) {
        if (isWithin(declared, body, file.parents)) continue;
        const write = writes.find(({ node }) => isWithin(node, body, file.parents));
        if (write === undefined || !reads.some(({ node }) => !isWithin(node, body, file.parents))) continue;
        yield {
          node: write.node,
          message: `${name} is assigned within a checkpoint and read outside: on a replay it may be nil, or differ`,
          suggestion: `return it: ${name} = checkpoint(function() … return … end)`,
        };
      }
  },
};

/** A variable from outside of a whole procedure, step or node that it assigns: a snapshot doesn't have it. */
export const wholeAssigns: Rule = {
  code: 'whole_assigns',
  severity: 'warning',
  *check(file, program) {
    for (const body of wholeBodies(file, program)) {
      const outside = file.scopes.locals.filter(({ declared }) => !isWithin(declared, body, file.parents));
      const written = [...outside.flatMap(({ writes }) => writes), ...file.scopes.writes];
      for (const { node } of written) {
        if (!isWithin(node, body, file.parents)) continue;
        yield {
          node,
          message: `${node.name} is assigned within what is whole: a run that continues as new doesn't have it after that`,
          suggestion: `return it, or keep it as state.${node.name}`,
        };
      }
    }
  },
};

/** Bodies of procedures and steps that say `whole = true`, of the nodes of graphs, and of durable loops. */
function wholeBodies(file: SourceFile, { declared }: AnalysedProgram): FunctionDeclaration[] {
  const isWhole = (config: TableConstructorExpression | null): boolean => {
    const said = fieldOf(config, 'whole');
    return said?.type === 'BooleanLiteral' && said.value;
  };
  const procedures = declared.flatMap(({ kind, file: home, body, config }) =>
    kind === 'procedure' && home === file && body !== null && isWhole(config) ? [body] : [],
  );
  const steps = file.calls.flatMap(({ callee, args: [, body, options] }) => {
    const table = options?.type === 'TableConstructorExpression' ? options : null;
    if (callee !== 'step' || !isWhole(table)) return [];
    return [body, fieldOf(table, 'on_error')].filter((each) => each?.type === 'FunctionDeclaration');
  });
  const nodes = graphsIn(file).flatMap(({ bodies }) => bodies);
  const rounds = file.calls.flatMap(({ callee, args: [config] }) => {
    const table = callee === 'DurableLoop' && config?.type === 'TableConstructorExpression' ? config : null;
    const body = fieldOf(table, 'body');
    return body?.type === 'FunctionDeclaration' ? [body] : [];
  });
  return [...procedures, ...steps, ...nodes, ...rounds];
}

/** State that a checkpoint's function changes: only what it returns is recorded. */
export const stateInCheckpoint: Rule = {
  code: 'state_in_checkpoint',
  severity: 'warning',
  *check(file, { strict }) {
    const bodies = checkpointBodies(file);
    for (const { key, node } of stateWrites(file))
      if (bodyAround(node, bodies, file) !== null)
        yield {
          node,
          severity: strict ? 'error' : 'warning',
          message: `state.${key} is changed within a checkpoint: a replay may skip or repeat that`,
          suggestion: `write state.${key} = checkpoint(function() … return … end)`,
        };
  },
};

/** An effect where Lua can't wait: in the comparator of `table.sort` and the function of `gsub`. */
export const effectInCallback: Rule = {
  code: 'effect_in_callback',
  severity: 'error',
  *check(file, program) {
    for (const node of file.nodes) {
      if (node.type !== 'CallExpression' || node.base.type !== 'MemberExpression') continue;
      const { name } = node.base.identifier;
      if (name !== 'sort' && name !== 'gsub') continue;
      const callback = node.arguments.find(({ type }) => type === 'FunctionDeclaration');
      const [effect] = callback === undefined ? [] : effectsWithin(callback, file, program);
      if (effect !== undefined)
        yield {
          node: effect,
          message: `A procedure can't wait within ${name}: Lua has to finish it in one go`,
          suggestion: `get the answers first, in a loop, and use them in ${name}`,
        };
    }
  },
};
