/* global Request, Response */
/**
 * An MCP server of our own whose tools become tasks (`io.modelcontextprotocol/tasks`, revision 2026-07-28), over stdio, or over
 * HTTP where it is given a port. Its tasks, and what it was asked, stand in files: another process of it goes on with them.
 */
import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { createMcpHandler, McpServer, ProtocolError } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const extension = 'io.modelcontextprotocol/tasks';
const [folder, port] = process.argv.slice(2);
const text = (said) => ({ content: [{ type: 'text', text: said }] });
const tasksFile = `${folder}/tasks`;

const tasks = () => (existsSync(tasksFile) ? JSON.parse(readFileSync(tasksFile, 'utf8')) : {});
function keep(taskId, state) {
  const now = new Date().toISOString();
  const before = tasks();
  const times = { createdAt: before[taskId]?.createdAt ?? now, lastUpdatedAt: now, ttlMs: null };
  const task = { ...before[taskId], taskId, pollIntervalMs: 200, ...state, ...times };
  // Whoever reads it meanwhile sees all of it.
  writeFileSync(`${tasksFile}.new`, JSON.stringify({ ...before, [taskId]: task }));
  renameSync(`${tasksFile}.new`, tasksFile);
  return task;
}

function note(method, more) {
  appendFileSync(`${folder}/asked`, `${JSON.stringify({ method, ...more })}\n`);
}

function declares({ mcpReq }) {
  return (
    mcpReq.envelope?.['io.modelcontextprotocol/clientCapabilities']?.extensions?.[extension] !== undefined
  );
}

/** @throws ProtocolError where it isn't known, or whoever asks doesn't know of tasks */
function known(taskId, context) {
  if (!declares(context)) throw new ProtocolError(-32021, 'Missing required client capability');
  const task = tasks()[taskId];
  if (task === undefined) throw new ProtocolError(-32602, 'Task has expired');
  return task;
}

const ask = (message, properties) => ({
  method: 'elicitation/create',
  params: { message, requestedSchema: { type: 'object', properties, required: Object.keys(properties) } },
});

function server() {
  const mcp = new McpServer(
    { name: 'mine', version: '1' },
    { capabilities: { extensions: { [extension]: {} } } },
  );
  const given = z.object({ deep: z.number() });
  const annotations = { survey: { readOnlyHint: true } };
  for (const name of ['dig', 'survey'])
    mcp.registerTool(
      name,
      { description: 'Digs', inputSchema: given, annotations: annotations[name] },
      ({ deep }, context) => {
        note('tools/call', { name, deep, isTask: declares(context) });
        // What is dug three deep is a task to everybody, which the extension forbids.
        if (!declares(context) && deep !== 3) return text(`dug ${deep} at once`);
        const task = keep(randomUUID(), { status: 'working' });
        if (deep === 2)
          keep(task.taskId, {
            status: 'input_required',
            inputRequests: { where: ask('Where is it dug?', { place: { type: 'string' } }) },
          });
        return { ...task, resultType: 'task' };
      },
    );
  const serve = (method, work) =>
    mcp.server.setRequestHandler(
      method,
      { params: z.object({ taskId: z.string() }) },
      ({ taskId }, context) => {
        // The package takes answers out of the parameters of any request.
        const { inputResponses } = context.mcpReq;
        note(method, { taskId, inputResponses });
        return work(known(taskId, context), inputResponses);
      },
    );
  serve('tasks/get', (task) => {
    if (task.status !== 'input_required' || task.answers === undefined) return task;
    // Answers have their effect some time after they were taken.
    return keep(task.taskId, task.late < 2 ? { late: task.late + 1 } : next(task));
  });
  serve('tasks/update', (task, inputResponses) => {
    keep(task.taskId, { answers: { ...task.answers, ...inputResponses }, late: 0 });
    return {};
  });
  serve('tasks/cancel', (task) => {
    keep(task.taskId, { status: 'cancelled' });
    return {};
  });
  return mcp;
}

/** Two questions, one after the other, and what was said to them. */
function next({ answers }) {
  if (answers.where.action === 'decline')
    return { status: 'completed', result: { ...text('left'), isError: true } };
  if (answers.sure === undefined)
    return { inputRequests: { sure: ask('Is it sure?', { sure: { type: 'boolean' } }) }, answers, late: 0 };
  const said = `dug at ${answers.where.content.place}: ${answers.sure.content.sure}`;
  return { status: 'completed', result: text(said) };
}

if (port === undefined) serveStdio(server);
else {
  const { fetch } = createMcpHandler(server);
  createServer(async (incoming, outgoing) => {
    const { method, headers, url } = incoming;
    note('http', { name: headers['mcp-name'] });
    const body = await new Response(method === 'POST' ? Readable.toWeb(incoming) : null).text();
    const request = { method, headers, ...(body === '' ? {} : { body }) };
    const answer = await fetch(new Request(`http://127.0.0.1:${port}${url}`, request));
    outgoing.writeHead(answer.status, Object.fromEntries(answer.headers));
    // Some answers never end: what the server has to say as it comes.
    if (answer.body === null) outgoing.end();
    else Readable.fromWeb(answer.body).pipe(outgoing);
  }).listen(Number(port), '127.0.0.1', () => console.log('ready'));
}
