import { parentPort, workerData } from 'node:worker_threads';
import { describedProcedure, drawnSource, type ThreadAnswer, type ThreadRequest } from '../shown-source.js';

const { kind, source } = workerData as ThreadRequest;
const answer: ThreadAnswer =
  kind === 'graph' ? { kind, drawn: drawnSource(source) } : { kind, described: describedProcedure(source) };
parentPort?.postMessage(answer);
