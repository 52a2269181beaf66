import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { releaseFaults, releaseNotes } from '../../../scripts/release/release-notes.mjs';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const workflows = join(root, '.github/workflows');
const names = readdirSync(workflows);
const read = (name: string): string => readFileSync(join(workflows, name), 'utf8');

const files = {
  packageJson: '{"version": "1.2.0", "repository": "github:owner/name"}',
  pyproject: '[project]\nname = "x"\nversion = "1.2.0"\n',
  chart: 'name: x\nversion: 1.2.0\nappVersion: "1.2.0"\n',
  changelog: '# Changes\n\n## Unreleased\n\n## 1.2.0\n\n- New.\n\n## 1.1.0\n\n- Old.\n',
  bundles: ['1.1.0.js.br', '1.2.0.js.br'],
  figures: '{"1.2.0": {}}',
};

describe('a tag', () => {
  it('whose version all files have can be released, with what the change log says of it', () => {
    expect(releaseFaults('v1.2.0', files)).toEqual([]);
    expect(releaseNotes('1.2.0', files.changelog)).toBe('- New.');
    expect(releaseNotes('1.0.0', files.changelog)).toBeNull();
  });

  it.each<[string, Partial<typeof files>, string]>([
    ['v1.3.0', {}, 'the tag v1.3.0 is not v1.2.0'],
    ['1.2.0', {}, 'the tag 1.2.0 is not v1.2.0'],
    ['v1.2.0', { pyproject: 'version = "1.1.0"' }, 'python/pyproject.toml has the version 1.1.0'],
    ['v1.2.0', { chart: 'version: 1.1.0\nappVersion: 1.2.0' }, 'Chart.yaml has the version 1.1.0'],
    [
      'v1.2.0',
      { chart: 'version: 1.2.0\nappVersion: 1.1.0' },
      'appVersion of Chart.yaml has the version 1.1.0',
    ],
    ['v1.2.0', { packageJson: '{"version": "1.2.0"}' }, 'package.json has no repository'],
    ['v1.2.0', { changelog: '## 1.2.0\n\n## 1.1.0\n\n- Old.' }, 'CHANGELOG.md has nothing under "## 1.2.0"'],
    ['v1.2.0', { changelog: '## Unreleased\n\n- More.\n\n## 1.2.0\n\n- New.' }, 'changes under Unreleased'],
    ['v1.2.0', { bundles: ['1.1.0.js.br'] }, 'test/replay/bundles has no bundle of 1.2.0'],
    ['v1.2.0', { figures: '{"1.1.0": {}}' }, 'bench/figures.json has no figures of 1.2.0'],
  ])('%s with %j is refused', (tag, change, fault) => {
    expect(releaseFaults(tag, { ...files, ...change })).toEqual([expect.stringContaining(fault)]);
  });
});

describe('workflows', () => {
  it('pin each action by its commit, and give no job more than it needs', () => {
    for (const name of names) {
      const uses = [...read(name).matchAll(/uses: (\S+)/g)].map(([, action]) => action);
      for (const action of uses) expect(action).toMatch(/^actions\/[a-z-]+@[0-9a-f]{40}$/);
      const { permissions, jobs } = parse(read(name)) as {
        permissions: Record<string, string>;
        jobs: Record<string, { permissions?: Record<string, string>; 'timeout-minutes'?: number }>;
      };
      expect(Object.values(permissions).filter((each) => each !== 'read')).toEqual([]);
      for (const job of Object.values(jobs)) expect(job['timeout-minutes']).toBeGreaterThan(0);
      const writing = Object.entries(jobs).filter(([, job]) =>
        Object.values(job.permissions ?? {}).includes('write'),
      );
      expect(writing.map(([job]) => job)).toEqual(name === 'release.yml' ? ['publish'] : []);
    }
  });
});
