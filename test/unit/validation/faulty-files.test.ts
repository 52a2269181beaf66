import { describe, expect, it } from 'vitest';
import { validateSource } from '../../../src/validation/index.js';
import type { Fault } from './faults/fault.js';
import { constructors } from './faults/constructors.js';
import { files } from './faults/files.js';
import { flow } from './faults/flow.js';
import { names } from './faults/names.js';
import { references } from './faults/references.js';
import { schemas } from './faults/schemas.js';
import { syntax } from './faults/syntax.js';

const topics: Record<string, Fault[]> = { syntax, names, constructors, schemas, references, files, flow };

describe.each(Object.entries(topics))('%s', (_topic, faults) => {
  it.each(faults)('$name', ({ source, expected, files: others = {}, strict = false }) => {
    const all = { 'main.tac': source, ...others };
    const required = Object.entries(others).filter(([name]) => isNamed(name, all));
    const { diagnostics } = validateSource(
      { entry: 'main.tac', files: { 'main.tac': source, ...Object.fromEntries(required) } },
      { strict, surroundings: { nearby: Object.keys(all) } },
    );
    const found = diagnostics.map(({ line, code }) => `${line} ${code}`);
    expect({ found, diagnostics }).toMatchObject({ found: expected });
    for (const { message, column, severity, code } of diagnostics) {
      expect(message).toMatch(/^\S.{5,}/);
      expect(column).toBeGreaterThan(0);
      if (strict && code === 'non_deterministic') expect(severity).toBe('error');
    }
  });
});

it.each([
  ['Tool.called("web_search")', 'warning'],
  ['Tool.last_result("web_search")', 'warning'],
  ['Tool.called("serch")', 'error'],
  ['Tool.get("web_search")', 'error'],
])('%s of a tool that is not there: %s', (call, severity) => {
  const source = `search = Tool { description = "d", function() return 1 end }
function main() return {x = search(), y = ${call}} end`;
  const { diagnostics } = validateSource({ entry: 'main.tac', files: { 'main.tac': source } });
  expect(diagnostics).toMatchObject([{ code: 'undeclared_reference', severity }]);
});

/** What is collected for a run: files that are named exactly. */
function isNamed(name: string, all: Record<string, string>): boolean {
  const module = name.replace(/\.tac$/, '');
  return Object.values(all).some((text) => text.includes(`"${module}"`) || text.includes(`"${name}"`));
}
