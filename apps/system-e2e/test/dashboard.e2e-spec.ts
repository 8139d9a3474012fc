/** The dashboard in a real browser: from the ready line to a terminal that survives everything around it. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DashboardPage, startBrowser, startRig, type Rig, type RunningBrowser } from '../src/index.js';

const SCREENSHOTS = join(import.meta.dirname, '..', 'test-results');

describe('the dashboard', () => {
  let rig: Rig;
  let chromium: RunningBrowser;
  let dashboard: DashboardPage;
  const link = () => `${rig.up.baseUrl}/#token=${rig.up.token}`;
  /** A terminal with a prompt that no output can be mistaken for. */
  const openTerminal = async () => {
    dashboard = await DashboardPage.signIn(chromium.browser, link());
    await dashboard.openNewTerminal();
    await dashboard.enter(`PS1='ready> '; clear`);
    await dashboard.shows(/^ready>$/m);
  };

  beforeAll(async () => {
    mkdirSync(SCREENSHOTS, { recursive: true });
    [rig, chromium] = await Promise.all([startRig(), startBrowser()]);
  }, 60_000);
  afterAll(async () => {
    await chromium[Symbol.asyncDispose]();
    await rig[Symbol.asyncDispose]();
  });
  afterEach(async () => {
    await dashboard.page.screenshot({ path: join(SCREENSHOTS, `${expect.getState().currentTestName?.replaceAll(/\W+/g, '-')}.png`) });
    await dashboard.page.context().close();
  });

  it('signs in by the link, keeps no token in the address, and runs a shell', async () => {
    await openTerminal();
    expect(dashboard.page.url()).not.toContain(rig.up.token);
    await dashboard.enter('echo sum-$((40 + 2))');
    await dashboard.shows(/^sum-42$/m);
    await dashboard.page.reload();
    await dashboard.connected();
    await dashboard.shows(/^sum-42$/m);
    expect(dashboard.complaints).toEqual([]);
  });

  it('asks a stranger for the token and refuses a wrong one', async () => {
    dashboard = await DashboardPage.open(chromium.browser, rig.up.baseUrl);
    await dashboard.page.getByLabel(/token/i).fill('wrong');
    await dashboard.page.keyboard.press('Enter');
    await dashboard.page.getByRole('alert').waitFor();
    await dashboard.page.getByLabel(/token/i).fill(rig.up.token);
    await dashboard.page.keyboard.press('Enter');
    await dashboard.page.getByTestId('new-terminal').waitFor();
  });

  it('gives the shell the size of the window, and the next one when it changes', async () => {
    await openTerminal();
    await dashboard.enter('stty size');
    const [, rows = '', cols = ''] = await dashboard.shows(/^(\d+) (\d+)$/m);
    await dashboard.page.setViewportSize({ width: 900, height: 500 });
    await dashboard.enter('clear');
    await dashboard.enter(`until [ "$(stty size)" != "${rows} ${cols}" ]; do sleep 0.1; done; echo "now $(stty size)"`);
    const [, newRows = '', newCols = ''] = await dashboard.shows(/^now (\d+) (\d+)$/m);
    expect([Number(newRows) < Number(rows), Number(newCols) < Number(cols)]).toEqual([true, true]);
  });

  it('shows full-screen programs, and what was there before when they end', async () => {
    await openTerminal();
    await dashboard.enter('seq -f "line %g" 500 > /tmp/$HOLDFAST_SESSION_ID; echo kept-above');
    await dashboard.shows(/^kept-above$/m);
    await dashboard.enter('less /tmp/$HOLDFAST_SESSION_ID');
    await dashboard.shows(/^line 1$/m);
    await dashboard.press('G');
    await dashboard.shows(/^line 500$/m);
    await dashboard.press('q');
    await dashboard.shows(/^kept-above$/m);
    await dashboard.enter('vi /tmp/$HOLDFAST_SESSION_ID; rm /tmp/$HOLDFAST_SESSION_ID; echo left-vi');
    await dashboard.shows(/^line 1$/m);
    await dashboard.type('Gotyped in vi');
    await dashboard.press('Escape');
    await dashboard.shows(/^typed in vi$/m);
    await dashboard.enter(':q!');
    await dashboard.shows(/^left-vi$/m);
    expect(dashboard.complaints).toEqual([]);
  });

  it('goes on after the supervisor and the gateway were killed, and types what was typed meanwhile once', async () => {
    await openTerminal();
    await dashboard.enter('echo before-the-kill');
    await dashboard.shows(/^before-the-kill$/m);
    for (const service of ['session-supervisor', 'gateway-1']) {
      const back = rig.kill(service);
      await dashboard.enter(`echo typed-while-${service}-was-away`);
      await back;
      await dashboard.shows(new RegExp(`^typed-while-${service}-was-away$`, 'm'));
    }
    const screen = await dashboard.screen();
    expect(screen.match(/^(before-the-kill|typed-while-\S+-was-away)$/gm)).toEqual([
      'before-the-kill',
      'typed-while-session-supervisor-was-away',
      'typed-while-gateway-1-was-away',
    ]);
  });

  it('says how a session ended, and lists it so', async () => {
    await openTerminal();
    await dashboard.enter('exit 7');
    await dashboard.page.getByTestId('exit-state').getByText('7').waitFor();
    const sessionId = dashboard.sessionId();
    await dashboard.page.goto(`${rig.up.baseUrl}/#/`);
    await dashboard.page.locator(`[data-session-id="${sessionId}"]`).getByTestId('session-exit').getByText('7').waitFor();
    expect(await rig.holdfast.getSession(sessionId)).toMatchObject({ state: 'exited', exit: { code: 7 } });
  });
});
