import { collectLogs, logged } from './collect-logs.js';

/** Before each file: the SDK is told where it logs before anything starts it, and what the file before logged is forgotten. */
collectLogs();
logged.length = 0;
