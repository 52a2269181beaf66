import { procedureName } from '../contract/procedures/source.js';
import type { AnalysedProgram } from '../validation/program/analysed-program.js';
import { fieldOf, lineOf, textOf, type Node } from '../validation/syntax/ast.js';
import type { Declared } from '../validation/program/declared.js';
import type { Loaded } from '../validation/syntax/load.js';
import { declaredWith } from '../validation/syntax/program-index.js';
import type { SourceFile } from '../validation/syntax/source-file.js';
import { drawAgentTools } from './agent-tools.js';
import type { Canvas, Exit } from './canvas.js';
import { drawFunction, type Parts } from './draw-function.js';
import { TaskDrawing } from './draw-tasks.js';
import type { Drawing } from './drawing.js';
import type { FlowGroup } from './flow-graph.js';
import { functionName } from './function-name.js';
import { mainOf } from './main-of.js';
import { Reach, type FileFunction } from './reach.js';
import { writtenTasks } from './written-tasks.js';

/** Draws all files that share one Lua state: the main procedure first, the tasks, then what they call, then the rest. */
export class ProgramDrawing {
  /** Other files that run as procedures of their own. */
  readonly runs: { from: string; name: string }[] = [];
  private readonly reach: Reach;
  private readonly drawn = new Map<Node, string>();
  private readonly queue: FileFunction[] = [];
  private readonly links: { from: string; to: Node; label: string }[] = [];
  private readonly turns: { from: string; agent: Declared }[] = [];

  private readonly parts: Parts;

  constructor(
    private readonly canvas: Canvas,
    private readonly program: AnalysedProgram,
    private readonly summary: Loaded['summary'],
    /** Whether it was asked for; else it stands in a group, as everything that is called does. */
    private readonly isFirst: boolean,
  ) {
    this.reach = new Reach(program);
    this.parts = {
      ...{ canvas, program, reach: this.reach, link: this.link },
      modelOf: (agent) => this.modelOf(agent),
      inlined: (body) => void this.drawn.set(body, ''),
    };
  }

  /** The node that a run starts with where it isn't told more; null where it has to be. */
  draw(): string | null {
    const { program, canvas } = this;
    const tasks = writtenTasks(program);
    const main = this.drawMain(tasks.length > 0);
    const drawing = new TaskDrawing(this.parts, this.drawn);
    drawing.draw(tasks);
    this.drawQueue();
    for (const { kind, body, file } of program.declared)
      if (kind === 'procedure' && body !== null) this.drawApart({ body, file });
    for (const file of program.files) for (const node of file.nodes) this.drawLeftOver(node, file);
    drawAgentTools(this.parts, this.turns);
    this.drawQueue();
    for (const { from, to, label } of this.links) {
      const target = this.drawn.get(to);
      if (target !== undefined && target !== '') canvas.edge(from, target, 'call', label);
    }
    const [only, another] = tasks;
    const alone = only === undefined || another !== undefined ? null : only.name;
    return drawing.starts.get('run') ?? main ?? drawing.starts.get(alone ?? '') ?? null;
  }

  private drawMain(hasTasks: boolean): string | null {
    const main = mainOf(this.program, hasTasks);
    if (main === null) return null;
    const { file, body, name } = main;
    const label = name ?? procedureName(this.program.source);
    const draw = (): string => drawFunction(this.parts, { body, file, label });
    const place = { file: file.name, line: lineOf(body) };
    const start = this.isFirst
      ? draw()
      : this.canvas.grouped('procedure', `procedure ${file.name}`, place, draw);
    this.drawn.set(body, start);
    return start;
  }

  private drawQueue(): void {
    for (let next = this.queue.shift(); next !== undefined; next = this.queue.shift()) this.drawApart(next);
  }

  /** A function in a group of its own, once. */
  private drawApart({ body, file }: FileFunction): void {
    if (this.drawn.has(body)) return;
    const declared = declaredWith(body, this.program);
    const kind: FlowGroup['kind'] =
      declared?.kind === 'procedure' || declared?.kind === 'tool' ? declared.kind : 'function';
    const name = declared?.name ?? declared?.variable?.name ?? functionName(body, file);
    const place = { file: file.name, line: lineOf(body) };
    this.canvas.grouped(kind, kind === name ? kind : `${kind} ${name}`, place, () => {
      this.drawn.set(body, '');
      this.drawn.set(body, drawFunction(this.parts, { body, file, label: name }));
    });
    this.drawQueue();
  }

  /** A function that does something, and that nothing is seen to call: a method, a handler in a table. */
  private drawLeftOver(node: Node, file: SourceFile): void {
    if (node.type !== 'FunctionDeclaration' || this.drawn.has(node)) return;
    const up = file.parents.get(node);
    if (up !== undefined && /^[Ss]tep$/.test(file.callAt.get(up)?.callee ?? '')) return;
    if (this.reach.does(node, file)) this.drawApart({ body: node, file });
  }

  private modelOf({ name, config }: Declared): string {
    const known = this.summary.agents.find((agent) => agent.name === name && name !== null)?.model;
    const written = fieldOf(config, 'model');
    const named = written?.type === 'TableConstructorExpression' ? fieldOf(written, 'name') : written;
    return known ?? textOf(named) ?? (named === undefined ? 'default model' : 'computed model');
  }

  private readonly link: Drawing['link'] = ({ from }: Exit, target) => {
    if ('runs' in target) this.runs.push({ from, name: target.runs });
    else if ('function' in target) this.linkTo(from, target.function, 'calls');
    else if (target.declared.kind === 'agent') this.turns.push({ from, agent: target.declared });
    else this.linkToBody(from, target.declared);
  };

  /** What a procedure does is always drawn, a tool where it asks for something. */
  private linkToBody(from: string, { kind, body, file }: Declared): void {
    if (body === null || (kind !== 'procedure' && !this.reach.does(body, file))) return;
    this.linkTo(from, { body, file }, kind === 'procedure' ? 'calls' : 'runs');
  }

  private linkTo(from: string, target: FileFunction, label: string): void {
    this.links.push({ from, to: target.body, label });
    this.queue.push(target);
  }
}
