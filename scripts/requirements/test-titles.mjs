/** Reads the titles of tests from their source, without running them. */
import ts from 'typescript';

/** What stands between the parts of a title, and between a file and its title. */
export const arrow = ' › ';

const tests = new Set(['it', 'test']);
const groups = new Set(['describe']);

/**
 * The titles of the tests in a file: those of its groups first, then its own. A title of `it.each` is the text that the source has, and so is one that is computed.
 * @param {string} file its name, for the parser
 * @param {string} text
 * @returns {string[]}
 */
export function testTitlesIn(file, text) {
  const found = [];
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  /** @param {import('typescript').Node} node @param {string[]} outer */
  const visit = (node, outer) => {
    const name = ts.isCallExpression(node) && node.arguments.length > 1 ? firstName(node.expression) : '';
    if (!tests.has(name) && !groups.has(name)) {
      ts.forEachChild(node, (child) => visit(child, outer));
      return;
    }
    const [title, ...rest] = node.arguments;
    const titles = [...outer, textOf(title)];
    if (tests.has(name)) found.push(titles.join(arrow));
    for (const each of rest) visit(each, titles);
  };
  visit(source, []);
  return found;
}

/** The name that a call begins with: `it` of `it.skipIf(x).each(y)`. @param {import('typescript').Node} node */
function firstName(node) {
  if (ts.isIdentifier(node)) return node.text;
  if (ts.isPropertyAccessExpression(node) || ts.isCallExpression(node)) return firstName(node.expression);
  return ts.isTaggedTemplateExpression(node) ? firstName(node.tag) : '';
}

/** @param {import('typescript').Node} title */
function textOf(title) {
  if (ts.isStringLiteralLike(title)) return title.text;
  return ts.isTemplateExpression(title) ? title.getText().slice(1, -1) : `\${${title.getText()}}`;
}
