/** Who asks. */
export interface Principal {
  readonly tokenId: string;
  /** Owner of what is created without one: `operator:<name>`. */
  readonly name: string;
  readonly role: 'viewer' | 'operator' | 'admin';
}

export const OPERATOR: Principal = { tokenId: 'operator', name: 'operator', role: 'admin' };
