import { humanCallProblem } from '../../lua-bridge/index.js';
import { fieldOf, isWithin, listItems, type Node, type TableConstructorExpression } from '../syntax/ast.js';
import type { AnalysedProgram } from '../program/analysed-program.js';
import type { Call } from '../syntax/calls.js';
import { writtenRequest, type WrittenRequest } from '../program/written-request.js';
import type { Finding, Rule } from '../rule.js';
import type { SourceFile } from '../syntax/source-file.js';
import { invalidDuration } from './invalid-duration.js';
import { missingValue } from './missing-value.js';
import { wrongOptions } from './wrong-options.js';
import { wrongType } from './wrong-type.js';

/** Rules that say the same of one value more plainly. */
const plainer: readonly Rule[] = [invalidDuration, missingValue, wrongOptions, wrongType];

/** A call of `Human` that a run refuses when it comes to it, by the values that are written out there: what reads them in a run reads them here. */
export const refusedRequest: Rule = {
  code: 'refused_request',
  severity: 'error',
  *check(file, program) {
    if (program.globals.has('Human')) return;
    const found: { call: Call; finding: Finding }[] = [];
    for (const call of file.calls) {
      const [, name] = /^Human\.(\w+)$/.exec(call.callee) ?? [];
      const [config] = call.args;
      if (name === undefined || config?.type !== 'TableConstructorExpression') continue;
      const request = writtenRequest(name, config);
      const message = humanCallProblem(name, request.fields);
      if (message === null) continue;
      const node = culprit(name, config, request) ?? call.node;
      found.push({ call, finding: { node, message, suggestion: 'see docs/people.md for what it takes' } });
    }
    if (found.length === 0) return;
    const said = [...nodesOf(file, program)];
    for (const { call, finding } of found)
      if (!said.some((node) => isWithin(node, call.node, file.parents))) yield finding;
  },
};

/** The last value without which the call would be taken; of several questions, the one that wouldn't. */
function culprit(
  name: string,
  config: TableConstructorExpression,
  { fields, written }: WrittenRequest,
): Node | undefined {
  const key = [...written.keys()].findLast((each) => {
    const { [each]: _, ...others } = fields;
    return humanCallProblem(name, others) === null;
  });
  if (key !== undefined) return written.get(key);
  const { items } = fields;
  if (!Array.isArray(items)) return undefined;
  const wrong = items.findIndex((item) => humanCallProblem(name, { ...fields, items: [item] }) !== null);
  const list = fieldOf(config, 'items') ?? config;
  return (list.type === 'TableConstructorExpression' ? listItems(list)[wrong] : undefined) ?? list;
}

function* nodesOf(file: SourceFile, program: AnalysedProgram): Generator<Node> {
  for (const rule of plainer) for (const { node } of rule.check(file, program)) yield node;
}
