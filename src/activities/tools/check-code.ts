import type { CheckCodeInput } from '../../contract/activities.js';
import type { CodeReview } from '../../contract/tools/code-review.js';
import { graphSource } from '../../graph/index.js';
import { graphMermaid } from '../../graph/graph-mermaid.js';
import { reviewCode } from '../../validation/program/review-code.js';

const file = 'code.tac';
/** What a person can still take in. */
const longestGraph = 20_000;

/** Looks at what a model has written over its tools, and draws it. Nothing of it is run. */
export function checkCode({ text, tools }: CheckCodeInput): CodeReview {
  const review = reviewCode(text, tools);
  const graph = review.problems.length > 0 ? '' : draw(text, tools);
  return { ...review, graph };
}

/** As a procedure with these tools; its lines keep their numbers. */
function draw(text: string, tools: readonly string[]): string {
  const stubs = tools.map((name) => `${name} = Tool { function() end }`).join(' ');
  const source = `${stubs} Procedure { function() ${text}\nend }`;
  const graphed = graphSource({ entry: file, files: { [file]: source } });
  if ('diagnostics' in graphed) return '';
  const mermaid = graphMermaid(graphed.graph, file);
  return mermaid.length > longestGraph ? '' : mermaid;
}
