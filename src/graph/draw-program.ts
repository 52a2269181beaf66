import { procedureName, type ProcedureSource } from '../contract/procedures/source.js';
import type { AnalysedProgram } from '../validation/program/analysed-program.js';
import {
  fieldOf,
  lineOf,
  stringValue,
  type Chunk,
  type FunctionDeclaration,
  type Node,
} from '../validation/syntax/ast.js';
import type { Declared } from '../validation/program/declared.js';
import { load, readProgram, tooDeep, type Loaded } from '../validation/program/read-program.js';
import { procedureCandidates } from '../validation/program/required-files.js';
import { declaredWith } from '../validation/syntax/value-of.js';
import type { SourceFile } from '../validation/syntax/source-file.js';
import { Canvas, type Drawing, type Exit } from './canvas.js';
import { drawFunction, toolsOf, type AgentTool, type Parts } from './draw-function.js';
import { drawGraph } from './draw-graphs.js';
import { TaskDrawing, writtenTasks } from './draw-tasks.js';
import type { FlowGraph, FlowGroup } from './flow-graph.js';
import { mainGraphOf, writtenGraphs, type WrittenGraph } from './written-graphs.js';
import { Reach, type FileFunction } from './reach.js';
import type { Diagnostic } from '../validation/index.js';

/** Draws all files that share one Lua state: the main procedure first, the tasks, then what they call, then the rest. */
class ProgramDrawing {
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
    const main = this.drawMainAndGraphs(tasks.length > 0);
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

  /** A graph that the file runs is its main part. */
  private drawMainAndGraphs(hasTasks: boolean): string | null {
    const { program, reach } = this;
    const { entry } = program;
    const isAlone =
      !hasTasks &&
      !reach.does(entry.chunk, entry) &&
      !program.declared.some(({ kind, file }) => kind === 'procedure' && file === entry);
    const graphs = writtenGraphs(program);
    const first = mainGraphOf(program, graphs, isAlone);
    const main = first === null ? this.drawMain(hasTasks) : this.drawGraph(first);
    for (const graph of graphs) if (graph !== first) this.drawGraph(graph);
    return main;
  }

  private drawGraph(graph: WrittenGraph): string {
    const start = drawGraph(this.parts, graph);
    this.drawn.set(graph.call, start);
    return start;
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
    return known ?? stringValue(named) ?? (named === undefined ? 'default model' : 'computed model');
  }

  private readonly link: Drawing['link'] = ({ from }: Exit, target) => {
    if ('runs' in target) this.runs.push({ from, name: target.runs });
    else if ('graph' in target) this.links.push({ from, to: target.graph, label: 'runs' });
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

/** The agents that have tools, each with what it may call; a turn leads to its agent. */
function drawAgentTools(parts: Parts, turns: readonly { from: string; agent: Declared }[]): void {
  const { canvas, program, modelOf } = parts;
  const agents = program.declared
    .filter(({ kind }) => kind === 'agent')
    .map((agent) => ({ agent, tools: toolsOf(agent, program) }))
    .filter(({ tools }) => tools.length > 0);
  const [first] = agents;
  if (first === undefined) return;
  const drawn = new Map<unknown, string>();
  const draw = (given: AgentTool): string => {
    // One that is named in several places is drawn once.
    const key = given.declared ?? given.label;
    const known = drawn.get(key);
    if (known !== undefined) return known;
    const place = { file: given.file.name, line: lineOf(given.node) };
    const exit = canvas.node(given.kind, given.label, place, []);
    drawn.set(key, exit.from);
    if (given.declared !== null) parts.link(exit, { declared: given.declared });
    for (const member of given.members) canvas.edge(exit.from, draw(member), 'tools', 'holds');
    return exit.from;
  };
  const place = { file: first.agent.file.name, line: lineOf(first.agent.call.node) };
  canvas.grouped('agents', 'agents and their tools', place, () => {
    for (const { agent, tools } of agents) {
      const name = agent.name ?? agent.variable?.name ?? 'without a name';
      const at = { file: agent.file.name, line: lineOf(agent.call.node) };
      const { from } = canvas.node('agent', `agent ${name} · ${modelOf(agent)}`, at, []);
      for (const tool of tools) canvas.edge(from, draw(tool), 'tools', 'may call');
      for (const turn of turns) if (turn.agent === agent) canvas.edge(turn.from, from, 'call', null);
    }
  });
}

/** What people call a function: its own name, else that of the variable or the field that holds it. */
function functionName(body: FunctionDeclaration, { parents }: SourceFile): string {
  if (body.identifier !== null) return variableName(body.identifier);
  const up = parents.get(body);
  if (up?.type === 'TableKeyString') return up.key.name;
  if (up?.type === 'TableKey') return stringValue(up.key) ?? 'function';
  if (up?.type !== 'LocalStatement' && up?.type !== 'AssignmentStatement') return 'function';
  const target: Node | undefined = up.variables[up.init.indexOf(body)];
  return target === undefined ? 'function' : variableName(target);
}

function variableName(node: Node): string {
  if (node.type === 'Identifier') return node.name;
  if (node.type !== 'MemberExpression') return 'function';
  return `${variableName(node.base)}${node.indexer}${node.identifier.name}`;
}

interface Main {
  file: SourceFile;
  body: FunctionDeclaration | Chunk;
  /** null where it has none of its own. */
  name: string | null;
}

/**
 * What a run begins with, chosen as the runtime does; null where none of several procedures is the main one, or where
 * tasks are all that there is.
 */
function mainOf({ declared, entry }: AnalysedProgram, hasTasks: boolean): Main | null {
  const procedures = declared.flatMap(({ kind, file, body, name }) =>
    kind === 'procedure' && file === entry && body !== null ? [{ file, body, name }] : [],
  );
  const [first, ...others] = procedures;
  if (first !== undefined) {
    if (others.length === 0 && !hasTasks)
      return { ...first, name: first.name === 'main' ? null : first.name };
    const main =
      procedures.find(({ name }) => name === 'main') ?? procedures.find(({ name }) => name === null);
    if (main !== undefined || !hasTasks) return main === undefined ? null : { ...main, name: null };
  }
  const plain = entry.scopes.writes
    .filter(({ node }) => node.name === 'main')
    .map(({ node }) => entry.parents.get(node))
    .find((node) => node?.type === 'FunctionDeclaration');
  if (plain?.type === 'FunctionDeclaration') return { file: entry, body: plain, name: null };
  return hasTasks ? null : { file: entry, body: entry.chunk, name: null };
}

/** The graph, or why there is none: what `validate` says of a source that can't be parsed. */
export type Graphed = { graph: FlowGraph } | { diagnostics: Diagnostic[] };

/** Draws a procedure with all that it requires, calls and runs. The same source gives the same graph. */
export function graphSource(source: ProcedureSource): Graphed {
  const canvas = new Canvas();
  /** The node that each file starts with, as soon as it is drawn; null where it can't be. */
  const starts = new Map<string, string | null>();
  const runs: { from: string; file: string }[] = [];
  const draw = (entry: string): Diagnostic[] => {
    const ownSource = { ...source, entry };
    const { summary, error } = load(ownSource);
    const { program, diagnostics } = readProgram(ownSource, {}, error);
    if (program === null || diagnostics.length > 0) return diagnostics;
    starts.set(entry, null);
    const drawing = new ProgramDrawing(canvas, program, summary, entry === source.entry);
    try {
      starts.set(entry, drawing.draw());
    } catch (thrown) {
      return tooDeep(thrown, ownSource, error).diagnostics;
    }
    for (const { from, name } of drawing.runs) {
      const file = procedureCandidates(name, entry).find((each) => Object.hasOwn(source.files, each));
      if (file !== undefined) runs.push({ from, file });
    }
    return [];
  };
  const diagnostics = draw(source.entry);
  if (diagnostics.length > 0) return { diagnostics };
  for (const { from, file } of runs) {
    // What is wrong with another file, its own graph says.
    if (!starts.has(file)) draw(file);
    const start = starts.get(file) ?? null;
    if (start !== null) canvas.edge(from, start, 'call', 'runs');
  }
  return { graph: { nodes: canvas.nodes, edges: canvas.edges, groups: canvas.groups } };
}
