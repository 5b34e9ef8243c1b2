import type { Implementation } from '#server/http/endpoints.ts'

/** Every feature's endpoints: the management API. */
export const implementations: Implementation[] = []
