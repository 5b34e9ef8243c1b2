/** Widths in the format bar, in pixels; must match the style sheet. */
export const barSizes = { button: 30, gap: 1, groupEdge: 11, between: 2, padding: 6 } as const

interface Group {
  buttons: number
  /** The order in which groups are moved to the menu: the highest number first, 0 last. */
  givesWay: number
}

/**
 * Decides which groups of buttons fit into a bar. The other groups go into an overflow menu.
 * @param width inner width of the bar in pixels
 * @param fixed number of buttons that are always in the bar, in addition to the groups
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
