import { expect, it } from 'vitest'
import { messages } from '#admin/i18n/editing.ja.ts'
import { appRights, spaceRights } from '#shared/permissions.ts'
import { rightGroups, rightKey } from './right-groups.ts'

it('rightGroups lists all rights for spaces and the app rights for apps, and every right has a text', () => {
  const shown = (target: keyof typeof rightGroups) => rightGroups[target].flatMap(({ rights }) => [...rights])
  expect([...shown('project')].sort()).toEqual([...spaceRights, ...appRights].sort())
  expect([...shown('app')].sort()).toEqual([...appRights].sort())
  for (const right of [...spaceRights, ...appRights]) {
    const text = rightKey(right, 'text')
      .split('.')
      .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], messages.roles)
    expect([right, typeof text]).toEqual([right, 'string'])
  }
})
