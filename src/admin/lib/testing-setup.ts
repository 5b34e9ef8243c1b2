import { configure } from '@testing-library/react'
import { afterAll } from 'vitest'

// The timeout is long, because rendering is slow on some machines.
configure({ asyncUtilTimeout: 30_000 })

// Components may leave timers that must not fire after the document of the test file has been removed.
const timers = new Set<ReturnType<typeof setTimeout>>()
const setTimer = globalThis.setTimeout
globalThis.setTimeout = Object.assign((...args: Parameters<typeof setTimeout>) => {
  const timer = setTimer(...args)
  timers.add(timer)
  return timer
}, setTimer) as typeof setTimeout
afterAll(() => {
  for (const timer of timers) clearTimeout(timer)
  // The next test file of the worker may use the same document.
  document.body.replaceChildren()
})
