/** Rules about declarations of agents, tools, models and procedures, and the references to them. */
import type { AnalysedProgram } from '../program/analysed-program.js';
import {
  type Expression,
  fieldOf,
  lineOf,
  listItems,
  namedFields,
  type Node,
  stringValue,
  type TableKeyString,
} from '../syntax/ast.js';
import {
  type Declared,
  type DeclaredKind,
  findsTool,
  kindOfCallee,
  takesAllTools,
} from '../program/declared.js';
import { closest } from '../program/did-you-mean.js';
import type { Finding, Rule } from '../rule.js';
import type { SourceFile } from '../syntax/source-file.js';
import { getOwn } from '../../contract/json/json.js';

interface Reference {
  kind: DeclaredKind;
  node: Expression;
  name: string;
  /** It only asks whether the tool was called, which one that isn't there never was. */
  isQuestion?: true;
}

/** Tools that are there without a declaration, once their module is required, or by what others provide. */
const builtInTools = ['done', 'log'];

/** An agent, tool, model or procedure that is named and declared nowhere. */
export const undeclaredReference: Rule = {
  code: 'undeclared_reference',
  severity: 'error',
  *check(file, program) {
    for (const { kind, node, name, isQuestion = false } of references(file, program)) {
      const known = program.declared.flatMap((each) =>
        each.kind === kind && each.name !== null ? [each.name] : [],
      );
      if (
        known.includes(name) ||
        (kind === 'tool' && (builtInTools.includes(name) || hasForeignTools(program)))
      )
        continue;
      // A global may hold what a module or another call gave.
      if (program.globals.has(name) && !program.declared.some((each) => each.name === name)) continue;
      const meant = closest(name, known);
      yield {
        node,
        ...(isQuestion && meant === null ? { severity: 'warning' } : {}),
        message: `There is no ${kind} "${name}"`,
        suggestion:
          meant !== null
            ? `did you mean "${meant}"?`
            : known.length > 0
              ? `declared are ${known.join(', ')}${elsewhere(kind, name)}`
              : `declare it: ${name} = ${kind.slice(0, 1).toUpperCase()}${kind.slice(1)} {…}${elsewhere(kind, name)}`,
      };
    }
  },
};

function elsewhere(kind: DeclaredKind, name: string): string {
  return kind === 'tool'
    ? `; one of the worker is "host.${name}", and all of an MCP server "mcp.${name}"`
    : '';
}

function references(file: SourceFile, { declared }: AnalysedProgram): Reference[] {
  const byName = file.calls.flatMap((call): Reference[] => {
    const { callee, args, node, isCurried, isBare } = call;
    const kind = kindOfCallee(callee);
    const [first] = args;
    const name = stringValue(first);
    if (first === undefined || name === null) return [];
    if (/^Tool\.(called|call_count|last_call|last_result)$/.test(callee))
      return [{ kind: 'tool', node: first, name, isQuestion: true }];
    if (/^Tool\.(reset|get)$/.test(callee)) return [{ kind: 'tool', node: first, name }];
    if (kind === null || (isBare && !findsTool(call)) || (args.length > 1 && !isCurried)) return [];
    return declared.some((each) => each.call.node === node) ? [] : [{ kind, node: first, name }];
  });
  const lists = file.calls.flatMap(({ callee, args }) => {
    const isAgent =
      kindOfCallee(callee) === 'agent' ||
      declared.some(
        ({ kind, name }) =>
          kind === 'agent' && name !== null && (callee === name || callee === `${name}.turn`),
      );
    return isAgent ? args : [];
  });
  const named = lists.flatMap((config): Reference[] => {
    const list = config.type === 'TableConstructorExpression' ? fieldOf(config, 'tools') : undefined;
    if (list?.type !== 'TableConstructorExpression') return [];
    return listItems(list).flatMap((node) => {
      const name = stringValue(node);
      return name === null || name.includes('.') ? [] : [{ kind: 'tool', node, name }];
    });
  });
  return [...byName, ...named];
}

/** Tools of a toolset, a plugin or a server aren't told in the file. */
function hasForeignTools({ files, declared }: AnalysedProgram): boolean {
  return (
    files.some(({ calls }) => calls.some(({ callee }) => /^(toolset|Toolset|mcp)\b/.test(callee))) ||
    declared.some(({ config, kind }) =>
      kind === 'tool'
        ? fieldOf(config, 'use') !== undefined
        : kind === 'agent' && fieldOf(config, 'toolsets', 'inline_tools', 'skills') !== undefined,
    )
  );
}

/** Two agents, tools, models or procedures of one name: only one of them is found by it. */
export const duplicateDeclaration: Rule = {
  code: 'duplicate_declaration',
  severity: 'error',
  *check(file, { declared }) {
    // A module is held by who made it: none is found by its name.
    const own = declared.filter(({ name, kind }) => name !== null && kind !== 'module');
    for (const [i, each] of own.entries()) {
      if (each.file !== file) continue;
      const first = own.slice(0, i).find(({ kind, name }) => kind === each.kind && name === each.name);
      if (first !== undefined)
        yield {
          node: each.call.node,
          message: `There is another ${each.kind} "${each.name}" in line ${lineOf(first.call.node)} of ${first.file.name}`,
          suggestion: 'give one of them another name',
        };
    }
  },
};

/** An agent, tool or model that nothing calls and nothing names. */
export const unusedDeclaration: Rule = {
  code: 'unused_declaration',
  severity: 'info',
  *check(file, program) {
    for (const each of program.declared) {
      if (each.file !== file || each.kind === 'procedure' || isUsed(each, program)) continue;
      // The rule for locals has said it.
      if (each.local !== null) continue;
      const name = each.name ?? each.variable?.name;
      yield {
        node: each.call.node,
        message: `The ${each.kind}${name === undefined ? '' : ` ${name}`} is never used`,
        suggestion: 'remove it',
      };
    }
  },
};

function isUsed(
  { kind, name, variable, call, file }: Declared,
  { files, declared }: AnalysedProgram,
): boolean {
  const up = file.parents.get(call.node);
  if (kind === 'tool' && declared.some(takesAllTools)) return true;
  // Handed on at once, as in a list of tools.
  if (variable === null && up?.type !== 'CallStatement') return true;
  const names = [name, variable?.name ?? null].flatMap((each) =>
    each === null ? [] : [each, each.slice(0, 1).toUpperCase() + each.slice(1)],
  );
  return files.some(
    ({ scopes, nodes }) =>
      scopes.reads.some(({ node }) => names.includes(node.name)) ||
      nodes.some((node) => {
        const text = stringValue(node);
        return text !== null && names.includes(text) && node !== call.args[0];
      }),
  );
}

const retries = 'write retries = 2: how often a call that fails is tried again';
const bounds = 'leave it out: max_tool_followup_rounds bounds the model calls of one turn';

/** What the reference takes and does nothing with, or does with what isn't there, by what is declared. */
const ignored: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  agent: {
    ...{ response: retries, max_attempts: retries, max_turns: bounds, request_limit: bounds },
    disable_streaming: 'leave it out: text is streamed to whoever follows the run',
    max_input_tokens: 'write filter = filters.token_budget(…)',
    model_attempt_call_id: 'leave it out: each call has a key of its own',
    module: 'leave it out: a Module { … } has a strategy',
    steering_enabled: 'leave it out',
  },
  module: {
    ...{ input: 'write it into the signature', output: 'write it into the signature' },
    ...{ tool_choice: 'leave it out: a module calls no tools', verbose: 'leave it out' },
  },
  procedure: {
    async: 'leave it out: whoever starts the run chooses whether to wait',
    default_model: 'write default_model("…") at the top of the file',
    default_provider: 'write default_provider("…") at the top of the file',
    max_depth: 'write max_depth(…) at the top of the file',
    max_turns: 'leave it out: turns are bounded by the limits of a run',
    prompts: 'write Prompt("name", "text") at the top of the file',
  },
};

/** A key that is taken, so that a file of the reference runs, and that changes nothing. */
export const ignoredSetting: Rule = {
  code: 'ignored_setting',
  severity: 'warning',
  *check(file, { declared }) {
    for (const { kind, config, file: home } of declared) {
      if (home !== file || config === null) continue;
      const keys = config.fields.filter((each): each is TableKeyString => each.type === 'TableKeyString');
      for (const { key, value } of keys) {
        if (kind === 'procedure' && key.name === 'dependencies') yield* unusedDependencies(key, value);
        const suggestion = getOwn(getOwn(ignored, kind) ?? {}, key.name);
        if (suggestion !== undefined)
          yield { node: key, message: `${key.name} has no effect here`, suggestion };
      }
    }
  },
};

/** Databases and their like; the key itself where it declares nothing. */
function* unusedDependencies(key: Node, value: Expression): Generator<Finding, void, undefined> {
  if (value.type !== 'TableConstructorExpression') return;
  const suggestion = 'leave it out: only the type http_client is there; ask all else in a tool';
  if (value.fields.length === 0)
    yield { node: key, message: 'dependencies has no effect here', suggestion: 'leave it out' };
  for (const { key: name, node, value: config } of namedFields(value)) {
    const type = config.type === 'TableConstructorExpression' ? stringValue(fieldOf(config, 'type')) : null;
    if (type !== null && type !== 'http_client')
      yield {
        node,
        message: `the dependency ${name} has no effect here: it is of the type ${type}`,
        suggestion,
      };
  }
}
