import type { HumanRequest } from '../../src/contract/human-request.js';
import type { JsonValue } from '../../src/contract/json.js';

/** What the people of the kept procedures answer. */
export function keptAnswer({ kind }: HumanRequest): JsonValue {
  switch (kind) {
    case 'approval':
      return true;
    case 'input':
      return 'answer';
    case 'review':
      return 'approve';
    case 'select':
      return ['eu', 'ap'];
    case 'multiple':
      return { version: '1.2.3', channel: 'stable' };
    case 'upload':
      return { name: 'plan.md', path: '/plans/plan.md', size: 10 };
    case 'escalation':
      return 'seen';
  }
}
