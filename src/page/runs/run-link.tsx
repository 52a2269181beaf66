import type { VNode } from 'preact';
import { Link } from '../shell/navigation.js';
import { runPath } from '../shell/route.js';
import { useSession } from '../shell/session.js';
import { Text } from '../text/text.js';

/** A run by its name, which leads there for whoever may look at it. */
export function RunLink({ id }: { id: string }): VNode {
  const { isLink } = useSession();
  const name = <Text text={id} short={200} />;
  return isLink ? name : <Link to={runPath(id)}>{name}</Link>;
}
