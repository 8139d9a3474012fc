/** The dashboard as a person uses it: sign in, open a terminal, type, read what is on it. */
import { waitFor } from '@holdfast/testing';
import type { Browser, Page } from 'playwright-core';

const SEEN_WITHIN_MS = 15_000;

export class DashboardPage {
  /** What the page complained about: errors and refusals of the content security policy. */
  readonly complaints: string[] = [];

  private constructor(readonly page: Page) {
    page.setDefaultTimeout(SEEN_WITHIN_MS);
    page.on('pageerror', (error) => this.complaints.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') this.complaints.push(message.text());
    });
  }

  /** Opens an address in a profile of its own. */
  static async open(browser: Browser, address: string): Promise<DashboardPage> {
    const context = await browser.newContext({ viewport: { width: 1200, height: 760 } });
    const dashboard = new DashboardPage(await context.newPage());
    await dashboard.page.goto(address);
    return dashboard;
  }

  /** Opens the sign-in link of the ready line in a profile of its own. */
  static async signIn(browser: Browser, link: string): Promise<DashboardPage> {
    const dashboard = await DashboardPage.open(browser, link);
    await dashboard.page.getByTestId('new-terminal').waitFor();
    return dashboard;
  }

  async openNewTerminal(): Promise<void> {
    await this.page.getByTestId('new-terminal').click();
    await this.connected();
  }

  async connected(): Promise<void> {
    await this.page.locator('[data-testid="connection-state"][data-state="connected"]').waitFor();
    await this.page.locator('.xterm-helper-textarea').focus();
  }

  /** The session whose terminal is open. */
  sessionId(): string {
    return /#\/sessions\/([^/]+)$/.exec(this.page.url())?.[1] ?? '';
  }

  type(text: string): Promise<void> {
    return this.page.keyboard.type(text);
  }

  press(key: string): Promise<void> {
    return this.page.keyboard.press(key);
  }

  async enter(text: string): Promise<void> {
    await this.type(text);
    await this.press('Enter');
  }

  /** The terminal's visible lines, without trailing blanks. */
  async screen(): Promise<string> {
    const rows = await this.page.locator('.xterm-rows > div').allInnerTexts();
    return rows
      .map((row) => row.replaceAll('\u00a0', ' ').trimEnd())
      .join('\n')
      .trimEnd();
  }

  async shows(pattern: RegExp, withinMs = SEEN_WITHIN_MS): Promise<RegExpExecArray> {
    return waitFor(async () => pattern.exec(await this.screen()), {
      what: `the terminal shows ${String(pattern)}`,
      withinMs,
      everyMs: 50,
    }).catch(async (error: unknown) => {
      throw new Error(`${(error as Error).message}; it shows:\n${await this.screen()}`);
    });
  }
}
