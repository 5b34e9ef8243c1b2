import { expect, it } from 'vitest'
import { Store } from './store.ts'

it('a store notifies a listener of changed values until the listener unsubscribes', () => {
  const store = new Store({ name: 'akahara', legs: 4 })
  const heard: number[] = []
  const stop = store.subscribe(() => heard.push(store.get().legs))
  store.patch({ legs: 3 })
  const same = store.get()
  store.set(same)
  expect(heard).toEqual([3])
  stop()
  store.patch({ legs: 4 })
  expect(heard).toEqual([3])
  expect(store.get()).toEqual({ name: 'akahara', legs: 4 })
})

it('a store notifies another listener when a listener unsubscribes during a notification', () => {
  const store = new Store(0)
  const heard: string[] = []
  const stop = store.subscribe(() => {
    heard.push('first')
    stop()
  })
  store.subscribe(() => heard.push('second'))
  store.set(1)
  store.set(2)
  expect(heard).toEqual(['first', 'second', 'second'])
})
