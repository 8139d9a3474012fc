/** Colours of the terminal in light and dark; both palettes keep every colour readable on their background. */
import type { ITheme } from '@xterm/xterm';

export type ColourScheme = 'light' | 'dark';

const DARK: ITheme = {
  background: '#14171a',
  foreground: '#dfe3e8',
  cursor: '#66d9e8',
  cursorAccent: '#14171a',
  selectionBackground: '#31566b',
  black: '#3b4148',
  red: '#ff7b72',
  green: '#5fd38d',
  yellow: '#e3b341',
  blue: '#6cb6ff',
  magenta: '#d2a8ff',
  cyan: '#56d4dd',
  white: '#c9d1d9',
  brightBlack: '#7d8590',
  brightRed: '#ffa198',
  brightGreen: '#85e2a9',
  brightYellow: '#f2cc60',
  brightBlue: '#96d0ff',
  brightMagenta: '#e2c5ff',
  brightCyan: '#86e6ec',
  brightWhite: '#ffffff',
};

const LIGHT: ITheme = {
  background: '#ffffff',
  foreground: '#1f2328',
  cursor: '#0b7285',
  cursorAccent: '#ffffff',
  selectionBackground: '#b6dcf2',
  black: '#24292f',
  red: '#c9252d',
  green: '#116329',
  yellow: '#7d4e00',
  blue: '#0859c6',
  magenta: '#7a3ec2',
  cyan: '#1b6f7c',
  white: '#6e7781',
  brightBlack: '#57606a',
  brightRed: '#a40e26',
  brightGreen: '#1a7f37',
  brightYellow: '#633c01',
  brightBlue: '#2166d1',
  brightMagenta: '#8250df',
  brightCyan: '#2a7f8c',
  brightWhite: '#8c959f',
};

export const terminalTheme = (scheme: ColourScheme): ITheme => (scheme === 'dark' ? DARK : LIGHT);
