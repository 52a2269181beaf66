/** Rules about what a call passes, and what a procedure returns. */
import type { AnalysedProgram } from '../program/analysed-program.js';
import {
  type Expression,
  fieldOf,
  type Identifier,
  isComplete,
  namedFields,
  type Node,
  type ReturnStatement,
  stringValue,
} from '../syntax/ast.js';
import { type Declared, kindOfCallee } from '../program/declared.js';
import { closest } from '../program/did-you-mean.js';
import { type DeclaredField, isOneField, moduleInputs, readFields } from '../program/fields.js';
import { allowedInstead, kindText, literalKind } from '../syntax/literal-kind.js';
import { typeMismatch } from '../program/schemas.js';
import type { Finding, Rule } from '../rule.js';
import { argumentsOf, isCallNode, type CallNode, type SourceFile } from '../syntax/source-file.js';
import { declaredAs, declaredBy, globalWrites, valueOf } from '../syntax/value-of.js';
import { type ProcedureScope, returnsOf } from '../program/procedure-scope.js';

/** A call of a procedure, a tool, a model or a module of the files, with input that its declared fields refuse. */
export const wrongInput: Rule = {
  code: 'wrong_input',
  severity: 'error',
  *check(file, program) {
    for (const node of file.nodes) {
      if (!isCallNode(node)) continue;
      const called = calledAt(node, file, program);
      const fields = called === null ? null : inputFields(called);
      if (called === null || fields === null) continue;
      yield* problems(called, fields, argumentsOf(node)[0], node);
    }
  },
};

/** What is called there: what a variable holds (of a model also by `predict`), or what is looked up by its name. */
function calledAt(node: CallNode, file: SourceFile, program: AnalysedProgram): Declared | null {
  const { base } = node;
  if (base.type === 'Identifier') return heldBy(base, file, program);
  const isPredict =
    base.type === 'MemberExpression' && base.indexer === '.' && base.identifier.name === 'predict';
  if (!isPredict) return lookedUp(node, file, program);
  const model = base.base.type === 'Identifier' ? heldBy(base.base, file, program) : null;
  return model?.kind === 'model' ? model : null;
}

/** What a variable that is set once holds. */
function heldBy(base: Identifier, file: SourceFile, program: AnalysedProgram): Declared | null {
  const local = file.scopes.localOf(base);
  const writes = local === null ? globalWrites(base.name, program).length : local.writes.length + 1;
  if (writes > 1) return null;
  const value = valueOf(base, file, program);
  return value?.kind === 'declared' && value.declared.kind !== 'agent' ? value.declared : null;
}

/** `Tool("name")({…})`. */
function lookedUp(node: CallNode, file: SourceFile, program: AnalysedProgram): Declared | null {
  const call = file.callAt.get(node);
  const kind = call?.isCurried === true ? kindOfCallee(call.callee) : null;
  if (kind === null || kind === 'agent' || declaredBy(node, program) !== undefined) return null;
  return declaredAs(kind, stringValue(call?.args[0]), program);
}

/** null where nothing is declared, or it isn't all written out. */
function inputFields(called: Declared): readonly DeclaredField[] | null {
  const { config, kind, file } = called;
  if (kind === 'module') return moduleInputs(called);
  const input = fieldOf(config, 'input', 'parameters');
  if (input?.type !== 'TableConstructorExpression' || !isComplete(input) || isOneField(input)) return null;
  const fields = readFields(input, file);
  // What a model declares can't be left out, whether it says so or not.
  return kind === 'model'
    ? fields.map((field) => ({ ...field, required: field.required || isWrittenOut(field) }))
    : fields;
}

/** Whether all is known of a field, also that it has no default. */
function isWrittenOut({ config, typeNode }: DeclaredField): boolean {
  return config === null ? typeNode.type === 'StringLiteral' : isComplete(config);
}

function* problems(
  { kind, name, variable }: Declared,
  fields: readonly DeclaredField[],
  given: Expression | undefined,
  node: Node,
): Generator<Finding> {
  const who = `the ${kind} ${name ?? variable?.name ?? ''}`.trim();
  const needed = fields.filter((field) => field.required && field.default === undefined);
  const incomplete = (absent: readonly DeclaredField[]): Finding => {
    const names = absent.map((field) => field.name);
    return {
      node,
      message: `${who} needs ${names.join(', ')}, which ${names.length === 1 ? "isn't" : "aren't"} given here`,
      suggestion: `give it: { ${names.map((each) => `${each} = …`).join(', ')} }`,
    };
  };
  if (given === undefined) {
    if (needed.length > 0) yield incomplete(needed);
    return;
  }
  if (given.type !== 'TableConstructorExpression') {
    const found = literalKind(given);
    if (found !== null && found !== 'nil' && fields.length > 0)
      yield {
        node: given,
        message: `${who} takes a table of ${fields.map((field) => field.name).join(', ')}, and gets ${kindText(found)}`,
        suggestion: `write { ${fields[0]?.name ?? ''} = … }`,
      };
    return;
  }
  const named = namedFields(given);
  const present = named.filter(({ value }) => value.type !== 'NilLiteral');
  const absent = needed.filter((field) => !present.some(({ key }) => key === field.name));
  if (absent.length > 0 && isComplete(given)) yield incomplete(absent);
  for (const { key, value, node: at } of named) {
    const field = fields.find((each) => each.name === key);
    if (field === undefined) {
      // Tools and models take more than they declare.
      if (kind === 'procedure') yield unknown(who, key, fields, at);
      continue;
    }
    const finding = typeMismatch(`${key} of ${who}`, value, field.type);
    if (finding !== null) {
      yield finding;
      continue;
    }
    const allowed = allowedInstead(value, field.enum);
    if (allowed !== null)
      yield {
        node: value,
        message: `${key} of ${who} gets what is not among its enum`,
        suggestion: `use one of ${allowed}`,
      };
  }
}

function unknown(who: string, key: string, fields: readonly DeclaredField[], node: Node): Finding {
  const names = fields.map((field) => field.name);
  const meant = closest(key, names);
  return {
    node,
    message: `${who} declares no input ${key}`,
    suggestion: meant === null ? `it takes ${names.join(', ') || 'none'}` : `did you mean ${meant}?`,
  };
}

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

/** A returned field that the output doesn't declare: it is dropped. */
export const outputUnknown: Rule = {
  code: 'output_unknown',
  severity: 'warning',
  *check(file, { procedures }) {
    for (const scope of procedures) {
      if (scope.file !== file || scope.output === null || scope.output.length === 0) continue;
      const declared = scope.output.map(({ name }) => name);
      for (const {
        arguments: [table],
      } of returnsOf(scope)) {
        if (table?.type !== 'TableConstructorExpression') continue;
        for (const { key, node } of namedFields(table)) {
          if (declared.includes(key)) continue;
          const meant = closest(key, declared);
          yield {
            node,
            message: `The output declares no ${key}: it is dropped`,
            suggestion: meant === null ? `declare it, or leave it out` : `did you mean ${meant}?`,
          };
        }
      }
    }
  },
};
