import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { alerts, hasPrometheus, promtool } from '../../support/prometheus-server.js';

const root = resolve(import.meta.dirname, '../../..');
const folder = join(root, 'deploy/prometheus');
const rulesPath = join(folder, 'alerts.yml');

const { tests } = parse(readFileSync(join(folder, 'alerts.test.yml'), 'utf8')) as {
  tests: { name: string }[];
};

/** A heading as links name it. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');

describe('alerts', () => {
  it.each(alerts)('$alert names a run-book that is there', ({ annotations }) => {
    const [page = '', anchor = ''] = annotations.runbook_url.split('#');
    const text = readFileSync(join(root, page), 'utf8');
    const anchors = [...text.matchAll(/^## (.*)$/gm)].map(([, heading = '']) => anchorOf(heading));
    expect(anchors).toContain(anchor);
  });

  it('each have a test in which they fire, and one in which they do not', () => {
    const named = alerts.flatMap(({ alert }) => [`${alert} fires`, `${alert} does not fire`]);
    expect(tests.map(({ name }) => name)).toEqual(named);
  });
});

it.each([['alerts', alerts.map(({ expr }) => expr)] as const, ['the dashboard', panelQueries()] as const])(
  '%s ask for metrics that the code has',
  (_what, queries) => {
    const code = ['src/**/*.ts'].flatMap((pattern) => globSync(pattern, { cwd: root }));
    const text = code.map((path) => readFileSync(join(root, path), 'utf8')).join('\n');
    const own = queries.flatMap((query) => query.match(/tactus_[a-z_]+/g) ?? []);
    for (const name of new Set(own.map((each) => each.replace(/_bucket$/, '')))) {
      const template = name.replace(/^tactus_(mirror|index)_/, 'tactus_${fed}_');
      expect([name, text.includes(`'${name}'`) || text.includes(`\`${template}\``)]).toEqual([name, true]);
    }
  },
);

function panelQueries(): string[] {
  const { panels } = JSON.parse(readFileSync(join(root, 'deploy/grafana/tactus.json'), 'utf8')) as {
    panels: { targets?: { expr: string }[] }[];
  };
  return panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
}

describe.runIf(hasPrometheus)('promtool', () => {
  it.each([
    ['the rules', ['check', 'rules', rulesPath]],
    ['the configuration', ['check', 'config', join(folder, 'prometheus.yml')]],
    ['the tests of alerts', ['test', 'rules', join(folder, 'alerts.test.yml')]],
  ])('takes %s', (_what, args) => {
    expect(promtool(...args)).toEqual({ status: 0, output: expect.stringContaining('SUCCESS') as string });
  });
});
