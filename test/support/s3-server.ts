import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { freePort } from '../../src/worker/server/embedded-server/free-port.js';
import { awsCredentials } from './aws-credentials.js';
import { executablePaths } from './executable-paths.js';
import { startJava } from './java-server.js';
import { isWhole } from './sampled.js';
import { temporaryFolder } from './temporary-folder.js';
import { waitUntil } from './wait-until.js';

/** S3Proxy, which speaks S3's protocol and keeps objects in memory. It has one bucket. */
export interface TestS3 {
  client: S3Client;
  bucket: string;
  endpoint: string;
  /** Of a storage in a folder of the bucket, by another way where one is named. */
  address(folder: string, by?: string): string;
  stop(): Promise<void>;
}

/** Whether there is one here. `S3_TEST=required`, as in `.ci/run`: where there is none, the tests fail. */
export const hasS3 = process.env['S3_TEST'] === 'required' || (executablePaths().s3 ?? null) !== null;

/** Each object takes 8 KB and more of it, and each record has two. Without any left, it takes no connections any more. */
const heap = isWhole ? '3g' : '768m';
/** On a machine that does much else. */
const patienceMs = 60_000;

/** `at`: the port, where it can't be any. @throws Error where the set-up got none */
export async function startS3(at?: number): Promise<TestS3> {
  const program = executablePaths().s3 ?? null;
  if (program === null) throw new Error('There is no S3 here: `npm test` fetches one for Linux on x64');
  const [port, folder, bucket] = [at ?? (await freePort()), temporaryFolder('s3'), 'storage'];
  const endpoint = `http://127.0.0.1:${port}`;
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = awsCredentials;
  const settings = {
    ...{ 's3proxy.endpoint': endpoint, 's3proxy.authorization': 'aws-v2-or-v4' },
    ...{ 's3proxy.identity': accessKeyId, 's3proxy.credential': secretAccessKey },
    // One request at a time: it looks at a condition and writes in two steps, which others must not come between.
    's3proxy.jetty.max-threads': '4',
    ...{ 'jclouds.provider': 'transient-nio2', 'jclouds.identity': 'x', 'jclouds.credential': 'x' },
  };
  const [properties, silence] = [join(folder, 's3.properties'), join(folder, 'logback.xml')];
  writeFileSync(
    properties,
    Object.entries(settings)
      .map((pair) => `${pair.join('=')}\n`)
      .join(''),
  );
  writeFileSync(silence, '<configuration><root level="OFF"/></configuration>');
  const main = ['org.gaul.s3proxy.Main', '--properties', properties];
  const end = startJava(program, main, { 'logback.configurationFile': silence }, heap);
  await waitUntil(() => fetch(endpoint), patienceMs);
  const credentials = { accessKeyId, secretAccessKey };
  const client = new S3Client({ endpoint, region: 'eu-west-1', forcePathStyle: true, credentials });
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  return {
    ...{ client, bucket, endpoint },
    address: (place, by = endpoint) => `s3://${bucket}/${place}?region=eu-west-1&endpoint=${by}`,
    async stop() {
      client.destroy();
      await end();
    },
  };
}
