import type { AnalysedProgram } from '../validation/program/analysed-program.js';
import {
  fieldOf,
  listItems,
  textOf,
  type Expression,
  type Node,
  type TableConstructorExpression,
} from '../validation/syntax/ast.js';
import { argumentsOf, isCallNode, type Call } from '../validation/syntax/calls.js';
import { assignedVariable } from '../validation/program/declared.js';
import { includedBy, includedIn } from '../validation/program/required-files.js';
import type { SourceFile } from '../validation/syntax/source-file.js';
import { initialValue } from '../validation/syntax/value-of.js';
import { short, sourceText } from './texts.js';

/** A task as the files write it, or a namespace that holds those of an included file. */
export interface WrittenTask {
  /** With those that it is in before it: `docs:build`. Computed names stand as they are written. */
  name: string;
  node: Node;
  file: SourceFile;
  entry: Expression | null;
  dependsOn: string[];
  children: WrittenTask[];
  /** What it is called as well: in another task that holds it too. */
  others: string[];
}

/** All tasks of a program, in the order in which they stand; those within others below them. */
export function writtenTasks(program: AnalysedProgram): WrittenTask[] {
  const included = new Set(program.files.flatMap(includedIn));
  // It is where a run begins, whatever includes it again.
  included.delete(program.entry.name);
  const reader = new TaskReader(program);
  return program.files.filter(({ name }) => !included.has(name)).flatMap((file) => reader.ofFile(file, ''));
}

class TaskReader {
  /** By their calls. Tables that hold each other would never end. */
  private readonly read = new Map<Node, WrittenTask>();
  private readonly included: Set<SourceFile>;

  constructor(private readonly program: AnalysedProgram) {
    this.included = new Set([program.entry]);
  }

  ofFile(file: SourceFile, prefix: string): WrittenTask[] {
    return file.calls.flatMap((call) => {
      if (call.callee === 'Task') return isHeld(call.node, file) ? [] : this.ofCall(call, file, prefix, null);
      const included = includedBy(call, file.name);
      const other = this.program.files.find(({ name }) => name === included?.file);
      if (included === null || other === undefined || this.included.has(other)) return [];
      this.included.add(other);
      const { namespace } = included;
      if (namespace === null) return this.ofFile(other, prefix);
      const name = prefix + namespace;
      const children = this.ofFile(other, `${name}:`);
      return [{ name, node: call.node, file, entry: null, dependsOn: [], children, others: [] }];
    });
  }

  /** `Task "name" {…}`, `name = Task {…}`; as a field of another task, by the name of that. */
  private ofCall(call: Call, file: SourceFile, prefix: string, key: string | null): WrittenTask[] {
    const [first] = call.args;
    // Where the name is computed, the table is given to what the first call gives.
    const up = file.parents.get(call.node);
    const config = (
      up !== undefined && isCallNode(up) && up.base === call.node ? argumentsOf(up) : call.args
    ).at(-1);
    const variable = assignedVariable(call.node, file);
    const global = variable !== null && file.scopes.localOf(variable) === null ? variable.name : null;
    const given = first === config || first === undefined ? null : (textOf(first) ?? this.text(first, file));
    const name = key ?? given ?? global;
    if (name === null) return [];
    const table = config?.type === 'TableConstructorExpression' ? config : null;
    return this.ofTable(prefix + name, call.node, table, file);
  }

  private ofTable(
    name: string,
    node: Node,
    config: TableConstructorExpression | null,
    file: SourceFile,
  ): WrittenTask[] {
    const known = this.read.get(node);
    if (known !== undefined) {
      known.others.push(name);
      return [];
    }
    const needs = config === null ? undefined : fieldOf(config, 'depends_on');
    const listed = needs?.type === 'TableConstructorExpression' ? listItems(needs) : [needs];
    const dependsOn = listed.flatMap((each) => textOf(each) ?? []);
    const entry = fieldOf(config, 'entry') ?? null;
    const task: WrittenTask = { name, node, file, entry, dependsOn, children: [], others: [] };
    this.read.set(node, task);
    if (config !== null) task.children = this.within(config, file, `${name}:`);
    return [task];
  }

  private text(node: Node, file: SourceFile): string {
    return short(sourceText(node, this.program.source.files[file.name] ?? ''));
  }

  private within(config: TableConstructorExpression, file: SourceFile, prefix: string): WrittenTask[] {
    return config.fields.flatMap((field) => {
      const key =
        field.type === 'TableKeyString'
          ? field.key.name
          : field.type === 'TableKey'
            ? textOf(field.key)
            : null;
      const named = field.value.type === 'Identifier' ? initialValue(field.value, file, this.program) : null;
      const { value, file: home } = named ?? { value: field.value, file };
      const call = home.callAt.get(value);
      if (call?.callee === 'Task') return this.ofCall(call, home, prefix, key);
      const isInline = value.type === 'TableConstructorExpression' && fieldOf(value, 'entry') !== undefined;
      return key !== null && isInline ? this.ofTable(prefix + key, value, value, home) : [];
    });
  }
}

/** Whether a task stands in the table of another. */
function isHeld(node: Node, { parents, callAt }: SourceFile): boolean {
  let up = parents.get(node);
  while (up !== undefined && up.type.startsWith('Table') && up.type !== 'TableCallExpression')
    up = parents.get(up);
  return up !== undefined && up !== parents.get(node) && callAt.get(up)?.callee === 'Task';
}
