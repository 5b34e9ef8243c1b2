/** Widths in the format bar, in pixels; the style sheet says the same. */
export const barSizes = { button: 30, gap: 1, groupEdge: 11, between: 2 } as const

interface Group {
  /** How many buttons it has. */
  buttons: number
  /** Which group goes first when there is no room: the highest number. Those with 0 stay as long as any. */
  givesWay: number
}

/**
 * Which groups of buttons fit into a bar; the others go into a menu behind a button of its own.
 * @param width inside of the bar in pixels
 * @param fixed how many buttons always stand beside the groups
 * @returns for each group whether it is in the bar
 */
export function fittingGroups(groups: readonly Group[], width: number, fixed: number): boolean[] {
  const { button, gap, groupEdge, between } = barSizes
  const widthOf = (group: Group) => group.buttons * (button + gap) - gap + groupEdge + between
  const inBar = groups.map(() => true)
  const needed = () => {
    const folded = inBar.includes(false) ? 1 : 0
    const shown = groups.filter((_, index) => inBar[index])
    return shown.reduce((sum, group) => sum + widthOf(group), (fixed + folded) * (button + between))
  }
  const order = groups
    .map((_, index) => index)
    .sort((a, b) => (groups[b]?.givesWay ?? 0) - (groups[a]?.givesWay ?? 0))
  for (const index of order) {
    if (needed() <= width) break
    inBar[index] = false
  }
  return inBar
}
