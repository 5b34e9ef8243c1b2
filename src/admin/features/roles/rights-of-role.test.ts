import { expect, it } from 'vitest'
import type { Right } from '#shared/permissions.ts'
import { levelOf, levels, neededBy, rightsOfLevel, toggled } from './rights-of-role.ts'

it('toggled adds a right with the rights it needs, or removes a right with the rights that need it', () => {
  const some = toggled(new Set<Right>(['space.view']), 'asset.write.any', true)
  expect([...some].sort()).toEqual(['asset.read', 'asset.write.any', 'asset.write.own', 'space.view'])
  expect([...toggled(some, 'asset.read', false)]).toEqual(['space.view'])
  expect(neededBy(some, 'asset.read')).toBe('asset.write.own')
  expect(neededBy(some, 'asset.write.any')).toBeUndefined()
})

it('levelOf reverses rightsOfLevel, and the level "publish" includes reading and writing', () => {
  for (const level of levels) expect(levelOf(rightsOfLevel(level))).toBe(level)
  expect(rightsOfLevel('publish')).toEqual(['document.read', 'document.write.own', 'document.publish.own'])
})
