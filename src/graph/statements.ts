import {
  functionAround,
  lineOf,
  type Expression,
  type ForGenericStatement,
  type ForNumericStatement,
  type GotoStatement,
  type IfStatement,
  type LabelStatement,
  type Node,
  type RepeatStatement,
  type ReturnStatement,
  type Statement,
  type WhileStatement,
} from '../validation/syntax/ast.js';
import type { SourceFile } from '../validation/syntax/source-file.js';
import { does, labelled, type Drawing, type Exit } from './canvas.js';

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

type Loop = WhileStatement | RepeatStatement | ForNumericStatement | ForGenericStatement;

function isLoop(statement: Statement): statement is Loop {
  return /^(While|Repeat|ForNumeric|ForGeneric)Statement$/.test(statement.type);
}

/** A loop leads back to its head. One that neither does anything nor leaves the function isn't drawn. */
function drawLoop(drawing: Drawing, loop: Loop, exits: Exit[]): Exit[] {
  const { file, reach } = drawing;
  const isDrawn = loop.body.some((each) => does(drawing, each) || reach.leaves(each, file, true));
  if (loop.type === 'WhileStatement' || loop.type === 'RepeatStatement') {
    if (!isDrawn && !does(drawing, loop.condition)) return exits;
    return loop.type === 'WhileStatement'
      ? drawWhile(drawing, loop, exits)
      : drawRepeat(drawing, loop, exits);
  }
  const ranges =
    loop.type === 'ForGenericStatement'
      ? loop.iterators
      : [loop.start, loop.end, loop.step].filter((each) => each !== null);
  const ways = ranges.reduce<Exit[]>((all, each) => drawing.expression(each, all), exits);
  if (!isDrawn || ways.length === 0) return ways;
  const head = drawing.canvas.node('loop', headText(drawing, loop), drawing.place(loop), ways);
  return [labelled(head, 'done'), ...drawBody(drawing, loop.body, [labelled(head, 'each')], head)];
}

function headText(drawing: Drawing, loop: ForNumericStatement | ForGenericStatement): string {
  const text = (node: Expression): string => drawing.text(node);
  const names = (loop.type === 'ForGenericStatement' ? loop.variables : [loop.variable]).map(
    ({ name }) => name,
  );
  if (loop.type === 'ForGenericStatement')
    return `for ${names.join(', ')} in ${loop.iterators.map(text).join(', ')}`;
  const range = [loop.start, loop.end, ...(loop.step === null ? [] : [loop.step])];
  return `for ${names.join(', ')} = ${range.map(text).join(', ')}`;
}

/** The ways out of the loop by `break`. */
function drawBody(drawing: Drawing, body: Statement[], exits: Exit[], head: Exit): Exit[] {
  const breaks: Exit[] = [];
  drawing.frame.breaks.push(breaks);
  const ways = drawing.block(body, exits);
  drawing.frame.breaks.pop();
  drawing.canvas.lead(ways, head.from, 'back');
  return breaks;
}

function drawWhile(drawing: Drawing, loop: WhileStatement, exits: Exit[]): Exit[] {
  const { canvas } = drawing;
  const condition = drawing.text(loop.condition);
  const asks = does(drawing, loop.condition);
  const head = canvas.node('loop', asks ? 'while' : `while ${condition}`, drawing.place(loop), exits);
  const decision = asks
    ? canvas.node(
        'decision',
        `${condition}?`,
        drawing.place(loop),
        drawing.expression(loop.condition, [head]),
      )
    : head;
  const isEndless = isAlways(loop.condition, true);
  const breaks = drawBody(drawing, loop.body, [isEndless ? decision : labelled(decision, 'yes')], head);
  return isEndless ? breaks : [labelled(decision, 'no'), ...breaks];
}

function drawRepeat(drawing: Drawing, loop: RepeatStatement, exits: Exit[]): Exit[] {
  const { canvas } = drawing;
  const head = canvas.node('loop', 'repeat', drawing.place(loop), exits);
  const breaks: Exit[] = [];
  drawing.frame.breaks.push(breaks);
  const ways = drawing.expression(loop.condition, drawing.block(loop.body, [head]));
  drawing.frame.breaks.pop();
  if (ways.length === 0) return breaks;
  if (isAlways(loop.condition, false)) {
    canvas.lead(ways, head.from, 'back');
    return breaks;
  }
  const until = `until ${drawing.text(loop.condition)}`;
  const decision = canvas.node('decision', until, drawing.place(loop.condition), ways);
  canvas.lead([labelled(decision, 'no')], head.from, 'back');
  return [labelled(decision, 'yes'), ...breaks];
}

function isAlways(node: Expression, value: boolean): boolean {
  return node.type === 'BooleanLiteral' && node.value === value;
}
