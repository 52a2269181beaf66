import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const sources = fileURLToPath(new URL('../../../src', import.meta.url));

/** Every text that the code has, with `{}` where a value is put in. */
export function textsOfCode(): ReadonlySet<string> {
  const texts = new Set<string>();
  const names = readdirSync(sources, { recursive: true }) as string[];
  for (const name of names.filter((each) => /\.ts$/.test(each))) {
    const text = readFileSync(join(sources, name), 'utf8');
    const visit = (node: ts.Node): void => {
      if (ts.isStringLiteralLike(node)) texts.add(node.text);
      if (ts.isTemplateExpression(node))
        texts.add(
          [node.head, ...node.templateSpans.map(({ literal }) => literal)]
            .map((each) => each.text)
            .join('{}'),
        );
      ts.forEachChild(node, visit);
    };
    visit(ts.createSourceFile(name, text, ts.ScriptTarget.Latest));
  }
  return texts;
}

/** What begins with such a text, with any value in place of `{}`; what code joins to it may follow. */
export function patternOf(text: string): RegExp {
  const parts = text.split('{}').map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(parts.join('[^]+?'));
}
