import { configure } from '@testing-library/react'
import { afterAll } from 'vitest'

// Generous, because rendering takes long on a slow machine.
configure({ asyncUtilTimeout: 30_000 })

// Components may leave timers behind, which must not fire after the document of the test file is gone.
const timers = new Set<ReturnType<typeof setTimeout>>()
const setTimer = globalThis.setTimeout
globalThis.setTimeout = Object.assign((...args: Parameters<typeof setTimeout>) => {
  const timer = setTimer(...args)
  timers.add(timer)
  return timer
}, setTimer) as typeof setTimeout
afterAll(() => {
  for (const timer of timers) clearTimeout(timer)
  // The next test file of the worker may get the same document.
  document.body.replaceChildren()
})
