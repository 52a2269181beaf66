/** Rules about the keys of tables and the arguments of calls: unknown, missing, or of a wrong type. */
import {
  type Expression,
  fieldOf,
  isCall,
  isComplete,
  listItems,
  namedFields,
  type Node,
  stringValue,
  type TableConstructorExpression,
} from '../syntax/ast.js';
import { closest } from '../program/did-you-mean.js';
import type { Finding, Rule } from '../rule.js';
import { getOwn } from '../../contract/json/json.js';
import { exampleOf, isOneOf, kindsText, kindText, literalKind, numberOf } from '../syntax/literal-kind.js';
import { signatureOf, itemTypeOf, type TableType, tableTypeOf } from '../../language/signature.js';
import { kindsOf } from '../../language/type-notation.js';
import type { SourceFile } from '../syntax/source-file.js';
import type { AnalysedProgram } from '../program/analysed-program.js';
import { TactusError } from '../../contract/errors.js';
import { readDuration } from '../../lua-bridge/index.js';
import { configClasses } from '../program/declared.js';
import { schemasIn } from '../program/schemas.js';
import { graphsIn } from '../program/written-graphs.js';

/** A key that nothing reads. One that is nearly right is a mistake; another may be meant for people. */
export const unknownKey: Rule = {
  code: 'unknown_key',
  severity: 'error',
  *check(file, program) {
    for (const { what, table, type } of constructorTables(file, program)) {
      if (type.isOpen) continue;
      const known = Object.keys(type.keys);
      for (const { key, node } of namedFields(table)) {
        if (known.includes(key)) continue;
        const meant = closest(key, known);
        yield {
          node,
          severity: meant === null ? 'warning' : 'error',
          message: `${what} has no ${key}: it is not read`,
          suggestion: meant === null ? `it has ${known.join(', ')}` : `did you mean ${meant}?`,
        };
      }
    }
  },
};

/** A value that is written out and is none of what its key, or the function, takes. */
export const wrongType: Rule = {
  code: 'wrong_type',
  severity: 'error',
  *check(file, program) {
    for (const { what, table, type } of constructorTables(file, program))
      for (const { key, value } of namedFields(table)) {
        const declared = getOwn(type.keys, key);
        const kind = literalKind(value);
        const wanted = declared === undefined ? 'any' : kindsOf(declared);
        if (kind === null || kind === 'nil' || isOneOf(kind, wanted)) continue;
        yield {
          node: value,
          severity: type.isLenient ? 'warning' : 'error',
          message: `${key} of ${what} must be ${kindsText(wanted)}, and is ${kindText(kind)}`,
          suggestion: `write ${exampleOf(wanted)}`,
        };
      }
    for (const { callee, args, indexer } of file.calls) {
      if (indexer === ':' || program.globals.has(callee.split('.')[0] ?? '')) continue;
      const signature = signatureOf(callee);
      for (const [i, { kinds: wanted, isOptional }] of (signature?.parameters ?? []).entries()) {
        const value = args[i];
        const kind = value === undefined ? null : literalKind(value);
        if (value === undefined || kind === null || isOneOf(kind, wanted)) continue;
        // What may be left out may be nil.
        if (kind === 'nil' && (i > 0 || isOptional)) continue;
        yield {
          node: value,
          severity: signature?.isLenient === true ? 'warning' : 'error',
          message: `argument ${i + 1} of ${callee} must be ${kindsText(wanted)}, and is ${kindText(kind)}`,
          suggestion: `write ${exampleOf(wanted)}`,
        };
      }
    }
    yield* wrongTools(file, program);
  },
};

/** The tools of an agent: handles, names, or tables that say which. */
function* wrongTools(file: SourceFile, { declared }: AnalysedProgram): Generator<Finding> {
  for (const { kind, file: home, config } of declared) {
    const tools = kind === 'agent' && home === file ? fieldOf(config, 'tools') : undefined;
    for (const item of tools?.type === 'TableConstructorExpression' ? listItems(tools) : []) {
      const found = literalKind(item);
      if (found === null || isOneOf(found, 'text|table')) continue;
      yield {
        node: item,
        message: `A tool of an agent must be a tool, or the name of one, and is ${kindText(found)}`,
        suggestion: 'write tools = { my_tool, "done" }',
      };
    }
  }
}

/** A call with fewer arguments than the function can do with. */
export const missingArgument: Rule = {
  code: 'missing_argument',
  severity: 'error',
  *check(file, { globals }) {
    for (const { callee, args, indexer, node } of file.calls) {
      const signature = signatureOf(callee);
      if (signature === null || indexer === ':' || globals.has(callee.split('.')[0] ?? '')) continue;
      const { needed, parameters, isLenient } = signature;
      const last = args.at(-1);
      // The last one may stand for several.
      if (last !== undefined && (isCall(last) || last.type === 'VarargLiteral')) continue;
      if (args.length >= needed) continue;
      yield {
        node,
        severity: isLenient ? 'warning' : 'error',
        message: `${callee} needs ${needed === 1 ? 'an argument' : `${needed} arguments`}, and gets ${args.length === 0 ? 'none' : args.length}`,
        suggestion: `write ${callee}(${parameters
          .slice(0, needed)
          .map(({ kinds }) => exampleOf(kinds))
          .join(', ')})`,
      };
    }
  },
};

/** A table without what its function can't do without. */
export const missingValue: Rule = {
  code: 'missing_value',
  severity: 'error',
  *check(file, program) {
    for (const { what, node, table, type } of constructorTables(file, program)) {
      if (!isComplete(table)) continue;
      const keys = namedFields(table).map(({ key }) => key);
      for (const group of type.needs) {
        if (group.some((key) => keys.includes(key))) continue;
        yield { node, message: `${what} needs ${group[0] ?? ''}`, suggestion: `add ${group[0] ?? ''} = …` };
      }
    }
    yield* emptyMessages(file);
    yield* withoutFunction(file, program);
  },
};

function* emptyMessages(file: SourceFile): Generator<Finding> {
  for (const { callee, args } of file.calls) {
    const [first] = args;
    if (/^Human\.(approve|input|review)$/.test(callee) && first !== undefined && stringValue(first) === '')
      yield {
        node: first,
        message: `${callee} needs a message: the text that the person reads`,
        suggestion: `write ${callee}("Send the mail?")`,
      };
  }
}

/** Tools and procedures do something: a function, or for a tool a server that has it. */
function* withoutFunction(file: SourceFile, { declared }: AnalysedProgram): Generator<Finding> {
  for (const { kind, file: home, call, config, body } of declared) {
    if (home !== file || body !== null || config === null || !isComplete(config)) continue;
    if (kind !== 'tool' && kind !== 'procedure') continue;
    const keys = namedFields(config).map(({ key }) => key);
    // A function may be held by a variable.
    if (
      ['use', 'http', 'provider', 'handler', 'run'].some((key) => keys.includes(key)) ||
      listItems(config).length > 0
    )
      continue;
    const last = call.args.at(-1);
    if (last !== undefined && last !== config) continue;
    yield {
      node: call.node,
      message: `${call.callee} has no function`,
      suggestion: `write function(${kind === 'tool' ? 'args' : 'input'}) … end as its last item`,
    };
  }
}

/** A time that is no time: `"soon"`, `-1`, `"5 minutes"`. */
export const invalidDuration: Rule = {
  code: 'invalid_duration',
  severity: 'error',
  *check(file, program) {
    const fields = constructorTables(file, program).flatMap(({ table, type }) =>
      namedFields(table).flatMap(({ key, value }) =>
        kindsOf(getOwn(type.keys, key) ?? 'any') === 'duration' ? [{ what: key, value }] : [],
      ),
    );
    const args = file.calls.flatMap(({ callee, args: given }) =>
      (signatureOf(callee)?.parameters ?? []).flatMap(({ type }, i) => {
        const value = given[i];
        return value !== undefined && /(^|\|)tactus\.Duration\b/.test(type) ? [{ what: callee, value }] : [];
      }),
    );
    for (const { what, value } of [...fields, ...args]) {
      const message = problemOf(value, what);
      if (message !== null)
        yield { node: value, message, suggestion: 'write seconds, or "30s", "5m", "24h", "7d"' };
    }
  },
};

function problemOf(value: Expression, what: string): string | null {
  const given = stringValue(value) ?? numberOf(value);
  if (given === null) return null;
  try {
    readDuration(given, what, 'source_invalid');
    return null;
  } catch (error) {
    if (error instanceof TactusError) return error.message;
    throw error;
  }
}

/** A table that is written out where it is known what it may hold. */
interface ConstructorTable {
  /** As people call it: `Agent`, `Human.approve`, `the field age of input`. */
  what: string;
  node: Node;
  table: TableConstructorExpression;
  type: TableType;
}

const tablesOf = new WeakMap<AnalysedProgram, Map<SourceFile, readonly ConstructorTable[]>>();

/**
 * All of them in a file: declarations, requests of people, options, the fields of schemas, and tables within tables.
 * Several rules look at them, so they are found once.
 */
function constructorTables(file: SourceFile, program: AnalysedProgram): readonly ConstructorTable[] {
  const known = tablesOf.get(program) ?? new Map<SourceFile, readonly ConstructorTable[]>();
  tablesOf.set(program, known);
  const tables = known.get(file) ?? findTables(file, program);
  known.set(file, tables);
  return tables;
}

function findTables(file: SourceFile, program: AnalysedProgram): ConstructorTable[] {
  const { declared, globals } = program;
  const declarations = declared.flatMap(({ file: home, kind, config, call }) =>
    home !== file || config === null ? [] : tablesIn(call.callee, call.node, config, configClasses[kind]),
  );
  const calls = file.calls.flatMap((call) => {
    if (call.indexer === ':' || globals.has(call.callee.split('.')[0] ?? '')) return [];
    const parameters = signatureOf(call.callee)?.parameters ?? [];
    return parameters.flatMap(({ type }, i) => tablesIn(call.callee, call.node, call.args[i], type));
  });
  const results = globals.has('Graph') ? [] : graphsIn(file).flatMap(({ results: tables }) => tables);
  const returned = results.flatMap((table) =>
    tablesIn('what a node returns', table, table, 'tactus.NodeResult'),
  );
  const seen = new Set<TableConstructorExpression>();
  return [...fieldTables(file, program), ...declarations, ...calls, ...returned].filter(({ table }) => {
    const isFirst = !seen.has(table);
    seen.add(table);
    return isFirst;
  });
}

/** What is written out there, and within it, where its type says what tables hold. */
function tablesIn(what: string, node: Node, value: Expression | undefined, type: string): ConstructorTable[] {
  if (value?.type !== 'TableConstructorExpression') return [];
  const items = listItems(value);
  const item = itemTypeOf(type);
  if (item !== null && items.length > 0)
    return items.flatMap((each) => tablesIn(`an item of ${what}`, each, each, item));
  const found = tableTypeOf(type);
  if (found === null) return [];
  const inner = namedFields(value).flatMap((field) => {
    const wanted = getOwn(found.keys, field.key);
    return wanted === undefined ? [] : tablesIn(`${field.key} of ${what}`, field.value, field.value, wanted);
  });
  return [{ what, node, table: value, type: found }, ...inner];
}

function fieldTables(file: SourceFile, program: AnalysedProgram): ConstructorTable[] {
  const type = tableTypeOf('tactus.FieldOptions') as TableType;
  return schemasIn(file, program).flatMap(({ key, fields }) =>
    fields.flatMap(({ name, node, config }) =>
      config === null ? [] : [{ what: `the field ${name} of ${key}`, node, table: config, type }],
    ),
  );
}
