import type { VNode } from 'preact';
export function RunList(): VNode { return <h1 tabIndex={-1}>Runs</h1>; }
