import { closest } from '../program/did-you-mean.js';
import type { Rule } from '../rule.js';

/** A global that a function sets and nobody reads, with nearly the name of a local: a misspelt assignment. */
export const accidentalGlobal: Rule = {
  code: 'accidental_global',
  severity: 'info',
  *check(file, { files }) {
    const read = new Set(files.flatMap(({ scopes }) => scopes.reads.map(({ node }) => node.name)));
    for (const { node, owner } of file.scopes.writes) {
      if (owner === null || read.has(node.name) || node.name.length < 3) continue;
      const meant = closest(node.name, file.scopes.visibleAt(node));
      if (meant !== null)
        yield {
          node,
          message: `This sets a global ${node.name}, which nothing reads`,
          suggestion: `did you mean ${meant}?`,
        };
    }
  },
};
