/** Which Host and Origin are ours, for each way a gateway can be bound. */
import { describe, expect, it } from '@jest/globals';
import { OriginPolicy, type OriginFacts, type OriginPolicyOptions } from './origin.policy.js';

function accepts(options: Partial<OriginPolicyOptions>, facts: Partial<OriginFacts>): boolean {
  const policy = new OriginPolicy({ bindHost: '127.0.0.1', interfaceAddresses: ['192.0.2.7', 'fe80::1'], ...options });
  try {
    policy.check({ host: '127.0.0.1:7070', origin: undefined, fetchSite: undefined, port: 7070, ...facts });
    return true;
  } catch {
    return false;
  }
}

const PROXIED = { publicOrigin: 'https://holdfast.example.org' };

describe('OriginPolicy', () => {
  it.each<[string, Partial<OriginPolicyOptions>, Partial<OriginFacts>, boolean]>([
    ['no Origin: no web page', {}, {}, true],
    ['no Origin, but a page of another site', {}, { fetchSite: 'cross-site' }, false],
    ['our own page', {}, { origin: 'http://127.0.0.1:7070', fetchSite: 'same-origin' }, true],
    ['Host in capitals', {}, { host: 'LOCALHOST:7070' }, true],
    ['no Host', {}, { host: undefined }, false],
    ['a Host of another port', {}, { host: '127.0.0.1:7071' }, false],
    ['an address of the machine, bound to loopback', {}, { host: '192.0.2.7:7070' }, false],
    ['an address of the machine, bound to all', { bindHost: '0.0.0.0' }, { host: '192.0.2.7:7070', origin: 'http://192.0.2.7:7070' }, true],
    ['a name, bound to all', { bindHost: '0.0.0.0' }, { host: 'rebound.example:7070' }, false],
    ['the wildcard itself', { bindHost: '0.0.0.0' }, { host: '0.0.0.0:7070' }, false],
    ['an IPv6 address', { bindHost: '::' }, { host: '[fe80::1]:7070', origin: 'http://[fe80::1]:7070' }, true],
    ['the public origin', PROXIED, { host: 'holdfast.example.org', origin: 'https://holdfast.example.org' }, true],
    ['the public name by http', PROXIED, { host: 'holdfast.example.org', origin: 'http://holdfast.example.org' }, false],
    ['a name that only begins like the public one', PROXIED, { origin: 'https://holdfast.example.org.evil.example' }, false],
    ['port 80, which browsers leave out', {}, { host: 'localhost', origin: 'http://localhost', port: 80 }, true],
  ])('%s', (_what, options, facts, isAccepted) => {
    expect(accepts(options, facts)).toBe(isAccepted);
  });
});
