/** @module-tag full */
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { PlannedModel } from '#shared/contract/move-plans.ts'
import { createSpace } from '#test/factories.ts'
import { picturedSpace, rescuedFrom } from '#test/newt-stand-in/archive.ts'
import { ok } from '#test/server.ts'
import { MovedApp, Movers } from '#test/updated-move.ts'

let movers: Movers
beforeAll(async () => {
  movers = await Movers.start()
})
afterAll(() => movers?.installation.close())

it('verifyMove accepts an app and a model that were renamed in the plan', async () => {
  const { client } = movers.admin
  const newt = await picturedSpace()
  const zip = await rescuedFrom(newt)
  const moved = new MovedApp(movers, await createSpace(client), newt)
  const id = await moved.upload(zip)
  const { app, models, customTypes } = ok(await client.get(moved.moveUrl(id, '/plan'))).plan
  const renamed = models.map((model: PlannedModel) =>
    model.uid === 'author' ? { ...model, uid: 'writer' } : model,
  )
  const data = { app: { ...app, name: '新しい名前' }, models: renamed, customTypes }
  ok(await client.put(moved.moveUrl(id, '/plan'), { data }))
  await moved.apply(id)
  const planned = { app: '新しい名前', models: new Map([['author', 'writer']]) }
  const known = await moved.verify(zip, { planned })
  expect(known.renamedApp).toEqual({ from: app.name, to: '新しい名前', isPlanned: true })
  expect(known.unexplained.map(({ call, difference }) => `${call.model} ${difference.path}`)).toEqual([])
  // Without the plan, the renaming is an unexpected difference.
  const unknown = await moved.verify(zip)
  expect(unknown.renamedApp).toMatchObject({ isPlanned: false })
  expect(unknown.unexplained.some(({ difference }) => difference.path === 'name')).toBe(true)
})
