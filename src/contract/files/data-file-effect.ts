import type { DataFileAction } from './data-file.js';
import { always, defineEffect } from '../effects/define-effect.js';

/** One operation on a file of data below the worker's folder of files. */
export interface DataFileEffect extends DataFileAction {
  kind: 'data_file';
  path: string;
  /** Where the path begins, as the run was told of its procedure's folder; left out: where all files are. */
  folder?: string;
}

export const dataFile = defineEffect<DataFileEffect>()({
  kind: 'data_file',
  since: '0.8.0',
  types: ['file'],
  identity: {
    changedWith: [],
    fields: {
      ...{ kind: always, format: always, operation: always, path: always },
      ...{ part: always, data: always, folder: always },
    },
  },
  effectClass: ({ operation }) => (operation === 'write' ? 'idempotent' : 'pure'),
  shown: ({ path, part }) => (part === undefined ? { path } : { path, part }),
  wait: 'activity',
  failure: 'file_failed',
  isRemote: true,
  historyEvents: 6,
  drawn: 'file',
  example: ({ operation }) => (operation === 'write' ? true : []),
});
