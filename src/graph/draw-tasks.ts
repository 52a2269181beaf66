import {
  fieldOf,
  lineOf,
  listItems,
  stringValue,
  type Expression,
  type Node,
  type TableConstructorExpression,
} from '../validation/syntax/ast.js';
import { declaredAs, initialValue, valueOf } from '../validation/syntax/value-of.js';
import { argumentsOf, isCallNode, type Call, type SourceFile } from '../validation/syntax/source-file.js';
import { drawFunction, type Parts } from './draw-function.js';
import type { FileFunction } from './reach.js';
import { short, sourceText } from './labels.js';
import type { AnalysedProgram } from '../validation/program/analysed-program.js';
import { assignedVariable } from '../validation/program/declared.js';
import { includedBy, includedIn } from '../validation/program/required-files.js';

/** Draws tasks, each a group of what its entry does, and leads to each from those that are done before it. */
export class TaskDrawing {
  /** The node that each task starts with, by its full name. */
  readonly starts = new Map<string, string>();

  /** `drawn`: the functions that are, with the nodes that they start with. */
  constructor(
    private readonly parts: Parts,
    private readonly drawn: Map<Node, string>,
  ) {}

  draw(tasks: readonly WrittenTask[]): void {
    for (const task of tasks) this.drawTask(task);
    this.leadFromNeeded(tasks);
  }

  private drawTask(task: WrittenTask): void {
    const { name, node, file, entry, children, others } = task;
    this.parts.canvas.grouped('task', `task ${name}`, { file: file.name, line: lineOf(node) }, () => {
      if (entry !== null || children.length === 0) {
        const start = this.drawEntry(task);
        for (const each of [name, ...others]) this.starts.set(each, start);
      }
      for (const child of children) this.drawTask(child);
    });
  }

  /** What the entry does: a function that is written there, or that a name or a `TaskFunction` stands for, or a procedure. */
  private drawEntry({ name, node, file, entry }: WrittenTask): string {
    const { canvas, link, program } = this.parts;
    const body = entry === null ? null : this.functionOf(entry, file);
    if (body !== null && !this.drawn.has(body.body)) {
      const start = drawFunction(this.parts, { ...body, label: name });
      this.drawn.set(body.body, start);
      return start;
    }
    const start = canvas.node('start', name, { file: file.name, line: lineOf(node) }, []);
    if (entry === null) return start.from;
    const place = { file: file.name, line: lineOf(entry) };
    const value = valueOf(entry, file, program);
    const declared =
      value?.kind === 'declared' ? value.declared : declaredAs('procedure', stringValue(entry), program);
    if (declared?.kind === 'procedure') {
      const what = `procedure ${declared.name ?? declared.variable?.name ?? ''}`.trim();
      link(canvas.node('procedure', what, place, [start]), { declared });
    } else {
      const written = short(sourceText(entry, program.source.files[file.name] ?? ''));
      const call = canvas.node('call', written, place, [start]);
      if (body !== null) link(call, { function: body });
    }
    return start.from;
  }

  private functionOf(entry: Expression, file: SourceFile): FileFunction | null {
    const deferred = isCallNode(entry) ? this.deferredBy(entry.base, file) : null;
    const { node, home } = deferred ?? { node: entry, home: file };
    const value = valueOf(node, home, this.parts.program);
    return value?.kind === 'function' ? value : null;
  }

  /** The function of `clean = TaskFunction(function(args) … end)`, of which `clean {…}` is an entry. */
  private deferredBy(base: Expression, file: SourceFile): { node: Expression; home: SourceFile } | null {
    const named = base.type === 'Identifier' ? initialValue(base, file, this.parts.program) : null;
    const { value, file: home } = named ?? { value: base, file };
    const call = home.callAt.get(value);
    const node = call?.callee === 'TaskFunction' ? call.args[0] : undefined;
    return node === undefined ? null : { node, home };
  }

  /** As the runtime finds them: by the full name, else beside the task. */
  private leadFromNeeded(tasks: readonly WrittenTask[]): void {
    for (const { name, dependsOn, children } of tasks) {
      const to = this.starts.get(name);
      for (const each of dependsOn) {
        const full = each.split(':').filter(Boolean).join(':');
        const beside = name.slice(0, name.lastIndexOf(':') + 1) + full;
        const from = this.starts.get(full) ?? this.starts.get(beside);
        if (from !== undefined && to !== undefined) this.parts.canvas.edge(from, to, 'before', 'before');
      }
      this.leadFromNeeded(children);
    }
  }
}

/** A task as the files write it, or a namespace that holds those of an included file. */
interface WrittenTask {
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
    const given =
      first === config || first === undefined ? null : (stringValue(first) ?? this.text(first, file));
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
    const dependsOn = listed.flatMap((each) => stringValue(each) ?? []);
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
            ? stringValue(field.key)
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
