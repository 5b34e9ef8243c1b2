interface Rule {
  name: string
  role: string
}

/**
 * The rules that may begin or cease to apply through a change: `given` with their index in `after`, and `taken` from
 * `before`; `losesGroup`: whether a group no longer has a rule.
 *
 * Members get the role of the first rule that names one of their groups. So a rule that names another group than
 * before also affects all rules after it, even if those do not change.
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
