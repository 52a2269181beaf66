import { getOwn, isObject, type JsonObject, type JsonValue } from '../contract/json/json.js';
import { profiles, type EgressPolicy, type Profile } from '../egress/egress-policy.js';
import { readRule } from '../egress/egress-rule.js';
import { invalid, readText } from './setting-values.js';

/** Whom a worker may ask. */
export const egressSetting = 'egress';

const known = ['profile', 'allow', 'deny'];
const ofRules = ['host', 'cidr', 'port'];

/**
 * What several files say of whom a worker may ask, together: all of their rules, and the strictest profile; null where none says anything.
 * @throws TactusError config_invalid
 */
export function egressPolicyOf(
  configs: readonly { file: string; config: JsonObject }[],
): EgressPolicy | null {
  const policies = configs.flatMap(({ file, config }) => {
    const given = getOwn(config, egressSetting) ?? null;
    return given === null ? [] : [readPolicy(given, `${file}: ${egressSetting}`)];
  });
  if (policies.length === 0) return null;
  return {
    profile: policies.some(({ profile }) => profile === 'production') ? 'production' : 'development',
    allow: policies.flatMap(({ allow }) => allow),
    deny: policies.flatMap(({ deny }) => deny),
  };
}

function readPolicy(given: JsonValue, where: string): Required<EgressPolicy> {
  if (!isObject(given)) throw invalid(`${where} must be a table with profile, allow and deny`);
  const odd = Object.keys(given).find((key) => !known.includes(key));
  if (odd !== undefined)
    throw invalid(`${where} has the unknown field ${odd}; there are ${known.join(', ')}`);
  const { profile = null, allow = [], deny = [] } = given;
  return {
    profile: profile === null ? 'development' : readProfile(profile, `${where}.profile`),
    allow: readRules(allow, `${where}.allow`),
    deny: readRules(deny, `${where}.deny`),
  };
}

function readProfile(given: JsonValue, where: string): Profile {
  const profile = profiles.find((each) => each === given);
  if (profile === undefined) throw invalid(`${where} must be one of ${profiles.join(', ')}`);
  return profile;
}

function readRules(given: JsonValue, where: string): string[] {
  return [given].flat().map((rule) => {
    const text = isObject(rule) ? ruleText(rule, where) : readText(rule, where);
    readRule(text, where);
    return text;
  });
}

/** `{host: …, port: …}` and `{cidr: …, port: …}`, as they are written in one line. */
function ruleText(rule: JsonObject, where: string): string {
  const odd = Object.keys(rule).find((key) => !ofRules.includes(key));
  const { host, cidr, port } = rule;
  if (odd !== undefined || (host === undefined) === (cidr === undefined))
    throw invalid(`${where} must have either host or cidr, and port perhaps`);
  const place = readText(host ?? cidr ?? null, where);
  if (port === undefined) return place;
  const ports = typeof port === 'number' ? String(port) : readText(port, where);
  const [address = '', bits] = place.split('/');
  const isBare = address.includes(':') && !address.startsWith('[');
  return `${isBare ? `[${address}]${bits === undefined ? '' : `/${bits}`}` : place}:${ports}`;
}
