import type { AppChanges } from '#shared/contract/move-updates.ts'

/** Returns the models and custom types of an update with their display names. */
export const namesIn = ({ models, additions }: AppChanges) => ({
  models: [...models.flatMap(({ uid, name }) => (uid === null ? [] : [{ uid, name }])), ...additions.models],
  customTypes: [...additions.customTypes, ...additions.parts],
})
