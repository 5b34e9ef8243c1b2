import { expect, it } from 'vitest'
import { barSizes, fittingGroups } from './fitting-groups.ts'

const groups = [
  { buttons: 2, givesWay: 1 },
  { buttons: 6, givesWay: 0 },
  { buttons: 3, givesWay: 2 },
]

it('`fittingGroups` keeps all groups in the bar when they fit', () => {
  expect(fittingGroups(groups, 2000, 1)).toEqual([true, true, true])
})

it('`fittingGroups` moves groups to the menu by descending `givesWay` as the bar becomes narrower', () => {
  let before = 3
  for (let width = 600; width >= 0; width -= 10) {
    const inBar = fittingGroups(groups, width, 1)
    const count = inBar.filter(Boolean).length
    expect(count).toBeLessThanOrEqual(before)
    if (inBar[2]) expect(inBar).toEqual([true, true, true])
    if (inBar[0]) expect(inBar[1]).toBe(true)
    before = count
  }
  expect(before).toBe(0)
})

it('`fittingGroups` keeps the groups and the menu button within a width of 300 pixels', () => {
  const { button, between, gap, groupEdge } = barSizes
  const inBar = fittingGroups(groups, 300, 1)
  const used = groups
    .filter((_, index) => inBar[index])
    .reduce((sum, one) => sum + one.buttons * (button + gap) - gap + groupEdge + between, 0)
  expect(used + 2 * (button + between)).toBeLessThanOrEqual(300)
})
