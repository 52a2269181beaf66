import { z } from 'zod';
import { readDuration } from '../contract/time/duration.js';
import type { JsonObject } from '../contract/json/json.js';
import { schemaProblems, type SettingProblem } from '../configuration/setting-values.js';
import { metricsVariable, type Environment } from '../contract/environment.js';
import { listenAddress, readTable, timeSetting } from '../worker/settings.schema.js';
import { roles } from './access/identity.js';
import { usualUploadLimits, type UploadLimits } from './files/uploads.js';
import { isPointer, pointersIn } from './events/webhooks/json-pointer.js';

const name = z.string().min(1).max(500);
const names = z.array(name);
const variable = z.string().regex(/^[A-Za-z_]\w*$/, 'must be the name of an environment variable');
const ofRoles = z.array(z.enum(roles));

const token = z
  .strictObject({
    name,
    hash: z
      .string()
      .regex(/^sha256:[0-9a-f]{64}$/, 'must be sha256: and 64 hexadecimal digits')
      .optional(),
    secret: variable.optional(),
    roles: ofRoles.optional(),
    groups: names.optional(),
    namespaces: names.optional(),
  })
  .refine(
    ({ hash, secret }) => (hash === undefined) !== (secret === undefined),
    'needs either hash or secret',
  );

const jwt = z.strictObject({
  issuer: z.string().min(1),
  audience: z.string().min(1),
  jwks: z.url({ protocol: /^https?$/ }).optional(),
  name: name.default('sub'),
  groups: name.optional(),
  namespaces: name.optional(),
  roles: z.partialRecord(z.enum(roles), names).optional(),
});

const signing = z
  .strictObject({ key: name, file: z.string().min(1).optional(), secret: variable.optional() })
  .refine(
    ({ file, secret }) => (file === undefined) !== (secret === undefined),
    'needs either file or secret',
  );

const pointer = z.string().refine(isPointer, 'must be a JSON pointer, such as /data/id');
const template = z
  .string()
  .min(1)
  .refine((text) => pointersIn(text).every(isPointer), 'has a pointer that is none: order-{/data/id}');

const webhook = z.strictObject({
  secret: variable,
  scheme: z.enum(['standard', 'body']).default('standard'),
  signature: z
    .string()
    .regex(/^[\w-]+$/, 'must be the name of a header')
    .default('x-hub-signature-256'),
  namespace: name.optional(),
  run: template,
  event: template,
  value: pointer.default(''),
  id: pointer.optional(),
});

/** A time such as `7d`, in ms; null: for ever. */
const lasting = z.string().transform((text, context): number | null => {
  if (text === 'forever') return null;
  try {
    return readDuration(text, 'it', 'config_invalid');
  } catch {
    context.addIssue({ code: 'custom', message: 'must be a time such as 7d, or forever' });
    return z.NEVER;
  }
});

const settings = z.strictObject({
  host: z.string().min(1).optional(),
  port: z.int().min(0).max(65_535).optional(),
  hosts: names.default([]),
  origins: z.array(z.url().transform((text) => new URL(text).origin)).default([]),
  namespaces: names.optional(),
  procedures: names.optional(),
  per_minute: z.int().positive().default(1_200),
  streams: z.int().positive().default(500),
  tokens: z.array(token).default([]),
  jwt: jwt.optional(),
  signing: signing.optional(),
  webhooks: z.record(z.string().regex(/^[\w-]{1,100}$/, 'letters, digits, _ and -'), webhook).default({}),
  audit: z.string().min(1).optional(),
  webhooks_file: z.string().min(1).optional(),
  upload_bytes: z.int().positive().max(500_000_000).default(25_000_000),
  upload_total_bytes: z.int().positive().default(usualUploadLimits.mostBytes),
  upload_day_bytes: z.int().positive().default(usualUploadLimits.dayBytes),
  uploads_unused: lasting.optional(),
  uploads_kept: lasting.optional(),
  url: z.url({ protocol: /^https?$/ }).optional(),
  drain_delay: timeSetting.optional(),
  metrics: listenAddress.optional(),
});

/** What configuration says of `serve`. */
export type ServerSettings = z.infer<typeof settings>;

/** What is wrong with it: where, by the names of settings, and what; never a value. */
export function serverProblems(given: JsonObject): SettingProblem[] {
  return schemaProblems(settings.safeParse(given).error?.issues ?? []);
}

/** Variables that stand for settings of the table `server`. */
const serverSettingVariables = { metrics: metricsVariable } as const;

/** @throws TactusError config_invalid naming what is wrong, and never its value */
export function readServerSettings(given: JsonObject, env: Environment = {}): ServerSettings {
  return readTable(settings, { table: 'server', given, env, variables: serverSettingVariables });
}

/** How much is kept of what people hand in, and for how long. */
export function uploadLimitsOf(settings: ServerSettings): UploadLimits {
  const { upload_total_bytes: mostBytes, upload_day_bytes: dayBytes } = settings;
  const { uploads_unused: unusedMs, uploads_kept: keptMs } = settings;
  return {
    ...{ mostBytes, dayBytes },
    unusedMs: unusedMs === undefined ? usualUploadLimits.unusedMs : unusedMs,
    keptMs: keptMs === undefined ? usualUploadLimits.keptMs : keptMs,
  };
}
