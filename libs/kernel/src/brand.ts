/** Nominal types: a branded string cannot be mixed up with another kind of string. */
declare const brand: unique symbol;

export type Brand<Value, Name extends string> = Value & { readonly [brand]: Name };
