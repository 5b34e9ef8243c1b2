import type { AppChanges } from '#shared/contract/move-updates.ts'

/** Models and custom types of an update by the names that people know. */
export const namesIn = ({ models, additions }: AppChanges) => ({
  models: [...models.flatMap(({ uid, name }) => (uid === null ? [] : [{ uid, name }])), ...additions.models],
  customTypes: [...additions.customTypes, ...additions.parts],
})
