/**
 * Has the Temporal SDK download one of its executables, which it can do only by starting it. Run by the
 * set-up as a process of its own: `node sdk-download.mjs ENVIRONMENT VERSION FOLDER`.
 */
const [environment = '', version = '', downloadDir = ''] = process.argv.slice(2);
const { TestWorkflowEnvironment } = await import('@temporalio/testing');
const server = { executable: { type: /** @type {const} */ ('cached-download'), version, downloadDir } };
const started =
  environment === 'createLocal'
    ? await TestWorkflowEnvironment.createLocal({ server })
    : await TestWorkflowEnvironment.createTimeSkipping({ server });
await started.teardown();
