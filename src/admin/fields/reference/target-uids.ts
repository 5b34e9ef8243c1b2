import type { ReferenceSettings } from '#shared/fields/reference.ts'

/** uids of the models that the field refers to; empty until one is chosen in its settings. */
export const targetUids = ({ modelUid, otherModelUids }: ReferenceSettings): string[] =>
  modelUid === '' ? [] : [modelUid, ...(otherModelUids ?? [])]
