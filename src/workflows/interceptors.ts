import { workflowInfo, type WorkflowInterceptorsFactory } from '@temporalio/workflow';
import { workflowType } from '../contract/names.js';
import { aheadOfHistory } from './history/ahead-of-history.js';

/** For procedures alone, also where they stand in one bundle with workflows of others. */
export const interceptors: WorkflowInterceptorsFactory = () => ({
  internals: workflowInfo().workflowType === workflowType ? [aheadOfHistory()] : [],
});
