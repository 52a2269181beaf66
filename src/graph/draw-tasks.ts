import { lineOf, textOf, type Expression, type Node } from '../validation/syntax/ast.js';
import { isCallNode } from '../validation/syntax/calls.js';
import { declaredAs, initialValue, valueOf } from '../validation/syntax/value-of.js';
import type { SourceFile } from '../validation/syntax/source-file.js';
import { drawFunction, type Parts } from './draw-function.js';
import type { FileFunction } from './reach.js';
import { short, sourceText } from './texts.js';
import type { WrittenTask } from './written-tasks.js';

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
      value?.kind === 'declared' ? value.declared : declaredAs('procedure', textOf(entry), program);
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
