import type { AnalysedProgram } from '../validation/program/analysed-program.js';
import {
  childrenOf,
  fieldOf,
  lineOf,
  listItems,
  stringValue,
  type Chunk,
  type Expression,
  type FunctionDeclaration,
  type LogicalExpression,
  type Node,
  type Statement,
  type TableConstructorExpression,
} from '../validation/syntax/ast.js';
import {
  assignedVariable,
  declarationsIn,
  takesAllTools,
  type Declared,
} from '../validation/program/declared.js';
import { effectOf } from '../validation/program/effects.js';
import { isCallNode, type SourceFile } from '../validation/syntax/source-file.js';
import { declaredAs, initialValue, requiredModule, valueOf } from '../validation/syntax/value-of.js';
import {
  does,
  labelled,
  newFrame,
  type Canvas,
  type Drawing,
  type Exit,
  type Frame,
  type Place,
} from './canvas.js';
import type { Reach } from './reach.js';
import { drawBlock } from './statements.js';
import { short, sourceText } from './labels.js';
import { drawCall, drawEffect } from './calls.js';

export interface Parts extends Pick<Drawing, 'canvas' | 'program' | 'reach' | 'modelOf' | 'link'> {
  /** Is told of functions that are drawn where they are called. */
  inlined(body: FunctionDeclaration): void;
}

/** A function, or the top of a script, from its start to its ends. Gives the node that it starts with. */
export function drawFunction(
  parts: Parts,
  { body, file, label }: { body: FunctionDeclaration | Chunk; file: SourceFile; label: string },
): string {
  const drawing = new FunctionDrawing(parts, file, newFrame(null));
  const { canvas } = parts;
  const start = canvas.node('start', label, drawing.place(body), []);
  const ways = drawing.block(body.body, [start]);
  if (ways.length > 0) canvas.node('end', 'end', { file: file.name, line: body.loc?.end.line ?? 1 }, ways);
  return start.from;
}

class FunctionDrawing implements Drawing {
  readonly canvas: Canvas;
  readonly program: AnalysedProgram;
  readonly reach: Reach;
  readonly modelOf: (agent: Declared) => string;
  readonly link: Drawing['link'];

  constructor(
    private readonly parts: Parts,
    readonly file: SourceFile,
    readonly frame: Frame,
  ) {
    ({ canvas: this.canvas, program: this.program, reach: this.reach } = parts);
    ({ modelOf: this.modelOf, link: this.link } = parts);
  }

  place = (node: Node): Place => ({ file: this.file.name, line: lineOf(node) });

  text = (node: Node, longest?: number): string =>
    short(sourceText(node, this.program.source.files[this.file.name] ?? ''), longest);

  block(statements: readonly Statement[], exits: Exit[]): Exit[] {
    return drawBlock(this, statements, exits);
  }

  expression(node: Expression, exits: Exit[]): Exit[] {
    return drawExpression(this, node, exits);
  }

  asks(called: Expression): boolean {
    return effectOf(called, [], this.file, this.program) !== null;
  }

  inline(called: Expression, exits: Exit[]): Exit[] {
    if (called.type === 'FunctionDeclaration') {
      if (!this.reach.does(called, this.file) && !this.reach.raisesIn(called, this.file)) return exits;
      this.parts.inlined(called);
      const returns: Exit[] = [];
      const ways = new FunctionDrawing(this.parts, this.file, newFrame(returns)).block(called.body, exits);
      return [...ways, ...returns];
    }
    const effect = effectOf(called, [], this.file, this.program);
    if (effect !== null) return drawEffect(this, called, effect, exits);
    const value = valueOf(called, this.file, this.program);
    if (value?.kind !== 'function' || !this.reach.does(value.body, value.file)) return exits;
    const call = this.canvas.node('call', this.text(called), this.place(called), exits);
    this.link(call, { function: value });
    return [call];
  }
}

/** What an expression does, in the order in which Lua evaluates it. */
function drawExpression(drawing: Drawing, node: Expression, exits: Exit[]): Exit[] {
  if (exits.length === 0 || node.type === 'FunctionDeclaration') return exits;
  if (node.type === 'LogicalExpression' && does(drawing, node.right))
    return drawLogical(drawing, node, exits);
  if (isCallNode(node)) return drawCall(drawing, node, exits);
  return childrenOf(node).reduce<Exit[]>(
    (ways, child) => drawing.expression(child as Expression, ways),
    exits,
  );
}

/** `a and b`, `a or b`: whether b is evaluated is a decision. */
function drawLogical(drawing: Drawing, node: LogicalExpression, exits: Exit[]): Exit[] {
  const ways = drawing.expression(node.left, exits);
  if (ways.length === 0) return ways;
  const decision = drawing.canvas.node(
    'decision',
    `${drawing.text(node.left)}?`,
    drawing.place(node.left),
    ways,
  );
  const [goesOn, skips] = node.operator === 'and' ? ['yes', 'no'] : ['no', 'yes'];
  return [...drawing.expression(node.right, [labelled(decision, goesOn)]), labelled(decision, skips)];
}

/** A tool or a toolset that an agent or a toolset names. */
export interface AgentTool {
  kind: 'tool' | 'toolset';
  label: string;
  file: SourceFile;
  /** Where it is declared, else where it is named. */
  node: Expression;
  declared: Declared | null;
  /** What a toolset holds. */
  members: AgentTool[];
}

/** What an agent may call. */
export function toolsOf(agent: Declared, program: AnalysedProgram): AgentTool[] {
  const { config, file } = agent;
  if (takesAllTools(agent))
    return [
      ...declarationsIn(program.files)
        .filter(({ kind }) => kind === 'tool')
        .map(asAgentTool),
      { kind: 'tool', label: 'tool done', file, node: agent.call.node, declared: null, members: [] },
    ];
  return ['tools', 'toolsets', 'inline_tools'].flatMap((key) =>
    listed(fieldOf(config, key), file, program, []),
  );
}

function listed(
  list: Expression | undefined,
  file: SourceFile,
  program: AnalysedProgram,
  inside: readonly Expression[],
): AgentTool[] {
  if (list?.type !== 'TableConstructorExpression') return [];
  return listItems(list).map((item) => agentToolAt(item, file, program, inside));
}

function agentToolAt(
  node: Expression,
  file: SourceFile,
  program: AnalysedProgram,
  inside: readonly Expression[],
): AgentTool {
  const value = valueOf(node, file, program);
  if (value?.kind === 'declared') return asAgentTool(value.declared);
  if (node.type === 'TableConstructorExpression') return agentToolOfTable(node, file, program, inside);
  const text = stringValue(node);
  const declared = text === null ? null : declaredAs('tool', text, program);
  if (declared !== null) return asAgentTool(declared);
  const variable = node.type === 'Identifier' ? node.name : null;
  const toolset = toolsetNamed(text ?? variable, program);
  if (toolset !== null && !inside.includes(toolset.node)) {
    const { config } = toolset;
    const members = listed(fieldOf(config, 'tools'), toolset.file, program, [...inside, toolset.node]);
    return {
      ...toolset,
      kind: 'toolset',
      label: toolsetLabel(text ?? variable ?? '', config),
      declared: null,
      members,
    };
  }
  const initial = node.type === 'Identifier' ? initialValue(node, file, program) : null;
  const module = initial === null ? null : requiredModule(initial.value, initial.file);
  const name =
    text ??
    module?.replace(/^.*\./, '') ??
    variable ??
    sourceText(node, program.source.files[file.name] ?? '');
  return { kind: 'tool', label: short(`tool ${name}`), file, node, declared: null, members: [] };
}

/** `{name = "desk", include = {"hours"}}`, or a tool that is written in the list. */
function agentToolOfTable(
  table: TableConstructorExpression,
  file: SourceFile,
  program: AnalysedProgram,
  inside: readonly Expression[],
): AgentTool {
  const own = stringValue(fieldOf(table, 'name'));
  const name = own ?? 'without a name';
  const toolset = toolsetNamed(name, program);
  if (toolset === null)
    return { kind: 'tool', label: toolLabel(own, table), file, node: table, declared: null, members: [] };
  const found = inside.includes(toolset.node)
    ? []
    : listed(fieldOf(toolset.config, 'tools'), toolset.file, program, [...inside, toolset.node]);
  const selection = (['include', 'exclude'] as const).flatMap((key) => {
    const names = fieldOf(table, key);
    if (names?.type !== 'TableConstructorExpression') return [];
    const texts = listItems(names).flatMap((each) => stringValue(each) ?? []);
    return [`${key === 'include' ? 'only' : 'without'} ${texts.join(', ')}`];
  });
  const whole = [toolsetLabel(name, toolset.config), ...selection].join(' · ');
  return { kind: 'toolset', label: short(whole), file, node: table, declared: null, members: found };
}

function asAgentTool(declared: Declared): AgentTool {
  const name = declared.name ?? declared.variable?.name ?? null;
  return {
    kind: 'tool',
    label: toolLabel(name, declared.config),
    file: declared.file,
    node: declared.call.node,
    declared,
    members: [],
  };
}

function toolsetLabel(name: string, config: TableConstructorExpression | null): string {
  const use = stringValue(fieldOf(config, 'use'));
  return short(`toolset ${name}${use === null ? '' : ` · ${use}`}`);
}

/** With its provider's name of it, where that runs it. */
function toolLabel(name: string | null, config: TableConstructorExpression | null): string {
  const provider = stringValue(fieldOf(config, 'provider'));
  if (provider === null) return `tool ${name ?? 'without a name'}`;
  return short(name === null ? `tool ${provider}` : `tool ${name} · ${provider}`);
}

interface Toolset {
  node: Expression;
  file: SourceFile;
  config: TableConstructorExpression | null;
}

function toolsetNamed(name: string | null, { files }: AnalysedProgram): Toolset | null {
  if (name === null) return null;
  for (const file of files)
    for (const { callee, node, args } of file.calls) {
      if (!/^[Tt]oolset$/.test(callee)) continue;
      const own = stringValue(args[0]) ?? assignedVariable(node, file)?.name;
      const config = args.find((each) => each.type === 'TableConstructorExpression') ?? null;
      if (own === name) return { node, file, config };
    }
  return null;
}
