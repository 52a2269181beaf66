import { fieldOf, isComplete, namedFields, type ReturnStatement } from '../syntax/ast.js';
import type { DeclaredField } from '../program/fields.js';
import { kindText, literalKind } from '../syntax/literal-kind.js';
import { typeMismatch } from '../program/schemas.js';
import { returnsOf, type ProcedureScope } from '../program/procedure-scope.js';
import type { Finding, Rule } from '../rule.js';
import type { SourceFile } from '../syntax/source-file.js';

/** A `return` that the declared output refuses, or none where something is required. */
export const outputIncomplete: Rule = {
  code: 'output_incomplete',
  severity: 'error',
  *check(file, { procedures }) {
    for (const scope of procedures) {
      if (scope.file !== file || scope.output === null || scope.output.length === 0) continue;
      const returns = returnsOf(scope);
      const absent = absentOf(scope.output, []);
      if (returns.length === 0 && absent.length > 0 && !alwaysFails(scope))
        yield incomplete(scope.body, absent);
      for (const node of returns)
        for (const finding of findingsAt(node, scope.output))
          yield isOnTheSide(node, file) ? { ...finding, severity: 'warning' } : finding;
    }
  },
};

function* findingsAt(node: ReturnStatement, output: readonly DeclaredField[]): Generator<Finding> {
  const [value] = node.arguments;
  const kind = value === undefined ? 'nil' : literalKind(value);
  if (kind === 'nil') {
    const absent = absentOf(output, []);
    if (absent.length > 0) yield incomplete(node, absent);
  } else if (value?.type !== 'TableConstructorExpression') {
    if (value !== undefined && kind !== null)
      yield {
        node: value,
        message: `The output is declared as fields, and gets ${kindText(kind)}`,
        suggestion: `return { ${output[0]?.name ?? ''} = … }`,
      };
  } else {
    const given = namedFields(value).map(({ key }) => key);
    const absent = isComplete(value) ? absentOf(output, given) : [];
    if (absent.length > 0) yield incomplete(node, absent);
    for (const { name, type } of output) {
      const field = fieldOf(value, name);
      const finding = field === undefined ? null : typeMismatch(`The output ${name}`, field, type);
      if (finding !== null) yield finding;
    }
  }
}

/** A way out that a run may never take: it fails there, but the procedure can be right for all that it is given. */
function isOnTheSide(node: ReturnStatement, { parents }: SourceFile): boolean {
  return /^(If|Elseif|Else)Clause$/.test(parents.get(node)?.type ?? '');
}

/** A body that ends in `error(…)` returns nothing on purpose. */
function alwaysFails({ body, file }: ProcedureScope): boolean {
  const last = body.body.at(-1);
  return (
    last?.type === 'CallStatement' &&
    file.calls.some(({ node, callee }) => node === last.expression && callee === 'error')
  );
}

function absentOf(output: readonly DeclaredField[], given: readonly string[]): string[] {
  return output
    .filter(({ name, required, default: value }) => required && value === undefined && !given.includes(name))
    .map(({ name }) => name);
}

function incomplete(node: Finding['node'], absent: readonly string[]): Finding {
  return {
    node,
    message: `The output needs ${absent.join(', ')}, which ${absent.length === 1 ? "isn't" : "aren't"} returned here`,
    suggestion: `return { ${absent.map((name) => `${name} = …`).join(', ')} }`,
  };
}
