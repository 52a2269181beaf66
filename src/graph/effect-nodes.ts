import { definitionOf } from '../contract/effects/effects.js';
import { getOwn } from '../contract/json/json.js';
import { fieldOf, textOf, type Expression, type Node } from '../validation/syntax/ast.js';
import type { EffectCall } from '../validation/program/effects.js';
import type { Exit } from './canvas.js';
import type { Drawing } from './drawing.js';
import type { NodeKind } from './flow-graph.js';
import { askedText, messageText } from './texts.js';

/** One node for one effect, led to what it runs. */
export function drawEffect(drawing: Drawing, node: Node, effect: EffectCall, exits: Exit[]): Exit[] {
  const { canvas } = drawing;
  const exit = canvas.node(kindOf(effect), labelOf(drawing, effect), drawing.place(node), exits);
  const { declared, name, args } = effect;
  if (declared !== null) drawing.link(exit, { declared });
  const runs = /^[Pp]rocedure\.(run|spawn)$/.test(name) ? textOf(args[0]) : null;
  if (runs !== null) drawing.link(exit, { runs });
  return [exit];
}

/** How records are drawn that ask for nothing outside; what isn't named is a checkpoint. */
const records: Readonly<Record<string, NodeKind>> = {
  notify: 'human',
  host: 'host',
  retry: 'retry',
  step: 'step',
};

function kindOf({ kind, effect }: EffectCall): NodeKind {
  if (kind === 'classifier' || kind === 'module') return 'model';
  if (kind === 'retriever') return definitionOf('retrieve').drawn;
  if (kind !== 'primitive') return kind;
  return definitionOf(effect ?? '')?.drawn ?? getOwn(records, effect ?? '') ?? 'checkpoint';
}

function labelOf(drawing: Drawing, effect: EffectCall): string {
  const { kind, name, declared, args } = effect;
  const [first] = args;
  if (kind === 'agent')
    return `agent ${name} · ${declared === null ? 'not declared' : drawing.modelOf(declared)}`;
  if (kind === 'classifier') return `classifier ${name}`;
  if (kind === 'model') return `model ${name}${written(declared, 'type')}`;
  if (kind === 'retriever') return `retriever ${name}${written(declared, 'retriever_id')}`;
  if (kind === 'module') return `module ${name}${written(declared, 'strategy')}`;
  if (kind !== 'primitive') return `${kind} ${name}`;
  const said =
    name.startsWith('Human.') || name === 'Agent.run' ? askedText(first) : argumentText(drawing, first);
  const what = name.replace(/^tactus\./, '');
  if (said === null) return what;
  return name.startsWith('Human.') ? `${what}: ${said}` : `${what} ${said}`;
}

function argumentText(drawing: Drawing, first: Expression | undefined): string | null {
  if (first === undefined || first.type === 'FunctionDeclaration') return null;
  if (first.type === 'TableConstructorExpression') return messageText(fieldOf(first, 'key', 'path', 'name'));
  return messageText(first) ?? drawing.text(first);
}

/** What a declaration says of itself. */
function written(declared: EffectCall['declared'], key: string): string {
  const text = textOf(fieldOf(declared?.config ?? null, key));
  return text === null ? '' : ` · ${text}`;
}
