import type { HumanAsk } from '../../contract/people/human-request.js';
import type { Bridge } from './bridge.js';

/** Marks what the host itself asks of people: see `HumanRequest.by_host`. */
export function byHost({ holds }: Bridge): Pick<HumanAsk, 'byHost'> {
  return holds('request-fields') ? { byHost: true } : {};
}
