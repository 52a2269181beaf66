/**
 * Has the Temporal SDK download one of its executables, which it can do only by starting it. Run by the
 * set-up as a process of its own: `node sdk-download.mjs dev-server|time-skipping VERSION FOLDER`.
 */
const [type = '', version = '', downloadDir = ''] = process.argv.slice(2);
const { Runtime } = await import('@temporalio/worker');
const runtime = Runtime.instance();
const exe = {
  type: /** @type {const} */ ('cached-download'),
  downloadDir,
  version,
  ttl: 86_400_000,
  sdkName: 'sdk-typescript',
  sdkVersion: version,
};
const port = null;
const server = await runtime.createEphemeralServer(
  type === 'time-skipping'
    ? { type, exe, port, extraArgs: [] }
    : {
        type: 'dev-server',
        ...{ exe, ip: '127.0.0.1', port, ui: false, uiPort: null, namespace: 'default', dbFilename: null },
        log: { format: 'pretty', level: 'warn' },
        extraArgs: [],
      },
);
await runtime.shutdownEphemeralServer(server);
