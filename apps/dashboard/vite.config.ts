/** Builds the dashboard into static files with relative addresses; `HOLDFAST_GATEWAY` (an origin) is where a development server finds the API. */
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const gateway = process.env['HOLDFAST_GATEWAY'] ?? 'http://127.0.0.1:7070';

export default defineConfig({
  root: import.meta.dirname,
  base: './',
  plugins: [react()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    // No data: addresses: the content security policy stays short.
    assetsInlineLimit: 0,
    // One bundle on purpose: a page left open across an upgrade must not ask for a chunk that is gone.
    chunkSizeWarningLimit: 1600,
  },
  server: { host: '127.0.0.1', proxy: { '/v1': gateway, '/socket.io': { target: gateway, ws: true } } },
});
