/** How the dashboard looks: system fonts, one accent, calm corners. */
import { createTheme } from '@mantine/core';

export const MONOSPACE = 'ui-monospace, "Cascadia Mono", "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", "Liberation Mono", monospace';

export const theme = createTheme({
  primaryColor: 'cyan',
  primaryShade: { light: 8, dark: 7 },
  autoContrast: true,
  defaultRadius: 'md',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif',
  fontFamilyMonospace: MONOSPACE,
  headings: { fontWeight: '650' },
  cursorType: 'pointer',
});
