import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { inspectConfiguration } from '../../../src/configuration/inspect-configuration.js';
import { searchAttributeTypes } from '../../../src/contract/names.js';
import { serverProblems } from '../../../src/server/settings.schema.js';
import { workerProblems } from '../../../src/worker/settings.schema.js';
import { executablePaths } from '../../support/executable-paths.js';

interface Service {
  image: string;
  command?: string[];
  entrypoint?: string[];
  healthcheck?: { test: string[] };
  ports?: string[];
  environment?: Record<string, string>;
  volumes?: string[];
  depends_on?: Record<string, { condition: string }>;
  restart: string;
  read_only?: boolean;
  cap_drop: string[];
  security_opt: string[];
  mem_limit: string;
  stop_grace_period?: string;
}

const root = resolve(import.meta.dirname, '../../..');
const path = join(root, 'docker-compose.yml');
const { services } = parse(readFileSync(path, 'utf8'), { merge: true }) as {
  services: Record<string, Service>;
};
const jobs = ['schema', 'namespace'];

describe('docker-compose.yml', () => {
  it('has a server without auto-setup, what it needs, and both services of ours', () => {
    expect(Object.keys(services)).toEqual([
      ...[
        'postgresql',
        'schema',
        'temporal',
        'namespace',
        'ui',
        'nats',
        'worker',
        'serve',
        'collector',
        'jaeger',
        'prometheus',
        'grafana',
      ],
    ]);
    for (const { image } of Object.values(services)) expect(image).not.toContain('auto-setup');
  });

  it.each(Object.entries(services))('pins, watches, bounds and hides %s', (name, service) => {
    expect(service.image).toMatch(/^[\w./-]+:v?(\d+\.\d+|local)/);
    if (jobs.includes(name)) expect(service.restart).toMatch(/^on-failure:\d+$/);
    // The image of ours has its own check; two others have nothing that could check.
    else if (!['worker', 'collector', 'jaeger'].includes(name))
      expect(service.healthcheck?.test[0]).toBe('CMD');
    expect(service.cap_drop).toEqual(['ALL']);
    expect(service.security_opt).toEqual(['no-new-privileges:true']);
    expect(service.mem_limit).toMatch(/^\d+[mg]$/);
    for (const port of service.ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:/);
  });

  it('gives each of ours a root that is only read, the folders that it writes to, and time to end', () => {
    const written = (service: Service | undefined): string[] =>
      (service?.volumes ?? []).filter((volume) => !volume.endsWith(':ro'));
    for (const name of ['worker', 'serve']) expect(services[name]?.read_only).toBe(true);
    expect(written(services['worker'])).toEqual(['files:/srv/files']);
    expect(written(services['serve'])).toEqual(['state:/srv/state']);
    const grace = parse(readFileSync(join(root, 'deploy/compose/tactus/.tactus/config.yml'), 'utf8')) as {
      worker: { grace_period: string };
    };
    expect(Number.parseInt(services['worker']?.stop_grace_period ?? '')).toBe(
      Number.parseInt(grace.worker.grace_period) + 15,
    );
  });

  it('holds no secret: they come from the environment', () => {
    for (const { environment } of Object.values(services))
      for (const [name, value] of Object.entries(environment ?? {})) {
        if (/PASSWORD|PWD|KEY|TOKEN|SECRET/.test(name)) expect(value).toMatch(/^\$\{\w+:[?-]/);
        for (const [, password = ''] of value.matchAll(/:\/\/\w+:([^@]+)@/g))
          expect(password).toMatch(/^\$\{\w+:\?/);
      }
  });

  it('has a configuration that is right', async () => {
    const workingFolder = join(root, 'deploy/compose/tactus');
    const { files, problems } = await inspectConfiguration(
      { workingFolder, env: { HOME: workingFolder } },
      { server: serverProblems, worker: workerProblems },
    );
    expect([files.length, problems]).toEqual([1, []]);
  });

  it('has the server that tests build from its source', () => {
    const hashes = JSON.parse(readFileSync(join(root, 'scripts/setup/hashes.json'), 'utf8')) as {
      'temporal-server': { any: { go: string } };
    };
    const [, version] = hashes['temporal-server'].any.go.split('@v');
    for (const name of ['schema', 'temporal', 'namespace'])
      expect(services[name]?.image.split(':')[1]).toBe(version);
  });

  it('has the collector that tests build, and sends it the traces of both services of ours', () => {
    const { dist } = parse(readFileSync(join(root, 'scripts/setup/for-tests/collector.yml'), 'utf8')) as {
      dist: { version: string };
    };
    expect(services['collector']?.image.split(':')[1]).toBe(dist.version);
    for (const name of ['worker', 'serve'])
      expect(services[name]?.environment?.['OTEL_EXPORTER_OTLP_ENDPOINT']).toBe('http://collector:4318');
  });

  it('registers the search attributes of runs', () => {
    const script = readFileSync(join(root, 'deploy/compose/namespace.sh'), 'utf8');
    const found = [...script.matchAll(/^(Tactus\w+) (\w+)$/gm)].map(([, name, type]) => [name, type]);
    expect(Object.fromEntries(found)).toEqual(searchAttributeTypes);
  });

  it('has nothing that dclint finds', () => {
    const dclint = join(root, 'node_modules/dclint/bin/dclint.cjs');
    const { stdout, status } = spawnSync(process.execPath, [dclint, '--max-warnings', '0', path], {
      cwd: root,
      encoding: 'utf8',
    });
    expect([status, stdout]).toEqual([0, expect.any(String)]);
  });

  it('is accepted by docker, where it can be asked', () => {
    const docker = (...args: string[]): ReturnType<typeof spawnSync> =>
      spawnSync('docker', ['compose', ...args], {
        env: {
          ...process.env,
          POSTGRES_PASSWORD: 'a',
          NATS_PASSWORD: 'b',
          OPERATOR_TOKEN: 'c',
          GRAFANA_PASSWORD: 'd',
        },
        encoding: 'utf8',
      });
    if (docker('version').status !== 0) return;
    expect(docker('-f', path, 'config', '--quiet').stderr).toBe('');
  });
});

it.each(['schema.sh', 'namespace.sh'])('deploy/compose/%s is a script that the shell can read', (name) => {
  const { status, stderr } = spawnSync('sh', ['-n', join(root, 'deploy/compose', name)], {
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([0, '']);
});

const { hadolint = null } = executablePaths();

it.runIf(hadolint !== null)('the Dockerfile has nothing that hadolint finds', () => {
  const { status, stdout } = spawnSync(hadolint ?? '', [join(root, 'Dockerfile')], { encoding: 'utf8' });
  expect([status, stdout]).toEqual([0, '']);
});
