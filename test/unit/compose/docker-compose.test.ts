import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { parse } from 'yaml';

interface Service {
  image: string;
  healthcheck?: { test: string[] };
  ports?: string[];
  environment?: Record<string, string>;
}

const path = fileURLToPath(new URL('../../../docker-compose.yml', import.meta.url));
const { services } = parse(readFileSync(path, 'utf8')) as { services: Record<string, Service> };

it('has the five services', () => {
  expect(Object.keys(services)).toEqual(['postgresql', 'temporal', 'ui', 'nats', 'worker']);
});

it.each(Object.entries(services))('pins, watches and hides %s', (_name, service) => {
  expect(service.image).toMatch(/^[\w./-]+:\d+\.\d+/);
  expect(service.healthcheck?.test.length).toBeGreaterThan(1);
  for (const port of service.ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:/);
});

it('holds no secret: they come from the environment', () => {
  for (const { environment } of Object.values(services))
    for (const [name, value] of Object.entries(environment ?? {}))
      if (/PASSWORD|PWD|KEY|TOKEN|SECRET/.test(name)) expect(value).toMatch(/^\$\{\w+:[?-]/);
});

it('is accepted by docker, where it can be asked', () => {
  const docker = (...args: string[]): ReturnType<typeof spawnSync> =>
    spawnSync('docker', ['compose', ...args], {
      env: { ...process.env, POSTGRES_PASSWORD: 'only-for-this-check' },
      encoding: 'utf8',
    });
  if (docker('version').status !== 0) return;
  expect(docker('-f', path, 'config', '--quiet').stderr).toBe('');
});
