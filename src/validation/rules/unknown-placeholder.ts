import type { AnalysedProgram } from '../program/analysed-program.js';
import { fieldOf, namedFields, stringValue, type Node } from '../syntax/ast.js';
import { argumentsOf, isCallNode } from '../syntax/calls.js';
import { kindOfCallee } from '../program/declared.js';
import { closest } from '../program/did-you-mean.js';
import type { Rule } from '../rule.js';
import type { SourceFile } from '../syntax/source-file.js';
import { stateWrites } from '../program/procedure-scope.js';

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
