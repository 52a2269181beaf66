import { render } from 'preact';
import { Playground } from './shell/playground.js';

const root = document.getElementById('playground');
if (root !== null) render(<Playground />, root);
// Keeps the page for times without a network. Without it the page works online.
if ('serviceWorker' in navigator)
  void navigator.serviceWorker.register('./service-worker.js').catch(() => undefined);
