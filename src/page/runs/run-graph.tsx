import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Graph, Run } from '../api/shapes.js';
import { useSession } from '../shell/session.js';
import { Card } from '../text/text.js';
import { GraphDrawing } from './graph-drawing.js';
import type { Standing } from './graph-layout.js';

/** The graph of a run's procedure, as the server gives it. */
export function RunGraph(standing: Standing & { run: Run }): VNode | null {
  const { run } = standing;
  const { api } = useSession();
  const [graph, setGraph] = useState<Graph | null>(null);
  useEffect(() => {
    const asked = new AbortController();
    // A run without a source that can be drawn has no drawing.
    api
      .get('/runs/{run}/graph', { run: run.run_id }, { signal: asked.signal })
      .then(setGraph, () => setGraph(null));
    return () => asked.abort();
  }, [api, run.run_id]);
  if (graph === null) return null;
  return (
    <Card title="Procedure">
      <GraphDrawing {...{ graph, standing }} />
    </Card>
  );
}
