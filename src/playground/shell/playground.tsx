import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { Text } from '../../page/text/text.js';
import { ChangeCard } from '../changes/change-card.js';
import { EditorPane } from '../editor/editor-pane.js';
import { examples } from '../procedures/examples.js';
import { RunPane } from '../runs/run-pane.js';
import { usePlayground, type Playground as Model } from './use-playground.js';

/** The page: the file on one side, its run on the other. */
export function Playground(): VNode {
  const model = usePlayground();
  const { run } = model;
  return (
    <main>
      <header class="bar">
        <h1>Tactus playground</h1>
        <Toolbar model={model} />
      </header>
      {model.problem !== null && (
        <p role="alert" class="problem">
          <Text text={model.problem} />
        </p>
      )}
      <div class="panes">
        <section class="file" aria-label="File">
          <EditorPane
            text={model.text}
            diagnostics={model.diagnostics}
            complete={model.complete}
            onChange={(text) => model.edit({ text })}
          />
          <Problems model={model} />
          <Fields model={model} />
        </section>
        <div class="side">
          {run === null ? (
            <Welcome />
          ) : (
            <>
              {model.isEdited && (
                <ChangeCard verdict={model.verdict} tryIt={model.tryIt} continueWith={model.continueWith} />
              )}
              <RunPane {...model} record={run.record} view={run.host.view} graph={run.graph} />
            </>
          )}
        </div>
      </div>
    </main>
  );
}

function Toolbar({ model }: { model: Model }): VNode {
  const [link, setLink] = useState<string | null>(null);
  return (
    <div class="actions">
      <label>
        Example{' '}
        <select
          value=""
          onChange={(event) => {
            const found = examples.find(({ name }) => name === event.currentTarget.value);
            if (found !== undefined)
              model.edit({ text: found.text, input: found.input, script: found.script });
          }}
        >
          <option value="">Choose …</option>
          {examples.map(({ name, title }) => (
            <option value={name} key={name}>
              {title}
            </option>
          ))}
        </select>
      </label>
      <button type="button" class="primary" disabled={!model.isReady} onClick={model.start}>
        {model.isReady ? 'Run' : 'Loading …'}
      </button>
      <button
        type="button"
        onClick={() => {
          const url = model.share();
          setLink(url);
          history.replaceState(null, '', url);
          void navigator.clipboard?.writeText(url).catch(() => undefined);
        }}
      >
        Share
      </button>
      {link !== null && (
        <label>
          Link <input readonly value={link} onFocus={(event) => event.currentTarget.select()} />
        </label>
      )}
    </div>
  );
}

function Problems({ model }: { model: Model }): VNode | null {
  if (model.diagnostics.length === 0) return null;
  return (
    <ul class="diagnostics" aria-label="Problems">
      {model.diagnostics.map(({ line, column, severity, code, message, suggestion }) => (
        <li key={`${line}:${column}:${code}`} class={severity}>
          <span class="mono">
            {line}:{column}
          </span>{' '}
          {severity} <Text text={`${message}${suggestion === null ? '' : `: ${suggestion}`}`} />
        </li>
      ))}
    </ul>
  );
}

function Fields({ model }: { model: Model }): VNode {
  return (
    <div class="fields">
      <label>
        Input, as JSON
        <textarea
          rows={2}
          spellcheck={false}
          value={model.input}
          onInput={(event) => model.edit({ input: event.currentTarget.value })}
        />
      </label>
      <label>
        Answers of the scripted model, one for each line
        <textarea
          rows={3}
          spellcheck={false}
          value={model.script}
          onInput={(event) => model.edit({ script: event.currentTarget.value })}
        />
      </label>
    </div>
  );
}

function Welcome(): VNode {
  return (
    <section class="welcome" aria-label="How it works">
      <h2>Kill it, and lose nothing</h2>
      <ol>
        <li>Run the procedure. A scripted model answers; nothing leaves your browser.</li>
        <li>Kill the run while it waits for you, and reload the page if you like.</li>
        <li>Resume. The recorded answers of the model come from the log, and no call is paid twice.</li>
        <li>Answer the request, fork from a position of the log, or edit the file and continue with it.</li>
      </ol>
      <p>The engine is the one that workers run in Temporal. Here it runs in your browser.</p>
    </section>
  );
}
