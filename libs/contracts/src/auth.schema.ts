/** Signing in: `POST /v1/auth/session` exchanges a token for the HttpOnly cookie (204), `DELETE` clears it (204). */
import { z } from 'zod';

export const signInSchema = z.strictObject({ token: z.string().min(1).max(512) });
export type SignIn = z.infer<typeof signInSchema>;
