/** A real Chromium for the dashboard. */
import { chromium, type Browser } from 'playwright-core';

/** No sandbox: tests run as root in containers. The rest keeps it from calling anybody. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export interface RunningBrowser extends AsyncDisposable {
  readonly browser: Browser;
}

export async function startBrowser(): Promise<RunningBrowser> {
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', headless: true, args: FLAGS });
  return { browser, [Symbol.asyncDispose]: () => browser.close() };
}
