import {
  fieldOf,
  listItems,
  namedFields,
  stringValue,
  type Expression,
  type FunctionDeclaration,
  type Identifier,
  type Node,
  type TableConstructorExpression,
} from '../syntax/ast.js';
import type { Local } from '../syntax/scopes.js';
import { tableTypeOf } from '../../language/signature.js';
import type { Call, SourceFile } from '../syntax/source-file.js';

export type DeclaredKind = 'agent' | 'tool' | 'model' | 'module' | 'retriever' | 'procedure';

/** An agent, tool, model, module, retriever or procedure that a file declares. */
export interface Declared {
  kind: DeclaredKind;
  file: SourceFile;
  call: Call;
  /** As it is looked up: the name given, else the global variable that holds it. */
  name: string | null;
  /** The variable that it is assigned to. */
  variable: Identifier | null;
  local: Local | null;
  config: TableConstructorExpression | null;
  /** What a procedure or a tool does. */
  body: FunctionDeclaration | null;
}

const kinds: Readonly<Record<string, DeclaredKind>> = {
  ...{ Agent: 'agent', agent: 'agent', Tool: 'tool', tool: 'tool' },
  ...{ Model: 'model', model: 'model', Procedure: 'procedure', procedure: 'procedure' },
  ...{ DSPyAgent: 'agent', Module: 'module', Retriever: 'retriever' },
};

/** What the table of a declaration holds. */
export const configClasses: Readonly<Record<DeclaredKind, string>> = {
  agent: 'tactus.AgentConfig',
  tool: 'tactus.ToolConfig',
  model: 'tactus.ModelConfig',
  module: 'tactus.ModuleConfig',
  retriever: 'tactus.RetrieverConfig',
  procedure: 'tactus.ProcedureConfig',
};

export function kindOfCallee(callee: string): DeclaredKind | null {
  return Object.hasOwn(kinds, callee) ? (kinds[callee] ?? null) : null;
}

/** What the files declare. Of two calls with a name, as `Model("a")(…)`, the first may declare and the others call. */
export function declarationsIn(files: readonly SourceFile[]): Declared[] {
  const firm = files.flatMap((file) =>
    file.calls.flatMap((call) =>
      findsTool(call) || (call.isCurried && !call.isBare) ? [] : declarationsOf(file, call),
    ),
  );
  const curried = files.flatMap((file) =>
    file.calls.flatMap((call) =>
      call.isCurried && !call.isBare && !findsTool(call) && declares(call) ? declarationsOf(file, call) : [],
    ),
  );
  const isNew = (each: Declared): boolean =>
    !firm.some(({ kind, name }) => kind === each.kind && name === each.name);
  return [...firm, ...curried.filter(isNew)];
}

/** `Tool "a" {…}` finds a tool and calls it, whatever its table has: `tool "a" {…}` alone declares. */
export function findsTool({ callee, isCurried }: Call): boolean {
  return callee === 'Tool' && isCurried;
}

/** `Agent("a")({…})`: the keys tell whether it declares or calls. */
function declares(call: Call): boolean {
  const kind = kindOfCallee(call.callee);
  const config = call.args[1];
  if (kind === null || config === undefined) return false;
  if (config.type === 'FunctionDeclaration') return kind === 'procedure';
  if (config.type !== 'TableConstructorExpression') return false;
  const keys = Object.keys(tableTypeOf(configClasses[kind])?.keys ?? {}).filter(
    (key) => !calling.includes(key),
  );
  return (
    namedFields(config).some(({ key }) => keys.includes(key)) ||
    listItems(config).some(({ type }) => type === 'FunctionDeclaration')
  );
}

/** Keys that a call may have as well. */
const calling = [
  'message',
  'tools',
  'temperature',
  'max_tokens',
  'request_timeout',
  'idle_timeout',
  'retries',
  'retry',
  'system_prompt',
  'name',
  'input',
];

function declarationsOf(file: SourceFile, call: Call): Declared[] {
  const kind = kindOfCallee(call.callee);
  if (kind === null) return [];
  const given = stringValue(call.args[0]);
  const rest = given === null ? call.args : call.args.slice(1);
  const [first] = rest;
  const config = first?.type === 'TableConstructorExpression' ? first : null;
  if (config === null && !(given !== null && first?.type === 'FunctionDeclaration')) return [];
  const variable = assignedVariable(call.node, file);
  const local = variable === null ? null : file.scopes.localOf(variable);
  const own = kind === 'procedure' ? null : stringValue(fieldOf(config, 'name'));
  const name = given ?? own ?? (local === null ? (variable?.name ?? null) : null);
  return [{ kind, file, call, name, variable, local, config, body: bodyOf(config, rest) }];
}

/** The variable that the value of a node is assigned to, where it is assigned directly. */
export function assignedVariable(node: Node, { parents }: SourceFile): Identifier | null {
  const up = parents.get(node);
  if (up?.type !== 'AssignmentStatement' && up?.type !== 'LocalStatement') return null;
  const target = up.variables[up.init.indexOf(node as Expression)];
  return target?.type === 'Identifier' ? target : null;
}

function bodyOf(
  config: TableConstructorExpression | null,
  args: readonly Expression[],
): FunctionDeclaration | null {
  const candidates = [
    ...args.filter((arg) => arg !== config),
    fieldOf(config, 'run', 'handler'),
    ...(config === null ? [] : listItems(config)),
  ];
  return candidates.find((each) => each?.type === 'FunctionDeclaration') ?? null;
}

/** `agent("name", {…})`, as in 0.10, has every tool of the file where it lists none. */
export function takesAllTools({ kind, call, config }: Declared): boolean {
  if (kind !== 'agent' || call.callee !== 'agent' || call.isCurried || config === null) return false;
  return !namedFields(config).some(({ key }) => ['tools', 'toolsets', 'inline_tools'].includes(key));
}
