import { BlockList } from 'node:net';
import { isIn } from './egress-rule.js';

/** Where machines of clouds ask for their credentials, and for what they are set up with. */
const metadata = listOf(
  '169.254.169.254/32',
  '169.254.170.2/32',
  '169.254.170.23/32',
  '169.254.169.253/32',
  '100.100.100.200/32',
  '168.63.129.16/32',
  '192.0.0.192/32',
  'fd00:ec2::/32',
  'fd20:ce::254/128',
);

/** What the registries of IANA for special purposes say can't be reached globally, with what carries an IPv4 address in an IPv6 one. */
const inside = listOf(
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::/96',
  '::ffff:0:0:0/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
  '5f00::/16',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
);

/** What an address stands for that no address of the web at large does; null: nothing. */
export function specialKind(address: string): 'metadata' | 'inside' | null {
  if (isIn(metadata, address)) return 'metadata';
  return isIn(inside, address) ? 'inside' : null;
}

function listOf(...networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    list.addSubnet(address, Number(bits), address.includes(':') ? 'ipv6' : 'ipv4');
  }
  return list;
}
