import type { AnalysedProgram } from '../program/analysed-program.js';
import { fieldOf, type FunctionDeclaration, type Node } from '../syntax/ast.js';
import { bodyAround, checkpointBodies } from '../program/effects.js';
import type { Rule } from '../rule.js';
import type { SourceFile } from '../syntax/source-file.js';

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
