/** Rules about declared fields of input, output and state, and about the code and prompts that use them. */
import { inputOf, scopeAround, stateWrites } from '../program/procedure-scope.js';
import type { AnalysedProgram } from '../program/analysed-program.js';
import { fieldOf, namedFields, stringValue, type Node, listItems } from '../syntax/ast.js';
import { kindOfCallee } from '../program/declared.js';
import { argumentsOf, isCallNode, type SourceFile } from '../syntax/source-file.js';
import { schemasIn, typeMismatch } from '../program/schemas.js';
import { closest } from '../program/did-you-mean.js';
import type { Rule } from '../rule.js';
import { fieldTypes } from '../program/fields.js';
import { allowedInstead, fitsField, kindText, literalKind } from '../syntax/literal-kind.js';

/** `{type = "strng"}`: a type that no field can have. `field.strng` is an unknown member. */
export const unknownFieldType: Rule = {
  code: 'unknown_field_type',
  severity: 'error',
  *check(file, program) {
    for (const { fields } of schemasIn(file, program))
      for (const { name, type, typeNode } of fields) {
        if (type === null || fieldTypes.includes(type)) continue;
        const isMember = typeNode.type !== 'StringLiteral';
        if (isMember) continue;
        const meant = closest(type, fieldTypes);
        yield {
          node: typeNode,
          message: `The field ${name} has the unknown type "${type}"`,
          suggestion:
            meant === null
              ? `the types are ${fieldTypes.slice(0, 8).join(', ')}`
              : `did you mean "${meant}"?`,
        };
      }
  },
};

/** A default that its own field would refuse: another type, or not among the allowed values. */
export const wrongDefault: Rule = {
  code: 'wrong_default',
  severity: 'error',
  *check(file, program) {
    for (const { fields } of schemasIn(file, program))
      for (const { name, type, default: value, enum: allowed, required } of fields) {
        if (value === undefined) continue;
        const kind = literalKind(value);
        if (type !== null && kind !== null && !fitsField(value, type)) {
          yield {
            node: value,
            message: `The default of ${name} must be of the type ${type}, and is ${kindText(kind)}`,
            suggestion: 'change the default, or the type',
          };
          continue;
        }
        const instead = allowedInstead(value, allowed);
        if (instead !== null)
          yield {
            node: value,
            message: `The default of ${name} is not among its enum`,
            suggestion: `use one of ${instead}`,
          };
        if (required && kind !== 'nil')
          yield {
            node: value,
            severity: 'info',
            message: `${name} is required and has a default: it may be left out after all`,
            suggestion: 'leave one of the two out',
          };
      }
  },
};

/** An allowed value that the field's own type refuses, or no allowed value at all. */
export const wrongEnum: Rule = {
  code: 'wrong_enum',
  severity: 'error',
  *check(file, program) {
    for (const { fields } of schemasIn(file, program))
      for (const { name, type, enum: allowed } of fields) {
        if (allowed?.type !== 'TableConstructorExpression') continue;
        if (allowed.fields.length === 0)
          yield {
            node: allowed,
            message: `The enum of ${name} allows nothing`,
            suggestion: 'list the allowed values, or leave enum out',
          };
        const wrong = type === null ? undefined : listItems(allowed).find((value) => !fitsField(value, type));
        if (wrong !== undefined)
          yield {
            node: wrong,
            message: `The enum of ${name} has a value that is not of the type ${type}`,
            suggestion: 'change the value, or the type',
          };
      }
  },
};

/** A value that the declared state refuses. */
export const wrongStateType: Rule = {
  code: 'wrong_state_type',
  severity: 'error',
  *check(file, { procedures }) {
    for (const { key, value } of stateWrites(file)) {
      if (value === undefined) continue;
      const type = scopeAround(value, procedures)?.state?.find(({ name }) => name === key)?.type ?? null;
      const finding = typeMismatch(`state.${key}`, value, type);
      if (finding !== null) yield finding;
    }
  },
};

/** A key of the state that is nearly one that is declared. Other keys may be added freely. */
export const unknownState: Rule = {
  code: 'unknown_state',
  severity: 'warning',
  *check(file, { procedures }) {
    const writes = stateWrites(file);
    for (const { key, node } of writes) {
      const fields = scopeAround(node, procedures)?.state?.map(({ name }) => name) ?? [];
      if (fields.includes(key)) continue;
      // Short names that differ in one letter, as i and j, are meant to.
      const meant = key.length < 4 ? null : closest(key, fields);
      if (meant !== null)
        yield { node, message: `The state declares no ${key}`, suggestion: `did you mean state.${meant}?` };
    }
  },
};

/** A read of an input that isn't declared: nobody can give it, so it is nil. */
export const unknownInput: Rule = {
  code: 'unknown_input',
  severity: 'warning',
  *check(file, program) {
    for (const node of file.nodes) {
      if (node.type !== 'MemberExpression') continue;
      const fields = inputOf(node.base, file, program)?.input?.map(({ name }) => name);
      const name = node.identifier.name;
      if (fields === undefined || fields.includes(name)) continue;
      const meant = closest(name, fields);
      yield {
        node: node.identifier,
        message: `The input declares no ${name}: it is nil here`,
        suggestion:
          meant === null ? `declare it: input = { ${name} = field.string{} }` : `did you mean ${meant}?`,
      };
    }
  },
};

const placeholder = /\{(input|state|params)\.([A-Za-z_]\w*)/g;

const dotted = /\{([A-Za-z_]\w*)\.([A-Za-z_]\w*)[\w.]*\}/g;
const roots = ['input', 'state', 'params', 'context', 'prepared', 'env'];

/** `{input.x}` in a prompt where nothing gives x: the model reads the braces. */
export const unknownPlaceholder: Rule = {
  code: 'unknown_placeholder',
  severity: 'warning',
  *check(file, program) {
    for (const node of prompts(file, program)) {
      for (const [, root = '', name = ''] of (stringValue(node) ?? '').matchAll(placeholder)) {
        const known = root === 'state' ? stateNames(program) : inputNames(program, root === 'params');
        if (known === null || known.includes(name)) continue;
        const meant = closest(name, known);
        yield {
          node,
          message: `The prompt names {${root}.${name}}, which nothing gives`,
          suggestion:
            meant === null
              ? `declare ${name}, or write the braces in another way`
              : `did you mean {${root}.${meant}}?`,
        };
      }
      for (const [, root = '', name = ''] of (stringValue(node) ?? '').matchAll(dotted)) {
        if (roots.includes(root) || givenNames(program).has(root)) continue;
        yield {
          node,
          message: `The prompt names {${root}.${name}}, and nothing is called ${root} there`,
          suggestion: `there are {input.x}, {state.x}, {params.x}, {context.x} and {prepared.x}`,
        };
      }
    }
  },
};

function prompts(file: SourceFile, { declared }: AnalysedProgram): Node[] {
  return declared.flatMap(({ kind, file: home, config }) =>
    kind !== 'agent' || home !== file
      ? []
      : ['system_prompt', 'initial_message'].flatMap((key) => fieldOf(config, key) ?? []),
  );
}

/** What stands in prompts by its bare name: inputs, and whatever some call is given as a table. */
function givenNames({ procedures, files }: AnalysedProgram): Set<string> {
  const inputs = procedures.flatMap(({ input }) => input?.map(({ name }) => name) ?? []);
  const given = files.flatMap(({ nodes }) =>
    nodes
      .filter(isCallNode)
      .filter(({ base }) => base.type !== 'Identifier' || kindOfCallee(base.name) === null)
      .flatMap(argumentsOf)
      .flatMap((each) => (each.type === 'TableConstructorExpression' ? namedFields(each) : []))
      .map(({ key }) => key),
  );
  return new Set([...inputs, ...given]);
}

/** null where not all of them can be known. A call's own values count as params. */
function inputNames({ procedures, declared, files }: AnalysedProgram, withParams: boolean): string[] | null {
  const inputs = procedures.map(({ input }) => input);
  if (inputs.length === 0 || inputs.includes(null)) return null;
  const names = inputs.flatMap((fields) => fields?.map(({ name }) => name) ?? []);
  if (!withParams) return names;
  const agents = declared
    .filter(({ kind }) => kind === 'agent')
    .map(({ variable, name }) => variable?.name ?? name);
  // What calls add is only known where they write it out.
  const isCalled = files.some(({ nodes }) =>
    nodes.some((node) => node.type === 'Identifier' && agents.includes(node.name) && node.name !== ''),
  );
  return isCalled ? null : names;
}

function stateNames({ procedures, files }: AnalysedProgram): string[] | null {
  const isComputed = files.some(
    (file) =>
      file.calls.some(
        ({ callee, args }) => /^State\.(set|increment|append)$/.test(callee) && stringValue(args[0]) === null,
      ) ||
      file.nodes.some(
        (node) =>
          node.type === 'IndexExpression' &&
          node.base.type === 'Identifier' &&
          node.base.name === 'state' &&
          stringValue(node.index) === null,
      ),
  );
  if (isComputed) return null;
  const declared = procedures.flatMap(({ state }) => state?.map(({ name }) => name) ?? []);
  return [...declared, ...files.flatMap((file) => stateWrites(file).map(({ key }) => key))];
}
