import type { VNode } from 'preact';
export function RunPlace({ id }: { id: string }): VNode { return <h1 tabIndex={-1}>{id}</h1>; }
