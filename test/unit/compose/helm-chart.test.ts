import { Validator } from '@cfworker/json-schema';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { inspectConfiguration } from '../../../src/configuration/inspect-configuration.js';
import type { JsonObject } from '../../../src/contract/json/json.js';
import { serverProblems } from '../../../src/server/settings.schema.js';
import { workerProblems } from '../../../src/worker/settings.schema.js';
import { executablePaths } from '../../support/executable-paths.js';
import { hasPrometheus, promtool } from '../../support/prometheus-server.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const root = resolve(import.meta.dirname, '../../..');
const chart = join(root, 'deploy/helm/tactus-temporal');
const { helm = null } = executablePaths();

/** A block of docs/production/deployment.md, by its first line. */
function shown(title: string): string {
  const page = readFileSync(join(root, 'docs/production/deployment.md'), 'utf8');
  const block = page.split('```yaml\n').find((text) => text.startsWith(`# ${title}\n`));
  if (block === undefined) throw new Error(`The page doesn't show "${title}"`);
  return block.slice(0, block.indexOf('```'));
}

/** What is set in each of these; the rest is as values.yaml has it. */
const least = { temporal: { address: 'temporal:7233' }, procedures: { configMap: 'procedures' } };
const cases: Record<string, JsonObject> = {
  'the least': least,
  'what the page shows': parse(shown('shop.yaml')) as JsonObject,
  'KEDA and an ingress': {
    ...least,
    image: { digest: `sha256:${'a'.repeat(64)}` },
    secrets: ['keys'],
    env: { TACTUS_TEMPORAL_INDEX: 'postgres://db/tactus' },
    configuration: { server: { tokens: [{ name: 'ann', secret: 'ANN' }] }, worker: { activities: 50 } },
    procedures: { volume: { persistentVolumeClaim: { claimName: 'procedures' } } },
    worker: {
      autoscaling: { enabled: true, authentication: 'temporal' },
      files: { persistentVolumeClaim: { claimName: 'files' } },
      nodeSelector: { pool: 'workers' },
      tolerations: [{ key: 'workers', operator: 'Exists' }],
    },
    serve: {
      hosts: ['tactus.example.com'],
      ingress: { enabled: true, className: 'nginx', tlsSecret: 'tls', annotations: { a: 'b' } },
    },
    networkPolicy: { egress: [{ to: [{ ipBlock: { cidr: '10.0.0.0/8' } }] }] },
  },
  'the Worker Controller': { ...least, worker: { versions: { enabled: true } }, serve: { enabled: false } },
};

interface Pod {
  metadata: { labels: Record<string, string> };
  spec: {
    terminationGracePeriodSeconds: number;
    automountServiceAccountToken: boolean;
    securityContext: JsonObject;
    containers: {
      args: string[];
      env: { name: string; value: string }[];
      ports: { name: string; containerPort: number }[];
      resources: { limits: { memory: string } };
      securityContext: JsonObject;
      volumeMounts: { name: string; mountPath: string; readOnly?: boolean }[];
      livenessProbe: { httpGet: { path: string; port: string } };
      readinessProbe: { httpGet: { path: string; port: string } };
    }[];
  };
}
type Resource = JsonObject & {
  apiVersion: string;
  kind: string;
  metadata: { name: string; labels: Record<string, string> };
  data: Record<string, string>;
  spec: JsonObject & {
    template: Pod;
    selector: { matchLabels: Record<string, string> };
    podSelector: { matchLabels: Record<string, string> };
    rollout: { gate: { workflowType: string } };
    ports: { targetPort: string }[];
  };
};

function helmWith(values: JsonObject, ...command: string[]): { status: number | null; output: string } {
  const file = join(temporaryFolder('values'), 'values.yaml');
  writeFileSync(file, stringify(values));
  const args = [...command, chart, '--values', file];
  const { status, stdout, stderr } = spawnSync(helm?.program ?? '', args, { encoding: 'utf8' });
  return { status, output: stdout + stderr };
}

function resourcesOf(values: JsonObject): Resource[] {
  const { status, output } = helmWith(values, 'template', 'shop', '--namespace', 'prod');
  if (status !== 0) throw new Error(output);
  return parseAllDocuments(output).flatMap((document) => (document.toJS() as Resource | null) ?? []);
}

/**
 * What a version of Kubernetes takes, of its own and of those that others add; a name that it doesn't know is refused. Those of others are made from the
 * definitions of temporal-worker-controller (MIT) and KEDA (Apache-2.0), without their texts.
 */
function takenBy(version: string): (resource: Resource) => string[] {
  const text = readFileSync(join(helm?.schemas ?? '', `${version}.json`), 'utf8');
  const others = readFileSync(join(root, 'test/fixtures/kubernetes/custom-resources.json'), 'utf8');
  const strict = (key: string, value: unknown): unknown =>
    key !== '' && isObjectSchema(value) ? { additionalProperties: false, ...value } : value;
  const { $defs } = JSON.parse(text.replaceAll(/"[^"]*#\/(\$defs|definitions)\//g, '"#/$defs/'), strict) as {
    $defs: Record<string, JsonObject>;
  };
  const own = Object.entries($defs).flatMap(([name, definition]) =>
    (
      (definition['x-kubernetes-group-version-kind'] ?? []) as {
        group: string;
        version: string;
        kind: string;
      }[]
    ).map((kind): [string, object] => [
      `${kind.group === '' ? '' : `${kind.group}/`}${kind.version} ${kind.kind}`,
      { $ref: `#/$defs/${name}` },
    ]),
  );
  const kinds = new Map<string, object>([
    ...own,
    ...Object.entries(JSON.parse(others, strict) as Record<string, object>),
  ]);
  return (resource) => {
    const kind = `${resource.apiVersion} ${resource.kind}`;
    const schema = kinds.get(kind);
    if (schema === undefined) return [`${version} has no ${kind}`];
    const { errors } = new Validator({ ...schema, $defs }, '2020-12', false).validate(resource);
    return errors.map(({ instanceLocation, error }) => `${kind} ${instanceLocation}: ${error}`);
  };
}

function isObjectSchema(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && 'properties' in value && isPlain(value.properties);
}

function isPlain(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !('type' in value && typeof value.type === 'string');
}

const pods = (resources: readonly Resource[]): Resource[] =>
  resources.filter(({ kind }) => kind === 'Deployment' || kind === 'WorkerDeployment');

describe.runIf(process.env['HELM_TEST'] === 'required' || helm !== null)('the Helm chart', () => {
  it.each(Object.entries(cases))('has nothing that helm finds: %s', (_name, values) => {
    expect(helmWith(values, 'lint', '--strict')).toMatchObject({ status: 0 });
  });

  it.each(['1.28', '1.37'])('makes what Kubernetes %s takes', (version) => {
    const problems = takenBy(version);
    for (const values of Object.values(cases)) expect(resourcesOf(values).flatMap(problems)).toEqual([]);
    // Deep inside, a name that it doesn't know is found.
    const [misspelt] = pods(resourcesOf(least));
    Object.assign(misspelt?.spec.template.spec.containers[0] ?? {}, { imagePullPolcy: 'Always' });
    expect(problems(misspelt as Resource).join()).toContain('imagePullPolcy');
  });

  it.each(Object.entries(cases))('keeps its pods from what they need not do: %s', (_name, values) => {
    for (const { spec } of pods(resourcesOf(values))) {
      const { spec: pod } = spec.template;
      expect(pod.securityContext).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      expect(pod.automountServiceAccountToken).toBe(false);
      for (const container of pod.containers) {
        expect(container.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        const written = container.volumeMounts.filter(({ readOnly }) => readOnly !== true);
        expect(written.map(({ mountPath }) => mountPath)).toEqual([
          container.args[0] === 'worker' ? '/srv/files' : '/srv/state',
          '/tmp',
        ]);
        expect([container.livenessProbe.httpGet.path, container.readinessProbe.httpGet.path]).toEqual([
          '/livez',
          '/readyz',
        ]);
        const ports = container.ports.map(({ name }) => name);
        for (const probe of [container.livenessProbe, container.readinessProbe])
          expect(ports).toContain(probe.httpGet.port);
        // Node's heap fits into the memory that there is.
        const heap = Number(
          /=(\d+)$/.exec(container.env.find(({ name }) => name === 'NODE_OPTIONS')?.value ?? '')?.[1],
        );
        const [, size, unit] = /^(\d+)(Mi|Gi)$/.exec(container.resources.limits.memory) ?? [];
        expect(heap).toBeLessThanOrEqual(Number(size) * (unit === 'Gi' ? 1_024 : 1) * 0.75);
      }
    }
  });

  it.each(Object.entries(cases))('selects its own pods: %s', (_name, values) => {
    const resources = resourcesOf(values);
    const labels = pods(resources).map(({ spec }) => spec.template.metadata.labels);
    for (const { kind, spec } of resources) {
      const wanted =
        kind === 'Service'
          ? (spec.selector as unknown as Record<string, string>)
          : (spec?.selector?.matchLabels ?? spec?.podSelector?.matchLabels);
      if (wanted === undefined) continue;
      const selected = labels.filter((own) =>
        Object.entries(wanted).every(([name, value]) => own[name] === value),
      );
      expect(selected, kind).toHaveLength(1);
    }
  });

  it.each(Object.entries(cases))('writes a configuration that is right: %s', async (_name, values) => {
    const config = resourcesOf(values).find(({ kind }) => kind === 'ConfigMap')?.data['config.yml'] ?? '';
    const workingFolder = temporaryFolder('chart');
    mkdirSync(join(workingFolder, '.tactus'));
    // The folders of the image aren't here.
    const here = config.replaceAll('/srv/procedures', workingFolder).replaceAll('/srv/state', workingFolder);
    writeFileSync(join(workingFolder, '.tactus/config.yml'), here);
    const { problems } = await inspectConfiguration(
      {
        workingFolder,
        env: {
          HOME: workingFolder,
          ANN: 'a-token-of-anns-that-is-long-enough',
          OPERATOR_TOKEN: 'a-token-of-the-operator-of-the-shop',
        },
      },
      { server: serverProblems, worker: workerProblems },
    );
    expect(problems).toEqual([]);
    const { worker, server } = parse(config) as { worker: JsonObject; server: { hosts: string[] } };
    expect(server.hosts).toContain('shop-tactus-temporal-serve');
    const workers = pods(resourcesOf(values)).find(
      ({ metadata }) => metadata.labels['app.kubernetes.io/component'] === 'worker',
    );
    expect(worker['grace_period']).toBe(
      `${Number(workers?.spec.template.spec.terminationGracePeriodSeconds) - 15}s`,
    );
  });

  it('lets a new version of workers through a gate, and gives it the address itself', () => {
    const [workers] = pods(resourcesOf(cases['the Worker Controller'] ?? {}));
    expect(workers).toMatchObject({
      kind: 'WorkerDeployment',
      spec: { rollout: { gate: { workflowType: 'tactusGate' } } },
    });
    const names = workers?.spec.template.spec.containers.flatMap(({ env }) => env.map(({ name }) => name));
    expect(names).not.toContain('TEMPORAL_ADDRESS');
  });

  it.each([
    ['no address', { procedures: { configMap: 'p' } }, 'temporal.address must be set'],
    ['no procedures', { temporal: { address: 't:7233' } }, 'must say where procedures are'],
    ['a name that it does not know', { ...least, workers: {} }, 'workers'],
    ['an address without a port', { ...least, temporal: { address: 'temporal' } }, 'address'],
    ['an ingress without a host', { ...least, serve: { ingress: { enabled: true } } }, 'serve.hosts'],
    [
      'two that scale',
      { ...least, worker: { versions: { enabled: true }, autoscaling: { enabled: true } } },
      'WorkerResourceTemplate',
    ],
  ])('refuses %s', (_name, values, said) => {
    const { status, output } = helmWith(values, 'template', 'shop');
    expect(status).not.toBe(0);
    expect(output).toContain(said);
  });

  it.runIf(hasPrometheus)('has pods that Prometheus finds as the page shows', () => {
    const file = join(temporaryFolder('prometheus'), 'prometheus.yml');
    // Debian's Prometheus is built without Kubernetes; the rest of the block is what it reads.
    writeFileSync(
      file,
      shown('Prometheus').replace('kubernetes_sd_configs: [{ role: pod }]', 'static_configs: []'),
    );
    expect(promtool('check', 'config', '--syntax-only', file)).toMatchObject({ status: 0 });
    for (const { spec } of pods(resourcesOf(least))) {
      const { metadata, spec: pod } = spec.template;
      expect(metadata.labels['app.kubernetes.io/name']).toBe('tactus-temporal');
      expect(['worker', 'serve']).toContain(metadata.labels['app.kubernetes.io/component']);
      expect(pod.containers.flatMap(({ ports }) => ports)).toContainEqual({
        name: 'metrics',
        containerPort: 9464,
      });
    }
  });

  it('is of the version of the package', () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    expect(parse(readFileSync(join(chart, 'Chart.yaml'), 'utf8'))).toMatchObject({
      appVersion: version,
      version,
    });
  });
});
