// Chromium, and what no page may do in it.

import { chromium } from 'playwright-core';

/** The browser, which asks nobody for anything by itself. */
export function launched() {
  const flags = ['--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
    '--disable-component-update', '--disable-sync'];
  // Chromium's own sandbox needs namespaces that root has no use for.
  if (process.getuid() === 0) flags.push('--no-sandbox');
  return chromium.launch({ executablePath: process.env.CHROMIUM, args: flags });
}

/** Notes whatever the page complains of, asks, or requests from an address that is not its own. */
export function watch(page, troubles, isOwn) {
  page.on('console', (message) => troubles.push(`console: ${message.text()}`));
  page.on('pageerror', (error) => troubles.push(`error: ${error.stack}`));
  page.on('dialog', (dialog) => { troubles.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.on('request', (request) => { if (!isOwn(request.url())) troubles.push(`request: ${request.url()}`); });
}
