/** Lets a style prop carry the custom properties that app.css reads. */
import 'react';

declare module 'react' {
  interface CSSProperties {
    '--hf-terminal-background'?: string | undefined;
  }
}
