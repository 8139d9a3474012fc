/** Starts the session supervisor. Sessions live on when it ends. */
import { loadConfig } from '@holdfast/platform-config';
import { runService } from '@holdfast/platform-observability';
import { DEFAULT_BUNDLE } from './backend/holder/launch/holder-bundle.js';
import { Supervisor } from './supervisor.js';

await runService({
  name: 'session-supervisor',
  start: (environment, log) => {
    const holderBundle = environment['HOLDFAST_HOLDER_BUNDLE'] ?? DEFAULT_BUNDLE;
    return Supervisor.start({ config: loadConfig(environment), environment, holderBundle, log });
  },
});
