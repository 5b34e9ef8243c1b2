import type { ReferenceSettings } from '#shared/fields/reference.ts'

/** Returns the uids of the models that the field refers to. Empty until a model is chosen in the settings. */
export const targetUids = ({ modelUid, otherModelUids }: ReferenceSettings): string[] =>
  modelUid === '' ? [] : [modelUid, ...(otherModelUids ?? [])]
