// cspell:ignore scorevalue checkpointeventtype
import starlight from '@astrojs/starlight';
import { defineConfig, passthroughImageService } from 'astro/config';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import linksValidator from 'starlight-links-validator';
import openApi, { openAPISidebarGroups } from 'starlight-openapi';
import { readOutline } from './outline.mjs';

const site = dirname(fileURLToPath(import.meta.url));

const sidebar = readOutline(dirname(site)).map(({ label, collapsed, pages }) => ({
  ...{ label, collapsed, items: pages.map(({ place }) => ({ slug: place })) },
}));

const base = process.env.SITE_BASE ?? '/';

export default defineConfig({
  base,
  site: process.env.SITE_URL,
  // Pictures are published as they are.
  image: { service: passthroughImageService() },
  telemetry: false,
  integrations: [
    starlight({
      title: 'tactus-temporal',
      favicon: '/try/icon.svg',
      customCss: ['./src/styles/site.css'],
      components: { PageTitle: './src/components/PageTitle.astro' },
      sidebar: [...sidebar, ...openAPISidebarGroups],
      plugins: [
        openApi([
          {
            base: 'http',
            schema: './public/openapi.json',
            sidebar: { label: 'HTTP routes', collapsed: true },
          },
        ]),
        linksValidator({
          errorOnLocalLinks: false,
          exclude: [
            // Files that aren't pages: each is published with the link to it.
            ...['/files/**', '/try/index.html'].map((path) => base.replace(/\/$/, '') + path),
            // The generator of the reference links to a second heading of this name, which there is none of.
            ...['/**/#scorevalue-1', '/**/#checkpointeventtype-1', '#scorevalue-1', '#checkpointeventtype-1'],
          ],
        }),
      ],
    }),
  ],
});
