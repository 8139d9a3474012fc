/** Makes CloudEvents 1.0 in the JSON format, with the attributes we set. */
import { newId } from '@holdfast/kernel';

export interface CloudEvent<Type extends string = string, Data = unknown> {
  readonly specversion: '1.0';
  /** Unique with `source`: consumers drop repeats by the pair. */
  readonly id: string;
  /** Who says so, as a URI reference, e.g. `/session-supervisor/<host id>`. */
  readonly source: string;
  readonly type: Type;
  readonly subject?: string;
  /** ISO 8601, wall clock: for people. Ages never come from it. */
  readonly time: string;
  readonly datacontenttype: 'application/json';
  readonly data: Data;
}

export function cloudEvent<Type extends string, Data>(facts: {
  readonly type: Type;
  readonly source: string;
  readonly subject?: string;
  readonly data: Data;
}): CloudEvent<Type, Data> {
  return { specversion: '1.0', id: newId(), time: new Date().toISOString(), datacontenttype: 'application/json', ...facts };
}
