import type { ReferenceSettings } from '#shared/fields/reference.ts'

/** uids of the models that the field refers to: none while none was chosen in its settings. */
export const targetUids = ({ modelUid, otherModelUids }: ReferenceSettings): string[] =>
  modelUid === '' ? [] : [modelUid, ...(otherModelUids ?? [])]
