import type { Role, TaskState } from '@a2a-js/sdk';

/** What the library's enums stand for: it is loaded only where an agent is called. */
export const userRole = 1 as Role.ROLE_USER;

const names = [
  'unspecified',
  'submitted',
  'working',
  'completed',
  'failed',
  'canceled',
  'input_required',
  'rejected',
  'auth_required',
] as const;

export type StateName = (typeof names)[number];

export function stateName(state: TaskState | undefined): StateName {
  return names.at(state ?? 0) ?? 'unspecified';
}
