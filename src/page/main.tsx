import { render } from 'preact';
import { App } from './app.js';
import { LinkPlace } from './people/link/link-place.js';

const root = document.getElementById('page');
// Whoever comes by a link isn't signed in, and need not be.
if (root !== null) render(location.pathname === '/link' ? <LinkPlace /> : <App />, root);
