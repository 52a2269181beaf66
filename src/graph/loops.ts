import type {
  Expression,
  ForGenericStatement,
  ForNumericStatement,
  RepeatStatement,
  Statement,
  WhileStatement,
} from '../validation/syntax/ast.js';
import type { Exit } from './canvas.js';
import { does, labelled, type Drawing } from './drawing.js';

type Loop = WhileStatement | RepeatStatement | ForNumericStatement | ForGenericStatement;

export function isLoop(statement: Statement): statement is Loop {
  return /^(While|Repeat|ForNumeric|ForGeneric)Statement$/.test(statement.type);
}

/** A loop leads back to its head. One that neither does anything nor leaves the function isn't drawn. */
export function drawLoop(drawing: Drawing, loop: Loop, exits: Exit[]): Exit[] {
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
