interface Rule {
  name: string
  role: string
}

/**
 * Returns the mappings that may begin or cease to apply through a change. `given`: mappings of `after` with their index
 * there. `taken`: mappings of `before`. `losesGroup`: whether a group no longer has a mapping.
 *
 * Members get the role of the first mapping that names one of their groups. So a mapping that names another group than
 * before also affects all later mappings, even if these do not change.
 */
export function changedRules<Before extends Rule, After extends Rule>(
  before: readonly Before[],
  after: readonly After[],
): { given: (After & { index: number })[]; taken: Before[]; losesGroup: boolean } {
  let samePrefix = 0
  while (samePrefix < after.length && before[samePrefix]?.name === after[samePrefix]?.name) samePrefix++
  const hasChanged = (index: number) => index >= samePrefix || before[index]?.role !== after[index]?.role
  return {
    given: after.map((rule, index) => ({ ...rule, index })).filter(({ index }) => hasChanged(index)),
    taken: before.filter((_, index) => hasChanged(index)),
    losesGroup: before.some(({ name }) => !after.some((rule) => rule.name === name)),
  }
}
