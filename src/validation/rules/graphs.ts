/** Rules about graphs: nodes and channels that are named, and that the graph does not have. */
import { closest } from '../program/did-you-mean.js';
import { graphsIn, textsIn } from '../program/written-graphs.js';
import type { Rule } from '../rule.js';
import { fieldOf, namedFields, stringValue } from '../syntax/ast.js';

/** A node that `entrypoint` or `next` names: the call fails there. */
export const unknownNode: Rule = {
  code: 'unknown_node',
  severity: 'error',
  *check(file, { globals }) {
    if (globals.has('Graph')) return;
    for (const { nodes, entrypoint, results } of graphsIn(file)) {
      if (nodes === null) continue;
      const named = [entrypoint, ...results.map((result) => fieldOf(result, 'next'))].flatMap((value) =>
        value === undefined ? [] : textsIn(value).texts,
      );
      for (const node of named) {
        const name = stringValue(node) ?? '';
        if (nodes.includes(name)) continue;
        const message = `The graph has no node ${name}`;
        yield { node, message, suggestion: meant(name, nodes) };
      }
    }
  },
};

/** A channel that a node writes to: the call fails there. */
export const unknownChannel: Rule = {
  code: 'unknown_channel',
  severity: 'error',
  *check(file, { globals }) {
    if (globals.has('Graph')) return;
    for (const { channels, results } of graphsIn(file)) {
      if (channels === null) continue;
      for (const result of results) {
        const writes = fieldOf(result, 'writes');
        for (const { key, node } of writes?.type === 'TableConstructorExpression'
          ? namedFields(writes)
          : []) {
          if (channels.includes(key)) continue;
          const message = `The graph has no channel ${key}, to which this node writes`;
          const suggestion =
            channels.length === 0 ? `add channels = { ${key} = Graph.last }` : meant(key, channels);
          yield { node, message, suggestion };
        }
      }
    }
  },
};

function meant(name: string, known: readonly string[]): string {
  const near = closest(name, known);
  return near === null ? `it has ${known.join(', ')}` : `did you mean ${near}?`;
}
