/** The brake never takes more than the floor allows. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { FLOOR_BYTES_PER_SECOND, FloodBrake } from './flood-brake.js';

describe('FloodBrake', () => {
  it('holds a flood for at most the time its bytes would take at the floor', () => {
    fc.assert(
      fc.property(fc.array(fc.record({ bytes: fc.nat(3_000_000), wishedMs: fc.nat(2000) })), (steps) => {
        const brake = new FloodBrake();
        let offset = 0;
        let heldMs = 0;
        for (const { bytes, wishedMs } of steps) {
          offset += bytes;
          const granted = brake.grant(wishedMs, offset);
          heldMs += granted;
          expect(granted).toBeLessThanOrEqual(wishedMs);
        }
        expect(heldMs).toBeLessThanOrEqual((offset / FLOOR_BYTES_PER_SECOND) * 1000);
      }),
    );
  });

  it('lets go when asked to', () => {
    const brake = new FloodBrake();
    expect([brake.grant(250, 2_000_000), brake.grant(0, 2_000_001), brake.grant(250, 2_000_001)]).toEqual([250, 0, 0]);
  });
});
