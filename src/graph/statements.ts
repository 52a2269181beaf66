import {
  functionAround,
  lineOf,
  type GotoStatement,
  type IfStatement,
  type LabelStatement,
  type Node,
  type ReturnStatement,
  type Statement,
} from '../validation/syntax/ast.js';
import type { SourceFile } from '../validation/syntax/source-file.js';
import type { Exit } from './canvas.js';
import { does, labelled, type Drawing } from './drawing.js';
import { drawLoop, isLoop } from './loops.js';

/** What is returned is read in the source; here it only tells one end from another. */
const longestReturn = 60;

/** Statements one after the other; what neither does anything nor leaves isn't drawn. */
export function drawBlock(drawing: Drawing, statements: readonly Statement[], exits: Exit[]): Exit[] {
  const { frame } = drawing;
  const outer = frame.labels;
  if (statements.some(({ type }) => type === 'LabelStatement')) frame.labels = new Map(outer);
  let ways = exits;
  for (const statement of statements) ways = drawStatement(drawing, statement, ways);
  frame.labels = outer;
  return ways;
}

function drawStatement(drawing: Drawing, statement: Statement, exits: Exit[]): Exit[] {
  if (statement.type === 'LabelStatement') return drawLabel(drawing, statement, exits);
  if (exits.length === 0) return exits;
  if (statement.type === 'ReturnStatement') return drawReturn(drawing, statement, exits);
  if (statement.type === 'BreakStatement') {
    drawing.frame.breaks.at(-1)?.push(...exits);
    return [];
  }
  if (statement.type === 'GotoStatement') return drawGoto(drawing, statement, exits);
  if (isLoop(statement)) return drawLoop(drawing, statement, exits);
  if (statement.type === 'IfStatement') return drawIf(drawing, statement, exits);
  if (statement.type === 'DoStatement') return drawing.block(statement.body, exits);
  if (statement.type === 'CallStatement') return drawing.expression(statement.expression, exits);
  if (statement.type !== 'LocalStatement' && statement.type !== 'AssignmentStatement') return exits;
  return statement.init.reduce<Exit[]>((ways, value) => drawing.expression(value, ways), exits);
}

function drawReturn(drawing: Drawing, statement: ReturnStatement, exits: Exit[]): Exit[] {
  const { canvas, frame } = drawing;
  const ways = statement.arguments.reduce<Exit[]>((all, value) => drawing.expression(value, all), exits);
  if (frame.returns !== null) frame.returns.push(...ways);
  else if (ways.length > 0)
    canvas.node('return', drawing.text(statement, longestReturn), drawing.place(statement), ways);
  return [];
}

function drawIf(drawing: Drawing, { clauses }: IfStatement, exits: Exit[]): Exit[] {
  const { canvas, reach, file } = drawing;
  const isDrawn = clauses.map((clause) =>
    clause.body.some((each) => does(drawing, each) || reach.leaves(each, file)),
  );
  const asks = clauses.map((clause) => clause.type !== 'ElseClause' && does(drawing, clause.condition));
  const last = Math.max(isDrawn.lastIndexOf(true), asks.lastIndexOf(true));
  const after: Exit[] = [];
  let ways = exits;
  for (const [i, clause] of clauses.slice(0, last + 1).entries()) {
    if (clause.type === 'ElseClause') {
      ways = drawing.block(clause.body, ways);
      break;
    }
    ways = drawing.expression(clause.condition, ways);
    // What only asks, and goes on in the same way whatever the answer is.
    if (ways.length === 0 || (i === last && !(isDrawn[i] ?? false))) break;
    const decision = canvas.node(
      'decision',
      `${drawing.text(clause.condition)}?`,
      drawing.place(clause),
      ways,
    );
    after.push(...drawing.block(clause.body, [labelled(decision, 'yes')]));
    ways = [labelled(decision, 'no')];
  }
  return [...after, ...ways];
}

function drawGoto({ canvas, frame }: Drawing, { label: { name } }: GotoStatement, exits: Exit[]): Exit[] {
  const target = frame.labels.get(name);
  if (target !== undefined) canvas.lead(exits, target, 'back');
  else {
    const pending = frame.pending.get(name) ?? [];
    pending.push(...exits);
    frame.pending.set(name, pending);
  }
  return [];
}

/** A label is drawn where some `goto` leads to it. */
function drawLabel(drawing: Drawing, statement: LabelStatement, exits: Exit[]): Exit[] {
  const { canvas, file, frame } = drawing;
  const { name } = statement.label;
  const above = frame.pending.get(name) ?? [];
  frame.pending.delete(name);
  const own = functionAround(statement, file.parents);
  const isUsedBelow = (lastGotos(file).get(own)?.get(name) ?? 0) >= lineOf(statement);
  const ways = [...exits, ...above];
  if (ways.length === 0 || (above.length === 0 && !isUsedBelow)) return ways;
  const node = canvas.node('label', name, drawing.place(statement), ways);
  frame.labels.set(name, node.from);
  return [node];
}

type LastGotos = ReadonlyMap<Node | null, ReadonlyMap<string, number>>;
const known = new WeakMap<SourceFile, LastGotos>();

/** The last line of a function that has a `goto` to a label, by the label's name. */
function lastGotos(file: SourceFile): LastGotos {
  const found = known.get(file);
  if (found !== undefined) return found;
  const lines = new Map<Node | null, Map<string, number>>();
  for (const node of file.nodes) {
    if (node.type !== 'GotoStatement') continue;
    const own = functionAround(node, file.parents);
    const byName = lines.get(own) ?? new Map<string, number>();
    byName.set(node.label.name, Math.max(byName.get(node.label.name) ?? 0, lineOf(node)));
    lines.set(own, byName);
  }
  known.set(file, lines);
  return lines;
}
